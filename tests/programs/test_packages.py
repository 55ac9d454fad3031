"""The agent programs that are tested are all there are, in the versions that the documents name."""

from __future__ import annotations

from pathlib import Path

from nftbench.agents.programs.presets import PROGRAMS
from tests.programs.packages import PACKAGES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "agent-programs.md"


def test_every_preset_has_a_package_that_its_description_names() -> None:
    assert set(PACKAGES) == set(PROGRAMS)
    for name, package in PACKAGES.items():
        assert f"({package.package})" in PROGRAMS[name].about


def test_the_document_names_the_tested_versions_and_every_variable_that_is_passed_on() -> None:
    rows = {line.split("|")[1].strip(" `"): line for line in DOCUMENT.read_text("utf-8").splitlines() if "|" in line}
    for name, package in PACKAGES.items():
        assert f"`{package.package}` {package.version}" in rows[name]
        for variable in PROGRAMS[name].variables:
            assert f"`{variable}`" in rows[name]
