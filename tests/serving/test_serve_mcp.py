"""`nftbench serve-mcp` as a process: a client that acts through its own loop is served, graded and recorded."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.testing.tool_rules import RULES, openai_strict, strict_variant
from tests.serving.client import (
    PATIENCE,
    Raw,
    command,
    connected,
    environment,
    recorded,
    run,
    run_files,
    solve,
    texts_of,
    use,
)

LEAKS = re.compile(r"\bF\d+[a-z]_\d|\bT[1-4]\b|synthetic|difficult|twin|instance|nftbench")
"""What a client must never read: ids, tiers, difficulty, and whose tasks these are."""
FINISH = {"summary": "done"}


def awaited(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def test_a_full_solve_is_graded_and_recorded_like_any_other_run(tmp_path: Path) -> None:
    """The same calls give the same checks, transactions and world as the reference agent's own run."""
    out = tmp_path / "run"

    async def play() -> list[str]:
        async with connected("F1a_05", "--out", str(out), "--agent", "tester", stderr=tmp_path / "err") as client:
            return await solve(client, "F1a_05")

    assert json.loads(run(play())[-1]) == {"ended": True}
    record, summary = run_files(out)
    files = recorded(out, "F1a_05")
    result, trajectory = files["result"], files["trajectory"]
    task = catalog.task("F1a_05")
    own = attempt(task, ReferenceAgent(catalog.policy(task)))
    assert result["success"] and result["ended_by"] == "finish_task" and result["world_hash"] == own.result.world_hash
    assert [(c["name"], c["passed"]) for c in result["checks"]] == [(c.name, c.passed) for c in own.result.checks]
    for column in ("turns", "tool_calls", "transactions", "gas_used", "signatures", "repairs"):
        assert result["counts"][column] == getattr(own.result.counts, column)
    assert trajectory["messages"] == own.trajectory["messages"]
    assert trajectory["transactions"] == json.loads(json.dumps(own.trajectory["transactions"]))
    assert trajectory["session"]["client"]["name"]
    assert record["selection"] == ["F1a_05"] and record["trials"] == 1
    assert [record[name] for name in ("provider", "prompt_layout", "tool_set", "agent")] == [
        "mcp",
        "mcp_v1",
        "standard",
        "tester",
    ]
    assert summary["complete"] and summary["tasks_scored"] == 1


def test_without_a_declaration_an_attempt_is_not_isolated_and_kept_out_of_the_figures(tmp_path: Path) -> None:
    out = tmp_path / "run"

    async def play(*flags: str) -> None:
        async with connected("F1a_04", "--out", str(out), *flags, stderr=tmp_path / "err") as client:
            await solve(client, "F1a_04")

    run(play())
    record, summary = run_files(out)
    assert recorded(out, "F1a_04")["result"]["success"]
    assert record["isolated"] is False and recorded(out, "F1a_04")["result"]["isolated"] is False
    assert summary["overall"]["scored"] == 0 and summary["not_isolated"]["overall"]["success_count"] == 1
    refused = subprocess.run(
        command("F1a_01", "--out", str(out), "--isolated"), stdin=subprocess.PIPE, capture_output=True, check=False
    )
    assert refused.returncode == 1 and b"isolated false there, true here" in refused.stderr
    out = tmp_path / "isolated"
    run(play("--isolated"))
    record, summary = run_files(out)
    assert record["isolated"] is True and recorded(out, "F1a_04")["result"]["isolated"] is True
    assert summary["overall"]["success_count"] == 1 and "not_isolated" not in summary


def test_nothing_that_a_client_reads_tells_which_task_it_is_or_whether_it_can_be_done(tmp_path: Path) -> None:
    """A task and its twin, of which one can't be done, look the same from the first message to the task's text."""
    seen: dict[str, str] = {}

    async def look(instance_id: str) -> str:
        stderr = tmp_path / f"{instance_id}.err"
        async with connected(instance_id, "--out", str(tmp_path / "run"), stderr=stderr) as client:
            answers: list[Any] = [
                await client.list_tools(),
                await client.list_prompts(),
                await client.get_prompt("task"),
                await client.call_tool("get_task", {}),
                await client.call_tool("no_such_tool", {}),
                await client.call_tool("send_transaction", {"to": 7}),
                client.initialize_result,
            ]
            with pytest.raises(Exception) as wrong:
                await client.get_prompt("no such prompt")
            seen[instance_id] = texts_of(answers) + str(wrong.value)
            ended = [await use(client, "declare_infeasible", {"reason": "no"}), await use(client, "read_state", {})]
        return seen[instance_id] + "".join(ended) + stderr.read_text()

    twin = catalog.task("F1a_04").twin
    assert twin is not None
    for instance_id in ("F1a_04", twin):
        told = run(look(instance_id))
        assert catalog.task(instance_id).prompt.split("#")[0] in told
        assert not LEAKS.search(
            re.sub(r"^nftbench: ", "", told.replace("\\n", " "), flags=re.M).replace("nftbench:", "")
        )
    names = [re.search(r"session-[0-9a-f]{8}", seen[i]) for i in seen]
    assert names[0] and names[1] and names[0][0] != names[1][0]
    assert len({re.sub(r"session-[0-9a-f]{8}", "", text) for text in seen.values()}) == 1


def test_every_api_takes_the_tools_as_clients_pass_them_on(tmp_path: Path) -> None:
    """A tool without arguments is passed on without parameters: an empty object is what Gemini's API refuses."""

    async def look() -> list[dict[str, Any]]:
        async with connected("F1a_05", "--out", str(tmp_path / "out"), stderr=tmp_path / "err") as client:
            listed = (await client.list_tools()).tools
        return [{"name": t.name, "description": t.description, "parameters": t.input_schema} for t in listed]

    tools = run(look())
    assert len(tools) > 15
    for tool in tools:
        for api, rules in RULES.items():
            if tool["parameters"]["properties"] or api != "gemini":
                assert list(rules(tool)) == []
        assert list(openai_strict(strict_variant(tool))) == []


def test_a_client_that_leaves_is_a_scored_failure_with_the_world_as_it_stands(tmp_path: Path) -> None:
    async def play() -> None:
        async with connected("F1a_01", "--out", str(tmp_path / "run"), stderr=tmp_path / "err") as client:
            await use(client, "read_state", {})
            await use(client, "wait", {"seconds": "60"})

    run(play())
    result = recorded(tmp_path / "run", "F1a_01")["result"]
    assert (result["status"], result["success"], result["ended_by"]) == ("scored", False, "disconnected")
    assert {check["kind"] for check in result["checks"]} == {"ending", "goal", "frame"}
    assert result["counts"]["turns"] == 2


def test_a_client_killed_in_mid_call_is_a_scored_failure(tmp_path: Path) -> None:
    """The client dies without closing anything: the system does it."""
    program = (
        "import subprocess, sys, json, os, signal\n"
        f"p = subprocess.Popen({command('F1a_01', '--out', str(tmp_path / 'run'))!r}, stdin=subprocess.PIPE, "
        "stdout=subprocess.PIPE, stderr=open(os.devnull, 'w'))\n"
        "print(p.pid, flush=True)\n"
        "def send(**m): p.stdin.write(json.dumps({'jsonrpc': '2.0', **m}).encode() + b'\\n'); p.stdin.flush()\n"
        "send(id=1, method='initialize', params={'protocolVersion': '2025-06-18', 'capabilities': {}, "
        "'clientInfo': {'name': 'x', 'version': '1'}})\n"
        "p.stdout.readline()\n"
        "send(method='notifications/initialized')\n"
        "send(id=2, method='tools/call', params={'name': 'read_state', 'arguments': {}})\n"
        'p.stdin.write(b\'{"jsonrpc": "2.0", "id": 3, "meth\'); p.stdin.flush()\n'
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=False)
    assert int(done.stdout)
    awaited(tmp_path / "run" / "summary.json")
    result = recorded(tmp_path / "run", "F1a_01")["result"]
    assert (result["ended_by"], result["counts"]["turns"]) == ("disconnected", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_told_to_leave_records_first(number: signal.Signals, tmp_path: Path) -> None:
    """Programs stop their servers by signals, with little patience."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    client.answer(client.call("read_state", {}))
    client.process.send_signal(number)
    assert client.process.wait(PATIENCE) == 0
    assert recorded(tmp_path / "run", "F1a_01")["result"]["ended_by"] == "disconnected"
    client.kill()


def test_an_attempt_is_recorded_before_its_client_hears_of_the_end(tmp_path: Path) -> None:
    client = Raw("F1a_04", "--out", str(tmp_path / "run"))
    client.initialize()
    client.answer(client.call("declare_infeasible", {"reason": "no"}))
    client.kill()
    assert recorded(tmp_path / "run", "F1a_04")["result"]["ended_by"] == "declare_infeasible"
    assert run_files(tmp_path / "run")[1]["tasks_scored"] == 1


def test_a_server_killed_without_a_word_has_the_attempt_recorded_all_the_same(tmp_path: Path) -> None:
    """Some programs kill their servers as they leave; what they started is not what records."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    client.answer(client.call("read_state", {}))
    client.process.kill()
    client.process.wait(PATIENCE)
    assert client.process.stdin is not None and not client.process.stdin.closed
    awaited(tmp_path / "run" / "summary.json")
    result = recorded(tmp_path / "run", "F1a_01")["result"]
    assert (result["ended_by"], result["counts"]["turns"]) == ("disconnected", 1)


def test_when_all_of_it_is_killed_the_attempt_can_be_made_again(tmp_path: Path) -> None:
    flags = ("F1a_04", "--out", str(tmp_path / "run"))
    client = Raw(*flags)
    client.initialize()
    client.answer(client.call("read_state", {}))
    children = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text().split()
    for process in (int(child) for child in children):
        os.kill(process, signal.SIGKILL)
    assert client.process.wait(PATIENCE) == 1
    assert not (tmp_path / "run" / "F1a_04" / "result.json").exists()
    again = Raw(*flags)
    again.initialize()
    again.answer(again.call("declare_infeasible", {"reason": "no"}))
    assert again.leave()[0] == 0 and run_files(tmp_path / "run")[1]["tasks_scored"] == 1


def test_the_turn_limit_ends_a_session(tmp_path: Path) -> None:
    client = Raw("F1a_01", "--out", str(tmp_path / "run"), "--max-turns", "2")
    client.initialize()
    for _ in range(2):
        assert not client.answer(client.call("read_state", {}))["result"]["isError"]
    result = recorded(tmp_path / "run", "F1a_01")["result"]
    assert (result["status"], result["ended_by"], result["success"]) == ("scored", "turn_limit", False)
    over = client.answer(client.call("finish_task", FINISH))["result"]
    assert over["isError"] and "over" in over["content"][0]["text"]
    assert not client.answer(client.call("get_task", {}))["result"]["isError"]
    assert client.leave()[0] == 0


def test_the_time_limit_ends_a_session_whose_client_says_nothing(tmp_path: Path) -> None:
    """With a limit of a second in place of an hour."""
    program = (
        "import sys\n"
        "from nftbench.commands import serve_mcp\n"
        "from nftbench.episode.limits import Limits\n"
        "serve_mcp.Limits = lambda **given: Limits(max_seconds=1, **given)\n"
        "sys.exit(serve_mcp.main(sys.argv[1:]))"
    )
    client = Raw("F1a_01", "--out", str(tmp_path / "run"), start=[sys.executable, "-c", program])
    client.initialize()
    result = tmp_path / "run" / "F1a_01" / "result.json"
    awaited(result)
    assert json.loads(result.read_text())["ended_by"] == "time_limit"
    assert client.answer(client.call("finish_task", FINISH))["result"]["isError"]
    assert client.leave()[0] == 0


def test_garbage_on_the_input_is_passed_over_and_standard_output_holds_messages_alone(tmp_path: Path) -> None:
    """Bytes, half JSON, other JSON, requests before their time, too deep, with half a surrogate pair: none of it stops
    the session, and each request gets an answer."""
    client = Raw("F1a_04", "--out", str(tmp_path / "run"))
    client.write(
        b"\x00\xff\xfe garbage\n\n{\n[]\n[1,2]\n7\nnull\n" + b'{"jsonrpc":"2.0","method":5}\n' + b"{" * 3000 + b"\n"
    )
    assert "error" in client.answer(client.call("read_state", {}))
    client.initialize()
    client.write(b'{"jsonrpc":"2.0","id":"x"}\n{"id":1}\n' + b"A" * 100_000 + b"\n")
    for arguments in (b'{"a":"\\ud800"}', b"[" * 400 + b"]" * 400, b"[]", b"7"):
        client.write(
            b'{"jsonrpc":"2.0","id":"g","method":"tools/call","params":{"name":"call","arguments":%s}}\n' % arguments
        )
        assert "error" in client.answer("g")  # type: ignore[arg-type]
    for name, given in (("", {}), ("read_state" * 1000, {}), ("call", {"": None, "to": [[[]]]})):
        assert client.answer(client.call(name, given))["result"]["isError"]
    assert "error" in client.ask("no/such/method", {})
    assert not client.answer(client.call("read_state", {}))["result"]["isError"]
    client.answer(client.call("declare_infeasible", {"reason": "no"}))
    code, rest, _ = client.leave()
    assert code == 0 and all(json.loads(line) for line in rest.splitlines())


def test_huge_arguments_are_refused_and_bounded_in_a_row(tmp_path: Path) -> None:
    """As with a reply of a model that is too long: not read, told so, and three times at most one after the other."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    for _ in range(4):
        told = client.answer(client.call("finish_task", {"summary": "x" * 5_000_000}))["result"]
        assert told["isError"] and "too long" in told["content"][0]["text"]
    assert client.leave()[0] == 0
    assert recorded(tmp_path / "run", "F1a_01")["result"]["ended_by"] == "repair_limit"
    assert (tmp_path / "run" / "F1a_01" / "trajectory.json").stat().st_size < 1_000_000


def test_calls_at_once_are_run_one_after_the_other_and_a_cancelled_one_is_recorded(tmp_path: Path) -> None:
    """Ten calls in one write: all answered, each on the world that the one before it left; cancelling one that has run
    undoes nothing."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    numbers = [client.call("wait", {"seconds": "10"}) for _ in range(10)]
    blocks = [int(json.loads(client.answer(n)["result"]["content"][0]["text"])["block"]) for n in numbers]
    assert blocks == sorted(set(blocks))
    cancelled = client.call("wait", {"seconds": "10"})
    client.notify("notifications/cancelled", {"requestId": cancelled, "reason": "no patience"})
    client.notify("notifications/cancelled", {"requestId": 999})
    client.notify("notifications/cancelled", {"requestId": {"a": []}})
    assert client.answer(client.call("wait", {"seconds": "10"}))["result"]["isError"] is False
    assert client.leave()[0] == 0
    assert recorded(tmp_path / "run", "F1a_01")["result"]["counts"]["turns"] == 12


def test_the_official_client_may_make_calls_at_once(tmp_path: Path) -> None:
    async def play() -> list[str]:
        async with connected("F1a_01", "--out", str(tmp_path / "run"), stderr=tmp_path / "err") as client:
            return await asyncio.gather(*(use(client, "wait", {"seconds": "1"}) for _ in range(8)))

    times = [int(json.loads(text)["time"]) for text in run(play())]
    assert sorted(times) == list(range(min(times), min(times) + 8))


def test_an_input_without_a_client_records_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        command("F1a_01", "--out", str(tmp_path / "run")),
        input=b"hello\n",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env=environment(),
    )
    assert done.returncode == 1 and b"no client" in done.stderr
    assert json.loads(done.stdout)["error"]["code"] == -32700
    assert not list((tmp_path / "run").rglob("result.json"))


PING = {"jsonrpc": "2.0", "id": 70, "method": "ping"}


def test_every_request_that_cannot_be_read_is_answered_with_the_code_for_it(tmp_path: Path) -> None:
    """Garbage, too deep, too long, a mark of byte order before it: each gets its error, and the session goes on."""
    client = Raw("F1a_04", "--out", str(tmp_path / "run"))
    client.write(b"\xef\xbb\xbf" + json.dumps(PING).encode() + b"\n")
    assert client.line()["id"] == 70
    client.initialize()
    for line, code, number in (
        (b"garbage", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 71, "method": "ping"', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 72}', -32600, 72),
        (b"7", -32600, None),
        (deep_call(73, 990), -32600, 73),
        (deep_call(74, 100_000), -32600, 74),
        (b'{"jsonrpc": "2.0", "id": 75, "method": "ping", "params": {"x": "' + b"A" * 70_000_000 + b'"}}', -32600, 75),
        (b"[" + json.dumps(PING).encode() + b"]", -32600, None),
    ):
        client.write(line + b"\n")
        told = client.line()
        assert (told["id"], told["error"]["code"]) == (number, code), line[:80]
    assert not client.answer(client.call("read_state", {}))["result"]["isError"]
    client.answer(client.call("declare_infeasible", {"reason": "no"}))
    assert client.leave()[0] == 0
    assert recorded(tmp_path / "run", "F1a_04")["result"]["success"]


def deep_call(number: int, depth: int) -> bytes:
    start = b'{"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "call", "arguments": {"a": '
    return start % number + b"[" * depth + b"]" * depth + b"}}}"


def test_batches_are_answered_as_one_where_the_version_has_them(tmp_path: Path) -> None:
    client = Raw("F1a_04", "--out", str(tmp_path / "run"))
    assert client.initialize("2025-03-26")["result"]["protocolVersion"] == "2025-03-26"
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "read_state", "arguments": {}}}
    notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}}
    client.write(json.dumps([{**call, "id": 81}, PING, notice, 7, {**call, "id": "81"}]).encode() + b"\n")
    answers = client.line()
    assert sorted(str(answer["id"]) + type(answer["id"]).__name__ for answer in answers) == sorted(
        ["81int", "81str", "70int", "NoneNoneType"]
    )
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [-32600]
    client.write(json.dumps([notice]).encode() + b"\n" + b"[]\n" + json.dumps([1, 2]).encode() + b"\n")
    assert client.line()["error"]["code"] == -32600
    assert [answer["error"]["code"] for answer in client.line()] == [-32600, -32600]
    ending = {"name": "declare_infeasible", "arguments": {"reason": "no"}}
    client.write(json.dumps([{**call, "id": 90, "params": ending}, {**PING, "id": 91}]).encode() + b"\n")
    assert {answer["id"] for answer in client.line()} == {90, 91}
    assert client.leave()[0] == 0
    result = recorded(tmp_path / "run", "F1a_04")["result"]
    assert (result["ended_by"], result["counts"]["turns"]) == ("declare_infeasible", 3)


def unread(tmp_path: Path) -> Raw:
    """A client that asks for more than a pipe holds, and reads none of it."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    for _ in range(100):
        client.call("get_task", {})
    client.call("read_state", {})
    time.sleep(1)
    return client


def again(tmp_path: Path) -> None:
    """The trial is free for somebody else: its result is there, and nobody holds it."""
    done = subprocess.run(
        command("F1a_01", "--out", str(tmp_path / "run")), input=b"", capture_output=True, timeout=PATIENCE, check=False
    )
    assert b"--trial 2" in done.stderr and b"another process" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_client_that_never_reads_keeps_no_server_that_is_told_to_leave(
    number: signal.Signals, tmp_path: Path
) -> None:
    client = unread(tmp_path)
    client.process.send_signal(number)
    assert client.process.wait(PATIENCE) == 0
    assert recorded(tmp_path / "run", "F1a_01")["result"]["ended_by"] == "disconnected"
    again(tmp_path)
    client.kill()


def test_a_client_that_never_reads_keeps_no_server_by_leaving_its_output_open(tmp_path: Path) -> None:
    """It closes its end of the input only."""
    client = unread(tmp_path)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(PATIENCE) == 0
    again(tmp_path)
    client.process.kill()


@pytest.mark.slow
def test_a_client_that_never_reads_keeps_no_server_for_ever(tmp_path: Path) -> None:
    """Nothing is closed, and nobody sends a signal."""
    client = unread(tmp_path)
    assert client.process.wait(2 * PATIENCE) == 0
    again(tmp_path)
    client.kill()


def test_a_client_that_reads_slowly_gets_all_of_it(tmp_path: Path) -> None:
    client = unread(tmp_path)
    assert client.process.stdin is not None and client.process.stdout is not None
    client.process.stdin.close()
    lines = []
    for line in client.process.stdout:
        lines.append(json.loads(line))
        time.sleep(0.005)
    assert client.process.wait(PATIENCE) == 0 and len(lines) == 101
    client.process.kill()


def test_what_is_printed_beside_the_protocol_is_not_in_it(tmp_path: Path) -> None:
    program = (
        "import sys, os\n"
        "from nftbench.commands import serve_mcp\n"
        "from nftbench.serving.session import Session\n"
        "real = Session.call\n"
        "def call(self, *given):\n"
        "    print('stray', flush=True); os.write(1, b'more\\n')\n"
        "    return real(self, *given)\n"
        "Session.call = call\n"
        "sys.exit(serve_mcp.main(sys.argv[1:]))"
    )
    client = Raw("F1a_04", "--out", str(tmp_path / "run"), start=[sys.executable, "-c", program])
    client.initialize()
    assert not client.answer(client.call("read_state", {}))["result"]["isError"]
    code, _, err = client.leave()
    assert code == 0 and "stray" in err and "more" in err


def test_a_client_that_never_reads_cannot_keep_an_attempt_from_being_recorded(tmp_path: Path) -> None:
    """Its pipe fills up; the turns that it asked for are made all the same, and then it leaves."""
    client = Raw("F1a_01", "--out", str(tmp_path / "run"))
    client.initialize()
    for _ in range(100):
        client.call("get_task", {})
    client.call("read_state", {})
    assert client.process.stdin is not None and client.process.stdout is not None
    client.process.stdin.close()
    time.sleep(1)
    client.process.stdout.close()
    assert client.process.wait(PATIENCE) == 0
    assert recorded(tmp_path / "run", "F1a_01")["result"]["ended_by"] == "disconnected"


def test_several_sessions_serve_into_one_folder_at_once(tmp_path: Path) -> None:
    """run.json grows by their instances, and the summary counts them all; the same attempt is served once."""
    out = str(tmp_path / "run")
    clients = {name: Raw(name, "--out", out) for name in ("F1a_04", "F1a_01")}
    for client in clients.values():
        client.initialize()
    third = subprocess.run(
        command("F1a_04", "--out", out), input=b"", capture_output=True, timeout=PATIENCE, check=False
    )
    assert third.returncode == 1 and b"another process" in third.stderr and b"F1a" not in third.stderr
    for client in clients.values():
        client.answer(client.call("declare_infeasible", {"reason": "no"}))
        assert client.leave()[0] == 0
    record, summary = run_files(tmp_path / "run")
    assert record["selection"] == ["F1a_01", "F1a_04"] and summary["tasks_scored"] == 2
    refused = subprocess.run(
        command("F1a_04", "--out", out), input=b"", capture_output=True, timeout=PATIENCE, check=False
    )
    assert refused.returncode == 1 and b"--trial 2" in refused.stderr
    second = Raw("F1a_04", "--out", out, "--trial", "2")
    second.initialize()
    second.answer(second.call("declare_infeasible", {"reason": "no"}))
    assert second.leave()[0] == 0
    assert recorded(tmp_path / "run", "F1a_04", "trial_2")["result"]["trial"] == 2
    assert run_files(tmp_path / "run")[0]["trials"] == 2


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("F1a_99",), "F1a_99"),
        (("F1*",), "one instance"),
        (("F1a_01", "--trial", "0"), "--trial"),
        (("F1a_01", "--nonsense"), "nonsense"),
        ((), "instance"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(flags: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = subprocess.run(
        command(*flags), input=b"", capture_output=True, timeout=PATIENCE, check=False, cwd=tmp_path, env=environment()
    )
    assert (done.returncode, done.stdout) == (1, b"") and words in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 1 and os.listdir(tmp_path) == []


def test_without_the_mcp_package_one_sentence_tells_how_to_get_it(tmp_path: Path) -> None:
    """The package is hidden from the process as if it were not installed."""
    hide = (
        "import sys, importlib.metadata as m\n"
        "real = m.version\n"
        "def version(name):\n"
        "    if name == 'mcp': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.version = version\n"
        "from nftbench.commands.main import main\n"
        f"sys.exit(main(['serve-mcp', 'F1a_01', '--out', {str(tmp_path / 'run')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", hide], input=b"", capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1 and b"pip install 'nftbench[mcp]'" in done.stderr and not (tmp_path / "run").exists()
    assert len(done.stderr.splitlines()) == 1


def test_evaluate_and_the_other_commands_never_import_mcp() -> None:
    program = "import sys, nftbench.evaluate, nftbench.commands.main; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == b"False"
