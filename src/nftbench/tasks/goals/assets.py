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


class OwnsOneOf(Struct, frozen=True, tag=True):
    """`account` owns exactly `count` of these tokens, whichever, or that many `or_more`; the others are where they were.

    `options` are collections and token ids, none of them the account's at the start.
    """

    account: str
    options: tuple[tuple[str, int], ...]
    count: int = 1
    or_more: bool = False
    by: int | None = None

    def read_aloud(self) -> str:
        tokens = ", ".join(f"{collection} #{token_id}" for collection, token_id in self.options)
        return f"{self.account} owns {'at least' if self.or_more else 'exactly'} {self.count} of {tokens}"


class Together(Struct, frozen=True, tag=True):
    """These goals came to hold in one and the same transaction, before which everything that they are about was as at the
    start: what "in one go" asks for, by any function."""

    goals: tuple[Owns | HoldsUnits | HoldsCoins, ...]
    by: int | None = None

    def read_aloud(self) -> str:
        return "in one transaction: " + "; ".join(goal.read_aloud() for goal in self.goals)
