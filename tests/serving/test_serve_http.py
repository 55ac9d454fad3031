"""`nftbench serve-mcp --http` as a process: many clients at once, each in a world of its own, graded as in any other run."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from tests.serving.client import PATIENCE, command, environment, recorded, run, run_files, solve, texts_of, use
from tests.serving.client import connected as over_stdio
from tests.serving.hosting import Host, anywhere, bearer, begun, call, connected, initialize, is_open, request, rows

LEAKS = re.compile(r"\bF\d+[a-z]_\d|\bT[1-4]\b|synthetic|difficult|twin|instance|nftbench|uvicorn|feasible\b")
NAMES = ("F1a_01", "F1a_04", "F2a_02", "F3a_05", "F4a_01", "F5a_03")


def awaited(look: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not look() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert look()


def ended_by(out: Path, instance_id: str) -> tuple[str, int]:
    result = recorded(out, instance_id)["result"]
    return result["ended_by"], result["counts"]["turns"]


async def whose(client: Client, left: list[str]) -> str:
    """The instance whose task a client has, found by its text."""
    told = await use(client, "get_task", {})
    (found,) = [name for name in left if catalog.task(name).prompt in told]
    return found


def test_clients_at_once_each_get_an_attempt_that_is_graded_as_in_any_other_run(tmp_path: Path) -> None:
    """Half of them speak the versions that begin with a handshake, half would do without; the plan is used up, so the server
    leaves by itself."""
    out = tmp_path / "run"

    async def play(url: str, mode: str) -> str:
        async with connected(url, mode=mode) as client:
            name = await whose(client, list(NAMES))
            assert json.loads((await solve(client, name))[-1]) == {"ended": True}
            return name

    async def all_at_once(url: str) -> list[str]:
        return await asyncio.gather(*(play(url, mode) for mode in ("auto", "legacy") * 3))

    with Host(",".join(NAMES), "--out", str(out), "--agent", "tester") as host:
        assert sorted(run(all_at_once(host.url))) == sorted(NAMES)
        assert host.ended() == 0 and "every attempt is recorded" in host.told
    record, summary = run_files(out)
    assert record["selection"] == list(NAMES) and (record["provider"], record["isolated"]) == ("mcp", False)
    assert summary["complete"] and summary["tasks_scored"] == len(NAMES)
    for name in NAMES:
        files, task = recorded(out, name), catalog.task(name)
        own = attempt(task, ReferenceAgent(catalog.policy(task)))
        assert files["result"]["success"] and files["result"]["world_hash"] == own.result.world_hash
        assert [(c["name"], c["passed"]) for c in files["result"]["checks"]] == [
            (c.name, c.passed) for c in own.result.checks
        ]
        assert files["trajectory"]["messages"] == own.trajectory["messages"]
        assert files["trajectory"]["transactions"] == json.loads(json.dumps(own.trajectory["transactions"]))
        assert files["trajectory"]["session"]["client"]["name"]


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_a_ticket_opens_its_own_attempt_in_every_version_of_the_protocol(mode: str, tmp_path: Path) -> None:
    file = tmp_path / "tickets"

    async def play(row: dict[str, Any]) -> None:
        async with connected(row["url"], row["token"], mode) as client:
            await solve(client, row["instance_id"])

    async def backwards() -> None:
        for row in reversed(rows(file)):
            await play(row)

    with Host("F1a_01,F1a_04", "--trials", "2", "--out", str(tmp_path / "run"), "--tickets", str(file)) as host:
        assert not is_open(file)
        run(backwards())
        assert host.ended() == 0
        tokens = [row["token"] for row in rows(file)]
        assert len(set(tokens)) == 4 and not anywhere(tmp_path / "run", tokens)
        assert not any(token in host.told for token in tokens)
    for parts in (("F1a_01",), ("F1a_04",), ("F1a_01", "trial_2"), ("F1a_04", "trial_2")):
        assert recorded(tmp_path / "run", parts[0], *parts[1:])["result"]["success"]


def test_who_has_no_token_is_told_nothing(tmp_path: Path) -> None:
    """Whatever is asked, wherever, and whatever stands in its place: one answer, and no session is begun or touched."""
    secret = "correct-horse-battery"
    with Host("F1a_01", "--out", str(tmp_path / "run"), variables={"NFTB_MCP_TOKEN": secret}) as host:
        session = begun(host, **bearer(secret))
        wrong = [
            {},
            bearer("wrong-horse-battery!"),
            bearer(secret[:-1]),
            {"Authorization": f"Basic {secret}"},
            bearer(""),
        ]
        answers = [
            host.ask(method, body, path, **{**others, **headers})
            for headers in wrong
            for method, body in (("POST", initialize()), ("POST", b"x" * 9_000_000), ("GET", None), ("DELETE", None))
            for path in ("/mcp", "/", f"/mcp?token={secret}")
            for others in ({}, {"Mcp_Session_Id": session["Mcp_Session_Id"]})
        ]
        assert {answer.status for answer in answers} == {401}
        assert {answer.body for answer in answers} == {b"Unauthorized"}
        assert {tuple(sorted(answer.headers)) for answer in answers} == {
            ("content-length", "content-type", "date", "www-authenticate")
        }
        assert {answer.headers["www-authenticate"] for answer in answers} == {"Bearer"}
        assert not host.ask(body=call("read_state"), **session).json["result"]["isError"]
        assert host.stop(signal.SIGTERM) == 0
        assert secret not in host.told and not anywhere(tmp_path, [secret])
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 1)


def test_a_session_is_out_of_reach_for_another_ticket(tmp_path: Path) -> None:
    """Its id, should it ever be known, says no more than one that was made up."""
    file = tmp_path / "tickets"
    with Host("F1a_01,F1a_02", "--out", str(tmp_path / "run"), "--tickets", str(file)) as host:
        mine, other = (row["token"] for row in rows(file))
        session = begun(host, **bearer(mine))
        stolen = {**session, **bearer(other)}
        made_up = {**stolen, "Mcp_Session_Id": "0" * 32}
        for method, body in (("POST", call("finish_task", summary="x")), ("POST", initialize()), ("DELETE", None)):
            answers = [host.ask(method, body, **headers) for headers in (stolen, made_up)]
            assert [answer.status for answer in answers] == [404, 404]
            assert answers[0].body == answers[1].body
        assert not host.ask(body=call("read_state"), **session).json["result"]["isError"]
        assert host.ask("DELETE", **session).status == 200
        assert host.ask(body=initialize(), **bearer(mine)).status == 409
        assert host.ask(body=initialize(), **bearer(other)).status == 200
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 1)


def test_whoever_has_a_ticket_comes_back_to_the_same_world(tmp_path: Path) -> None:
    """A client that lost its connection begins a new session: the attempt goes on, its calls counted on."""
    file = tmp_path / "tickets"
    with Host("F1a_04", "--out", str(tmp_path / "run"), "--tickets", str(file), "--max-turns", "3") as host:
        (row,) = rows(file)
        first = begun(host, **bearer(row["token"]))
        host.ask(body=call("wait", seconds="60"), **first)
        before = host.ask(body=call("read_state"), **first).json["result"]["content"][0]["text"]
        second = begun(host, **bearer(row["token"]))
        after = host.ask(body=call("read_state"), **second).json["result"]["content"][0]["text"]
        assert json.loads(before)["block"] == json.loads(after)["block"]
        assert host.ended() == 0
    assert ended_by(tmp_path / "run", "F1a_04") == ("turn_limit", 3)


def test_without_tickets_each_session_gets_the_next_attempt_and_none_the_same(tmp_path: Path) -> None:
    with Host("F1a_01,F1a_02", "--out", str(tmp_path / "run")) as host:
        sessions = [begun(host), begun(host)]
        refused = host.ask(body=initialize())
        assert refused.status == 409 and refused.json["error"]["message"] == "There is no task left here."
        for session in sessions:
            host.ask(body=call("finish_task", summary="done"), **session)
            assert "nothing more" in host.ask(body=call("read_state"), **session).body.decode()
        assert host.ended() == 0
    assert [ended_by(tmp_path / "run", name) for name in ("F1a_01", "F1a_02")] == [("finish_task", 1)] * 2


def test_a_client_that_leaves_without_a_call_leaves_its_attempt_to_the_next(tmp_path: Path) -> None:
    with Host("F1a_01,F1a_02", "--out", str(tmp_path / "run")) as host:
        looked = begun(host)
        host.ask(body=request("tools/list"), **looked)
        assert host.ask("DELETE", **looked).status == 200
        assert host.ask("DELETE", **looked).status == 404
        for _ in range(2):
            session = begun(host)
            host.ask(body=call("read_state"), **session)
            host.ask("DELETE", **session)
        assert host.ended() == 0
    assert [ended_by(tmp_path / "run", name) for name in ("F1a_01", "F1a_02")] == [("disconnected", 1)] * 2


def test_a_client_that_says_nothing_for_too_long_counts_as_gone(tmp_path: Path) -> None:
    with Host("F1a_01,F1a_02", "--out", str(tmp_path / "run"), "--idle-seconds", "2") as host:
        silent, lively = begun(host), begun(host)
        host.ask(body=call("read_state"), **silent)
        for _ in range(8):
            time.sleep(0.5)
            assert host.ask(body=call("read_state"), **lively).status == 200
        assert host.ask(body=call("read_state"), **silent).status == 404
        host.ask(body=call("finish_task", summary="done"), **lively)
        assert host.ended() == 0
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 1)
    assert ended_by(tmp_path / "run", "F1a_02") == ("finish_task", 9)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_told_to_leave_records_all_sessions_first(number: int, tmp_path: Path) -> None:
    with Host("F1a_01,F1a_02,F1a_03", "--out", str(tmp_path / "run")) as host:
        for _ in range(2):
            host.ask(body=call("wait", seconds="60"), **begun(host))
        assert host.stop(number) == 1 and "1 attempt of 3 left" in host.told
    assert [ended_by(tmp_path / "run", name) for name in ("F1a_01", "F1a_02")] == [("disconnected", 1)] * 2
    assert run_files(tmp_path / "run")[1]["tasks_scored"] == 2


def test_after_a_kill_the_same_command_goes_on_with_the_same_tickets(tmp_path: Path) -> None:
    """What was recorded stays; what was under way is made again."""
    file, out = tmp_path / "tickets", tmp_path / "run"
    arguments = ("F1a_01,F1a_02", "--out", str(out), "--tickets", str(file))
    with Host(*arguments) as host:
        done, cut = (begun(host, **bearer(row["token"])) for row in rows(file))
        host.ask(body=call("finish_task", summary="done"), **done)
        host.ask(body=call("wait", seconds="60"), **cut)
        host.kill()
    before = (out / "F1a_01" / "result.json").read_bytes()
    tokens = [row["token"] for row in rows(file)]
    assert not (out / "F1a_02" / "result.json").exists()
    with Host(*arguments) as host:
        assert [row["token"] for row in rows(file)] == tokens and rows(file)[0]["url"] == host.url
        assert host.ask(body=call("read_state"), **cut).status == 404
        assert host.ask(body=initialize(), **bearer(tokens[0])).status == 409
        host.ask(body=call("finish_task", summary="done"), **begun(host, **bearer(tokens[1])))
        assert host.ended() == 0
    assert (out / "F1a_01" / "result.json").read_bytes() == before
    assert ended_by(out, "F1a_02") == ("finish_task", 1)
    refused = subprocess.run(
        command(*arguments, "--http"), capture_output=True, timeout=PATIENCE, check=False, env=environment()
    )
    assert refused.returncode == 1 and b"recorded already" in refused.stderr


def test_an_attempt_is_recorded_before_its_client_hears_of_the_end(tmp_path: Path) -> None:
    with Host("F1a_04", "--out", str(tmp_path / "run")) as host:
        host.ask(body=call("declare_infeasible", reason="no"), **begun(host))
        host.kill()
    assert ended_by(tmp_path / "run", "F1a_04") == ("declare_infeasible", 1)
    assert run_files(tmp_path / "run")[1]["tasks_scored"] == 1


def test_nothing_that_a_client_reads_tells_which_task_it_is_or_whether_it_can_be_done(tmp_path: Path) -> None:
    """Headers and refusals included. A task and its twin look the same but for names that are drawn anew each time."""
    twin = catalog.task("F1a_04").twin
    assert twin is not None
    file, seen = tmp_path / "tickets", []
    with Host(f"F1a_04,{twin}", "--out", str(tmp_path / "run"), "--tickets", str(file)) as host:
        for row in rows(file):
            headers = bearer(row["token"])
            opening = host.ask(body=initialize(), **headers)
            session = {**headers, "Mcp_Session_Id": opening.headers["mcp-session-id"]}
            bodies = [
                request("tools/list"),
                request("prompts/list"),
                request("prompts/get", name="task"),
                request("prompts/get", name="other"),
                request("resources/list"),
                request("no/such"),
                call("get_task"),
                call("no_such_tool"),
                call("send_transaction", to=7),
                call("declare_infeasible", reason="no"),
                call("read_state"),
            ]
            answers = [opening, *(host.ask(body=body, **session) for body in bodies)]
            answers += [
                host.ask("GET", **session),
                host.ask("DELETE", **session),
                host.ask(body=initialize(), **headers),
            ]
            told = "".join(answer.text for answer in answers)
            assert catalog.task(row["instance_id"]).prompt.split("#")[0] in told
            assert not LEAKS.search(
                told.replace("\\n", " ").replace("declare_infeasible", "").replace("infeasible", "")
            )
            seen.append(re.sub(r'session-[0-9a-f]{8}|[0-9a-f]{32}|"date": "[^"]*"', "", told))
    assert seen[0] == seen[1]


def test_what_is_no_message_is_refused_and_costs_nobody_anything(tmp_path: Path) -> None:
    """Raw requests of every wrong kind, with an open session and without; then the session goes on as if nothing had been."""
    deep = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001
    big = json.dumps(call("finish_task", summary="x" * 9_000_000)).encode()
    wrong: list[tuple[int, str, Any, dict[str, Any]]] = [
        (415, "POST", initialize(), {"Content_Type": "text/plain"}),
        (415, "POST", initialize(), {"Content_Type": None}),
        (413, "POST", big, {}),
        (400, "POST", b"", {}),
        (400, "POST", b"{", {}),
        (400, "POST", b"\xff\xfe", {}),
        (400, "POST", b"null", {}),
        (400, "POST", b"[]", {}),
        (400, "POST", [request("tools/list"), request("tools/list", 2)], {}),
        (400, "POST", {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {}),
        (400, "POST", {"jsonrpc": "2.0", "id": None, "method": "ping"}, {}),
        (400, "POST", deep, {}),
        (405, "GET", None, {"Accept": "text/event-stream"}),
        (405, "PUT", b"{}", {}),
        (405, "OPTIONS", None, {}),
        (404, "POST", initialize(), {"path": "/"}),
        (404, "POST", initialize(), {"path": "/mcp/../mcp/x"}),
        (404, "GET", None, {"path": "/favicon.ico"}),
        (421, "POST", initialize(), {"Host": "evil.example:80"}),
        (403, "POST", initialize(), {"Origin": "http://evil.example"}),
        (403, "POST", initialize(), {"Origin": "null"}),
    ]
    with Host("F1a_01,F1a_02", "--out", str(tmp_path / "run")) as host:
        session = begun(host)
        for headers in ({}, session):
            for status, method, body, others in wrong:
                answer = host.ask(method, body, **{**headers, **others})
                assert answer.status == status, (method, body, others)
                assert "Traceback" not in answer.text and "F1a" not in answer.text
        for body, others, status in (
            (call("read_state"), {}, 400),
            (call("read_state"), {"Mcp_Session_Id": "x" * 32}, 404),
            (call("read_state"), {"Mcp_Session_Id": "x" * 9000}, 404),
            (initialize(), {"Accept": "text/html"}, 406),
            (request("initialize", protocolVersion=7), {}, 200),
            (call("read_state"), {"Mcp_Protocol_Version": "2026-07-28"}, 400),
            (call("read_state"), {"Mcp_Protocol_Version": "1066-10-14"}, 400),
        ):
            assert host.ask(body=body, **others).status == status, others
        assert host.ask("DELETE").status == 400
        assert not host.ask(body=call("read_state"), **session).json["result"]["isError"]
        assert "Traceback" not in host.told
        other = begun(host)
        assert not host.ask(body=call("read_state"), **other).json["result"]["isError"]
        assert host.stop(signal.SIGTERM) == 0
    assert [ended_by(tmp_path / "run", name) for name in ("F1a_01", "F1a_02")] == [("disconnected", 1)] * 2


def test_a_request_that_breaks_off_or_never_comes_keeps_nobody_waiting(tmp_path: Path) -> None:
    with Host("F1a_01", "--out", str(tmp_path / "run")) as host:
        session = begun(host)
        host_name, port = host.url.split("/")[2].split(":")
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
        hanging = [socket.create_connection((host_name, int(port)), timeout=PATIENCE) for _ in range(20)]
        for number, connection in enumerate(hanging):
            connection.sendall(head if number % 2 else b"\x16\x03\x01 garbage\r\n\r\n")
            if number % 4 == 0:
                connection.close()
        assert not host.ask(body=call("read_state"), **session).json["result"]["isError"]
        assert host.stop(signal.SIGTERM) == 0
        for connection in hanging:
            connection.close()
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 1)


def test_a_batch_is_answered_together_in_the_version_that_has_batches(tmp_path: Path) -> None:
    batch = [
        call("wait", 1, seconds="60"),
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
        {"nonsense": 1},
        call("read_state", 2),
    ]
    with Host("F1a_01", "--out", str(tmp_path / "run")) as host:
        session = begun(host, "2025-03-26")
        answers = host.ask(body=batch, **session).json
        assert sorted(str(answer["id"]) for answer in answers) == ["1", "2", "None"]
        assert [answer["error"]["code"] for answer in answers if "error" in answer] == [-32600]
        assert host.ask(body=[batch[1]], **session).status == 202
        assert host.stop(signal.SIGTERM) == 0
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 2)


def test_calls_of_one_session_that_come_at_once_are_carried_out_one_after_the_other(tmp_path: Path) -> None:
    async def play(url: str) -> list[str]:
        async with connected(url) as client:
            return await asyncio.gather(*(use(client, "wait", {"seconds": "60"}) for _ in range(8)))

    with Host("F1a_01", "--out", str(tmp_path / "run")) as host:
        texts = run(play(host.url))
        assert len({json.loads(text)["block"] for text in texts}) == 8
        assert host.ended() == 0
    assert ended_by(tmp_path / "run", "F1a_01") == ("disconnected", 8)


def test_clients_in_containers_come_by_names_that_were_allowed(tmp_path: Path) -> None:
    secret = "s" * 20
    flags = ("F1a_01", "--out", str(tmp_path / "run"), "--allow-host", "host.docker.internal")
    with Host(*flags, variables={"NFTB_MCP_TOKEN": secret}, http="0.0.0.0:0") as host:
        host.url = host.url.replace("0.0.0.0", "127.0.0.1")
        for name, status in (("host.docker.internal:1", 200), ("172.17.0.1:8750", 200), ("evil.example", 421)):
            assert host.ask(body=initialize(), Host=name, **bearer(secret)).status == status


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("F1a_01", "--http", "0.0.0.0:0"), "needs a token"),
        (("F1a_01", "--http", "[::]:0"), "--tickets"),
        (("F1a_01", "--http", "bench.example:0"), "NFTB_MCP_TOKEN"),
        (("--http", "F1a_01"), "instance"),
        (("F1a_01", "--http", "F1a_02"), "F1a_02"),
        (("F1a_99", "--http"), "F1a_99"),
        (("F1a_01", "--http", "--trials", "2", "--trial", "2"), "--trials"),
        (("F1a_01", "--http", "--token-file", "a", "--tickets", "b"), "--tickets"),
        (("F1a_01", "--http", "--idle-seconds", "0"), "--idle-seconds"),
        (("F1a_01", "--http", "--allow-host", "http://x"), "--allow-host"),
        (("F1a_01", "--tickets", "b"), "--http"),
        (("F1a_01", "--idle-seconds", "5", "--trials", "2"), "--trials, --idle-seconds"),
        (("F1a_01", "--http", "--token", "abc"), "'--token' is no argument"),
        (("F1a_01", "--http", "--token-file", "/no/such/folder/token"), "--token-file"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(flags: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = subprocess.run(
        command(*flags), input=b"", capture_output=True, timeout=PATIENCE, check=False, cwd=tmp_path, env=environment()
    )
    assert (done.returncode, done.stdout) == (1, b"") and words in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 1 and os.listdir(tmp_path) == []


def test_a_port_that_is_taken_and_a_run_that_is_another_are_refused(tmp_path: Path) -> None:
    with Host("F1a_01,F1a_03", "--out", str(tmp_path / "run")) as host:
        host.ask(body=call("finish_task", summary="x"), **begun(host))
        for flags, words in (
            (("F1a_02", "--out", str(tmp_path / "other"), "--http", host.url.split("/")[2]), "choose another"),
            (
                ("F1a_02", "--out", str(tmp_path / "run"), "--isolated", "--http", "0"),
                "isolated false there, true here",
            ),
        ):
            done = subprocess.run(
                command(*flags), capture_output=True, timeout=PATIENCE, check=False, env=environment(), text=True
            )
            assert done.returncode == 1 and words in done.stderr and len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "other").exists()


def test_an_attempt_that_cannot_be_recorded_is_passed_over_and_told_to_the_operator_alone(tmp_path: Path) -> None:
    """The disk has no place for one: a file is in the way of its folder."""
    out = tmp_path / "run"
    with Host("F1a_01,F1a_02", "--out", str(out)) as host:
        out.mkdir()
        (out / "F1a_01").write_text("in the way")
        session = begun(host)
        host.ask(body=call("finish_task", summary="x"), **session)
        refused = host.ask(body=initialize())
        assert refused.status == 409 and str(tmp_path) not in refused.text
        assert host.stop(signal.SIGTERM) == 1
        assert "Not a directory" in host.told and "1 attempt of 2 left" in host.told
    assert ended_by(out, "F1a_02") == ("finish_task", 1)


def test_a_disk_that_fills_up_costs_the_attempt_and_not_the_server(tmp_path: Path) -> None:
    """The folder of an attempt is gone when it is to be recorded: the client is told of no success, and others go on."""
    out = tmp_path / "run"
    with Host("F1a_01,F1a_02", "--out", str(out)) as host:
        first, second = begun(host), begun(host)
        shutil.rmtree(out / "F1a_01")
        broken = host.ask(body=call("finish_task", summary="x"), **first).json["result"]
        assert broken["isError"] and "broken down" in broken["content"][0]["text"]
        assert "Traceback" not in json.dumps(broken) and str(tmp_path) not in json.dumps(broken)
        assert not host.ask(body=call("finish_task", summary="x"), **second).json["result"]["isError"]
        assert host.ended() == 1 and "is not recorded" in host.told
    assert ended_by(out, "F1a_02") == ("finish_task", 1)


def test_all_that_a_session_answers_is_the_same_over_either_transport(tmp_path: Path) -> None:
    """The tools, the task and the results, with the names of the sessions taken out."""

    async def look(client: Any) -> str:
        answers = [await client.list_tools(), await client.get_prompt("task"), await client.call_tool("read_state", {})]
        return texts_of(answers)

    async def both(url: str) -> tuple[str, str]:
        async with connected(url) as client:
            over_http = await look(client)
        async with over_stdio("F1a_05", "--out", str(tmp_path / "other"), stderr=tmp_path / "err") as client:
            return over_http, await look(client)

    with Host("F1a_05", "--out", str(tmp_path / "run")) as host:
        over_http, over_standard = run(both(host.url))
    assert over_http == over_standard
