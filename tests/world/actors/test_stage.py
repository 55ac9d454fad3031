"""When counterparties move, and that a stage that is put back plays the same again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.errors import BenchmarkDefect
from nftbench.tasks.policies import Call, FloorBuyer, Sandwicher, ShySeller, Sniper
from nftbench.tools.toolbox import Desk
from nftbench.world.actors.behaviours import behaviour_of
from tests.world.actors.markets import ETHER, Bazaar


def test_who_moves_ahead_and_behind_has_the_time_that_the_agents_transaction_was_to_have() -> None:
    """As in one block: one timestamp, the order kept; and a number each, by which the state between them can be read."""
    bazaar = Bazaar()
    pay = Call(target=bazaar.thief, value=7)
    bazaar.scene.counterparty("bot", bazaar.bot, Sandwicher(bazaar.market, "buy", before=(pay, pay), after=(pay,)))
    bazaar.open()
    engine = bazaar.world.engine
    expected, first = engine.pending_timestamp, engine.block.number + 1
    answer = bazaar.send(bazaar.market, "buy", 2, value=ETHER)
    since = [r for r in engine.receipts() if r.block_number >= first]
    assert [r.sender for r in since] == [bazaar.address(n) for n in (bazaar.bot, bazaar.bot, "user", bazaar.bot)]
    assert {r.timestamp for r in since} == {expected}
    assert [r.block_number for r in since] == [first, first + 1, first + 2, first + 3]
    assert [m.place for m in bazaar.desk.stage.moves] == ["ahead", "behind"]
    assert [len(m.receipts) for m in bazaar.desk.stage.moves] == [2, 1]
    assert len(answer["mined_ahead_of_it"]) == 2 and answer["block"] == str(first + 2)
    assert engine.pending_timestamp == expected + 12


def test_nobody_is_told_of_where_nobody_got_in_front() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("bot", bazaar.bot, Sniper(bazaar.market, bazaar.cats, limit=1))
    bazaar.open()
    assert "mined_ahead_of_it" not in bazaar.send(bazaar.market, "cancel", 3)


def test_a_period_is_kept_whenever_the_news_came() -> None:
    """Looks at 0, 1000, 2000 ... seconds: a listing of second 12 is taken at 1000 and not before."""
    bazaar = Bazaar()
    floor = FloorBuyer(bazaar.market, bazaar.cats, limit=ETHER // 10)
    bazaar.scene.counterparty("floor", bazaar.bot, floor, period=1000)
    bazaar.open()
    bazaar.send(bazaar.market, "list", bazaar.cats, 3, "nobody", ETHER // 10)
    bazaar.use("wait", seconds="900")
    assert bazaar.told() == []
    bazaar.use("wait", seconds="200")
    (move,) = bazaar.desk.stage.moves
    assert move.receipts[0].timestamp - bazaar.world.fixture.start_time in range(1000, 1013)


@pytest.mark.parametrize(
    ("terms", "taken"),
    [({}, 2), ({"most": 1}, 1), ({"since": 50}, 0), ({"since": 20}, 2), ({"until": 10}, 0), ({"until": 24}, 2)],
)
def test_it_moves_within_its_time_and_at_most_so_often(terms: dict[str, int], taken: int) -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, limit=ETHER), **terms)
    bazaar.open()
    bazaar.use("wait", seconds="22")
    assert len(bazaar.told()) == taken


def test_what_one_does_wakes_another_during_a_wait() -> None:
    """A seller who raises its price when a coin is allowed makes room for nobody; a buyer who sells cheap feeds the next."""
    bazaar = Bazaar()
    scene = bazaar.scene
    cheap = (Call(target=bazaar.market, function="buy", args=(2,), value=ETHER),)
    scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, limit=ETHER // 2))
    scene.counterparty("sandwich", bazaar.bot, Sandwicher(bazaar.market, "buy", before=cheap))
    bazaar.open()
    assert bazaar.try_send(bazaar.market, "buy", 2, value=ETHER)["status"] == "reverted"
    assert [(actor, place) for actor, place, _ in bazaar.told()] == [("sandwich", "ahead"), ("floor", "after")]


def test_a_refused_transaction_never_was_in_the_mempool() -> None:
    bazaar = Bazaar()
    pay = Call(target=bazaar.thief, value=7)
    bazaar.scene.counterparty("bot", bazaar.bot, Sandwicher(bazaar.market, "buy", before=(pay,)))
    bazaar.open()
    assert bazaar.try_send(bazaar.market, "buy", 1, value=1000 * ETHER)["status"] == "refused"
    assert bazaar.told() == []


def test_an_unknown_policy_is_named_with_the_choices() -> None:
    with pytest.raises(BenchmarkDefect, match="nobody plays a int; there are FloorBuyer, Sniper"):
        behaviour_of(3)  # type: ignore[arg-type]


def crowd() -> Bazaar:
    """A bazaar full of counterparties of several kinds."""
    bazaar = Bazaar()
    scene, market, cats = bazaar.scene, bazaar.market, bazaar.cats
    scene.counterparty("floor", bazaar.bot, FloorBuyer(market, cats, limit=ETHER // 4), period=300)
    scene.counterparty("hoarder", bazaar.bot, Sniper(market, cats, limit=2 * ETHER, only_alarmed=True), hostile=True)
    scene.counterparty("shy", bazaar.mira, ShySeller(market, cats, raised=12_000), most=2)
    return bazaar.open()  # type: ignore[return-value]


ACTS = (
    ("cancel", 3, 0),
    ("cancel", 4, 0),
    ("setPrice", (3, ETHER // 5), 0),
    ("setPrice", (4, ETHER // 4), 0),
    ("buy", 2, ETHER),
    ("buy", 2, ETHER * 12 // 10),
    ("buy", 1, 3 * ETHER),
    ("wait", 400, 0),
)


def play(bazaar: Bazaar, acts: list[int]) -> list[object]:
    """What the tools said and what everybody did."""
    told: list[object] = []
    for number in acts:
        name, given, value = ACTS[number]
        if name == "wait":
            told.append(bazaar.use("wait", seconds=str(given)))
        else:
            args = given if isinstance(given, tuple) else (given,)
            told.append(bazaar.try_send(bazaar.market, name, *args, value=value))
    return [*told, *bazaar.desk.stage.moves]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(range(len(ACTS))), max_size=6), st.lists(st.sampled_from(range(len(ACTS))), max_size=6))
def test_what_is_put_back_plays_the_same_again_and_so_does_another_world(first: list[int], then: list[int]) -> None:
    """From any moment, as validate and the grader put worlds back; and from the start, as a regrade does."""
    bazaar = crowd()
    play(bazaar, first)
    mark, stage = bazaar.world.engine.snapshot(), bazaar.desk.stage.snapshot()
    once = play(bazaar, then)
    bazaar.world.engine.restore(mark)
    bazaar.desk.stage.restore(stage)
    assert play(bazaar, then) == once
    other = crowd()
    assert play(other, first + then)[len(first) :] == once
    bazaar.world.restart()
    bazaar.desk.stage = Desk(bazaar.world).stage
    assert play(bazaar, first + then)[len(first) :] == once
