"""The litellm proxy: its own answers, its limits, and what it makes of the servers behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers.conftest import DECLINE, SECRET, Start
from tests.servers.running import Run, Served, check, free_port

pytestmark = pytest.mark.servers
MOCK = """
  - model_name: {name}
    litellm_params:
      model: openai/{name}
      api_key: none
      mock_response: '{answer}'
      {more}"""
BEHIND = """
  - model_name: {name}
    litellm_params:
      model: openai/{model}
      api_base: {url}/v1
      api_key: {key}"""
SETTINGS = """
litellm_settings:
  num_retries: 0
router_settings:
  routing_strategy: usage-based-routing-v2
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
"""


def mock(name: str, answer: str, more: str = "") -> str:
    return MOCK.format(name=name, answer=answer, more=more)


@pytest.fixture(scope="module")
def small_llama(llama: Start) -> Iterator[Served]:
    with llama(2048) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(litellm: Start, llama_16k: Served, small_llama: Served) -> Iterator[Served]:
    parts = [
        mock("declining", DECLINE),
        mock("slow-lane", DECLINE, "rpm: 1"),
        mock("checked-lane", DECLINE, "rpm: 1"),
        mock("overloaded", "litellm.RateLimitError"),
        mock("overflowing", "litellm.ContextWindowExceededError"),
        BEHIND.format(name="smol", model="smol", url=llama_16k.url, key=SECRET),
        BEHIND.format(name="small", model="smol", url=small_llama.url, key=SECRET),
        BEHIND.format(name="bad-key-behind", model="smol", url=llama_16k.url, key="a-wrong-key-0123"),
        BEHIND.format(name="dead", model="smol", url=f"http://127.0.0.1:{free_port()}", key="none"),
    ]
    with litellm("model_list:" + "".join(parts) + SETTINGS) as server:
        yield server


def test_a_whole_run_through_the_proxy(proxy: Served, run: Callable[..., Run]) -> None:
    """A model that always declines is right on the infeasible quarter."""
    evaluating = run("--model", "declining", "--instances", "F1*", "--max-tokens", "256")
    assert evaluating.go(proxy, "--concurrency", "16").code == 0
    results = evaluating.results()
    assert len(results) == 32 and all(result["status"] == "scored" for result in results)
    assert sum(result["success"] for result in results) == 8
    assert evaluating.summary()["overall"]["success_count"] == 8 and not evaluating.holds(SECRET)


def test_a_real_model_behind_the_proxy(proxy: Served, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "smol", "--instances", "F1a_01", "--max-turns", "1", "--max-tokens", "256")
    assert evaluating.go(proxy).code == 0
    assert [result["status"] for result in evaluating.results()] == ["scored"]
    assert check(proxy, "smol", "--max-tokens", "256").code == 0


@pytest.mark.parametrize("model", ["small", "overflowing"])
def test_overflow_is_recognised_however_the_proxy_wraps_it(proxy: Served, model: str, run: Callable[..., Run]) -> None:
    """At the first call of a run it is a matter of set-up, is not asked again, and names the window."""
    evaluating = run("--model", model, "--instances", "F1a_0[1-2]", "--max-tokens", "64")
    ended = evaluating.go(proxy, "--concurrency", "1")
    assert ended.code == 1 and "start the server with a larger context window" in ended.err
    assert [result["status"] for result in evaluating.results()] == ["error"]
    assert len(evaluating.events()) == 1
    told = check(proxy, model, "--max-tokens", "64")
    assert told.code == 1 and "context window" in told.out


def test_a_rate_limit_is_waited_out_and_loses_nothing(proxy: Served, run: Callable[..., Run]) -> None:
    """One request a minute, two tasks of one turn each: the limit is passed within the retries of a turn."""
    evaluating = run("--model", "slow-lane", "--instances", "F1a_0[1-2]", "--max-tokens", "64")
    ended = evaluating.go(proxy, "--concurrency", "1")
    assert ended.code == 0, ended.err
    assert [result["status"] for result in evaluating.results()] == ["scored"] * 2
    assert {event["returncode"] for event in evaluating.events()} == {0, 429}


def test_the_check_takes_a_rate_limit_for_no_obstacle(proxy: Served) -> None:
    """The first call of a clock minute gets through; of three at once, two are in one minute."""
    checks = [check(proxy, "checked-lane", "--max-tokens", "64") for _ in range(3)]
    told = next(each for each in checks if "limits requests" in each.out)
    assert told.code == 0 and "limits requests" in told.out and "lower --concurrency" in told.out


def test_a_wrong_name_stops_the_run_at_once_and_near_names_are_told(proxy: Served, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "declinning", "--instances", "F1*", "--max-tokens", "64")
    ended = evaluating.go(proxy)
    assert ended.code == 1 and "does not have the model 'declinning'" in ended.err
    assert all(result["status"] == "error" for result in evaluating.results())
    told = check(proxy, "declinning")
    assert told.code == 1 and "near names: declining" in told.out


@pytest.mark.parametrize("key", ["", "sk-not-the-key-of-this-proxy"])
def test_a_missing_or_wrong_key_stops_the_run_at_once(proxy: Served, key: str, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "declining", "--instances", "F1*", "--max-tokens", "64")
    ended = evaluating.go(proxy, key=key)
    assert ended.code == 1 and "key" in ended.err
    assert evaluating.results() == [] and len(evaluating.events()) <= 4
    told = check(proxy, "declining", key=key)
    assert told.code == 1 and "NFTB_ENDPOINT_TOKEN" in told.out
    assert not key or key not in ended.err + told.out
    assert not key or not evaluating.holds(key)


def test_a_key_that_the_server_behind_refuses_stops_the_run(proxy: Served, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "bad-key-behind", "--instances", "F1a_0[1-2]", "--max-tokens", "64")
    ended = evaluating.go(proxy)
    assert ended.code == 1 and "refuses the key" in ended.err and evaluating.results() == []


def test_a_proxy_without_a_database_says_400_to_a_wrong_key(proxy: Served) -> None:
    told = check(proxy, "declining", key="sk-not-the-key-of-this-proxy")
    assert "does not know the key: set NFTB_ENDPOINT_TOKEN to its master key" in told.out


def test_a_dead_server_behind_the_proxy_is_no_wrong_answer(proxy: Served, run: Callable[..., Run]) -> None:
    evaluating = run("--model", "dead", "--instances", "F1a_01", "--max-tokens", "64")
    ended = evaluating.go(proxy)
    assert ended.code == 1
    (result,) = evaluating.results()
    assert result["status"] == "error" and result["error"].startswith("cli_error")
    told = check(proxy, "dead")
    assert told.code in (0, 1) and ("server's log" in told.out or "limits requests" in told.out)


def test_the_proxy_s_own_key_stands_in_no_file(proxy: Served, run: Callable[..., Run], tmp_path: Path) -> None:
    evaluating = run("--model", "overloaded", "--instances", "F1a_01", "--max-tokens", "64")
    ended = evaluating.go(proxy)
    assert ended.code == 1 and evaluating.results()[0]["error"].startswith("cli_error")
    assert not evaluating.holds(proxy.key) and proxy.key not in ended.err + ended.out
