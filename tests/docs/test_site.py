"""The documentation site: nothing of the catalogue is missing, nothing is given away, links lead somewhere, nobody is asked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from nftbench.tasks import catalog
from nftbench.tools.standard import STANDARD

ROOT = Path(__file__).resolve().parents[2]
SUB_FAMILIES = [member.name for family in catalog.families("synthetic").values() for member in family]
LADDERS = catalog.families("ladder")


def plain(markdown: str) -> str:
    """Markdown without its escapes and quotation marks, as words in a row."""
    lines = (re.sub(r"^> ?", "", line) for line in markdown.splitlines())
    return " ".join(re.sub(r"\\(.)", r"\1", " ".join(lines)).split())


@pytest.mark.parametrize("name", sorted(SUB_FAMILIES))
def test_every_sub_family_has_its_title_size_difficulty_and_a_request_that_can_be_done(made, name: str) -> None:
    page = made[f"tasks/{name[:-1].lower()}.md"]
    sub_family = catalog.SUB_FAMILIES[name]
    section = plain(page.partition(f"## {name} ")[2].partition("\n## ")[0])
    assert section.startswith(" ".join(sub_family.title.split()))
    assert f"{len(sub_family.cases)} cases: " in section
    for difficulty in {case.difficulty for case in sub_family.cases}:
        assert f"{sum(case.difficulty == difficulty for case in sub_family.cases)} of {difficulty}" in section
    tasks = [catalog.task(f"{name}_{number:02d}", 1) for number in range(1, len(sub_family.cases) + 1)]
    shown = [task for task in tasks if " ".join(task.prompt.split()) in section]
    assert shown and any(task.feasible for task in shown)


def test_no_page_of_tasks_names_an_instance_or_shows_a_request_that_figures_are_reported_for(made) -> None:
    text = plain(" ".join(page for path, page in made.items() if path.startswith("tasks/")))
    assert not re.search(r"[FL]\d+[a-z]_\d\d", text)
    assert not [name for name in catalog.every_id() if " ".join(catalog.task(name, 0).prompt.split()) in text]


def test_the_overview_has_every_sub_family_once(made) -> None:
    rows = [row for row in made["tasks/index.md"].splitlines() if row.startswith("| [")]
    there = [row for row in rows if row.startswith("| [F")]
    assert [plain(row).split(" | ")[1].split()[0] for row in there] == SUB_FAMILIES
    assert [re.findall(r"\[(L\d+) ", row) for row in rows if row not in there] == [[name] for name in LADDERS]


@pytest.mark.parametrize("ladder", LADDERS)
def test_every_ladder_has_its_rungs_and_a_request_that_can_be_done(made, ladder: str) -> None:
    page, rungs = made[f"tasks/{ladder.lower()}.md"], LADDERS[ladder]
    rows = [plain(row).strip("| ").split(" | ") for row in page.splitlines() if row.startswith(f"| {ladder}")]
    assert [(name, int(size), int(turns)) for name, size, _, _, turns in rows] == [
        (rung.name, rung.rung.size, 3 * rung.rung.calls + 40) for rung in rungs
    ]
    tasks = [catalog.task(f"{rungs[1].name}_{number:02d}", 1) for number in range(1, len(rungs[1].cases) + 1)]
    assert [task for task in tasks if task.feasible and " ".join(task.prompt.split()) in plain(page)]


@pytest.mark.parametrize("tool", STANDARD, ids=lambda tool: tool.name)
def test_every_tool_stands_in_the_reference_with_all_its_arguments_and_in_the_table(made, tool) -> None:
    section = made["tools-reference.md"].partition(f"## `{tool.name}`\n")[2].partition("\n## ")[0]
    assert " ".join(tool.description.split()) in plain(section)
    properties = tool.entry()["parameters"]["properties"]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(properties)
    assert f"| `{tool.name}` |" in (ROOT / "docs/tools.md").read_text("utf-8")


def test_schemas_are_said_in_words(site: ModuleType) -> None:
    assert site.typed({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}) == (
        "string or list of integer"
    )
    either = {"anyOf": [{"type": "string"}, {"type": "boolean"}]}
    assert site.typed({"type": "array", "items": either}) == "list of (string or boolean)"
    assert site.typed({"enum": ["a", "b"]}) == "one of a, b"
    assert site.typed({"type": "object", "properties": {"x": {}, "y": {}}}) == "object of x, y"


def test_links_of_files_at_the_top_lead_to_the_pages_of_the_site(site: ModuleType) -> None:
    told = "[a](docs/servers.md#x) [b](CONTRIBUTING.md) [c](docs/decisions/) ![e](docs/images/v.png)"
    assert site.moved(told) == "[a](servers.md#x) [b](contributing.md) [c](decisions/index.md) ![e](images/v.png)"
    assert site.moved("[d](https://example.org/docs/x.md)") == "[d](https://example.org/docs/x.md)"


def test_the_menu_holds_every_page(made) -> None:
    """Those under docs/ as well as those that are made."""
    menu = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(menu) == sorted(written | set(made))


class Assets(HTMLParser):
    """Everything that a browser would fetch for a page by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        named = [given.get(name) for name in ("src", "srcset", "poster", "data", "action")]
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            named.append(given.get("href"))
        self.fetched += [each for each in named if each]
        assert "mermaid" not in (given.get("class") or "").split(), "its library would come from elsewhere"


def from_elsewhere(folder: Path) -> list[str]:
    """What pages and style sheets would fetch from other hosts."""
    found = []
    for page in folder.rglob("*.html"):
        assets = Assets()
        assets.feed(page.read_text("utf-8"))
        found += [f"{page.name}: {each}" for each in assets.fetched if re.match(r"(?i)\s*(\w+:)?//", each)]
    for sheet in folder.rglob("*.css"):
        text = sheet.read_text("utf-8")
        found += re.findall(r"(?:url\(\s*[\"']?|@import\s+[\"'])(?:https?:)?//[^)\"']*", text)
    return found


def test_what_comes_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://x.org"></a><script src="//cdn.org/x.js"></script><img src="i.png">'
    )
    (tmp_path / "b.css").write_text(
        "@import 'https://fonts.org/f'; a {background: url(https://x.org/i.png)} b {src: url(f.woff)}"
    )
    assert len(from_elsewhere(tmp_path)) == 3


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_asks_nobody(tmp_path: Path, made) -> None:
    pytest.importorskip("mkdocs", reason="pip install -e '.[docs]', as `make test-slow` does")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    pages = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.html")}
    assert {path.replace(".md", ".html") for path in made} <= pages
    assert not list((tmp_path / "site").rglob("*.py")) and not list((tmp_path / "site").rglob("*.lock"))
    assert from_elsewhere(tmp_path / "site") == []
