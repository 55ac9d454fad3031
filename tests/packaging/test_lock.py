"""requirements.lock: what `make` installs, each file of it by its hash, and all that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib

import pytest

ENTRY = re.compile(
    r"^([a-z0-9][a-z0-9._-]*)==([^ ;\n]+)( ; [^\n\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE
)


def entries(root, file: str = "requirements.lock") -> dict[str, list[str]]:
    """Versions by name."""
    found: dict[str, list[str]] = {}
    for name, version, *_ in ENTRY.findall((root / file).read_text("utf-8")):
        found.setdefault(name, []).append(version)
    return found


@pytest.mark.parametrize(("file", "least"), [("requirements.lock", 60), ("docs/requirements.lock", 30)])
def test_every_line_belongs_to_a_version_with_hashes_and_none_names_a_host(root, file, least):
    text = (root / file).read_text("utf-8")
    rest = ENTRY.sub("", text)
    assert rest.replace("\n", "") == "" and len(entries(root, file)) > least
    assert "://" not in text and "index-url" not in text


def wanted(root) -> list[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    named = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["dev"]
    return [*named, *project["build-system"]["requires"]]


def test_it_holds_what_the_project_asks_for(root):
    packaging = pytest.importorskip("packaging.requirements")
    held = entries(root)
    for line in wanted(root):
        requirement = packaging.Requirement(line)
        name = requirement.name.lower().replace("_", "-")
        assert any(requirement.specifier.contains(version) for version in held.get(name, [])), line


def test_the_lock_of_the_docs_holds_what_they_ask_for_and_agrees_with_the_other(root):
    """Installing it after the other changes no version."""
    packaging = pytest.importorskip("packaging.requirements")
    held, others = entries(root, "docs/requirements.lock"), entries(root)
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    for line in project["optional-dependencies"]["docs"]:
        requirement = packaging.Requirement(line)
        assert any(requirement.specifier.contains(version) for version in held[requirement.name]), line
    assert {name: versions for name, versions in held.items() if name in others and versions != others[name]} == {}
