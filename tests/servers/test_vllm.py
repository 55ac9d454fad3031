"""vLLM's CPU build, with a model that says one of three fixed texts at random: what comes of a run is known beforehand."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from nftbench.tasks import catalog
from tests.servers.conftest import FENCED, SAYINGS, SECRET, Start
from tests.servers.running import Run, Served, check

pytestmark = pytest.mark.servers
F1 = [name for name in catalog.instance_ids("synthetic") if catalog.task(name).family == "F1"]


@pytest.fixture(scope="module")
def small_window(vllm: Start) -> Iterator[Served]:
    """A window that holds no task's first turn."""
    with vllm(2048) as server:
        yield server


def test_64_tasks_at_once_lose_none_and_are_scored_by_what_the_model_said(
    vllm_16k: Served, run: Callable[..., Run]
) -> None:
    """Two trials of 32 tasks, 32 at a time. Each reply is a valid call, so each task ends by declining or at the turn limit,
    and declining is right exactly where the task is infeasible."""
    evaluating = run("--model", "scripted", "--instances", "F1*", "--trials", "2")
    ended = evaluating.go(vllm_16k, "--concurrency", "32", "--max-turns", "6", "--max-tokens", "64")
    assert ended.code == 0, ended.err
    results = evaluating.results()
    assert Counter(result["instance_id"] for result in results) == dict.fromkeys(F1, 2)
    assert {result["status"] for result in results} == {"scored"}
    assert {result["ended_by"] for result in results} == {"declare_infeasible", "turn_limit"}
    for result in results:
        declined = result["ended_by"] == "declare_infeasible"
        assert result["success"] == (declined and not catalog.task(result["instance_id"], 0).feasible)
        assert result["counts"]["retried_attempts"] == result["counts"]["repairs"] == 0
        assert result["served_models"] == ["scripted"]
    said = [reply["choices"][0]["message"]["content"] for reply in evaluating.replies()]
    recovered = sum((Counter(result["recoveries"]) for result in results), Counter[str]())
    assert recovered == {"fenced": said.count(FENCED)} and said.count(FENCED) > 10
    assert evaluating.summary()["tasks_scored"] == 64 and not evaluating.holds(SECRET)


def test_token_counts_are_those_of_the_server_and_grow_with_the_conversation(
    vllm_16k: Served, run: Callable[..., Run]
) -> None:
    evaluating = run("--model", "scripted", "--instances", "F1a_0[1-6]", "--seed", "11", "--temperature", "1")
    assert evaluating.go(vllm_16k, "--max-turns", "6", "--max-tokens", "64").code == 0
    replies = evaluating.replies()
    usages = [reply["usage"] for reply in replies]
    counts = [result["counts"] for result in evaluating.results()]
    assert sum(count["prompt_tokens"] for count in counts) == sum(usage["prompt_tokens"] for usage in usages)
    assert sum(count["completion_tokens"] for count in counts) == sum(usage["completion_tokens"] for usage in usages)
    assert sum(count["turns"] for count in counts) == len(replies)
    assert {usage["completion_tokens"] for usage in usages} == {2}, "a saying is one token, and one ends the turn"
    assert {reply["choices"][0]["message"]["content"] for reply in replies} <= set(SAYINGS)
    by_task: dict[str, list[int]] = {}
    for event in evaluating.events():
        by_task.setdefault(event["instance_id"], []).append(json.loads(event["stdout"])["usage"]["prompt_tokens"])
    for tokens in by_task.values():
        assert tokens == sorted(tokens) and len(set(tokens)) == len(tokens) and tokens[0] > 2000


def test_a_seed_makes_runs_alike(vllm_16k: Served, run: Callable[..., Run]) -> None:
    texts = []
    for name in ("one", "two"):
        evaluating = run(
            "--model", "scripted", "--instances", "F1a_0[1-4]", "--seed", "5", "--temperature", "1", name=name
        )
        assert evaluating.go(vllm_16k, "--concurrency", "1", "--max-turns", "5", "--max-tokens", "64").code == 0
        texts.append([reply["choices"][0]["message"]["content"] for reply in evaluating.replies()])
    assert texts[0] == texts[1]


def test_a_window_too_small_for_any_task_stops_the_run_with_what_to_set(
    small_window: Served, run: Callable[..., Run]
) -> None:
    """Nothing was ever answered: that is no figure of the model's."""
    evaluating = run("--model", "scripted", "--instances", "F1a_0[1-4]", "--max-tokens", "256")
    ended = evaluating.go(small_window, "--concurrency", "1")
    assert ended.code == 1 and "start the server with a larger context window" in ended.err
    assert [result["status"] for result in evaluating.results()] == ["error"]
    assert len(evaluating.events()) == 1, "no overflow is asked again"
    told = check(small_window, "scripted", "--max-tokens", "256")
    assert told.code == 1
    assert "WRONG Its context window is 2048 tokens, and the first turn of a task takes about" in told.out
    assert "--max-model-len 16384" in told.out


def test_overflow_in_mid_task_ends_it_where_it_stands(vllm: Start, run: Callable[..., Run]) -> None:
    """The first turn fits, a later one does not."""
    with vllm(4096) as server:
        evaluating = run("--model", "scripted", "--instances", "F1*", "--max-turns", "40", "--max-tokens", "64")
        assert evaluating.go(server, "--concurrency", "16").code == 0
    results = evaluating.results()
    assert len(results) == 32 and all(result["status"] == "scored" for result in results)
    overflown = [result for result in results if result["ended_by"] == "context_limit"]
    assert overflown and all(result["counts"]["turns"] > 0 and not result["success"] for result in overflown)


def test_asking_for_more_than_the_window_stops_the_run_and_the_check_says_what_fits(
    vllm_16k: Served, run: Callable[..., Run]
) -> None:
    """The 32,000 tokens a reply that a run asks for unless told otherwise are more than vLLM takes here."""
    evaluating = run("--model", "scripted", "--instances", "F1*")
    ended = evaluating.go(vllm_16k)
    assert ended.code == 1 and "max_tokens=32000" in ended.err and "Stopped" in ended.err
    assert "No call was answered; to see why: nftbench check-endpoint" in ended.err
    told = check(vllm_16k, "scripted")
    assert told.code == 1 and "give --max-tokens 4096" in told.out
    assert check(vllm_16k, "scripted", "--max-tokens", "4096").code == 0


def test_a_wrong_name_stops_the_run_at_once_and_the_right_one_is_told(
    vllm_16k: Served, run: Callable[..., Run]
) -> None:
    evaluating = run("--model", "scriptd", "--instances", "F1*", "--max-tokens", "64")
    ended = evaluating.go(vllm_16k)
    assert ended.code == 1 and "does not have the model 'scriptd'" in ended.err
    assert len(evaluating.events()) <= 4 and all(result["status"] == "error" for result in evaluating.results())
    told = check(vllm_16k, "scriptd", "--max-tokens", "64")
    assert told.code == 1 and "'scriptd' is not among its models (near names: scripted)" in told.out


def test_a_wrong_key_stops_the_run_and_the_right_one_goes_on_with_it(vllm_16k: Served, run: Callable[..., Run]) -> None:
    wrong = "not-the-key-of-this-server-4567"
    evaluating = run("--model", "scripted", "--instances", "F1a_0[1-4]", "--max-turns", "3", "--max-tokens", "64")
    ended = evaluating.go(vllm_16k, key=wrong)
    assert ended.code == 1 and "refuses the key" in ended.err and wrong not in ended.err + ended.out
    told = check(vllm_16k, "scripted", key=wrong)
    assert told.code == 1 and "Set NFTB_ENDPOINT_TOKEN to a key that this server takes" in told.out
    assert wrong not in told.out + told.err
    assert "No key was sent" in check(vllm_16k, "scripted", key="").out
    assert evaluating.go(vllm_16k).code == 0
    assert {result["status"] for result in evaluating.results()} == {"scored"} and len(evaluating.results()) == 4
    assert not evaluating.holds(wrong) and not evaluating.holds(SECRET)


def test_the_check_says_what_is_honoured_in_three_calls(vllm_16k: Served) -> None:
    before = vllm_16k.log.read_text("utf-8", "replace").count("POST /v1/chat/completions")
    told = check(vllm_16k, "scripted", "--max-tokens", "256", "--seed", "4", "--enable-thinking")
    calls = vllm_16k.log.read_text("utf-8", "replace").count("POST /v1/chat/completions") - before
    assert told.code == 0 and calls <= 3
    assert "serves scripted" in told.out and "Its context window is 16384 tokens" in told.out
    assert "--enable-thinking is honoured" in told.out and "A run can start." in told.out
    assert "different replies" not in told.out, "vLLM honours seeds"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_base_may_be_given_in_any_usual_form(vllm_16k: Served, tail: str) -> None:
    assert check(vllm_16k, "scripted", "--max-tokens", "64", endpoint=vllm_16k.url + tail).code == 0


def test_a_base_that_leads_nowhere_is_told_the_one_that_does(vllm_16k: Served) -> None:
    told = check(vllm_16k, "scripted", endpoint=f"{vllm_16k.url}/api")
    assert told.code == 1 and f"Give --endpoint {vllm_16k.url}/v1, where models are listed" in told.out
    spoken = check(vllm_16k, "scripted", endpoint=vllm_16k.url.replace("http", "https"))
    assert spoken.code == 1 and "give --endpoint with http in place of https" in spoken.out


def test_native_tool_calls_need_two_flags_and_then_run(vllm_16k: Served, vllm: Start, run: Callable[..., Run]) -> None:
    told = check(vllm_16k, "scripted", "--max-tokens", "256", "--tool-calls", "native")
    assert told.code == 1 and "--enable-auto-tool-choice and --tool-call-parser" in told.out
    with vllm(16384, "--enable-auto-tool-choice", "--tool-call-parser", "hermes") as server:
        assert check(server, "scripted", "--max-tokens", "256", "--tool-calls", "native").code == 0
        evaluating = run("--model", "scripted", "--instances", "F1a_0[1-4]", "--tool-calls", "native")
        assert evaluating.go(server, "--max-turns", "4", "--max-tokens", "64").code == 0
    results = evaluating.results()
    assert len(results) == 4 and all(result["status"] == "scored" for result in results)


def test_a_server_that_is_still_coming_up_is_waited_for(vllm: Start, run: Callable[..., Run]) -> None:
    """vLLM listens only when its model is loaded, which takes longer than it takes to start a run. A run that gives up in the
    meantime goes on with the same command."""
    server = vllm(16384)
    evaluating = run("--model", "scripted", "--instances", "F1a_0[1-4]", "--max-turns", "3", "--max-tokens", "64")
    try:
        server.start()
        early = check(server, "scripted")
        assert early.code == 1 and "Start the server, or correct host and port" in early.out
        began = time.monotonic()
        ended = evaluating.go(server)
        while ended.code != 0 and time.monotonic() - began < 300:
            assert "no response" in ended.err
            ended = evaluating.go(server)
    finally:
        server.kill()
    assert ended.code == 0
    assert any(event["returncode"] == -1 for event in evaluating.events()), "it was asked before it was there"
    results = evaluating.results()
    assert len(results) == 4 and all(result["status"] == "scored" for result in results)
