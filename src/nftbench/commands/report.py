"""`nftbench report`: what recorded runs say, as a table, Markdown, JSON or CSV."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from nftbench.records import codec
from nftbench.report.document import document, report_on
from nftbench.report.formats import comma_separated, markdown, terminal
from nftbench.report.screen import Screen
from nftbench.run.arguments import Parser
from nftbench.run.loading import load_runs

FORMATS = ("table", "md", "json", "csv")
_USUAL_WIDTH, _NARROWEST = 120, 60


def main(argv: Sequence[str]) -> int:
    """Report on the runs that the arguments name; Refusal for what is no run."""
    flags = report_parser().read(argv)
    if flags is None:
        return 0
    reports = [report_on(run) for run in load_runs([Path(name) for name in flags.runs])]
    out = Screen(sys.stdout)
    if flags.format == "json":
        out.line(codec.encode(document(reports), indent=2).decode())
    elif flags.format == "csv":
        out.write(comma_separated(reports))
        out.flush()
    elif flags.format == "md":
        out.line("\n".join(markdown(reports)).rstrip())
    else:
        width = max(_NARROWEST, shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns)
        ascii_only = not out.encoding.lower().startswith("utf")
        for line in terminal(reports, width=width, ascii_only=ascii_only):
            out.line(line)
    return 0


def report_parser() -> Parser:
    parser = Parser(
        prog="nftbench report",
        description="Success with intervals, honesty, harm, effort and cost of recorded runs, and their failures by kind.",
        epilog="Rates leave errors out unless a column says otherwise; a damaged result counts as one in error.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the folder of a run; several are put side by side")
    parser.add_argument("--format", choices=FORMATS, default="table", help="table (default), md, json or csv")
    return parser
