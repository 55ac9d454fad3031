"""Puts a page together: one file that opens from disk, asks for nothing from anywhere, and runs no code but its own.

Its content security policy names its two scripts by their hashes, so that nothing that a model wrote can run even if it came to
stand in the page as markup; and the data stand in an inert element, with every `<` escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import msgspec

from nftbench.report.document import RunReport
from nftbench.report.failures import failure_kinds
from nftbench.report.formats import remarks
from nftbench.report.page.packs import Packed
from nftbench.report.screen import printable

LIBRARY = "artifacts/scripts/echarts.min.js"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(reports: Sequence[RunReport], packed: Packed, *, live: str | None = None) -> str:
    """The whole page as text. `live` is the stamp of a run that is being followed; the page then asks its own server for news."""
    title = "nftbench: " + ", ".join(printable(report.run.name, 60) for report in reports)
    library, script = _asset(LIBRARY), _asset("report/page/page.js")
    connect = " connect-src 'self';" if live else ""
    policy = (
        f"default-src 'none'; script-src {_hash(library)} {_hash(script)}; style-src 'unsafe-inline'; img-src data:;{connect} "
        "base-uri 'none'; form-action 'none'"
    )
    packs = "\n".join(
        f'<script type="application/octet-stream" id="{name}">{text}</script>' for name, text in packed.packs.items()
    )
    parts = {
        "policy": html.escape(policy, quote=True),
        "title": html.escape(title),
        "style": _asset("report/page/page.css"),
        "data": _inert(_data(reports, packed, live)),
        "packs": packs,
        "library": library,
        "script": script,
    }
    return _PLACE.sub(lambda place: parts[place[1]], _asset("report/page/page.html"))


def _data(reports: Sequence[RunReport], packed: Packed, live: str | None) -> dict[str, Any]:
    return {
        "about": f"{len(packed.rows)} attempts; " + "; ".join(_about(report) for report in reports),
        "live": live,
        "runs": [
            {
                "name": printable(report.run.name, 80),
                "overall": msgspec.to_builtins(report.overall, str_keys=True),
                "by_family": msgspec.to_builtins(report.groups["family"], str_keys=True),
                "by_difficulty": msgspec.to_builtins(report.groups["difficulty"], str_keys=True),
                "failures": msgspec.to_builtins(failure_kinds(report.run.compared)),
                "remarks": list(remarks(report)),
            }
            for report in reports
        ],
        "attempts": packed.rows,
    }


def _about(report: RunReport) -> str:
    record = report.run.record
    return (
        f"{printable(report.run.name, 80)} is {printable(report.run.who, 80)} on suite {record.get('suite_version')} (seed "
        f"{record.get('suite_seed')}), grader {record.get('grader_version')}, tools {record.get('tool_set')}"
    )


def _asset(path: str) -> str:
    return resources.files("nftbench").joinpath(path).read_text("utf-8")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode('utf-8')).digest()).decode('ascii')}'"


def _inert(data: dict[str, Any]) -> str:
    """JSON that no HTML parser sees anything in."""
    return json.dumps(data, allow_nan=False).replace("<", "\\u003c")
