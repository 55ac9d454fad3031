"""The `nftbench` command leads to its sub-commands and complains in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nftbench import __version__
from nftbench.commands.main import COMMANDS, main
from nftbench.tasks import catalog


def test_every_command_has_help_and_stands_in_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    usage = capsys.readouterr().out
    for name in COMMANDS:
        assert f"  {name} " in usage
        assert main([name, "--help"]) == 0
        assert f"usage: nftbench {name}" in capsys.readouterr().out


def test_no_command_is_a_slip(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    assert "usage: nftbench" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["evalute"], "'evalute' is no command (near names: evaluate"),
        (["list", "F1a_99"], "'F1a_99' is no instance of tier synthetic"),
        (["list", "--tier", "fork"], "choose one of: synthetic"),
        (["list", "--jsn"], "'--jsn' is no argument of nftbench list (near names: --json)"),
        (["show"], "the following arguments are required: instance"),
        (["show", "F1*"], "show takes one instance, 'F1*' names"),
        (["show", "F1a_4"], "(near names: F1a_04"),
        (["show", "F1a_04", "--suite-seed", "x"], "'x' is no whole number"),
    ],
)
def test_a_slip_is_one_sentence_and_exit_code_1(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and words in shown.err and shown.err.count("\n") == 1


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"nftbench {__version__}\n"


def test_list_names_every_instance_in_order_and_tells_what_agents_are_not_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(catalog.instance_ids("synthetic"))
    assert main(["list", "F1a_04,F1a_03"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split()[:4] == ["id", "family", "difficulty", "feasible"]
    assert table[1].split()[3] == "yes" and table[2].split()[3] == "no:"


def test_list_as_json_is_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "F1a*", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in listed] == [f"F1a_{number:02d}" for number in range(1, 9)]
    infeasible = {entry["id"] for entry in listed if not entry["feasible"]}
    assert "F1a_04" in infeasible and len(infeasible) == 2
    assert all(entry["reason_classes"] for entry in listed if not entry["feasible"])


def test_show_reads_an_instance_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "F1a_04"]) == 0
    shown = capsys.readouterr().out
    task = catalog.task("F1a_04", 0)
    assert "infeasible" in shown and "Prompt" in shown
    assert " ".join(task.prompt.split()) in " ".join(shown.split())
    assert all(line in shown for line in task.describe())
    assert all(account.name in shown for account in task.fixture.accounts)
    assert main(["show", "F1a_04", "--suite-seed", "9"]) == 0
    assert capsys.readouterr().out != shown


def test_what_is_shown_is_worded_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "F6a_04"]) == 0
    shown = capsys.readouterr().out
    assert "At(name=" not in shown and "listingOf(address,uint256) (umber_owls, 64)" in shown
    assert main(["show", "F1b_08"]) == 0
    assert "curator: 1 step\n" in capsys.readouterr().out


def test_every_instance_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for name in catalog.instance_ids("synthetic"):
        assert main(["show", name]) == 0
        assert capsys.readouterr().out.startswith(f"{name}: tier synthetic")


@pytest.mark.parametrize("module", ["nftbench", "nftbench.evaluate"])
def test_modules_run_as_programs(module: str, tmp_path: Path) -> None:
    arguments = ["evaluate"] if module == "nftbench" else []
    command = [
        sys.executable,
        "-m",
        module,
        *arguments,
        "--agent",
        "decline",
        "--instances",
        "F1a_04",
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert "overall           100.0 % (1 of 1)" in done.stdout
