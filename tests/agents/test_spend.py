"""`--max-usd` is a promise: reservations, prices learned, threads, lost replies, and what survives a kill."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.failure import CLIFailure
from nftbench.agents.spend import Charge, Prices, SpendGuard, Tokens

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


def test_a_total_alone_bounds_both_prices_and_more_of_them_bound_them_better() -> None:
    """At 2 and 10 dollars a million: 0.003 for 1000 and 100 tokens bounds them at 3 and 30."""
    guard = SpendGuard(10)
    guard.settle(guard.reserve(CALL), Charge(0.003, CALL))
    assert (guard.prices.prompt, guard.prices.completion) == (pytest.approx(3e-6), pytest.approx(30e-6))
    guard.settle(guard.reserve(CALL), Charge(10 * 2e-6 + 1000 * 10e-6, Tokens(10, 1000)))
    assert guard.prices.completion == pytest.approx(10.02e-6) and guard.prices.prompt == pytest.approx(3e-6)


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


def test_after_a_call_that_nothing_tells_the_cost_of_no_other_is_made() -> None:
    """Without a price there is no worst case to book; ceilings give one."""
    guard = SpendGuard(1)
    guard.settle_untold(guard.reserve(CALL), None)
    assert "--max-price-in" in refused(guard)


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
    guard = SpendGuard(1, journal=journal)
    guard.settle(guard.reserve(CALL), told(1000, 100, 10, 100))
    guard.reserve(CALL)
    guard.reserve(CALL)
    assert SpendGuard(1, journal=journal).spent == pytest.approx(0.06)


def test_a_first_call_lost_with_a_kill_keeps_the_next_run_from_going_on_blindly(tmp_path: Path) -> None:
    journal = tmp_path / "spend.jsonl"
    SpendGuard(1, journal=journal).reserve(CALL)
    assert "--max-price-in" in refused(SpendGuard(1, journal=journal))
    with_ceilings = SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100)
    assert with_ceilings.spent == pytest.approx(0.02)
    with_ceilings.reserve(CALL)


@pytest.mark.parametrize(
    "torn", [b"", b'{"call": "x', b'{"call": "x", "tokens": [1', b"\xff\xfe", b"[]", b"null", b'{"call": 7}']
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
