"""The documentation as it lies in the repository, and the pages that are made for its site."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site() -> ModuleType:
    """docs/site/pages.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs/site/pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def made(site: ModuleType) -> dict[str, str]:
    """The pages that are made from the code, by path."""
    return site.pages()


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")
