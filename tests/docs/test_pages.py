"""What the documents say of files, figures and commands is what there is."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from nftbench.commands.completion import PARSERS
from nftbench.commands.main import main
from nftbench.records.model import Counts, Result
from nftbench.report.columns import COLUMNS, WITH_ERRORS
from nftbench.report.summary import summarise
from nftbench.tasks import catalog

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "docs/reading-results.md", "docs/examples/analysing-a-run.md", "docs/validation.md")
OF_THE_TASK = {"instance_id", "trial", "feasible", "family", "sub_family", "difficulty", "twin", "tags", "prompt_fits"}
"""Fields of a result that repeat what the task is, or stand in the summary's words."""


def reading() -> str:
    return (ROOT / "docs/reading-results.md").read_text("utf-8")


def test_every_field_of_a_result_and_of_a_summary_is_told() -> None:
    told = set(re.findall(r"`([\w.]+)`", reading()))
    assert set(Result.__struct_fields__) - OF_THE_TASK <= told
    assert set(summarise([], planned=0)) - {"format", "instances", "trials"} <= told | {"overall", "baselines"}


def test_every_column_of_the_report_is_told() -> None:
    assert [column.name for column in COLUMNS if column.name not in reading()] in ([], [WITH_ERRORS])


def test_the_lines_of_the_watched_file_are_told_field_by_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r"
    assert main(["evaluate", "--agent", "decline", "--instances", "F1a_04", "--out", str(out), "--quiet"]) == 0
    section = reading().partition("## Watching a run")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", section))
    for line in (out / "progress.jsonl").read_text().splitlines():
        assert set(json.loads(line)) | {json.loads(line)["event"]} <= told
    assert {path.name for path in out.iterdir() if path.is_file()} <= set(re.findall(r"`([\w.]+)`", reading()))


def commands(text: str) -> list[list[str]]:
    """The nftbench commands in the shell blocks of a document, each as its words."""
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("nftbench "):
                words = shlex.split(line, comments=True)
                ends = [words.index(each) for each in ("|", ">", "&&") if each in words]
                found.append(words[1 : min(ends, default=len(words))])
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_in_a_document_is_one_that_there_is(document: str) -> None:
    """Its flags and their values are taken by the command's parser."""
    found = commands((ROOT / document).read_text("utf-8"))
    assert found or document == "docs/validation.md"
    for name, *rest in found:
        assert PARSERS[name]().read(rest) is not None, (name, rest)


def test_the_readme_names_every_family_with_all_its_sub_families() -> None:
    """A row a family, in order; its sub-families stand in it apart by semicolons."""
    rows = re.findall(r"^\| (F\d+) [^|]+ \| ([^|]+) \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert [(name, told.count(";") + 1) for name, told in rows] == [
        (name, len(members)) for name, members in catalog.families("synthetic").items()
    ]


def test_the_readme_names_every_ladder() -> None:
    rows = re.findall(r"^\| (L\d+) [^|]+ \| [^|]+ \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert rows == (list(catalog.families("ladder")) if "ladder" in catalog.TIERS else [])


def test_every_count_is_told() -> None:
    assert set(Counts.__struct_fields__) <= set(re.findall(r"`(\w+)`", reading()))
