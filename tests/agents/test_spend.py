"""`--max-usd` is a promise: reservations, prices learned, threads, lost replies, and what survives a kill."""

from __future__ import annotations

import json
import math
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.agents.failure import CLIFailure
from nftbench.agents.spend import Charge, Prices, SpendGuard, Ticket, Tokens

CALL = Tokens(1000, 100)


def told(prompt: int, completion: int, price_in: float, price_out: float) -> Charge:
    """A charge at prices in dollars per million tokens, told apart."""
    parts = prompt * price_in / 1e6, completion * price_out / 1e6
    return Charge(sum(parts), Tokens(prompt, completion), *parts)


def refused(guard: SpendGuard, tokens: Tokens = CALL) -> str:
    with pytest.raises(CLIFailure) as failure:
        guard.reserve(tokens)
    assert failure.value.kind == "spend_limit"
    return failure.value.detail


def test_the_first_call_may_pass_the_limit_and_no_other() -> None:
    guard = SpendGuard(0.01)
    guard.settle(guard.reserve(CALL), told(1000, 100, 50, 100))
    assert guard.spent == pytest.approx(0.06)
    assert "limit is reached" in refused(guard)


def test_while_no_price_is_known_one_call_runs_alone() -> None:
    guard = SpendGuard(1.0)
    first = guard.reserve(CALL)
    second: list[object] = []
    thread = threading.Thread(target=lambda: second.append(guard.reserve(CALL)))
    thread.start()
    thread.join(timeout=0.2)
    assert thread.is_alive() and not second
    guard.settle(first, told(1000, 100, 1, 1))
    thread.join(timeout=5)
    assert second


def test_prices_told_apart_make_the_next_reservation() -> None:
    guard = SpendGuard(0.02)
    guard.settle(guard.reserve(CALL), told(1000, 10, 2, 10))
    assert guard.prices.of(Tokens(1_000_000, 1_000_000)) == pytest.approx(12)
    guard.reserve(Tokens(1000, 1000))  # 0.002 + 0.01 beside the 0.0021 spent
    assert "can cost" in refused(SpendGuard(0.0121, spent=0.0021, max_price_in=2, max_price_out=10), Tokens(1000, 1000))


def test_the_highest_prices_seen_are_kept() -> None:
    guard = SpendGuard(10)
    guard.settle(guard.reserve(CALL), told(1000, 100, 5, 10))
    guard.settle(guard.reserve(CALL), told(1000, 100, 1, 20))
    assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(5e-6), pytest.approx(20e-6))


def test_a_discount_for_cached_tokens_does_not_hide_the_price() -> None:
    guard = SpendGuard(10)
    parts = 100 * 4e-6 + 900 * 0.4e-6, 100 * 8e-6
    guard.settle(guard.reserve(CALL), Charge(sum(parts), CALL, *parts, cached=900))
    assert guard.prices.prompt is not None and guard.prices.prompt >= 4e-6


def test_a_total_alone_bounds_both_prices_and_a_cheaper_one_never_lowers_them() -> None:
    """0.003 for 1000 and 100 tokens bounds them at 3 and 30 dollars a million."""
    guard = SpendGuard(10)
    guard.settle(guard.reserve(CALL), Charge(0.003, CALL))
    assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(3e-6), pytest.approx(30e-6))
    for cheaper in (
        Charge(0.00001, CALL),
        Charge(0.0, CALL),
        Charge(0.002, Tokens(10, 100)),
        Charge(0.002, CALL, cached=990),
    ):
        guard.settle(guard.reserve(CALL), cheaper)
        assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(3e-6), pytest.approx(30e-6))


def test_a_total_that_the_ceilings_explain_leaves_them_as_they_are() -> None:
    """A short reply alone would bound the price of its tokens at a hundred times the ceiling."""
    guard = SpendGuard(1, max_price_in=3, max_price_out=15)
    guard.settle(guard.reserve(CALL), Charge(0.002, Tokens(1000, 1)))
    assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(3e-6), pytest.approx(15e-6))


@pytest.mark.parametrize(
    "charge", [Charge(0.0, CALL), told(1000, 100, 0, 0), told(1000, 100, 0.0001, 0.0009), Charge(1e-9, CALL)]
)
def test_a_price_of_nothing_or_next_to_nothing_teaches_nothing(charge: Charge) -> None:
    guard = SpendGuard(1)
    for _ in range(5):
        guard.settle(guard.reserve(CALL), charge)
        assert guard.prices == Prices()
    guard.reserve(CALL)
    assert waits(guard)


def waits(guard: SpendGuard, tokens: Tokens = CALL) -> bool:
    """Whether another call would have to wait for one under way."""

    class WouldWait(Exception):
        pass

    def wait() -> None:
        raise WouldWait

    guard._changed.wait = wait  # type: ignore[method-assign, assignment]
    try:
        guard.release(guard.reserve(tokens))
    except WouldWait:
        return True
    return False


def test_calls_run_beside_each_other_once_a_price_has_held_and_room_is_ample() -> None:
    """A call reserves 0.002: beside another both must fit at 64 times that, 0.256."""
    guard = SpendGuard(0.3)
    for number in range(4):
        ticket = guard.reserve(CALL)
        assert waits(guard), number
        guard.settle(ticket, told(1000, 100, 1, 10))
    guard.reserve(CALL)
    assert not waits(guard)
    guard.settle(guard.reserve(CALL), Charge(0.04, CALL))
    assert waits(guard), "a price that rises has to hold anew"


def test_near_the_limit_calls_run_one_at_a_time_again() -> None:
    guard = SpendGuard(0.2)
    for _ in range(10):
        ticket = guard.reserve(CALL)
        assert waits(guard)
        guard.settle(ticket, told(1000, 100, 1, 10))


def test_ceilings_let_calls_run_beside_each_other_from_the_first_until_one_breaks_them() -> None:
    guard = SpendGuard(1, max_price_in=1, max_price_out=10)
    tickets = [guard.reserve(CALL) for _ in range(50)]
    guard.settle(tickets[0], told(1000, 100, 2, 20))
    assert waits(guard)


def test_a_total_beyond_the_bounds_raises_them() -> None:
    guard = SpendGuard(10)
    guard.settle(guard.reserve(CALL), Charge(0.003, CALL))
    guard.settle(guard.reserve(CALL), Charge(0.03, CALL))
    assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(30e-6), pytest.approx(300e-6))


def test_price_ceilings_bound_even_the_first_call() -> None:
    guard = SpendGuard(0.01, max_price_in=1, max_price_out=100)
    assert "can cost $0.0110" in refused(guard)
    guard.reserve(Tokens(1000, 80))


def test_one_ceiling_alone_leaves_the_first_call_unpriced() -> None:
    guard = SpendGuard(0.01, max_price_out=100)
    guard.reserve(Tokens(1000, 10**9))


def test_a_server_that_charges_more_than_the_ceiling_is_believed_at_once() -> None:
    guard = SpendGuard(1, max_price_in=1, max_price_out=1)
    guard.settle(guard.reserve(CALL), told(1000, 100, 400, 400))
    assert guard.spent == pytest.approx(0.44) and guard.prices.prompt == pytest.approx(400e-6)
    guard.settle(guard.reserve(CALL), told(1000, 100, 400, 400))
    assert "can cost $0.4400" in refused(guard)


def test_a_call_waits_for_room_that_others_may_leave() -> None:
    guard = SpendGuard(0.03, max_price_in=10, max_price_out=100)  # a call reserves 0.02
    first = guard.reserve(CALL)
    second: list[object] = []
    thread = threading.Thread(target=lambda: second.append(guard.reserve(CALL)))
    thread.start()
    thread.join(timeout=0.2)
    assert thread.is_alive()
    guard.settle(first, told(1000, 1, 1, 1))
    thread.join(timeout=5)
    assert second


def test_whoever_waits_is_told_when_no_room_is_left() -> None:
    guard = SpendGuard(0.03, max_price_in=10, max_price_out=100)
    first = guard.reserve(CALL)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(refused(guard)))
    thread.start()
    guard.settle(first, told(1000, 100, 10, 100))
    thread.join(timeout=5)
    assert "can cost" in said[0]


def test_a_lost_reply_is_booked_at_its_worst_case() -> None:
    guard = SpendGuard(1, max_price_in=10, max_price_out=100)
    guard.settle_untold(guard.reserve(CALL), None)
    assert guard.spent == pytest.approx(0.02)


def test_a_reply_without_cost_is_booked_by_its_tokens_at_the_highest_prices() -> None:
    guard = SpendGuard(1, max_price_in=10, max_price_out=100)
    guard.settle_untold(guard.reserve(CALL), Tokens(500, 10))
    assert guard.spent == pytest.approx(0.006)


def test_after_a_reply_that_does_not_tell_its_cost_no_other_call_is_made_blindly() -> None:
    """Without a price there is no worst case to book; ceilings give one."""
    guard = SpendGuard(1)
    guard.settle_untold(guard.reserve(CALL), CALL)
    assert "--max-price-in" in refused(guard)


def test_a_lost_first_call_is_set_aside_at_the_price_that_the_next_one_shows() -> None:
    guard = SpendGuard(1)
    guard.settle_untold(guard.reserve(CALL), None)
    assert guard.spent == 0
    guard.settle(guard.reserve(CALL), told(100, 10, 10, 100))
    assert guard.spent == pytest.approx(0.02 + 0.002)
    guard.settle(guard.reserve(CALL), told(100, 10, 20, 200))
    assert guard.spent == pytest.approx(0.04 + 0.006), "the dearest price seen is what it can have cost"


def test_of_calls_lost_at_an_unknown_price_there_are_at_most_three() -> None:
    guard = SpendGuard(1)
    for _ in range(3):
        guard.settle_untold(guard.reserve(CALL), None)
    assert "3 calls were lost before any price was known" in refused(guard)


def test_a_call_that_cannot_have_cost_anything_frees_its_room() -> None:
    guard = SpendGuard(0.02, max_price_in=10, max_price_out=100)
    guard.release(guard.reserve(CALL))
    assert guard.spent == 0
    guard.reserve(CALL)


def test_a_call_is_booked_once_however_often_it_is_closed() -> None:
    guard = SpendGuard(1, max_price_in=10, max_price_out=100)
    ticket = guard.reserve(CALL)
    guard.settle(ticket, told(1000, 100, 1, 1))
    guard.settle_untold(ticket, None)
    guard.release(ticket)
    assert guard.spent == pytest.approx(0.0011)


@pytest.mark.parametrize("seed", range(4))
def test_four_threads_never_start_a_call_that_there_is_no_room_for(seed: int) -> None:
    """The server charges up to five times what its first reply said. A call starts only while everything booked, everything
    under way at its reservation, and the call itself fit; so what is spent beyond the limit is what replies cost beyond
    their reservations, and nothing else."""
    draw = random.Random(seed)
    guard = SpendGuard(1.0)
    lock = threading.Lock()
    over: list[float] = []
    calls = [0]

    def play() -> None:
        while True:
            try:
                ticket = guard.reserve(CALL)
            except CLIFailure:
                return
            with lock:
                factor = 1 if calls[0] == 0 else draw.choice([0.2, 1, 1, 5])
                calls[0] += 1
                charge = told(1000, draw.randint(1, 100), 5 * factor, 50 * factor)
                if ticket.usd is not None:
                    over.append(max(0.0, charge.cost - ticket.usd))
            guard.settle(ticket, charge)

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert calls[0] > 10 and guard.spent <= 1.0 + sum(over) + 1e-9
    assert sum(over) <= 4 * told(1000, 100, 25, 250).cost


class Scheduler:
    """Calls that start and end in any order, as threads would make them; what a call costs is decided when it ends."""

    def __init__(self, guard: SpendGuard) -> None:
        self.guard, self.under_way, self.costs, self.stopped = (
            guard,
            list[tuple[Ticket, Tokens]](),
            list[float](),
            False,
        )

        def wait() -> None:
            raise InterruptedError

        guard._changed.wait = wait  # type: ignore[method-assign, assignment]

    def start(self, tokens: Tokens) -> None:
        try:
            self.under_way.append((self.guard.reserve(tokens), tokens))
        except InterruptedError:
            pass
        except CLIFailure:
            self.stopped = True

    def end(self, which: int, prices: tuple[float, float], share: float, apart: bool) -> None:
        if not self.under_way:
            return
        ticket, most = self.under_way.pop(which % len(self.under_way))
        used = Tokens(max(1, int(most.prompt * share)), max(1, int(most.completion * share)))
        charge = told(used.prompt, used.completion, *prices)
        self.costs.append(charge.cost)
        self.guard.settle(ticket, charge if apart else Charge(charge.cost, used))


def turns(prices: st.SearchStrategy[float]) -> st.SearchStrategy[list[Any]]:
    start = st.builds(Tokens, st.integers(10, 20_000), st.integers(10, 32_000))
    end = st.tuples(st.integers(0, 49), st.tuples(prices, prices), st.floats(0.01, 1), st.booleans())
    free = st.tuples(st.integers(0, 49), st.just((0.0, 0.0)), st.floats(0.01, 1), st.booleans())
    return st.lists(st.one_of(start, start, end, end, free), max_size=120)


def play(guard: SpendGuard, moves: list[Any]) -> Scheduler:
    scheduler = Scheduler(guard)
    for move in [*moves, *((0, (64.0, 64.0), 1.0, True) for _ in range(60))]:
        if isinstance(move, Tokens):
            scheduler.start(move)
        else:
            scheduler.end(*move)
    assert not scheduler.under_way
    return scheduler


@settings(max_examples=400, deadline=None)
@given(turns(st.floats(1, 64)), st.floats(0.01, 300))
def test_however_prices_move_by_up_to_64_times_at_most_one_call_ends_beyond_the_limit(
    moves: list[Any], limit: float
) -> None:
    """Fifty calls may want to run at once, some cost nothing, some tell only their total; the last ones cost the most."""
    played = play(SpendGuard(limit), moves)
    assert math.fsum(played.costs) - max(played.costs, default=0) <= limit + 1e-9


@settings(max_examples=200, deadline=None)
@given(turns(st.floats(0, 64)), st.floats(0.001, 300))
def test_within_ceilings_not_even_the_first_call_ends_beyond_the_limit(moves: list[Any], limit: float) -> None:
    played = play(SpendGuard(limit, max_price_in=64, max_price_out=64), moves)
    assert math.fsum(played.costs) <= limit + 1e-9


@settings(max_examples=200, deadline=None)
@given(turns(st.sampled_from([1e-6, 0.01, 1, 50, 1e4, 1e6])), st.floats(0.01, 300))
def test_whatever_calls_cost_none_starts_once_the_limit_is_reached(moves: list[Any], limit: float) -> None:
    scheduler = Scheduler(SpendGuard(limit))
    for move in moves:
        before, started = scheduler.guard.spent, len(scheduler.under_way)
        if isinstance(move, Tokens):
            scheduler.start(move)
            assert before < limit or len(scheduler.under_way) == started
        else:
            scheduler.end(*move)


@pytest.mark.parametrize("first", [[0.0], [0.0, 0.0, 0.0], [0.02], [0.02, 0.02], [1e-9], [0.0, 0.02, 0.0]])
def test_fifty_calls_at_once_after_a_cheap_beginning_pass_the_limit_by_one_call_at_most(first: list[float]) -> None:
    """The first replies cost nothing, or a fiftieth of the dollar a million that all others cost."""
    guard = SpendGuard(0.05)
    scheduler, most = Scheduler(guard), Tokens(4000, 1000)
    prices = [*first, *[1.0] * 200]
    while not scheduler.stopped:
        for _ in range(50):
            scheduler.start(most)
        while scheduler.under_way:
            price = prices.pop(0)
            scheduler.end(0, (price, price), 1.0, True)
    assert guard.spent - 0.005 <= 0.05


@given(
    st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 500)), min_size=1, max_size=12),
    st.integers(1, 30),
    st.integers(1, 90),
)
def test_at_constant_prices_only_the_first_call_passes_the_limit(
    calls: list[tuple[int, int]], price_in: int, price_out: int
) -> None:
    """Also where replies tell only their total."""
    for split in (True, False):
        guard = SpendGuard(0.05)
        for number, (prompt, completion) in enumerate(calls):
            before = guard.spent
            try:
                ticket = guard.reserve(Tokens(prompt + 10, 500))
            except CLIFailure:
                break
            charge = told(prompt, completion, price_in, price_out)
            guard.settle(ticket, charge if split else Charge(charge.cost, charge.tokens))
            assert number == 0 or guard.spent <= 0.05 + 1e-9, (before, guard.prices)


def test_what_was_spent_survives_with_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    guard = SpendGuard(1, journal=journal)
    guard.settle(guard.reserve(CALL), told(1000, 100, 10, 100))
    guard.settle(guard.reserve(CALL), told(1000, 50, 10, 100))
    later = SpendGuard(1, journal=journal)
    assert later.spent == pytest.approx(0.035) and later.prices == guard.prices


def test_calls_under_way_at_a_kill_count_in_full(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    guard = SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100)
    guard.settle(guard.reserve(CALL), told(1000, 100, 10, 100))
    guard.reserve(CALL)
    guard.reserve(CALL)
    assert SpendGuard(1, journal=journal).spent == pytest.approx(0.06)


def test_killed_in_the_first_call_a_run_goes_on_with_what_it_can_have_cost_set_aside(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    SpendGuard(1, journal=journal).reserve(CALL)
    with_ceilings = SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100)
    assert with_ceilings.spent == pytest.approx(0.02)
    later = SpendGuard(1, journal=journal)
    later.settle(later.reserve(CALL), told(1000, 10, 10, 100))
    assert later.spent == SpendGuard(1, journal=journal).spent == pytest.approx(0.02 + 0.011)


def test_killed_in_the_first_call_again_and_again_a_run_stops(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    for _ in range(3):
        SpendGuard(1, journal=journal).reserve(CALL)
    assert "--max-price-in" in refused(SpendGuard(1, journal=journal))


def test_a_reply_that_did_not_tell_its_cost_is_remembered(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    guard = SpendGuard(1, journal=journal)
    guard.settle_untold(guard.reserve(CALL), Tokens(500, 10))
    assert "cost nothing tells" in refused(SpendGuard(1, journal=journal))
    assert SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100).spent == pytest.approx(0.006)


@pytest.mark.parametrize(
    "torn", [b"", b'{"n": 4, "call": "x', b'{"call": "x", "tokens": [1', b"\xff\xfe", b"[", b"nul"]
)
def test_a_journal_is_read_up_to_whatever_a_kill_left(tmp_path: Path, torn: bytes) -> None:
    journal = tmp_path / "spend.jsonl"
    guard = SpendGuard(1, journal=journal)
    guard.settle(guard.reserve(CALL), told(1000, 100, 10, 100))
    with journal.open("ab") as file:
        file.write(torn)
    later = SpendGuard(1, journal=journal)
    assert later.spent == pytest.approx(0.02)
    later.settle(later.reserve(CALL), told(1000, 100, 10, 100))
    assert SpendGuard(1, journal=journal).spent == pytest.approx(0.04)


def test_a_call_is_written_down_before_it_is_made(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100).reserve(CALL)
    entry = json.loads(journal.read_text())
    assert entry["tokens"] == [1000, 100] and entry["at_most_usd"] == pytest.approx(0.02)


def test_prices_without_one_half_price_nothing() -> None:
    assert Prices(1.0, None).of(CALL) is None and Prices().of(CALL) is None
