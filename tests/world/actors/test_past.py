"""Counterparties with a past: what they did in the history is by the same policy as what they do afterwards."""

from __future__ import annotations

import pytest

from nftbench.errors import BenchmarkDefect
from nftbench.tasks.goals import At
from nftbench.tasks.policies import FloorBuyer
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world
from nftbench.world.starts import start_of
from tests.world.actors.markets import ETHER, Bazaar

DAY = 86_400
HOUR = 3_600


class Chronicle(Bazaar):
    """A Bazaar in whose past Mira listed a cat every day at noon of the bot's clock, from ten days before the start on; the bot
    has looked every six hours since then."""

    def __init__(self, **terms: int) -> None:
        super().__init__()
        scene, ids = self.scene, list(range(50, 60))
        scene.mint(self.cats, self.mira, ids)
        for place, token_id in enumerate(ids):
            scene.pass_until(scene.start - (10 - place) * DAY + HOUR)
            price = ETHER if place % 2 else 9 * ETHER
            scene.step(self.mira, self.market, "list", At(self.cats), token_id, At("nobody"), price)
        policy = FloorBuyer(self.market, self.cats, limit=ETHER)
        given = {"since": -10 * DAY, "period": 6 * HOUR} | terms
        scene.counterparty("floor", self.bot, policy, **given)  # type: ignore[arg-type]

    def bought(self) -> list[tuple[int, int]]:
        """What the bot has bought: the tokens and the seconds after the start."""
        start, bot = self.world.fixture.start_time, self.address(self.bot)
        interface = self.world.interfaces[self.address(self.cats)]
        return [
            (event.arguments["tokenId"], receipt.timestamp - start)
            for receipt in self.world.engine.receipts()
            if receipt.sender == bot
            for log in receipt.logs
            if (event := interface.decode_log(log)) is not None and event.name == "Transfer"
        ]


def test_its_habit_can_be_read_from_the_chain_and_goes_on() -> None:
    """It buys at 1 ether and not at 9, in the block after the next multiple of six hours: each time at hour 6 of the day."""
    old = Chronicle().open()
    assert isinstance(old, Chronicle)
    past = [(token_id, when) for token_id, when in old.bought() if token_id >= 50]
    assert past == [(51 + 2 * i, -(9 - 2 * i) * DAY + 6 * HOUR + 12) for i in range(5)]
    assert old.desk.stage.moves == []
    old.send(old.market, "list", old.cats, 3, "nobody", ETHER)
    old.use("wait", seconds=str(DAY))
    (move,) = old.desk.stage.moves
    assert old.bought()[-1] == (3, 6 * HOUR + 12) and move.differences


def test_two_worlds_with_a_past_are_the_same_and_one_without_is_another() -> None:
    hashes = [build_world(Chronicle(**terms).scene.fixture()).hash() for terms in ({}, {}, {"since": 0})]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_world_that_is_put_up_again_has_the_same_past_in_mind() -> None:
    """What the bot has looked at is old to it afterwards, and what is new is bought, as in the world that was built."""
    fixture = Chronicle().scene.fixture()
    told = []
    for world in (build_world(fixture), start_of(build_world(fixture)).world()):
        old = Chronicle()
        old.world, old.desk = world, Desk(world)
        old.box = standard_toolbox(old.desk)
        assert world.memories["floor"].looked is not None and world.memories["floor"].moved == 7
        old.send(old.market, "list", old.cats, 3, "nobody", ETHER)
        old.use("wait", seconds=str(DAY))
        told.append(old.desk.stage.moves)
    assert told[0] == told[1] and len(told[0]) == 1


def test_a_past_that_has_no_end_is_a_defect() -> None:
    """What was sent must be mined before the agent begins."""
    bazaar = Bazaar()
    bazaar.scene.pass_until(bazaar.scene.start - 30)
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, 9 * ETHER), since=-40)
    with pytest.raises(BenchmarkDefect, match="more than its history has"):
        bazaar.open()


def test_its_purse_is_full_when_the_agent_begins() -> None:
    old = Chronicle().open()
    assert old.world.engine.balance(old.address(old.bot)) == 50 * ETHER
