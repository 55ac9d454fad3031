"""Signed orders as frozen data. Names are those of the fixture; terms are Seaport's own.

An order is made while the world is built, at its step's moment of history: its counter is the offerer's at that moment unless
it says otherwise.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Literal

from msgspec import Struct

from nftbench.tasks.goals.values import At


class ItemType(IntEnum):
    """Seaport's item types."""

    NATIVE = 0
    ERC20 = 1
    ERC721 = 2
    ERC1155 = 3
    ERC721_WITH_CRITERIA = 4
    ERC1155_WITH_CRITERIA = 5


class OrderType(IntEnum):
    """Seaport's order types: an OPEN order heeds no zone, a PARTIAL one may be filled in fractions."""

    FULL_OPEN = 0
    PARTIAL_OPEN = 1
    FULL_RESTRICTED = 2
    PARTIAL_RESTRICTED = 3


class Item(Struct, frozen=True):
    """One item of an offer (`recipient` None) or of a consideration. `identifier` is a token id or, with criteria, a root (0:
    any token of the collection). Its amount goes in a line from `start_amount` to `end_amount` (None: it stays)."""

    item_type: ItemType
    token: At
    identifier: int
    start_amount: Any
    end_amount: Any = None
    recipient: At | None = None

    def words(self) -> tuple[Any, ...]:
        """As the contract takes it, names unresolved."""
        end = self.start_amount if self.end_amount is None else self.end_amount
        plain = (int(self.item_type), self.token, self.identifier, self.start_amount, end)
        return plain if self.recipient is None else (*plain, self.recipient)


class Order(Struct, frozen=True, kw_only=True):
    """An order by its name in the fixture. Times are Unix seconds. `conduit` names the contract that moves the offerer's
    assets (None: the exchange itself); `conduit_key` is given instead for one that there is not. `counter` None is the
    offerer's at the moment of signing."""

    name: str
    exchange: str
    offerer: str
    offer: tuple[Item, ...]
    consideration: tuple[Item, ...]
    start_time: int
    end_time: int
    order_type: OrderType = OrderType.FULL_OPEN
    zone: str = "nobody"
    zone_hash: bytes = bytes(32)
    salt: int = 0
    conduit: str | None = None
    conduit_key: bytes | None = None
    counter: int | None = None


SigningForm = Literal["full", "compact", "bulk", "none"]
"""65 bytes; 64 bytes (EIP-2098); one signature over the Merkle tree of all; no signature (it will be validated on chain)."""


class SignOrders(Struct, frozen=True):
    """A step of a fixture: the orders come to be and are signed, off chain, which takes no block. `signer` None is each order's
    offerer; another account's signature is a forged one, or that of an owner of a contract which offers (ERC-1271)."""

    orders: tuple[Order, ...]
    form: SigningForm = "full"
    signer: str | None = None


class PostOrder(Struct, frozen=True):
    """A step of a fixture: an order is put into the order book. `status` is what the book tells of it when the agent begins,
    whatever the chain says by then; from then on the book follows the exchange's events."""

    order: str
    status: str = "active"
