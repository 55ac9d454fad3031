"""The OpenRouter backend over real sockets: what it asks for, what it books, and that a paid reply is asked for once."""

from __future__ import annotations

import contextlib
import json
import random
import threading
from typing import Any

import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.agents.openrouter import OpenRouterBackend, SpendGuard, charge_of
from nftbench.agents.spend import Tokens
from nftbench.testing import FAULTS, Behaviour, FaultServer, faults
from nftbench.testing.faults import FINISH, completion
from nftbench.testing.server import Received

KEY = "sk-or-test-only-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)


def costing(cost: Any = 0.001, finish: str = "stop", **usage: Any) -> Behaviour:
    body = completion(model="")
    body["choices"][0]["finish_reason"] = finish
    body["usage"] = {"prompt_tokens": 11, "completion_tokens": 7, **({} if cost is None else {"cost": cost}), **usage}
    return faults.respond(200, body)


def backend(
    server: FaultServer, guard: SpendGuard | None = None, model: str = "a/m", **options: Any
) -> OpenRouterBackend:
    options = {"sleep": lambda seconds: None, "timeout": 5, "max_tokens": 100, **options}
    return OpenRouterBackend(model, guard=guard or SpendGuard(1.0), base_url=f"{server.url}/api/v1", **options)


def test_it_asks_for_costs_and_sends_the_ceilings_and_own_fields() -> None:
    guard = SpendGuard(5, max_price_in=1.5, max_price_out=6)
    extra = {"reasoning": {"effort": "high"}, "provider": {"order": ["x"]}}
    with FaultServer([costing()]) as server:
        backend(server, guard, extra=extra, temperature=0.1).invoke("S", "P")
    received = server.received[0]
    sent = received.json()
    assert received.path == "/api/v1/chat/completions" and received.headers["authorization"] == f"Bearer {KEY}"
    assert sent["usage"] == {"include": True} and sent["reasoning"] == {"effort": "high"} and sent["temperature"] == 0.1
    assert sent["provider"] == {"order": ["x"], "max_price": {"prompt": 1.5, "completion": 6}}


def test_without_ceilings_none_are_sent() -> None:
    with FaultServer([costing()]) as server:
        backend(server).invoke("S", "P")
    assert "provider" not in server.received[0].json()


def test_without_a_key_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY")
    guard = SpendGuard(1)
    with FaultServer([costing()]) as server, pytest.raises(CLIFailure) as failure:
        backend(server, guard).invoke("S", "P")
    assert (
        failure.value.kind == "auth_or_quota" and "OPENROUTER_API_KEY" in failure.value.detail and not server.received
    )


DETAILS = {"upstream_inference_cost": 0.002}


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"cost": 0.002, "is_byok": False, "cost_details": DETAILS}, 0.002),
        ({"cost": 0.002, "cost_details": DETAILS}, 0.002),
        ({"cost": 0.0001, "is_byok": True, "cost_details": DETAILS}, 0.0021),
        ({"cost": 0, "is_byok": True, "cost_details": DETAILS}, 0.002),
        ({"cost": 0.0001, "is_byok": True, "cost_details": {"upstream_inference_cost": None}}, None),
        ({"cost": 0.0001, "is_byok": True}, None),
        ({"cost": 0.0001, "is_byok": True, "cost_details": {"upstream_inference_cost": "0.1"}}, None),
        ({"cost": 0.002, "is_byok": None, "cost_details": None}, 0.002),
        ({"cost": 2e-06, "is_byok": False, "cost_details": {"upstream_inference_cost": None}}, 2e-06),
        ({"cost": 0}, 0),
        ({}, None),
        ({"cost": None}, None),
        ({"cost": "0.1"}, None),
        ({"cost": True}, None),
        ({"cost": -1}, None),
        ({"cost": float("nan")}, None),
    ],
)
def test_the_cost_of_a_reply_with_and_without_a_key_of_ones_own(usage: dict[str, Any], cost: float | None) -> None:
    charge = charge_of({"prompt_tokens": 10, "completion_tokens": 2, **usage})
    assert (charge.cost if charge else None) == (None if cost is None else pytest.approx(cost))


def test_prices_told_apart_are_learned() -> None:
    details = {"upstream_inference_prompt_cost": 0.000022, "upstream_inference_completions_cost": 0.00007}
    guard = SpendGuard(1)
    with FaultServer([costing(0.000092, cost_details={"upstream_inference_cost": 0.000092, **details})]) as server:
        backend(server, guard).invoke("S", "P")
    assert guard.prices.prompt == pytest.approx(2e-6) and guard.prices.completion == pytest.approx(10e-6)


def test_what_was_spent_stands_in_the_usage_and_with_the_guard() -> None:
    guard = SpendGuard(1)
    with FaultServer([costing(0.001)]) as server:
        usage = backend(server, guard).invoke("S", "P").usage["usage"]
    assert usage["spent"] == guard.spent == 0.001 and usage["cost"] == 0.001


def test_attempts_that_failed_are_paid_for_too() -> None:
    guard = SpendGuard(1)
    with FaultServer([costing(0.001), costing(0.002, "length"), costing(0.001)]) as server:
        asking = backend(server, guard)
        asking.invoke("S", "P")
        usage = asking.invoke("S", "P").usage["usage"]
    assert guard.spent == pytest.approx(0.004)
    assert usage["retried"] == {"attempts": 1, "prompt_tokens": 11, "completion_tokens": 7, "cost": 0.002}


def test_a_paid_reply_without_cost_is_kept_and_not_asked_for_again() -> None:
    guard = SpendGuard(1)
    with FaultServer([costing(0.001), costing(None)]) as server:
        asking = backend(server, guard)
        asking.invoke("S", "P")
        invocation = asking.invoke("S", "P")
    assert invocation.text == FINISH and len(server.received) == 2 and "spent" not in invocation.usage["usage"]
    assert guard.spent == pytest.approx(0.001 + guard.prices.of(Tokens(11, 7)))  # type: ignore[operator]


def test_after_a_first_reply_without_cost_the_next_call_is_refused() -> None:
    with FaultServer([costing(None)]) as server:
        asking = backend(server)
        assert asking.invoke("S", "P").text == FINISH
        with pytest.raises(CLIFailure) as failure:
            asking.invoke("S", "P")
    assert failure.value.kind == "spend_limit" and len(server.received) == 1


@pytest.mark.parametrize("cost", [None, 0])
def test_a_free_model_costs_nothing_with_or_without_saying_so(cost: Any) -> None:
    guard = SpendGuard(0.001)
    with FaultServer([costing(cost)]) as server:
        asking = backend(server, guard, model="a/m:free")
        for _ in range(3):
            assert asking.invoke("S", "P").usage["usage"]["spent"] == 0
    assert guard.spent == 0


def test_a_free_model_that_costs_something_is_not_free() -> None:
    guard = SpendGuard(0.01)
    with FaultServer([costing(0.5)]) as server:
        asking = backend(server, guard, model="a/m:free")
        asking.invoke("S", "P")
        with pytest.raises(CLIFailure) as failure:
            asking.invoke("S", "P")
    assert failure.value.kind == "spend_limit" and guard.spent == 0.5


@pytest.mark.parametrize("known", [True, False])
def test_a_free_model_that_the_paid_one_answered_for_is_booked_at_the_highest_price(known: bool) -> None:
    """11 tokens read at 1 dollar a million, 7 written at 10; without any price known nothing more is asked."""
    guard = SpendGuard(1.0, max_price_in=1, max_price_out=10) if known else SpendGuard(1.0)
    told = {**completion(model="a/m"), "usage": {"prompt_tokens": 11, "completion_tokens": 7}}
    with FaultServer([faults.respond(200, told)]) as server:
        asking = backend(server, guard, model="a/m:free")
        assert asking.invoke("S", "P").text == FINISH
        if known:
            assert guard.spent == pytest.approx(81e-6)
            return
        with pytest.raises(CLIFailure) as failure:
            asking.invoke("S", "P")
    assert failure.value.kind == "spend_limit"


LOST = {"short_body", "cut_chunk", "gzip_damaged", "gzip_cut", "reset", "reset_after_idle", "reset_in_reply", "hang_up"}
LOST |= {"huge", "huge_declared", "huge_packed", "deep", "empty", "garbage"}
FREE = {"redirect", "html_502", "html_200", "server_error", "rate_limit", "loading"}


@pytest.mark.parametrize("name", sorted(LOST | FREE))
def test_lost_replies_are_booked_at_their_worst_and_refusals_at_nothing(name: str) -> None:
    """With ceilings of 1 and 10 dollars a million: every request here has some hundred bytes, and may write 100 tokens."""
    guard = SpendGuard(1, max_price_in=1, max_price_out=10)
    with FaultServer([FAULTS[name]()]) as server, contextlib.suppress(CLIFailure):
        backend(server, guard, startup_seconds=5).invoke("S", "P")
    worst = sum(len(received.body) * 1e-6 + 100 * 10e-6 for received in server.received)
    assert guard.spent == pytest.approx(worst if name in LOST else 0)


def test_nobody_reached_costs_nothing() -> None:
    guard = SpendGuard(1)
    with FaultServer([costing()]) as server:
        pass
    with pytest.raises(CLIFailure) as failure:
        backend(server, guard).invoke("S", "P")
    assert failure.value.cause == "unreachable" and guard.spent == 0


def test_a_call_interrupted_from_this_side_is_booked_at_its_worst() -> None:
    guard = SpendGuard(1, max_price_in=1, max_price_out=10)

    def interrupted(request: object, *, timeout: float) -> object:
        raise KeyboardInterrupt

    asking = OpenRouterBackend("m", guard=guard, opener=interrupted, max_tokens=100)
    with pytest.raises(KeyboardInterrupt):
        asking.invoke("S", "P")
    assert guard.spent > 100 * 10e-6


def test_a_days_limit_stops_without_retries() -> None:
    text = "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"
    daily = faults.respond(429, {"error": {"message": text, "code": 429}})
    with FaultServer([daily]) as server, pytest.raises(CLIFailure) as failure:
        backend(server).invoke("S", "P")
    assert failure.value.kind == "auth_or_quota" and len(server.received) == 1


def test_four_threads_against_a_server_that_charges_more_than_it_said() -> None:
    """The first reply costs a tenth of those that follow. Once one of these is booked, no call starts that does not fit at
    the new price: only the three others under way by then can cost more than was reserved for them."""
    dear = 0.01

    def plan(received: Received) -> Behaviour:
        return costing(dear / 10 if received.number == 0 else dear)

    guard = SpendGuard(0.3)
    with FaultServer(plan) as server:
        asking = backend(server, guard, max_tokens=7)

        def play() -> None:
            with contextlib.suppress(CLIFailure):
                while True:
                    asking.invoke("S", "P")

        threads = [threading.Thread(target=play) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert not any(thread.is_alive() for thread in threads)
    assert guard.spent == pytest.approx(dear / 10 + (len(server.received) - 1) * dear)
    assert 0 < guard.spent <= 0.3 + 3 * dear


@pytest.mark.parametrize("seed", range(3))
def test_whatever_goes_wrong_every_reply_that_came_is_booked(seed: int) -> None:
    """Faults of all kinds, four threads: the guard never knows of less than the server charged."""
    draw = random.Random(seed)
    charged: list[float] = []
    lock = threading.Lock()
    wrong = [FAULTS[name]() for name in sorted(LOST | FREE) if "huge" not in name]

    def plan(received: Received) -> Behaviour:
        with lock:
            if received.number > 0 and draw.random() < 0.5:
                return draw.choice(wrong)
            charged.append(0.0001)
        return costing(0.0001)

    guard = SpendGuard(10)
    with FaultServer(plan) as server:
        asking = backend(server, guard, startup_seconds=0)

        def play() -> None:
            for _ in range(15):
                with contextlib.suppress(CLIFailure):
                    asking.invoke("S", "P")

        threads = [threading.Thread(target=play) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
    assert guard.spent >= sum(charged) - 1e-9
    with guard._changed:
        assert not guard._open


def test_the_key_reaches_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    body = completion(json.dumps({"name": "finish_task", "arguments": {"summary": KEY}}), model="")
    body["usage"]["cost"] = 0.001
    with FaultServer([faults.respond(200, body)]) as server:
        invocation = backend(server).invoke("S", "P")
    assert KEY not in invocation.text and "[OPENROUTER_API_KEY]" in invocation.text
