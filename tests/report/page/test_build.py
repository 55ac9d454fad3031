"""A page as text: one file, with a policy that lets only its own two scripts run, and data that no parser takes for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

from nftbench.report.document import report_on
from nftbench.report.page.build import page
from nftbench.report.page.packs import Attempt, packed
from nftbench.report.runs import Run
from tests.report.attempts import result

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)> {{script}} \u2028 \ud800"


class Elements(HTMLParser):
    """The elements of a page, with their attributes and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[len(self.found) - 1] = self.texts.get(len(self.found) - 1, "") + data


def made(**fields: Any) -> str:
    results = (result("F1a_01", reason=HOSTILE, **fields),)
    run = Run(name=f"run {HOSTILE}", record={"model": HOSTILE, "suite_seed": 0}, results=results, planned=1)
    trajectory = {"messages": [{"role": "user", "content": HOSTILE}], "turns": [{"reply": HOSTILE}]}
    return page([report_on(run)], packed([[Attempt(0, results[0], trajectory)]]))


def test_only_the_two_scripts_that_the_policy_names_by_hash_can_run() -> None:
    text = made()
    elements = Elements()
    elements.feed(text)
    policy = next(a["content"] for tag, a in elements.found if tag == "meta" and a.get("http-equiv")) or ""
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = [(n, a) for n, (tag, a) in enumerate(elements.found) if tag == "script"]
    running = [elements.texts[n] for n, a in scripts if not a]
    assert {base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in running} == allowed
    assert len(running) == 2
    assert {a["type"] for _, a in scripts if a} == {"application/json", "application/octet-stream"}
    assert "default-src 'none'" in policy
    assert not re.search(r"https?://|unsafe-eval|script-src[^;]*unsafe", policy)
    assert not [a for _, a in elements.found if {"src", "href"} & set(a) and a.get("href") != "#attempts"]
    assert not [tag for tag, _ in elements.found if tag in ("img", "iframe", "object", "embed", "link")]


def test_what_a_model_wrote_comes_through_the_data_to_the_letter() -> None:
    text = made()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert data is not None
    told = json.loads(data[1])
    assert told["attempts"][0]["words"].startswith("f1a_01")
    assert "<" not in data[1]
    assert HOSTILE.lower() in told["attempts"][0]["words"]
    title = re.search(r"<title>(.*?)</title>", text, re.S)
    assert title is not None
    assert "<" not in title[1]
    assert "alert(1)" in unescape(title[1])


def test_a_page_from_disk_asks_nobody_and_a_served_one_only_its_server() -> None:
    run = Run(name="r", record={}, results=(result("F1a_01"),), planned=1)
    still, live = (page([report_on(run)], packed([]), live=stamp) for stamp in (None, "3-1"))
    assert "connect-src" not in still.partition("<title>")[0]
    assert "connect-src &#x27;self&#x27;" in live.partition("<title>")[0]
