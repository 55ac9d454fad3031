"""Each shell completes what the commands take. Bash runs the scripts for real; the other shells do where they are installed."""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from nftbench.agents.chat import MAX_TOKENS_FIELDS
from nftbench.commands.completion import PARSERS, script
from nftbench.commands.main import COMMANDS, main
from nftbench.commands.shells import SHELLS
from nftbench.tasks import catalog
from nftbench.tools.standard import WITH_ORDER_BOOK

BASH = """
source "$1"; shift
COMP_WORDS=(nftbench "$@"); COMP_CWORD=$#; COMPREPLY=()
_nftbench
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A place where two sessions of play are."""
    for name in ("monday", "tuesday.2"):
        (tmp_path / "state" / "sessions" / name).mkdir(parents=True)
    return tmp_path / "state"


def by_bash(tmp_path: Path, *words: str, **environment: str) -> list[str]:
    """What bash offers for the last of the words."""
    (tmp_path / "script").write_text(script("bash"))
    (tmp_path / "ask").write_text(BASH)
    done = subprocess.run(
        ["bash", "--norc", str(tmp_path / "ask"), str(tmp_path / "script"), *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **environment},
        timeout=30,
        check=True,
    )
    assert done.stderr == "" or done.stderr.count("compopt") == len(done.stderr.splitlines())
    return done.stdout.splitlines()


def test_every_command_is_completed_from_the_parser_that_it_uses(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(PARSERS) == set(COMMANDS)
    for name, parser in PARSERS.items():
        main([name, "--help"])
        assert capsys.readouterr().out == parser().format_help()


def test_bash_completes_commands(tmp_path: Path) -> None:
    assert by_bash(tmp_path, "") == list(PARSERS)
    assert by_bash(tmp_path, "reg") == ["regrade"]


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_bash_completes_all_flags_of_a_command_and_the_choices_of_each(tmp_path: Path, name: str) -> None:
    actions = [action for action in PARSERS[name]()._actions if action.option_strings]
    assert set(by_bash(tmp_path, name, "-")) == {flag for action in actions for flag in action.option_strings}
    chosen = next((action for action in actions if action.choices and action.dest != "shell"), None)
    if isinstance(chosen, argparse.Action) and chosen.choices is not None:
        assert by_bash(tmp_path, name, chosen.option_strings[0], "") == [str(choice) for choice in chosen.choices]


def test_bash_completes_instances_also_after_a_comma_and_globs_that_the_shell_leaves_alone(tmp_path: Path) -> None:
    every = by_bash(tmp_path, "evaluate", "--instances", "")
    assert every[: len(catalog.every_id())] == list(catalog.every_id())
    assert r"F3\*" in every and r"F6d\*" in every and len(every) == len(set(every))
    assert len(every) == len(catalog.every_id()) + len(catalog.families()) + len(catalog.SUB_FAMILIES)
    assert by_bash(tmp_path, "evaluate", "--instances", r"F1\*,F2b_0") == [rf"F1\*,F2b_0{n}" for n in range(1, 9)]
    assert by_bash(tmp_path, "list", "F1a_01", "F1b_01") == ["F1b_01"]
    assert by_bash(tmp_path, "show", "F1b_") == [f"F1b_0{n}" for n in range(1, 9)]


def test_bash_completes_a_glob_within_quotes_as_it_is_meant(tmp_path: Path) -> None:
    assert by_bash(tmp_path, "evaluate", "--instances", "'F3*,F6") == [
        *(f"F3*,{name}" for name in catalog.instance_ids() if name.startswith("F6")),
        *(f"F3*,{glob}" for glob in ("F6*", "F6a*", "F6b*", "F6c*", "F6d*")),
    ]


def test_bash_completes_values_after_an_equals_sign_and_counts_them_as_no_place(tmp_path: Path) -> None:
    """Bash hands `--flag=value` over as three words."""
    assert by_bash(tmp_path, "evaluate", "--tool-calls", "=") == ["items", "native"]
    assert by_bash(tmp_path, "evaluate", "--tool-calls", "=", "n") == ["native"]
    assert by_bash(tmp_path, "show", "--tier", "=", "synthetic", "F1b_01") == ["F1b_01"]
    assert by_bash(tmp_path, "redo", "--trial", "2", "runs", "--later", "F1b_01") == ["F1b_01"]
    assert by_bash(tmp_path, "redo", "--trial", "2", "") == []  # a folder, and there is none
    assert by_bash(tmp_path, "evaluate", "--trials", "") == []  # a number of one's own


def test_bash_offers_flags_where_nothing_else_may_stand(tmp_path: Path) -> None:
    assert "--instances" in by_bash(tmp_path, "validate", "")
    assert by_bash(tmp_path, "--v") == ["--version"]
    assert by_bash(tmp_path, "no-such-command", "") == []


def test_bash_offers_names_with_spaces_and_stars_as_they_are(tmp_path: Path) -> None:
    for name in ("my runs", "my*"):
        (tmp_path / name).mkdir()
        (tmp_path / "state" / "sessions" / name).mkdir(parents=True)
    assert set(by_bash(tmp_path, "report", "my")) == {"my runs", "my*"}
    assert set(by_bash(tmp_path, "call", "my", NFTB_STATE=str(tmp_path / "state"))) == {"my runs", "my*"}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_holds_no_gap_and_each_help_of_a_flag_is_quoted(shell: str, tmp_path: Path) -> None:
    """Each shell that is there reads its script without a complaint."""
    text = script(shell)
    assert re.findall(r"@[a-z]+@", text) == []
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(text)
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=30)


def test_bash_completes_sessions_tools_agents_and_folders(tmp_path: Path, state: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs.txt").touch()
    assert by_bash(tmp_path, "call", "", NFTB_STATE=str(state)) == ["monday", "tuesday.2"]
    assert by_bash(tmp_path, "sessions", "tue", NFTB_STATE=str(state)) == ["tuesday.2"]
    assert by_bash(tmp_path, "call", "", NFTB_STATE=str(tmp_path / "nowhere")) == []
    assert by_bash(tmp_path, "call", "monday", "") == [tool.name for tool in WITH_ORDER_BOOK]
    assert by_bash(tmp_path, "evaluate", "--quiet", "--agent", "re") == ["reference"]
    assert by_bash(tmp_path, "play", "F1a_01", "--agent", "re") == []  # there it is a name of one's own
    assert by_bash(tmp_path, "report", "run") == ["runs"]
    assert by_bash(tmp_path, "compare", "runs", "run") == ["runs"]
    assert by_bash(tmp_path, "completion", "") == ["bash", "zsh", "fish"]


def test_sessions_are_found_where_play_keeps_them_without_the_variable(tmp_path: Path) -> None:
    (tmp_path / "home/.local/state/nftbench/sessions/at-home").mkdir(parents=True)
    home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": "", "NFTB_STATE": ""}
    assert by_bash(tmp_path, "call", "", **home) == ["at-home"]


def test_another_shell_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and "'tcsh'" in shown.err and all(shell in shown.err for shell in SHELLS)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_the_same(tmp_path: Path, state: Path) -> None:
    (tmp_path / "script").write_text(script("fish"))

    def asked(line: str) -> list[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {tmp_path}/script; complete -C '{line}'"],
            capture_output=True,
            text=True,
            env={**os.environ, "NFTB_STATE": str(state)},
            timeout=60,
            check=True,
        )
        assert done.stderr == ""
        return [each.partition("\t")[0] for each in done.stdout.splitlines()]

    assert set(asked("nftbench ")) >= set(PARSERS)
    assert asked("nftbench evaluate --max-tokens-field ") == list(MAX_TOKENS_FIELDS)
    assert asked("nftbench evaluate --instances F1a_01,F2b_03") == ["F1a_01,F2b_03"]
    assert asked("nftbench evaluate --instances=F1a_01,F2b_03") == ["--instances=F1a_01,F2b_03"]
    assert set(asked("nftbench evaluate --instances F1*,F3d")) >= {"F1*,F3d*", "F1*,F3d_08"}
    assert asked("nftbench list F1a_01 F1b_01") == ["F1b_01"]
    assert asked("nftbench show --tier synthetic F1b_01") == ["F1b_01"]
    assert asked("nftbench redo --trial=2 runs --later F1b_01") == ["F1b_01"]
    assert asked("nftbench show F1a_01 F1b_0") == []
    assert asked("nftbench evaluate --isol") == ["--isolated"]
    assert asked("nftbench call ") == ["monday", "tuesday.2"]
    assert asked("nftbench call monday read_s") == ["read_state"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_the_same(tmp_path: Path, state: Path) -> None:
    """On a pseudo-terminal, since zsh completes nowhere else: a single match is written out at once."""
    (tmp_path / "script").write_text(script("zsh"))
    (tmp_path / "runs").mkdir()
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NFTB_STATE": str(state), "PS1": "> "}
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=follower, stdout=follower, stderr=follower, env=environment, cwd=tmp_path
    )

    def until(words: str) -> str:
        seen, end = "", time.monotonic() + 30
        while words not in seen and time.monotonic() < end:
            if select.select([leader], [], [], 0.2)[0]:
                seen += os.read(leader, 65536).decode("utf-8", "replace")
        return seen

    try:
        os.write(leader, b"autoload -Uz compinit; compinit -u; eval \"$(<script)\"; echo rea''dy\r")
        assert "ready" in until("ready\r\n")
        for typed, full in (
            ("nftbench regr", "nftbench regrade "),
            (
                "nftbench evaluate --max-tokens-field max_c",
                "nftbench evaluate --max-tokens-field max_completion_tokens ",
            ),
            ("nftbench evaluate --instances F1a_01,F2b_03", "nftbench evaluate --instances F1a_01,F2b_03"),
            ("nftbench list F1a_01 F1b_\\", "nftbench list F1a_01 F1b_"),
            ("nftbench evaluate --tool-calls=na", "nftbench evaluate --tool-calls=native "),
            ("nftbench show --tier synthetic F1b_01", "nftbench show --tier synthetic F1b_01 "),
            ("nftbench evaluate --isol", "nftbench evaluate --isolated "),
            ("nftbench call monday read_s", "nftbench call monday read_state "),
            ("nftbench call tue", "nftbench call tuesday.2 "),
            ("nftbench report /tmp ru", "nftbench report /tmp runs/"),
        ):
            os.write(leader, typed.rstrip("\\").encode() + b"\t")
            assert full in until(full), typed
            os.write(leader, b"\x15")
    finally:
        shell.kill()
        shell.wait(10)
        os.close(leader)
        os.close(follower)
