"""The endpoint backend against every fault of the fault server, over real sockets; and the server itself."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import tracemalloc
import urllib.request
from pathlib import Path

import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.agents.openai_compat import OpenAICompatBackend
from nftbench.agents.wire.opener import install_redirect_refusal
from nftbench.testing import FAULTS, FaultServer, faults, mixed
from nftbench.testing.faults import FINISH

OUTCOME = {
    "short_body": ("incomplete_output", 4),
    "chunked": (None, 1),
    "cut_chunk": ("incomplete_output", 4),
    "drip": (None, 1),
    "drip_headers": (None, 1),
    "gzip": (None, 1),
    "gzip_plain": (None, 1),
    "gzip_damaged": ("incomplete_output", 4),
    "gzip_cut": ("incomplete_output", 4),
    "reset": ("cli_error", 4),
    "reset_after_idle": ("cli_error", 4),
    "reset_in_reply": ("incomplete_output", 4),
    "hang_up": ("cli_error", 4),
    "redirect": ("cli_error", 1),
    "html_502": ("cli_error", 4),
    "html_200": ("cli_error", 1),
    "server_error": ("cli_error", 4),
    "rate_limit": ("cli_error", 4),
    "loading": ("cli_error", 6),
    "not_a_number": (None, 1),
    "byte_order_mark": (None, 1),
    "huge": ("incomplete_output", 1),
    "huge_declared": ("incomplete_output", 1),
    "huge_packed": ("incomplete_output", 1),
    "deep": ("incomplete_output", 4),
    "empty": ("incomplete_output", 4),
    "garbage": ("cli_error", 4),
}
"""The failure's kind, None where it is none, and how often the server was asked. A loading server is asked twice more."""
KEY = "sk-test-only-0123456789"


def backend(server: FaultServer, **options: object) -> OpenAICompatBackend:
    waits: list[float] = []
    settings = {"sleep": waits.append, "timeout": 5, "startup_seconds": 10, **options}
    return OpenAICompatBackend(server.url, "m", **settings)  # type: ignore[arg-type]


def test_every_fault_has_an_outcome_here() -> None:
    assert set(OUTCOME) == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_ends_as_what_it_is(
    name: str, opener_kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    kind, asked = OUTCOME[name]
    with FaultServer([FAULTS[name]()]) as server:
        asking = backend(server, events_path=tmp_path / "events.jsonl")
        if kind is None:
            assert asking.invoke("S", "P").text == FINISH
        else:
            with pytest.raises(CLIFailure) as failure:
                asking.invoke("S", "P")
            assert failure.value.kind == kind
            assert KEY not in failure.value.detail and "127.0.0.1" not in failure.value.detail
        assert len(server.received) == asked
    text = (tmp_path / "events.jsonl").read_text()
    assert len(text.splitlines()) == asked and KEY not in text


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_then_an_answer_is_an_answer_where_asking_again_helps(name: str) -> None:
    kind, asked = OUTCOME[name]
    with FaultServer([FAULTS[name](), faults.reply()]) as server:
        if kind is not None and asked == 1:
            with pytest.raises(CLIFailure):
                backend(server).invoke("S", "P")
        else:
            assert backend(server).invoke("S", "P").text == FINISH


def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    with FaultServer([faults.silence()]) as server, pytest.raises(CLIFailure) as failure:
        backend(server, timeout=0.2).invoke("S", "P")
    assert (failure.value.kind, failure.value.cause) == ("cli_error", "timeout")


@pytest.mark.parametrize("headers", [False, True])
def test_bytes_that_trickle_in_forever_do_not_hold_a_turn_forever(headers: bool, installed: None) -> None:
    """Each byte comes within the time-out; the whole exchange has a deadline of its own."""
    with FaultServer([faults.drip(0.3, headers=headers)]) as server, pytest.raises(CLIFailure) as failure:
        backend(server, timeout=600).invoke("S", "P")
    assert failure.value.cause == "timeout"


def test_a_slow_start_is_waited_for_apart_from_the_retries() -> None:
    waits: list[float] = []
    plan = [*(faults.loading() for _ in range(5)), faults.server_error(), faults.reply()]
    with FaultServer(plan) as server:
        reply = backend(server, sleep=waits.append, startup_seconds=600).invoke("S", "P")
    assert waits == [5, 5, 5, 5, 5, 5] and reply.usage["usage"]["retried"]["attempts"] == 1


def test_nobody_listening_is_retried_and_then_told() -> None:
    with FaultServer([faults.reply()]) as server:
        pass
    with pytest.raises(CLIFailure) as failure:
        backend(server).invoke("S", "P")
    assert (failure.value.kind, failure.value.cause) == ("cli_error", "unreachable")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_a_key(status: int, opener_kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain urllib follows some of them itself, without the key; the backend then refuses what comes back."""
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    with FaultServer([faults.reply()]) as elsewhere:
        there = f"{elsewhere.url}/v1/chat/completions"
        with FaultServer([faults.redirect(there, status)]) as server, pytest.raises(CLIFailure) as failure:
            backend(server).invoke("S", "P")
        assert (failure.value.kind, failure.value.cause) == ("cli_error", "redirect") and failure.value.configuration
        assert all("authorization" not in received.headers for received in elsewhere.received)
        if opener_kind != "plain urllib":
            assert elsewhere.received == []


def test_this_machine_is_reached_without_the_proxies_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, installed: None
) -> None:
    with FaultServer([faults.html_502()]) as proxy, FaultServer([faults.reply()]) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "[::1],::1/128,,*bad*")
        install_redirect_refusal()
        assert backend(server).invoke("S", "P").text == FINISH
        assert proxy.received == []


def test_a_reply_too_large_is_refused_without_being_held_twice() -> None:
    with FaultServer([faults.huge(40)]) as server:
        asking = backend(server)
        tracemalloc.start()
        with pytest.raises(CLIFailure):
            asking.invoke("S", "P")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 28 << 20


def test_a_thousand_faults_leave_no_descriptor_open() -> None:
    """Resets and hang-ups included."""
    plan = mixed(0.7, seed=3)
    with FaultServer(plan) as server:
        asking = backend(server)

        def ask(times: int) -> None:
            for _ in range(times):
                with contextlib.suppress(CLIFailure):
                    asking.invoke("S", "P")

        ask(20)
        before = len(os.listdir("/proc/self/fd"))
        ask(150)
        after = len(os.listdir("/proc/self/fd"))
    assert after <= before + 4


def test_the_server_notes_what_it_was_asked_and_what_it_did() -> None:
    with FaultServer([faults.html_502(), faults.reply("hello")]) as server:
        backend(server, seed=7).invoke("S", "P")
    assert server.behaved == ["html_502", "reply"]
    first = server.received[0]
    assert (first.method, first.path, first.number) == ("POST", "/v1/chat/completions", 0)
    assert first.json()["seed"] == 7 and first.headers["content-type"] == "application/json"
    assert first.headers["accept-encoding"] == "identity"


def test_a_mixed_plan_is_the_same_for_the_same_seed() -> None:
    def names(seed: int) -> list[str]:
        plan = mixed(0.5, seed)
        return [plan(None).name for _ in range(200)]  # type: ignore[arg-type]

    assert names(1) == names(1) != names(2)
    assert 70 < sum(name != "reply" for name in names(1)) < 130


def test_the_server_serves_many_at_once_and_stops_at_once() -> None:
    with FaultServer([faults.silence(60)]) as server:
        threads = [threading.Thread(target=_fetch, args=(server.url,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        while len(server.received) < 20:
            pass
    for thread in threads:
        thread.join(timeout=5)
    assert not any(thread.is_alive() for thread in threads)


def _fetch(url: str) -> None:
    with contextlib.suppress(OSError):
        urllib.request.urlopen(urllib.request.Request(url, data=json.dumps({}).encode()), timeout=60)
