"""What the agent changed that the starting ledger says nothing of.

The ledger holds what interfaces tell in general. Beside it are looked at: every view of a token that one of the agent's own
transactions named and changed, unless the token changed hands. What no view of a known token shows is left to the slots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nftbench.chain.abi import Function
from nftbench.tools.toolbox import Desk
from nftbench.world.ledger import Difference, Entry, single_output
from nftbench.world.world import World

_ID_NAMES = ("tokenid", "id")
_ROYALTY, _SALE_PRICE = "royaltyInfo(uint256,uint256)", 10_000
_BY_THE_LEDGER = ("ownerOf", "getApproved")


def unseen_views(desk: Desk, seen: Sequence[Difference]) -> Iterator[Difference]:
    """Views of tokens that differ from the start by the agent's own transactions; `seen` is what the ledger tells."""
    world = desk.world
    known = world.start.keys() | {difference.entry for difference in seen}
    moved = {(d.entry.contract, d.entry.subject) for d in seen if d.entry.kind == "owner"}
    for (contract, token_id), blocks in _named(desk).items():
        for function in () if (contract, token_id) in moved else world.interfaces[contract].functions:
            args = _token_args(function, token_id)
            entry = Entry("view", contract, function.signature, args)
            if args is None or entry in known:
                continue
            before, after = _read(world, entry, function, world.start_block), _read(world, entry, function, None)
            if before == after:
                continue
            if any(_read(world, entry, function, b - 1) != _read(world, entry, function, b) for b in blocks):
                yield Difference(entry, before, after)


def _read(world: World, entry: Entry, function: Function, block: int | None) -> Any:
    """Not by the surveyor, which would keep the entry in its ledger from then on."""
    result = world.engine.call(entry.contract or "", function.encode(entry.detail), block=block)
    return single_output(function, result.output) if result.success else None


def _named(desk: Desk) -> dict[tuple[str, int], list[int]]:
    """The tokens whose ids stand in the agent's call data, of contracts called or heard of, with the blocks of those calls."""
    start = desk.world.start
    ids: dict[str | None, set[int]] = {}
    for entry in start:
        if entry.kind in ("owner", "units"):
            ids.setdefault(entry.contract, set()).add(entry.subject if entry.kind == "owner" else entry.detail)
    named: dict[tuple[str, int], list[int]] = {}
    for receipt in (r for r in desk.receipts if r.success):
        for contract in dict.fromkeys([receipt.to, *(log.address for log in receipt.logs)]):
            for token_id in sorted(ids.get(contract, ())):
                if token_id.to_bytes(32, "big") in receipt.data:
                    named.setdefault((str(contract), token_id), []).append(receipt.block_number)
    return named


def _token_args(function: Function, token_id: int) -> tuple[int, ...] | None:
    """What to ask a view of one token with; None for other functions, and for those that the ledger asks in its own way."""
    inputs = function.inputs
    if not function.read_only or function.name in _BY_THE_LEDGER or not inputs:
        return None
    if inputs[0].canonical != "uint256" or inputs[0].name.strip("_").lower() not in _ID_NAMES:
        return None
    if function.signature == _ROYALTY:
        return token_id, _SALE_PRICE
    return (token_id,) if len(inputs) == 1 else None
