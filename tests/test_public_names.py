"""What Python programs may use, by name and signature: a change here is a change for them, and belongs into the changelog."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nftbench

SIGNATURES = {
    "Env": "(instance_id: 'str', suite_seed: 'int' = 0, *, trial: 'int' = 1, limits: 'Limits | None' = None) -> 'None'",
    "Env.reset": "(self, *, trial: 'int | None' = None) -> 'list[Message]'",
    "Env.step": "(self, message: 'Any', *, usage: 'Mapping[str, Any] | None' = None) -> 'Step'",
    "Env.step_text": "(self, reply: 'str', *, usage: 'Mapping[str, Any] | None' = None) -> 'Step'",
    "Env.call": "(self, name: 'str', arguments: 'Mapping[str, Any] | None' = None) -> 'Step'",
    "Env.truncate": "(self, ended_by: 'EndedBy' = 'turn_limit') -> 'Step'",
    "Env.result": "(self) -> 'Result'",
    "Env.attempt": "(self) -> 'Attempt'",
    "TaskView.messages": "(self, limits: 'Limits | None' = None) -> 'list[dict[str, Any]]'",
    "TaskView.answers": "(self) -> 'Answers'",
    "RecordedRun.rows": "(self) -> 'list[dict[str, Any]]'",
    "RecordedRun.trajectory": "(self, instance_id: 'str', trial: 'int' = 1) -> 'dict[str, Any]'",
    "instances": (
        "(match: 'str | Iterable[str] | None' = None, *, tier: 'str' = 'synthetic', "
        "family: 'str | Iterable[str] | None' = None, difficulty: 'str | Iterable[str] | None' = None) "
        "-> 'tuple[str, ...]'"
    ),
    "load_run": "(path: 'str | Path') -> 'RecordedRun'",
    "replay": (
        "(instance_id: 'str', calls: 'Iterable[Any]', suite_seed: 'int' = 0, *, ended_by: 'EndedBy' = 'turn_limit') "
        "-> 'Result'"
    ),
    "task": "(instance_id: 'str', suite_seed: 'int' = 0) -> 'TaskView'",
    "tools.__call__": "() -> 'list[dict[str, Any]]'",
}
MEMBERS = {
    "Env": {"attempt", "call", "done", "messages", "reset", "result", "step", "step_text", "text_messages", "tools"}
    | {"truncate"},
    "TaskView": {"id", "tier", "family", "sub_family", "difficulty", "suite_seed", "prompt", "messages", "answers"}
    | {"turns", "size"},
    "Attempt": {"result", "trajectory"},
    "Answers": {"feasible", "twin", "reason_classes", "goals", "tags"},
    "Step": {"observations", "reward", "done", "info"},
    "Limits": {"max_turns", "max_tokens", "max_seconds", "max_repairs", "of", "turns"},
    "RecordedRun": {"path", "name", "record", "results", "planned", "summary", "attempts", "trajectory", "rows"},
}
TYPES_ALONE = {"Info", "Result"}
"""Result's fields are told by docs/reading-results.md, which has a test of its own."""
ERRORS = {"EpisodeOver", "EpisodeRunning", "NftbenchError", "NotAMessage", "Refusal", "UnknownInstance"}


def found(name: str) -> object:
    value: object = nftbench
    for part in name.split("."):
        value = getattr(value, part)
    return value


def test_the_public_names_are_these() -> None:
    functions = {name.partition(".")[0] for name in SIGNATURES}
    assert set(nftbench.__all__) == functions | set(MEMBERS) | TYPES_ALONE | ERRORS | {"__version__"}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_these(name: str) -> None:
    assert str(inspect.signature(found(name))) == SIGNATURES[name]


@pytest.mark.parametrize("name", MEMBERS)
def test_members_are_these(name: str) -> None:
    assert {member for member in dir(found(name)) if not member.startswith("_")} == MEMBERS[name]


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_errors_have_one_root(name: str) -> None:
    assert issubclass(found(name), nftbench.NftbenchError)


def test_type_checkers_are_told_every_name() -> None:
    stub = Path(nftbench.__file__).with_suffix(".pyi").read_text("utf-8")
    assert set(re.findall(r"import \w+ as (\w+)", stub)) | {"__version__", "tools"} == set(nftbench.__all__)


def test_importing_the_package_loads_nothing_of_it() -> None:
    """That is what keeps `import nftbench` under 50 ms: the EVM, scipy and the rest come with the first name that is used."""
    code = "import sys, nftbench; print(sorted(m for m in sys.modules if m.split('.')[0] in " + (
        "('nftbench', 'pyrevm', 'numpy', 'scipy', 'msgspec', 'rich', 'coincurve')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['nftbench']"


def test_a_name_that_there_is_not_is_an_attribute_error_with_the_choices() -> None:
    with pytest.raises(AttributeError, match=r"'Enf'.*Env"):
        nftbench.Enf  # type: ignore[attr-defined]  # noqa: B018
