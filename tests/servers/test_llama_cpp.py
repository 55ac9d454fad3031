"""llama.cpp's Python server with SmolLM2-135M: a real small model, that talks and gets hardly any call right."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.servers.conftest import SECRET, Start
from tests.servers.running import Run, Served, check

pytestmark = pytest.mark.servers
PATIENCE = 240.0


def test_a_whole_small_run_is_scored_and_its_tokens_are_counted(llama_16k: Served, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "smol", "--instances", "F1a_0[1-3]", "--max-turns", "2", "--max-tokens", "256")
    ended = evaluating.go(llama_16k, "--concurrency", "2", "--seed", "1")
    assert ended.code == 0, ended.err
    results, replies = evaluating.results(), evaluating.replies()
    assert len(results) == 3 and all(result["status"] == "scored" for result in results)
    usages = [reply["usage"] for reply in replies]
    assert all(2000 < usage["prompt_tokens"] < 16384 and 0 < usage["completion_tokens"] <= 256 for usage in usages)
    counted = [result["counts"] for result in results]
    written = sum(count["completion_tokens"] + count["retried_completion_tokens"] for count in counted)
    assert written == sum(usage["completion_tokens"] for usage in usages)
    assert not evaluating.holds(SECRET)


@pytest.mark.parametrize("window", [512, 2048])
def test_a_window_too_small_for_any_task_stops_the_run_with_what_to_set(
    llama: Start, window: int, run: Callable[..., Run]
) -> None:
    evaluating = run("--model", "smol", "--instances", "F1a_0[1-4]", "--max-tokens", "256")
    with llama(window) as server:
        ended = evaluating.go(server, "--concurrency", "1")
        told = check(server, "smol", "--max-tokens", "256")
    assert ended.code == 1 and "start the server with a larger context window" in ended.err
    assert [result["status"] for result in evaluating.results()] == ["error"]
    assert len(evaluating.events()) == 1, "no overflow is asked again"
    assert told.code == 1 and f"WRONG Its context window is {window} tokens" in told.out
    assert "--n_ctx 16384" in told.out


def test_a_name_that_it_does_not_serve_is_told_although_it_answers(llama_16k: Served) -> None:
    told = check(llama_16k, "some-other-model")
    assert told.code == 1 and "answers all the same, with smol: give --model smol" in told.out


def test_a_wrong_key_stops_the_run_and_the_right_one_goes_on_with_it(
    llama_16k: Served, run: Callable[..., Run]
) -> None:
    evaluating = run("--model", "smol", "--instances", "F1a_01", "--max-turns", "1", "--max-tokens", "256")
    ended = evaluating.go(llama_16k, key="not-the-key-of-this-server")
    assert ended.code == 1 and "refuses the key" in ended.err and evaluating.results() == []
    assert check(llama_16k, "smol", key="not-the-key-of-this-server").code == 1
    assert evaluating.go(llama_16k).code == 0
    assert [result["status"] for result in evaluating.results()] == ["scored"]


def test_the_check_asks_for_the_window_that_it_is_not_told(llama_16k: Served) -> None:
    told = check(llama_16k, "smol", "--max-tokens", "256", "--seed", "7")
    assert told.code == 0, told.out
    assert "serves smol" in told.out and "does not tell its context window" in told.out
    assert "different replies" not in told.out, "llama.cpp honours seeds"


def test_a_server_killed_in_mid_reply_and_restarted_costs_the_run_nothing(
    llama: Start, run: Callable[..., Run]
) -> None:
    """It is killed while it writes, and is back within the time that the retries take."""
    server = llama(16384)
    evaluating = run("--model", "smol", "--instances", "F1a_0[1-3]", "--max-turns", "2", "--max-tokens", "256")
    try:
        server.start()
        server.wait_until_up()
        command = evaluating.begin(server, "--concurrency", "1")
        wait_for_a_reply_after(evaluating, 0)
        time.sleep(1)
        assert command.is_running
        server.kill()
        wait_for_a_failure(evaluating)
        server.start()
        ended = command.ended()
    finally:
        server.kill()
    assert ended.code == 0, ended.err
    assert len(evaluating.results()) == 3
    assert all(result["status"] == "scored" for result in evaluating.results())
    assert any(event["returncode"] != 0 for event in evaluating.events())
    assert sum(result["counts"]["retried_attempts"] for result in evaluating.results()) >= 1


def test_a_server_that_stays_away_stops_the_run_which_then_goes_on(llama: Start, run: Callable[..., Run]) -> None:
    server = llama(16384)
    evaluating = run("--model", "smol", "--instances", "F1a_0[1-2]", "--max-turns", "1", "--max-tokens", "256")
    ended = evaluating.go(server)
    assert ended.code == 1 and "no response" in ended.err and "to go on: nftbench evaluate" in ended.err
    assert "to see why: nftbench check-endpoint" in ended.err
    told = check(server, "smol")
    assert told.code == 1 and "Start the server, or correct host and port" in told.out
    try:
        server.start()
        assert evaluating.go(server).code == 0, "it is asked while it loads, and waited for"
    finally:
        server.kill()
    assert [result["status"] for result in evaluating.results()] == ["scored"] * 2


def wait_for_a_reply_after(evaluating: Run, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while sum(event["returncode"] == 0 for event in evaluating.events()) <= count:
        assert time.monotonic() < deadline, "no reply came"
        time.sleep(0.2)


def wait_for_a_failure(evaluating: Run) -> None:
    deadline = time.monotonic() + PATIENCE
    while all(event["returncode"] == 0 for event in evaluating.events()):
        assert time.monotonic() < deadline, "the dead server was not noticed"
        time.sleep(0.2)
