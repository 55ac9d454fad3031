"""No rule of the grader can be taken out without somebody noticing: its own tests, or a step of `nftbench validate`."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

from nftbench import grading
from nftbench.grading.checks import CHECKS
from tests.validation.neutering import RULES, SPEAKERS

ROOT = Path(__file__).resolve().parents[2]


def test_every_function_of_the_grader_has_its_rules_in_the_table() -> None:
    modules = [import_module(found.name) for found in pkgutil.walk_packages(grading.__path__, "nftbench.grading.")]
    functions = {
        name
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    assert functions - {rule.function.__name__ for rule in RULES.values()} - SPEAKERS == set()


def test_every_kind_of_goal_is_checked_by_a_function_in_the_table() -> None:
    tried = {rule.function.__name__ for rule in RULES.values()} | {"check_answer"}  # which hands on to answers.judge
    assert {check.__name__ for check in CHECKS.values()} <= tried | {"check_probe"}


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_somebody_notices_when_a_rule_is_taken_out(name: str) -> None:
    command = [sys.executable, "-m", "tests.validation.neutering", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
