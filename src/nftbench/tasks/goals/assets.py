"""Goals about who has what."""

from __future__ import annotations

from msgspec import Struct


class Owns(Struct, frozen=True, tag=True):
    """`account` is the owner of one non-fungible token; any approval of that token is gone."""

    account: str
    collection: str
    token_id: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} owns {self.collection} #{self.token_id}"


class HoldsUnits(Struct, frozen=True, tag=True):
    """`account` holds exactly `amount` units of an ERC-1155 token id."""

    account: str
    collection: str
    token_id: int
    amount: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} holds {self.amount} of {self.collection} #{self.token_id}"


class HoldsCoins(Struct, frozen=True, tag=True):
    """`account` holds exactly `amount` smallest units of an ERC-20 token."""

    account: str
    token: str
    amount: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} holds {self.amount} smallest units of {self.token}"
