"""The endpoint backend over real sockets: what it sends, what it makes of replies, where it stops."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.failure import CURRENT_TASK, CLIFailure
from nftbench.agents.openai_compat import OpenAICompatBackend, chat_url
from nftbench.conversation import RequestWriter, render_items
from nftbench.errors import Refusal
from nftbench.testing import Behaviour, FaultServer, faults
from nftbench.testing.faults import FINISH, completion
from nftbench.testing.server import Received

KEY = "sk-test-only-0123456789"
TOOLS = [
    {"name": "read_state", "description": "Reads.", "parameters": {"type": "object", "properties": {}}},
    {
        "name": "finish_task",
        "description": "Ends.",
        "parameters": {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    },
]


def request(turns: int = 0) -> str:
    writer = RequestWriter(TOOLS)
    writer.append({"role": "system", "content": "S"})
    writer.append({"role": "user", "content": "U"})
    for turn in range(turns):
        call = {"id": f"call_{turn + 1}", "name": "read_state", "arguments": {}}
        writer.append({"role": "assistant", "content": "", "tool_calls": [call]})
        writer.append({"role": "tool", "tool_call_id": call["id"], "content": "{}"})
    return writer.text()


def backend(server: FaultServer, **options: Any) -> OpenAICompatBackend:
    return OpenAICompatBackend(server.url, "m", **{"sleep": lambda seconds: None, "timeout": 5, **options})


def completed(behaviour: Behaviour, text: str | None = None, **options: Any) -> dict[str, Any]:
    with FaultServer([behaviour]) as server:
        answer: dict[str, Any] = json.loads(backend(server, **options).complete(text or request()))
        return answer


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h:8000", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1/", "http://h:8000/v1/chat/completions"),
        (" https://h/v1/chat/completions ", "https://h/v1/chat/completions"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("https://h/api/v1", "https://h/api/v1/chat/completions"),
        (
            "https://h/openai/deployments/x?api-version=2",
            "https://h/openai/deployments/x/chat/completions?api-version=2",
        ),
        ("http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
    ],
)
def test_bases_of_every_form_lead_to_chat_completions(base: str, url: str) -> None:
    assert chat_url(base) == url


@pytest.mark.parametrize(
    "base", ["", "h:8000", "ftp://h", "http://", "http://h:0", "http://h:99999", "http://[::1", "file:///x"]
)
def test_what_is_no_web_address_is_refused(base: str) -> None:
    with pytest.raises(Refusal, match="http"):
        chat_url(base)


def test_credentials_in_an_address_are_refused_without_being_repeated() -> None:
    with pytest.raises(Refusal) as refusal:
        chat_url("http://user:hunter2@h:8000")
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("extra", [{"model": "x"}, {"messages": []}, {"a": float("nan")}, {"a": object()}])
def test_extra_fields_that_cannot_be_sent_are_refused_before_any_call(extra: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        OpenAICompatBackend("http://h", "m", extra=extra)


def test_max_completion_tokens_takes_the_place_of_max_tokens() -> None:
    with FaultServer([faults.reply()]) as server:
        backend(server, extra={"max_completion_tokens": 9}).invoke("S", "P")
    sent = server.received[0].json()
    assert sent["max_completion_tokens"] == 9 and "max_tokens" not in sent


def test_a_turn_sends_the_items_and_reads_the_call() -> None:
    with FaultServer([faults.reply()]) as server:
        answer = json.loads(backend(server).complete(request(2)))
    head, items = render_items(request(2))
    assert server.received[0].json()["messages"] == [{"role": "system", "content": head}, *items]
    assert answer["tool_calls"] == [{"id": "call_3", "name": "finish_task", "arguments": {"summary": "done"}}]
    assert answer["text"] == FINISH and "problem" not in answer and "recovered" not in answer
    assert answer["usage"]["usage"]["prompt_tokens"] == 11 and answer["served_model"] == "m"


def test_the_turns_of_two_episodes_in_threads_do_not_mix() -> None:
    """One backend serves both; each thread keeps its own conversation."""
    with FaultServer([faults.reply()]) as server:
        shared = backend(server)
        errors: list[BaseException] = []

        def play(name: str) -> None:
            try:
                writer = RequestWriter(TOOLS)
                for turn in range(20):
                    writer.append({"role": "user" if turn % 2 == 0 else "assistant", "content": f"{name} {turn}"})
                    shared.complete(writer.text())
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=play, args=(name,)) for name in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
    for received in server.received:
        names = {message["content"].split()[0] for message in received.json()["messages"][1:]}
        assert len(names) == 1


PROBLEMS: list[tuple[Behaviour, str]] = [
    (faults.reply("I would finish now."), "no call"),
    (faults.reply(f"{FINISH}\n{FINISH}"), "2 calls"),
    (faults.reply('{"name": "finish", "arguments": {}}'), "finish_task"),
    (faults.reply(None, tool_calls=[{"function": {"name": "x", "arguments": "{}"}}]), "no tool"),
    (faults.reply(None, tool_calls=[{"function": {"name": "read_state", "arguments": "[]"}}]), "one JSON object"),
    (faults.reply(None, tool_calls=[{"function": {"name": "finish_task", "arguments": ""}}]), "summary"),
    (faults.reply(None, tool_calls=[{"function": {"name": "read_state", "arguments": "{}"}}] * 2), "2 calls"),
]


@pytest.mark.parametrize(("behaviour", "words"), PROBLEMS)
def test_a_reply_that_is_no_call_is_a_problem_for_the_model(behaviour: Behaviour, words: str) -> None:
    answer = completed(behaviour)
    assert answer["tool_calls"] == [] and words in answer["problem"] and answer["text"]


RECOVERED: list[tuple[Behaviour, str]] = [
    (faults.reply(f"```json\n{FINISH}\n```"), "fenced"),
    (faults.reply(f"So: {FINISH}"), "prose"),
    (faults.reply(f"<tool_call>{FINISH}</tool_call>"), "hermes"),
    (faults.reply('<|channel|>commentary to=functions.finish_task<|message|>{"summary": "done"}<|call|>'), "harmony"),
    (
        faults.reply(None, tool_calls=[{"function": {"name": "finish_task", "arguments": '{"summary": "done"}"'}}]),
        "trailed_arguments",
    ),
]


@pytest.mark.parametrize(("behaviour", "family"), RECOVERED)
def test_a_recovered_call_names_its_family(behaviour: Behaviour, family: str) -> None:
    answer = completed(behaviour)
    assert answer["tool_calls"] == [{"id": "call_1", "name": "finish_task", "arguments": {"summary": "done"}}]
    assert answer["recovered"] == family and "problem" not in answer


@pytest.mark.parametrize("arguments", ['{"summary": "done"}', {"summary": "done"}])
def test_a_structured_call_needs_no_recovery(arguments: Any) -> None:
    answer = completed(
        faults.reply("I finish.", tool_calls=[{"id": "x", "function": {"name": "finish_task", "arguments": arguments}}])
    )
    assert answer["tool_calls"][0]["arguments"] == {"summary": "done"} and "recovered" not in answer
    assert json.loads(answer["text"]) == json.loads(FINISH)


def test_thinking_is_apart_from_what_is_said() -> None:
    assert completed(faults.reply(f"<think>hm</think>{FINISH}"))["reasoning"] == "hm"
    answer = completed(faults.reply(FINISH, reasoning_content="hm"))
    assert (answer["reasoning"], answer["reasoning_name"]) == ("hm", "reasoning_content")


def test_texts_that_are_no_unicode_come_through_as_ascii() -> None:
    call = json.dumps({"name": "finish_task", "arguments": {"summary": "half \ud835 nul \x00"}})
    with FaultServer([faults.respond(200, json.dumps(completion(call, model="m")))]) as server:
        answer = backend(server).complete(request())
    assert answer.isascii() and json.loads(answer)["tool_calls"][0]["arguments"] == {"summary": "half \ud835 nul \x00"}


@pytest.mark.parametrize("key", [" sk-padded-0123456789 \n", KEY])
def test_the_key_is_read_at_each_call_and_travels_as_bearer(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer([faults.reply()]) as server:
        asking = backend(server)
        asking.invoke("S", "P")
        monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", key)
        asking.invoke("S", "P")
    assert "authorization" not in server.received[0].headers
    assert server.received[1].headers["authorization"] == f"Bearer {key.strip()}"


@pytest.mark.parametrize("key", ["two\nlines", "caf\u00e9-0123456789", "nul\x01"])
def test_a_key_that_no_header_carries_is_refused_without_being_told(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", key)
    with FaultServer([faults.reply()]) as server, pytest.raises(CLIFailure) as failure:
        backend(server).invoke("S", "P")
    assert failure.value.kind == "auth_or_quota" and key not in str(failure.value) and server.received == []


def test_no_failure_carries_the_key_in_itself_or_behind_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the message, nor an exception it came from, nor the log."""
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)

    def echo(connection: socket.socket, received: Received) -> None:
        text = f"Bad key {received.headers['authorization']}"
        connection.sendall(f"HTTP/1.1 500 {text}\r\nX-Key: {KEY}\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())

    with FaultServer([Behaviour("echo", echo)]) as server, pytest.raises(CLIFailure) as failure:
        backend(server, events_path=tmp_path / "events.jsonl").invoke("S", "P")
    assert KEY not in str(failure.value) and "[NFTB_ENDPOINT_TOKEN]" in failure.value.detail
    assert failure.value.__cause__ is None and failure.value.__context__ is None
    assert KEY not in (tmp_path / "events.jsonl").read_text()


def test_no_file_tells_the_endpoints_address(tmp_path: Path) -> None:
    def tell(connection: socket.socket, received: Received) -> None:
        faults.respond(502, f"<html>no upstream for {received.headers['host']}</html>").act(connection, received)

    with FaultServer([Behaviour("tell", tell)]) as server, pytest.raises(CLIFailure) as failure:
        backend(server, events_path=tmp_path / "events.jsonl").invoke("S", "P")
    assert "127.0.0.1" not in failure.value.detail + (tmp_path / "events.jsonl").read_text()


def test_events_name_the_task_and_keep_no_more_than_a_bound(tmp_path: Path) -> None:
    CURRENT_TASK.set("F1a_04")
    with FaultServer([faults.respond(500, "x" * 10**6), faults.reply()]) as server:
        backend(server, events_path=tmp_path / "events.jsonl").invoke("S", "P")
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [event["returncode"] for event in events] == [500, 0]
    assert all(event["instance_id"] == "F1a_04" and event["t_end"] >= event["t_start"] > 0 for event in events)
    assert len(events[0]["stderr"]) < 300_000 and events[0]["stdout"] == ""
    CURRENT_TASK.set(None)


def test_a_log_that_cannot_be_written_is_not_taken_for_the_servers_fault(tmp_path: Path) -> None:
    with FaultServer([faults.reply()]) as server, pytest.raises(OSError):
        backend(server, events_path=tmp_path / "missing" / "events.jsonl").invoke("S", "P")
    assert len(server.received) == 1


def test_the_servers_hint_takes_the_place_of_our_wait() -> None:
    waits: list[float] = []
    plan = [faults.rate_limit("7"), faults.rate_limit("600"), faults.rate_limit("soon"), faults.reply()]
    with FaultServer(plan) as server:
        backend(server, sleep=waits.append).invoke("S", "P")
    assert waits == [7, 120, 60]


def test_a_hint_that_was_too_short_is_not_relied_on_again() -> None:
    """Requests are given back in 2 seconds, tokens later: the server names only the first."""
    waits: list[float] = []
    with FaultServer(
        [faults.rate_limit("2"), faults.rate_limit("2"), faults.rate_limit("2"), faults.reply()]
    ) as server:
        backend(server, sleep=waits.append).invoke("S", "P")
    assert waits == [2, 20, 60]


def test_a_date_in_retry_after_is_held_against_the_clock() -> None:
    waits: list[float] = []
    plan = [faults.rate_limit("Wed, 21 Oct 2015 07:28:00 GMT"), faults.reply()]
    with FaultServer(plan) as server:
        backend(server, sleep=waits.append, clock=lambda: 1_445_412_420.0).invoke("S", "P")
    assert waits == [60]


def test_a_failure_tells_what_its_attempts_used() -> None:
    cut = completion("half", model="m")
    cut["choices"][0]["finish_reason"] = "length"
    with FaultServer([faults.respond(200, cut)]) as server, pytest.raises(CLIFailure) as failure:
        backend(server).invoke("S", "P")
    assert failure.value.usage == {"attempts": 4, "prompt_tokens": 44, "completion_tokens": 28}


def test_overflow_tells_the_numbers() -> None:
    message = "request (9016 tokens) exceeds the available context size (4096 tokens), try increasing it"
    with (
        FaultServer([faults.respond(400, {"error": {"message": message}})]) as server,
        pytest.raises(CLIFailure) as failure,
    ):
        backend(server).invoke("S", "P")
    assert failure.value.kind == "context_limit"
    assert failure.value.facts == {"prompt_tokens": 9016, "context_window": 4096, "prompt_fits": False}


def test_a_prompt_that_the_server_cut_without_a_word_is_noted() -> None:
    """Fewer tokens than a turn before, for a longer conversation."""

    def counting(tokens: int) -> Behaviour:
        body = completion('{"name": "read_state", "arguments": {}}', model="")
        body["usage"]["prompt_tokens"] = tokens
        return faults.respond(200, body)

    with FaultServer([counting(3000), counting(3100), counting(2051), counting(2100)]) as server:
        asking = backend(server)
        notes = [json.loads(asking.complete(request(turn))).get("notes", []) for turn in range(4)]
    assert notes == [[], [], ["prompt_truncated_suspected"], []]


def test_a_declared_name_is_right() -> None:
    body = completion(model="base-model")
    with FaultServer([faults.respond(200, body)]) as server:
        assert backend(server, served_names=("base-model",)).invoke("S", "P").served_model == "base-model"
        with pytest.raises(CLIFailure) as failure:
            backend(server).invoke("S", "P")
    assert failure.value.kind == "model_mismatch" and "base-model" in failure.value.detail
