"""Views that time changes: what they say is nobody's doing, whoever's transactions pushed the clock on; what was set is."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import grade
from nftbench.tasks.goals import Answer, At, Goal, Owns, Reading
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand

BLOCK = 12
"""Seconds that a transaction takes."""

PRICES = [(10**18, 10**16, 86_400), (10**18, 0, 7_200), (1_000, 0, 43_200), (2**127, 1, 20_000)]
"""Start price, end price, and in how many seconds it falls from the one to the other."""

WAITS = [(60,), (600, 600), (1, 1, 1, 1), (3_000, 30, 3)]
PUSHERS = [0, 1, 3]
"""How many actors send a transaction each time that the agent has waited."""


def failed(stand: Stand, *goals: Goal) -> list[str]:
    stand.use("finish_task", summary="done", answer="1")
    verdict = grade(stand.task(*(goals or (Answer("integer", 1),))), stand.desk, "finish_task")
    return [check.name for check in verdict.checks if not check.passed]


def shop(price: tuple[int, int, int], pushers: int) -> tuple[Stand, str]:
    """A sale of the user's at a falling price, and people who give the same approval again and again."""
    stand = Stand()
    start, end, seconds = price
    terms = (start, end, stand.scene.start, stand.scene.start + seconds)
    sale = stand.scene.contract("DecayingPriceMinter", (At(stand.cats), At("user"), 900, 20, terms), label="Sale")
    for i in range(pushers):
        again = Step(sender=stand.mira, target=stand.cats, function="approve", args=(At(stand.thief), 4))
        stand.scene.actor(f"bell{i}", Trigger(after=0), again, repeat=True)
    return stand.open(), sale


@pytest.mark.parametrize("waits", WAITS, ids=str)
@pytest.mark.parametrize("pushers", PUSHERS)
@pytest.mark.parametrize("price", PRICES, ids=lambda p: str(p[2]))
def test_a_price_that_falls_is_no_stray_at_any_clock_and_an_owner_beside_it_is(
    price: tuple[int, int, int], pushers: int, waits: tuple[int, ...]
) -> None:
    for handed_over in (False, True):
        stand, sale = shop(price, pushers)
        for seconds in waits:
            stand.use("wait", seconds=str(seconds))
        clock = sum(waits) + pushers * len(waits) * BLOCK
        assert stand.world.elapsed == clock
        start, end, length = price
        fallen = (start - end) * min(clock + BLOCK, length) // length  # a view is read in the block to come
        assert stand.world.read(Reading(sale, "currentPrice")) == start - fallen
        if handed_over:
            stand.send(sale, "transferOwnership", stand.mira)
        assert failed(stand) == (["sale.owner() is left alone"] if handed_over else [])


def drop(*phases: tuple[int, int], actor: bool = False) -> tuple[Stand, str]:
    """A drop of the user's with phases between these seconds; with `actor`, its admin sets them anew after 500 seconds, so that
    each is open 300 seconds later, and Mira approves something again and again."""
    stand = Stand()
    start = stand.scene.start
    terms = tuple((start + opens, start + closes, 5, 0) for opens, closes in phases)
    larks = stand.scene.contract("DropCollection", ("Larks", "LRK", At("user"), 100, terms, ""), label="Larks")
    if actor:
        later = tuple((opens + 300, closes + 300, wei, most) for opens, closes, wei, most in terms)
        change = Step(sender="user", target=larks, function="setPhases", args=(later,))
        stand.scene.actor("admin", Trigger(after=500), change)
        again = Step(sender=stand.mira, target=stand.cats, function="approve", args=(At(stand.thief), 4))
        stand.scene.actor("bell", Trigger(after=0), again, repeat=True)
    return stand.open(), larks


def active(stand: Stand, larks: str) -> Any:
    return stand.world.read(Reading(larks, "activePhase"))


@pytest.mark.parametrize("waits", [(700,), (90, 90, 520), (699, 1)], ids=str)
def test_the_phase_that_time_opens_is_no_stray_and_one_that_the_agent_opens_is(waits: tuple[int, ...]) -> None:
    for opened in (False, True):
        stand, larks = drop((0, 600), (600, 9_000), (9_000, 9_900))
        assert active(stand, larks) == 0
        for seconds in waits:
            stand.use("wait", seconds=str(seconds))
        if opened:
            start = stand.scene.start
            spans = [(0, 500), (500, 600), (600, 9_000)]
            stand.send(larks, "setPhases", [[str(start + a), str(start + b), "5", "0"] for a, b in spans])
        assert active(stand, larks) == (2 if opened else 1)
        assert failed(stand) == (["larks.activePhase() is left alone"] if opened else [])


@pytest.mark.parametrize("waits", [(1_000,), (400, 200, 400), (450, 50, 1, 499)], ids=str)
def test_what_time_makes_of_an_actors_change_is_no_stray(waits: tuple[int, ...]) -> None:
    """By the terms of the start phase 2 would be open by now; by the actor's, each phase comes 300 seconds later."""
    stand, larks = drop((0, 600), (600, 1_000), (1_000, 9_000), actor=True)
    for seconds in waits:
        stand.use("wait", seconds=str(seconds))
    assert active(stand, larks) == 1
    assert "larks.activePhase() is left alone" not in failed(stand)


@pytest.mark.parametrize("waits", [(1_000,), (400, 200, 400)], ids=str)
def test_what_an_actor_would_have_done_had_the_agent_only_waited_is_held_against_nobody(waits: tuple[int, ...]) -> None:
    """The admin puts the phases off if the user still has cat #1 after 500 seconds; the user has given it away as asked, so
    time has gone on by the terms of the start."""
    stand = Stand()
    start = stand.scene.start
    terms = tuple((start + opens, start + closes, 5, 0) for opens, closes in ((0, 600), (600, 9_000)))
    larks = stand.scene.contract("DropCollection", ("Larks", "LRK", At(stand.mira), 100, terms, ""), label="Larks")
    later = tuple((opens + 3_000, closes + 3_000, wei, most) for opens, closes, wei, most in terms)
    held = Reading(stand.cats, "ownerOf", (1,))
    put_off = Step(sender=stand.mira, target=larks, function="setPhases", args=(later,))
    stand.scene.actor("admin", Trigger(after=500, condition=held, equals=At("user")), put_off)
    stand.open()
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 1)
    for seconds in waits:
        stand.use("wait", seconds=str(seconds))
    assert active(stand, larks) == 1
    assert failed(stand, Owns(stand.mira, stand.cats, 1)) == []


def handed_over(stand: Stand) -> str:
    """A sale of Mira's that becomes the user's after 500 seconds."""
    terms = (10**18, 10**16, stand.scene.start, stand.scene.start + 86_400)
    sale = stand.scene.contract("DecayingPriceMinter", (At(stand.cats), At(stand.mira), 900, 20, terms), label="Sale")
    stand.scene.actor(
        "handover",
        Trigger(after=500),
        Step(sender=stand.mira, target=sale, function="transferOwnership", args=(At("user"),)),
    )
    return sale


def phases_put_off(stand: Stand) -> str:
    """A drop of the user's, whose one phase is closed after 500 seconds."""
    phases = (stand.scene.start, stand.scene.start + 9_000, 5, 0)
    larks = stand.scene.contract("DropCollection", ("Larks", "LRK", At("user"), 100, (phases,), ""), label="Larks")
    stand.scene.actor("admin", Trigger(after=500), Step(sender="user", target=larks, function="setPhases", args=((),)))
    return larks


@pytest.mark.parametrize("back", [False, True])
def test_what_was_handed_over_and_is_given_back_is_a_stray_though_it_is_as_it_was(back: bool) -> None:
    stand = Stand()
    sale = handed_over(stand)
    stand.open()
    stand.use("wait", seconds="600")
    if back:
        stand.send(sale, "transferOwnership", stand.mira)
    assert stand.world.read(Reading(sale, "owner")) == stand.world.address(stand.mira if back else "user")
    assert failed(stand) == (["sale.owner() is left alone"] if back else [])


@pytest.mark.parametrize("back", [False, True])
def test_phases_that_were_closed_and_are_opened_again_are_a_stray_though_they_are_as_they_were(back: bool) -> None:
    stand = Stand()
    larks = phases_put_off(stand)
    stand.open()
    stand.use("wait", seconds="600")
    if back:
        start = stand.scene.start
        stand.send(larks, "setPhases", [[str(start), str(start + 9_000), "5", "0"]])
    assert bool(failed(stand)) is back
