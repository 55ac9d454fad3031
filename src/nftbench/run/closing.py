"""The last words of a run: its figures as a table, and where its files are."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from nftbench.agents.chat import MAX_TOKENS_FIELDS
from nftbench.conversation import PROMPT_LAYOUT
from nftbench.records.store import EVENTS, REPLACED, SUMMARY, RunFolder
from nftbench.report.screen import Screen, printable
from nftbench.report.table import headlines, table_text
from nftbench.run.config import Config
from nftbench.run.sources import Endpoint

USUAL_WIDTH = 100
NARROWEST = 40


def show_figures(summary: Mapping[str, Any], out: Screen) -> None:
    """The table of the summary and its headlines, fitted to the screen."""
    width = max(NARROWEST, shutil.get_terminal_size((USUAL_WIDTH, 24)).columns)
    ascii_only = not out.encoding.lower().startswith("utf")
    table = table_text(summary, width=width, ascii_only=ascii_only).splitlines()
    for line in (*table, *headlines(summary), *_left_out(summary)):
        out.line(printable(line))


def _left_out(summary: Mapping[str, Any]) -> Iterator[str]:
    """What stands in the folder beside the figures."""
    if summary["replaced"]:
        yield f"set aside         {summary['replaced']} attempts, under {REPLACED}/"
    strays = summary["not_counted"]
    if strays:
        named = ", ".join(stray["file"] for stray in strays[:3]) + (" ..." if len(strays) > 3 else "")
        yield f"not counted       {len(strays)} files that are no results of this run: {named}"


def files_of(folder: RunFolder) -> str:
    """Where the files of a run are."""
    path = printable(str(folder.path))
    events = f", {EVENTS}" if folder.events_path.exists() else ""
    return f"Files: {path}/ with {SUMMARY}{events}, and result.json and trajectory.json in a folder for each task"


def how_to_check(config: Config) -> Iterator[str]:
    """A line with the command that says why a server of one's own answers nothing, with the flags of the run; none for
    other sources.
    """
    source = config.source
    if not isinstance(source, Endpoint):
        return
    words = ["nftbench", "check-endpoint", "--endpoint", source.url, "--model", source.model]
    for name, value in config.sampling.items():
        flag = f"--{name.replace('_', '-')}"
        words += [flag] if value is True else [flag, str(value)]
    if config.max_tokens_field != MAX_TOKENS_FIELDS[0]:
        words += ["--max-tokens-field", config.max_tokens_field]
    for name in source.served_names:
        words += ["--served-name", name]
    if config.prompt_layout != PROMPT_LAYOUT:
        words += ["--tool-calls", "native"]
    yield f"No call was answered; to see why: {printable(shlex.join(words))}"
