"""requirements.lock: what `make` installs, each file of it by its hash, and all that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib

import pytest

ENTRY = re.compile(
    r"^([a-z0-9][a-z0-9._-]*)==([^ ;\n]+)( ; [^\n\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE
)


def entries(root) -> dict[str, list[str]]:
    """Versions by name."""
    found: dict[str, list[str]] = {}
    for name, version, *_ in ENTRY.findall((root / "requirements.lock").read_text("utf-8")):
        found.setdefault(name, []).append(version)
    return found


def test_every_line_belongs_to_a_version_with_hashes_and_none_names_a_host(root):
    text = (root / "requirements.lock").read_text("utf-8")
    rest = ENTRY.sub("", text)
    assert rest.replace("\n", "") == "" and len(entries(root)) > 60
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
