"""A market in a scene with what stands on it: live offers, and listings that look as good and can't be filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from nftbench.tasks.goals import At, EtherChange, Goal, Owns
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import market

FEE = 250
"""Basis points that the market keeps of a price."""

Fate = Literal["live", "moved", "closed", "cancelled"]
"""What has become of a listing: it can be filled; its token is with somebody else; the market may not move it any more; it was
taken back."""


class Offered(NamedTuple):
    """One listing: the price is in wei, or in smallest units of a coin. `minter` owns the collection."""

    collection: str
    seller: str
    price: int
    fate: Fate = "live"
    currency: str = "nobody"
    minter: str = "team"


class Booth:
    """A market, and how many listings have been made there."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.market = market(scene, FEE)
        self.label = scene.labels[self.market]
        self._count = 0

    def stock(self, offers: Sequence[Offered]) -> list[int]:
        """Mint a token for each listing and list it, in drawn order. Returns the tokens' ids in the order of the offers."""
        draw = self.scene.draw
        ids = draw.shuffled(draw.numbers(len(offers), 401, 999))
        for offer, token_id in zip(offers, ids, strict=True):
            self.scene.mint(offer.collection, offer.seller, [token_id], by=offer.minter)
        for offer, token_id in draw.shuffled(list(zip(offers, ids, strict=True))):
            self._list(offer, token_id)
        return ids

    def _list(self, offer: Offered, token_id: int) -> None:
        step, seller, collection = self.scene.step, offer.seller, offer.collection
        step(seller, collection, "approve", At(self.market), token_id)
        step(seller, self.market, "list", At(collection), token_id, At(offer.currency), offer.price)
        self._count += 1
        if offer.fate == "moved":
            step(seller, collection, "transferFrom", At(seller), At("team"), token_id)
        elif offer.fate == "closed":
            step(seller, collection, "approve", At("nobody"), token_id)
        elif offer.fate == "cancelled":
            step(seller, self.market, "cancel", self._count)

    def bought(self, offer: Offered, token_id: int) -> tuple[Goal, ...]:
        """Goals: the user has the token, and the seller and the market have its price in ether."""
        fee = offer.price * FEE // BASIS_POINTS
        return (
            Owns("user", offer.collection, token_id),
            EtherChange("user", -offer.price),
            EtherChange(offer.seller, offer.price - fee),
            EtherChange("team", fee),
        )
