"""A stand with a market of fixed prices, at which bots and people trade."""

from __future__ import annotations

from nftbench.tasks.goals import At, Reading
from tests.world.scenes import Stand

ETHER = 10**18


class Bazaar(Stand):
    """A Stand with a market (fee 2.5 %) that may move the user's and mira's cats, and a well-off bot. Mira lists #4 at 3 and
    #5 at 1 ether (listings 1 and 2), the user lists #1 at 2 ether and #2 at 0.5 (3 and 4)."""

    def __init__(self, seed: str = "bazaar") -> None:
        super().__init__(seed)
        scene = self.scene
        self.market = scene.contract("SimpleMarket", (At("team"), 250), label="Test Market")
        self.bot = scene.person("Bot", listed=False, ether=50)
        for who in ("user", self.mira):
            scene.step(who, self.cats, "setApprovalForAll", At(self.market), True)
        for who, token_id, price in ((self.mira, 4, 3.0), (self.mira, 5, 1.0), ("user", 1, 2.0), ("user", 2, 0.5)):
            scene.step(who, self.market, "list", At(self.cats), token_id, At("nobody"), int(price * ETHER))

    def owner(self, token_id: int) -> str:
        return self.world.names[self.world.read(Reading(self.cats, "ownerOf", (token_id,)))]

    def told(self) -> list[tuple[str, str, str]]:
        """Who has moved, where, and why."""
        return [(move.actor, move.place, move.reason) for move in self.desk.stage.moves]

    def try_send(self, target: str, function: str, *args: object, value: int = 0) -> dict[str, object]:
        """A transaction of the agent's that may fail."""
        given = {"to": self.address(target), "function": function, "arguments": [self._plain(a) for a in args]}
        return self.use("send_transaction", **given, **({"value_wei": str(value)} if value else {}))
