"""A stand with the real Seaport, on which people have orders that the contract has validated, and a conduit."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.goals import At, Reading
from tests.world.actors.markets import Bazaar

ETHER = 10**18
DAY = 86_400
ERC721, ERC1155 = 2, 3


class Harbour(Bazaar):
    """A Bazaar with a Seaport that may move everybody's cats and ore. `order` puts an order of somebody's on it."""

    def __init__(self, seed: str = "harbour") -> None:
        super().__init__(seed)
        scene = self.scene
        controller = scene.contract("ConduitController", (), label="Conduit Controller", listed=False)
        self.seaport = scene.contract("Seaport", (At(controller),), label="Seaport")
        for who in ("user", self.mira):
            for what in (self.cats, self.ore):
                scene.step(who, what, "setApprovalForAll", At(self.seaport), True)

    def parameters(self, who: str, token_id: int, price: Any, **changes: Any) -> tuple[Any, ...]:
        """OrderParameters: a cat for ether, of which `fee` goes to the team; or `coin`, `amount` units of ore, other times.
        `price` is an amount, or two where it changes in a line."""
        first, last = price if isinstance(price, tuple) else (price, price)
        given = {
            "fee": 0,
            "coin": None,
            "amount": None,
            "starts": -40 * DAY,
            "ends": 30 * DAY,
            "salt": token_id,
        } | changes
        coin, fee = given["coin"], given["fee"]
        kind, token = (0, At("nobody")) if coin is None else (1, At(coin))
        amount = given["amount"]
        what = (ERC721, At(self.cats), token_id, 1, 1) if amount is None else (ERC1155, At(self.ore), 7, amount, amount)
        asked: tuple[Any, ...] = ((kind, token, 0, first - fee, last - fee, At(who)),)
        if fee:
            asked += ((kind, token, 0, fee, fee, At("team")),)
        start = self.scene.start
        times = (start + given["starts"], start + given["ends"])
        zero = b"\0" * 32
        return (At(who), At("nobody"), (what,), asked, 0, *times, zero, given["salt"], zero, len(asked))

    def order(self, who: str, token_id: int, price: Any, **changes: Any) -> None:
        """Let somebody have the contract validate an order of theirs before the start."""
        order = (self.parameters(who, token_id, price, **changes), b"")
        self.scene.step(who, self.seaport, "validate", (order,))

    def units(self, who: str) -> int:
        held: int = self.world.read(Reading(self.ore, "balanceOf", (At(who), 7)))
        return held
