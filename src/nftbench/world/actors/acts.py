"""What an actor does: an act before it is done, a move when it is, and what a policy keeps in mind between."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from nftbench.chain.engine import Receipt, Transaction
from nftbench.world.ledger import Difference
from nftbench.world.order_book import Entry

Place = Literal["ahead", "behind", "after"]
"""Where a move stands against the agent's transaction: in front of it or behind it at its time, or after it."""


class Act(Struct, frozen=True):
    """What a policy would do now: these transactions, all or none, and these entries of the order book, for this reason. Nothing
    at all is only a thought: it changes what is kept in mind (`notes`; None keeps what there is). `signed` says that it uses a
    signature of the agent's."""

    transactions: tuple[Transaction, ...]
    reason: str
    notes: Any = None
    signed: bool = False
    posts: tuple[Entry, ...] = ()


class Move(Struct, frozen=True):
    """What one move of an actor did, fees left out. `before_block` is the last block before it; `signed` says that it used
    a signature of the agent's; `reason` says why it moved, for people who read the record; `posts` are the orders that it put
    into the order book, which takes no block."""

    actor: str
    hostile: bool
    before_block: int
    receipts: tuple[Receipt, ...]
    differences: tuple[Difference, ...]
    signed: bool = False
    reason: str = ""
    place: Place = "after"
    posts: tuple[Entry, ...] = ()


class Memory(Struct, frozen=True):
    """What a counterparty keeps in mind: how many of the chain's logs and transactions, of the agent's signatures and of the
    order book's entries it has seen, when it looked last (None: never), when time alone will give it something to do (None:
    never), how often it has moved, and its policy's own notes."""

    logs: int = 0
    receipts: int = 0
    signatures: int = 0
    orders: int = 0
    looked: int | None = None
    moment: int | None = None
    moved: int = 0
    notes: Any = None
