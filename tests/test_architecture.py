"""The rules of the design that a reader can't check by eye: who imports whom, and how long things get."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.ecosystem.packages import ADAPTERS

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "nftbench").rglob("*.py"))
IMPORT_NAMES = {"pycryptodome": "Crypto"}
"""Distributions whose module has another name."""
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60


def name(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def imported_packages(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_imports_keep_the_contracts_of_the_design() -> None:
    """Layers, stand-alone reports, agents without chain or tasks, and no cycles: see [tool.importlinter]."""
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_every_part_of_the_package_has_its_layer() -> None:
    """A new folder or module at the top can't stay outside the import contract."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    placed = {part.strip(" ()") for layer in layers for part in layer.replace("|", ":").split(":")}
    top = ROOT / "src" / "nftbench"
    parts = {path.stem for path in top.glob("*.py")} | {path.parent.name for path in top.glob("*/__init__.py")}
    assert {f"nftbench.{part}" for part in parts - {"__init__"}} <= placed


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_module_is_short_and_so_are_its_functions(path: Path) -> None:
    """Modules stay near 300 lines and functions near 40; these are the ends of "near"."""
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_MODULE
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1}"
        for node in functions(ast.parse(text))
        if node.end_lineno is not None and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_only_chain_imports_an_evm(path: Path) -> None:
    """The engine stays behind the Engine protocol."""
    if "nftbench/chain/" not in path.as_posix():
        assert "pyrevm" not in set(imported_packages(ast.parse(path.read_text("utf-8"))))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_only_serving_protocol_imports_mcp(path: Path) -> None:
    """The package is optional, and slow to load."""
    if "nftbench/serving/protocol/" not in path.as_posix():
        assert "mcp" not in set(imported_packages(ast.parse(path.read_text("utf-8"))))


def test_declared_dependencies_are_just_what_is_imported() -> None:
    """Nothing works only because a development tool happens to bring it along, and nobody installs what is not used."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {name: needed for name, needed in project["optional-dependencies"].items() if name not in ("dev", "docs")}
    requirements = [*project["dependencies"], *(requirement for needed in extras.values() for requirement in needed)]
    names = [re.split(r"[^\w-]", requirement)[0] for requirement in requirements]
    declared = {IMPORT_NAMES.get(each, each.replace("-", "_")) for each in names}
    imported = {each for path in SOURCES for each in imported_packages(ast.parse(path.read_text("utf-8")))}
    assert imported - set(sys.stdlib_module_names) - {"nftbench"} == declared


def test_every_adapter_has_its_extra_and_its_tests() -> None:
    """An adapter is a folder, an extra and a folder of tests, all of the same name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    folders = {path.parent.name for path in (ROOT / "src" / "nftbench" / "adapters").glob("*/__init__.py")}
    assert folders == set(ADAPTERS)
    for adapter in ADAPTERS:
        assert adapter in project["optional-dependencies"]
        assert list((ROOT / "tests" / "ecosystem" / adapter).glob("test_*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_package_is_known_to_its_own_adapter_alone(path: Path) -> None:
    """No adapter imports another one or another one's package, and nothing else imports any: not even when it is asked for."""
    text = path.read_text("utf-8")
    imported = set(imported_packages(ast.parse(text)))
    others = {
        adapter: package
        for adapter, package in ADAPTERS.items()
        if f"nftbench/adapters/{adapter}/" not in path.as_posix()
    }
    assert not imported & set(others.values())
    assert not [adapter for adapter in others if re.search(rf"(from|import) nftbench\.adapters\.{adapter}\b", text)]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_import_hides_inside_a_function(path: Path) -> None:
    """A function-level import is how a cycle hides."""
    tree = ast.parse(path.read_text("utf-8"))
    hidden = [
        node.lineno
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not hidden


def test_files_are_named_after_the_domain() -> None:
    """No module or folder is named utils, helpers or common."""
    words = {"util", "utils", "helper", "helpers", "common", "misc"}
    assert not [name(path) for path in SOURCES if words & set(path.relative_to(ROOT / "src").with_suffix("").parts)]
