"""Goals about what is for sale."""

from __future__ import annotations

from msgspec import Struct


class SoleListing(Struct, frozen=True, tag=True):
    """Of the listings that the agent's accounts made on a SimpleMarket since the start, only this token's newest stands,
    unless it has been sold."""

    market: str
    collection: str
    token_id: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the only new listing on {self.market} is that of {self.collection} #{self.token_id}"
