"""An adapter without the package that it is for says which command helps, in one sentence."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from nftbench.commands.main import main
from nftbench.errors import MissingExtra, Refusal
from tests.commands.recorded import record
from tests.ecosystem.packages import ADAPTERS


def without(monkeypatch: pytest.MonkeyPatch, adapter: str) -> None:
    """As where the package of an adapter is not installed."""
    for name in [each for each in sys.modules if each.startswith(f"nftbench.adapters.{adapter}")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, ADAPTERS[adapter], None)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_importing_an_adapter_without_its_package_names_the_command(
    adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ImportError, as Python programs expect, and a Refusal, which the command line tells without a traceback."""
    without(monkeypatch, adapter)
    with pytest.raises(MissingExtra) as missing:
        importlib.import_module(f"nftbench.adapters.{adapter}")
    assert str(missing.value).endswith(f"which is not installed: pip install 'nftbench[{adapter}]'")
    assert isinstance(missing.value, ImportError) and isinstance(missing.value, Refusal)


def test_a_log_of_inspect_without_inspect_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "inspect")
    run = record(tmp_path / "run", "noop", instances="F1a_01")
    capsys.readouterr()
    assert main(["export", str(run), "--format", "inspect", "--out", str(tmp_path / "log")]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "pip install 'nftbench[inspect]'" in told
    assert not (tmp_path / "log").exists()


def test_tasks_are_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export-tasks", "--format", "inspect", "--out", str(tmp_path / "x")]) != 0
    assert "choose from" in capsys.readouterr().err
