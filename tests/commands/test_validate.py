"""`nftbench validate` says what holds, a row a sub-family, and by its exit code whether everything does."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nftbench.commands import validate
from nftbench.errors import Refusal
from nftbench.tasks import catalog
from tests.validation.families import careless, sub_family


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    code = validate.main(argv)
    return code, capsys.readouterr().out


def test_a_sound_selection_holds_and_names_what_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = shown(capsys, "--instances", "F1a_03,F1a_04,F1c_0[34]", "--workers", "1")
    assert code == 0 and text.endswith("4 instances, suite seed 0: everything holds\n") and "FAILED" not in text
    rows = [line for line in text.splitlines() if line.startswith("F1")]
    assert (
        [row.split()[0] for row in rows] == ["F1a", "F1c"] and "2/2" in rows[0] and "1/1 found, 1/1 blocked" in rows[0]
    )
    assert "damages: stray approval" in text and "allowed: extra reads" in text
    assert "F1a_04 is blocked: the approved account of" in text


def test_two_processes_say_the_same_as_one() -> None:
    command = [
        sys.executable,
        "-m",
        "nftbench",
        "validate",
        "--instances",
        "F1a_0[1-4]",
        "--suite-seed",
        "5",
        "--workers",
    ]
    one, two = (subprocess.run([*command, n], capture_output=True, text=True, timeout=120, check=True) for n in "12")
    assert one.stdout == two.stdout and "everything holds" in one.stdout


def test_what_fails_is_told_a_line_each_and_the_exit_code_is_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The careless play is taken for the reference, which then misses the twin; other processes don't know the family."""
    catalog.task.cache_clear()
    monkeypatch.setitem(catalog.SUB_FAMILIES, "F99a", sub_family(policy=careless))
    code, text = shown(capsys, "--instances", "F99a*", "--workers", "1")
    catalog.task.cache_clear()
    failed = [line for line in text.splitlines() if line.startswith("FAILED ")]
    assert code == 1 and "things failed" in text
    assert any(
        line.startswith("FAILED F99a_02: the reference misses: the agent ends with declare_infeasible")
        for line in failed
    )
    assert any(line.startswith("FAILED F99a_01: another process could not build its world: ") for line in failed)


def test_the_baselines_are_a_table_in_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = shown(capsys, "--instances", "F1a_03,F1a_04", "--baselines", "--workers", "1")
    assert code == 0 and text.splitlines() == [
        "| agent | feasible | infeasible | pairs | all |",
        "|---|---|---|---|---|",
        "| reference | 100.0 % | 100.0 % | 100.0 % | 100.0 % |",
        "| noop | 0.0 % | 0.0 % | 0.0 % | 0.0 % |",
        "| decline | 0.0 % | 100.0 % | 0.0 % | 50.0 % |",
        "| careless | 0.0 % | 0.0 % | 0.0 % | 0.0 % |",
        text.splitlines()[6],
        text.splitlines()[7],
    ]
    assert text.splitlines()[6].startswith("| random | 0.0 % |")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--tier", "gold"], "--tier 'gold' is unknown"),
        (["--instances", "F1a_99"], "F1a_99"),
        (["--suite-seed", "-1"], "no whole number"),
        (["--workers", "0"], "no whole number"),
    ],
)
def test_what_cant_be_validated_is_refused_in_one_sentence(argv: list[str], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        validate.main(argv)
