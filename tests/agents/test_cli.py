"""The command-line backend with real processes: what a program gets, what is made of its output, that nothing of it stays."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.cli import CommandLineBackend, CommandLineSettings, program_for
from nftbench.agents.failure import CLIFailure
from nftbench.agents.programs.outputs import read_plain, read_result_message
from nftbench.agents.programs.presets import PROGRAMS, Launch, Program
from nftbench.agents.programs.processes import Turn, run_program
from nftbench.conversation import RequestWriter
from nftbench.errors import Refusal

FINISH = '{"name": "finish_task", "arguments": {"summary": "done"}}'
TOOL = {"name": "finish_task", "description": "Ends.", "parameters": {"type": "object", "properties": {}}}


def request() -> str:
    writer = RequestWriter([TOOL])
    writer.append({"role": "system", "content": "You hold a wallet."})
    writer.append({"role": "user", "content": "Send it."})
    return writer.text()


def python(code: str, *, variables: tuple[str, ...] = (), read: Any = read_plain) -> Program:
    return Program("python", "a test", variables, lambda model, environment: Launch([sys.executable, "-c", code]), read)


def backend(program: Program, **settings: Any) -> CommandLineBackend:
    return CommandLineBackend(
        program, None, CommandLineSettings(**{"sleep": lambda seconds: None, "timeout": 20, **settings})
    )


def test_a_program_gets_the_conversation_on_its_input_and_answers_with_its_output(tmp_path: Path) -> None:
    code = f"import sys; open({str(tmp_path / 'seen')!r}, 'w').write(sys.stdin.read()); print({FINISH!r})"
    answer = json.loads(backend(python(code), events_path=tmp_path / "events.jsonl").complete(request()))
    assert answer["tool_calls"] == [{"id": "call_1", "name": "finish_task", "arguments": {"summary": "done"}}]
    seen = (tmp_path / "seen").read_text()
    for part in ("You hold a wallet.", "Send it.", "finish_task", "exactly one JSON object"):
        assert part in seen
    event = json.loads((tmp_path / "events.jsonl").read_text())
    assert event["returncode"] == 0 and event["stdout"].strip() == FINISH


def test_a_program_runs_in_an_empty_folder_that_is_gone_afterwards() -> None:
    code = "import os; count = len(os.listdir()); open('left', 'w'); print(os.getcwd(), os.environ['HOME'], count)"
    where, home, count = backend(python(code)).invoke("S", "P").text.split()
    assert count == "0" and where != home and not os.path.exists(where) and not os.path.exists(home)


def test_a_program_finds_the_files_that_it_needs_in_its_home() -> None:
    code = "import os; print(open(os.path.expanduser('~/.x/settings.json')).read())"
    launch = Launch([sys.executable, "-c", code], {}, {".x/settings.json": "set"})
    program = Program("python", "a test", (), lambda model, environment: launch, read_plain)
    assert backend(program).invoke("S", "P").text == "set"


def test_what_a_plain_program_says_on_its_error_stream_is_no_reply() -> None:
    with pytest.raises(CLIFailure) as failure:
        backend(python("import sys; print('warning', file=sys.stderr)")).invoke("S", "P")
    assert failure.value.kind == "incomplete_output"


def test_the_environment_carries_only_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DECLARED", "ALSO_DECLARED", "UNDECLARED", "OPENROUTER_API_KEY"):
        monkeypatch.setenv(name, "value")
    code = "import os, json; print(json.dumps(sorted(os.environ)))"
    program = python(code, variables=("DECLARED",))
    seen = set(json.loads(backend(program, variables=("ALSO_DECLARED",)).invoke("S", "P").text))
    assert {"DECLARED", "ALSO_DECLARED", "HOME", "PATH"} <= seen
    assert not {"UNDECLARED", "OPENROUTER_API_KEY", "PYTEST_CURRENT_TEST"} & seen


def test_a_key_given_to_a_program_is_in_no_reply_and_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-secret-0123456789")
    code = "import os, sys; print('key', os.environ['MY_API_KEY']); print(os.environ['MY_API_KEY'], file=sys.stderr)"
    asking = backend(python(code, variables=("MY_API_KEY",)), events_path=tmp_path / "events.jsonl")
    assert asking.invoke("S", "P").text == "key [MY_API_KEY]"
    assert "sk-secret" not in (tmp_path / "events.jsonl").read_text()


def test_a_servers_address_given_to_a_program_is_in_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gpu-node-07:8000/v1")
    program = python(
        "import os, sys; sys.exit('no route to ' + os.environ['OPENAI_BASE_URL'])", variables=("OPENAI_BASE_URL",)
    )
    with pytest.raises(CLIFailure) as failure:
        backend(program).invoke("S", "P")
    assert "gpu-node-07" not in failure.value.detail and "[endpoint]" in failure.value.detail


def test_a_program_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(CLIFailure) as failure:
        backend(python("import time; time.sleep(60)"), timeout=1.0).invoke("S", "P")
    assert (failure.value.kind, failure.value.cause) == ("cli_error", "timeout")


def test_a_program_that_floods_its_output_is_stopped() -> None:
    code = "while True: print('x' * 65536)"
    with pytest.raises(CLIFailure) as failure:
        backend(python(code)).invoke("S", "P")
    assert "output" in failure.value.detail


def test_a_program_may_leave_its_input_unread() -> None:
    ended = run_program(Turn(command=["true"], given="x" * 10**6, environment={"PATH": os.environ["PATH"]}, timeout=20))
    assert (ended.returncode, ended.stopped) == (0, "")


def test_a_program_that_is_not_there_is_a_matter_of_configuration() -> None:
    with pytest.raises(CLIFailure) as failure:
        backend(program_for("./no-such-program --flag")).invoke("S", "P")
    assert failure.value.kind == "cli_error" and failure.value.configuration


@pytest.mark.parametrize(
    ("words", "code", "kind", "attempts"),
    [
        ("Invalid API key", 1, "auth_or_quota", 1),
        ("Please run /login", 1, "auth_or_quota", 1),
        ("Credit balance is too low: insufficient credits", 1, "auth_or_quota", 1),
        ("You've hit your session limit · resets 4:10pm (Europe/Zurich)", 1, "auth_or_quota", 1),
        (
            "You have exhausted your capacity on this model. Your quota will reset after 19h12m30s.",
            1,
            "auth_or_quota",
            1,
        ),
        ("You have exhausted your capacity on this model. Your quota will reset after 2s.", 1, "cli_error", 4),
        ("API Error: Claude's response exceeded the 6000 output token maximum.", 1, "model_format", 4),
        ("Prompt is too long", 1, "context_limit", 1),
        ("API Error: 529 overloaded", 1, "cli_error", 4),
        ("429 rate limit", 1, "cli_error", 4),
        ("429 too many tokens per minute: reduce the length of the messages", 1, "cli_error", 4),
        ("segmentation fault", 139, "cli_error", 1),
        ("", 0, "incomplete_output", 4),
    ],
)
def test_a_programs_failure_is_told_by_its_words(
    words: str, code: int, kind: str, attempts: int, tmp_path: Path
) -> None:
    program = python(f"import sys; print({words!r}, file=sys.stderr); sys.exit({code})")
    with pytest.raises(CLIFailure) as failure:
        backend(program, events_path=tmp_path / "events.jsonl").invoke("S", "P")
    assert failure.value.kind == kind
    assert len((tmp_path / "events.jsonl").read_text().splitlines()) == attempts


def test_a_busy_program_is_asked_again(tmp_path: Path) -> None:
    seen = str(tmp_path / "seen")
    code = f"import os, sys\nif not os.path.exists({seen!r}):\n  open({seen!r}, 'w'); sys.exit('429')\nprint('ok')"
    waits: list[float] = []
    invocation = backend(python(code), sleep=waits.append).invoke("S", "P")
    assert invocation.text == "ok" and waits == [5] and invocation.usage["usage"]["retried"]["attempts"] == 1


def test_an_error_in_the_output_counts_whatever_the_exit_code() -> None:
    said = json.dumps({"type": "result", "is_error": True, "result": "Prompt is too long"})
    with pytest.raises(CLIFailure) as failure:
        backend(python(f"print({said!r})", read=read_result_message)).invoke("S", "P")
    assert failure.value.kind == "context_limit"


def test_a_template_is_split_as_a_shell_would_and_may_name_the_model() -> None:
    program = program_for("/usr/bin/env llm 'a b' --model {model}")
    assert program.launch("m", {}).command == ["/usr/bin/env", "llm", "a b", "--model", "m"]


def test_a_template_keeps_its_order() -> None:
    assert program_for("x -m {model} --last").launch("m", {}).command == ["x", "-m", "m", "--last"]


def test_a_template_that_needs_a_model_is_refused_without_one() -> None:
    with pytest.raises(Refusal, match="--model"):
        CommandLineBackend(program_for("x -m {model}"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_preset_is_found_by_its_name(name: str) -> None:
    assert program_for(name) is PROGRAMS[name]


@pytest.mark.parametrize(
    ("name", "near"), [("claud", "claude"), ("gemeni", "gemini"), ("xyz", "opencode"), ("'", "words")]
)
def test_an_unknown_preset_is_refused_with_the_near_names(name: str, near: str) -> None:
    with pytest.raises(Refusal, match=near):
        program_for(name)


NOTICES = ("You've hit your weekly limit · resets Mon 12:00am", "5-hour limit reached ∙ resets 3am")


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_that_stands_where_the_reply_should_stops_the_run(notice: str) -> None:
    """A program that ends well although its plan is used up: its words are no reply of a model."""
    said = json.dumps(
        {"type": "result", "is_error": False, "result": "Your usage limit is reached.", "usage": {"output_tokens": 0}}
    )
    for program in (python(f"print({notice!r})"), python(f"print({said!r})", read=read_result_message)):
        with pytest.raises(CLIFailure) as failure:
            backend(program).invoke("S", "P")
        assert (failure.value.kind, failure.value.cause) == ("auth_or_quota", "quota")


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "x", "arguments": {"summary": "The weekly limit is reached, it resets 3am."}}',
        "The wallet's mint limit is reached, so this can't be done.",
    ],
)
def test_a_reply_that_speaks_of_limits_is_a_reply(reply: str) -> None:
    assert backend(python(f"print({reply!r})")).invoke("S", "P").text == reply


def test_what_a_model_said_is_no_sign_of_why_its_program_ended_badly() -> None:
    """The model speaks of money that a wallet lacks; the program crashed."""
    code = "import sys; print('insufficient balance, the weekly quota is exhausted'); sys.exit('segmentation fault')"
    with pytest.raises(CLIFailure) as failure:
        backend(python(code)).invoke("S", "P")
    assert (failure.value.kind, failure.value.cause) == ("cli_error", "exit")


def test_tokens_of_attempts_that_failed_are_counted(tmp_path: Path) -> None:
    seen = str(tmp_path / "seen")
    usage = {"input_tokens": 30, "output_tokens": 7}
    bad, good = (
        json.dumps({"type": "result", "is_error": e, "result": t, "usage": usage, "total_cost_usd": 0.25})
        for e, t in ((True, "529 overloaded"), (False, "ok"))
    )
    code = f"import os\nif os.path.exists({seen!r}): print({good!r})\nelse: open({seen!r}, 'w'); print({bad!r})"
    told = backend(python(code, read=read_result_message)).invoke("S", "P").usage["usage"]["retried"]
    assert told == {"attempts": 1, "prompt_tokens": 30, "completion_tokens": 7, "cost": 0.25}


def test_the_program_of_a_template_may_stand_beside_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is not absolute counts from where nftbench was started, not from the program's own folder."""
    script = tmp_path / "agent.sh"
    script.write_text("#!/bin/sh\necho here\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert backend(program_for("./agent.sh")).invoke("S", "P").text == "here"
