"""What may not stand in the project's files: hosts, machine paths, other people's code, generated things."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

LOCKS = ["contracts/package-lock.json", "contracts/anvil/package-lock.json"]
# Written in pieces, so that this file passes its own test.
HOSTS = re.compile(
    "|".join(["registry" + r"\.npmjs", "registry" + r"\.yarnpkg", r"py" + r"pi\.org", "pythonhosted" + r"\."])
)
MACHINE_PATHS = re.compile(
    "|".join(["(?<![\\w./~-])/" + name + "/" for name in ("root", "work", "home/[a-z]+", "farm")])
)
TEXT_LIMIT = 2_000_000


def tree_files(root: Path) -> list[Path]:
    """What git tracks and what it would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, cwd=root, capture_output=True, check=True)
    names = [name for name in done.stdout.decode().split("\0") if name]
    return [root / name for name in names if (root / name).is_file()]


@pytest.mark.parametrize("name", LOCKS)
def test_lock_file_names_no_address_and_checks_every_package(root, name):
    text = (root / name).read_text("utf-8")
    assert '"resolved"' not in text
    packages = json.loads(text)["packages"]
    assert packages.pop("")["name"].startswith("nftbench-")
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())


@pytest.mark.parametrize("name", ["contracts/package.json", "contracts/anvil/package.json"])
def test_dependencies_are_pinned_exactly(root, name):
    versions = json.loads((root / name).read_text("utf-8"))["dependencies"].values()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


def test_no_file_names_a_registry_host_or_a_path_of_one_machine(root):
    found = []
    for path in tree_files(root):
        if path.stat().st_size > TEXT_LIMIT:
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        for pattern in (HOSTS, MACHINE_PATHS):
            found += [f"{path.relative_to(root)}: {match[0]}" for match in pattern.finditer(text)]
    assert found == []


def test_no_generated_or_third_party_code_is_in_the_tree(root):
    names = [path.relative_to(root).as_posix() for path in tree_files(root)]
    assert not [name for name in names if name.startswith(("src/nftbench/artifacts/", "build/", ".venv/", "runs/"))]
    assert not [name for name in names if "node_modules" in name or name.endswith((".whl", ".tar.gz", ".pyc"))]


def test_own_solidity_is_under_the_projects_licence(root):
    sources = sorted((root / "contracts" / "src").glob("*.sol"))
    assert sources
    for source in sources:
        assert source.read_text("utf-8").startswith("// SPDX-License-Identifier: Apache-2.0\n"), source.name


def test_project_metadata_is_what_the_readme_promises(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert (project["name"], project["license"], project["requires-python"]) == (
        "nftbench",
        "Apache-2.0",
        ">=3.11,<3.13",
    )
    assert project["scripts"] == {"nftbench": "nftbench.__main__:main"}
    assert all(re.search(r"[<=]", requirement) for requirement in project["dependencies"])
