"""The last words of a run: its figures as a table, and where its files are."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any

from nftbench.records.store import EVENTS, SUMMARY, RunFolder
from nftbench.report.screen import Screen, printable
from nftbench.report.table import headlines, table_text

USUAL_WIDTH = 100
NARROWEST = 40


def show_figures(summary: Mapping[str, Any], out: Screen) -> None:
    """The table of the summary and its headlines, fitted to the screen."""
    width = max(NARROWEST, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)
    ascii_only = not out.encoding.lower().startswith("utf")
    out.line(table_text(summary, width=width, ascii_only=ascii_only))
    for line in headlines(summary):
        out.line(line)


def files_of(folder: RunFolder) -> str:
    """Where the files of a run are."""
    path = printable(str(folder.path))
    events = f", {EVENTS}" if folder.events_path.exists() else ""
    return f"Files: {path}/ with {SUMMARY}{events}, and result.json and trajectory.json in a folder for each task"
