"""The project's root, its build hook loaded as a module, and small stand-ins for its folders."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def hatch_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    """A contracts folder with a file of each kind that the artifacts depend on."""
    folder = tmp_path / "contracts"
    for name in ("package.json", "package-lock.json", "catalog.json", "compile.cjs", "src/A.sol", "licenses/a.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"content of {name}", "utf-8")
    return folder


@pytest.fixture
def artifacts(tmp_path: Path) -> Path:
    """An artifacts folder with two files, without a manifest."""
    folder = tmp_path / "artifacts"
    (folder / "licenses").mkdir(parents=True)
    (folder / "A.json").write_text("{}", "utf-8")
    (folder / "licenses" / "a.txt").write_text("MIT", "utf-8")
    return folder
