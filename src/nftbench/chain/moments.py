"""A chain at one moment: as a mark to go back to, and as state to put up again elsewhere."""

from __future__ import annotations

from msgspec import Struct

from nftbench.chain.engine import Block, Log, Receipt
from nftbench.chain.rules import Chain
from nftbench.chain.state import KeptState


class Mark(Struct, frozen=True):
    """A point to restore to: how long each of the engine's records was."""

    changes: int
    blocks: int
    logs: int
    receipts: int
    pending_base_fee: int


class KeptChain(Struct, frozen=True):
    """Everything that a chain was at one moment, to be put up again in this process: state, history, clock and fees."""

    terms: Chain
    block_seconds: int
    state: KeptState
    blocks: tuple[Block, ...]
    starts: tuple[int, ...]
    pending_base_fee: int
    logs: tuple[Log, ...]
    receipts: tuple[Receipt, ...]
