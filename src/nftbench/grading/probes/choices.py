"""Which tokens an order takes where it names them by criteria: any of a collection, or those in a Merkle tree.

A tree says nothing of what is in it, so whoever wants to fill such an order must know its tokens: they are guessed from those
that a goal names, and from those that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from nftbench.chain.merkle import LAYOUTS
from nftbench.grading.probes.fills import ERC721_CRITERIA, ERC1155_CRITERIA
from nftbench.grading.probes.orders import Order
from nftbench.values import keccak256
from nftbench.world.ledger import Entry
from nftbench.world.world import World

MOST_ARRANGED = 4
"""Sets of so many tokens are tried in every arrangement of a tree; larger ones in the usual layouts."""
MOST_TRIED = 3


def with_criteria(order: Order) -> list[tuple[int, int, dict[str, object]]]:
    """The items of an order that name tokens by criteria: side (0 offer, 1 consideration), place and item."""
    sides = (order.components["offer"], order.components["consideration"])
    return [
        (side, index, item)
        for side, items in enumerate(sides)
        for index, item in enumerate(items)
        if item["itemType"] in (ERC721_CRITERIA, ERC1155_CRITERIA)
    ]


def proof_of(root: int, token_id: int, tokens: Sequence[int]) -> tuple[bytes, ...] | None:
    """The proof that a token is among those that a root stands for, if these are they; none is needed for root 0 (any token)."""
    if root == 0:
        return ()
    wanted, leaves = root.to_bytes(32, "big"), [leaf_of(each) for each in dict.fromkeys(tokens)]
    if token_id not in tokens:
        return None
    for layout in LAYOUTS.values():
        if layout.root(leaves) == wanted:
            return tuple(layout.proof(leaves, leaf_of(token_id)))
    for arranged in permutations(leaves) if len(leaves) <= MOST_ARRANGED else ():
        found, proof = _layered(arranged, leaf_of(token_id))
        if found == wanted:
            return proof
    return None


def leaf_of(token_id: int) -> bytes:
    return keccak256(token_id.to_bytes(32, "big"))


def _layered(leaves: Sequence[bytes], leaf: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """The root over leaves as they stand, pairs sorted and an odd one moving up, and the proof of one of them."""
    layer, at, proof = list(leaves), leaves.index(leaf), []
    while len(layer) > 1:
        if at ^ 1 < len(layer):
            proof.append(layer[at ^ 1])
        pairs = [sorted(layer[i : i + 2]) for i in range(0, len(layer), 2)]
        layer, at = [keccak256(b"".join(pair)) if len(pair) == 2 else pair[0] for pair in pairs], at // 2
    return layer[0], tuple(proof)


def others_tokens(world: World, collection: str, holder: str) -> Iterator[int]:
    """Tokens of a collection that somebody else than `holder` and the agent has, and then one that is still to be made."""
    ids = world.surveyor.token_ids(collection)
    units = sorted({entry.detail for entry in world.surveyor.entries("units", collection)})
    for token_id in ids:
        owner = world.surveyor.read(Entry("owner", collection, token_id, None))
        if isinstance(owner, str) and owner != holder and owner not in world.controlled:
            yield token_id
    yield from units
    if not units:
        yield max(ids, default=0) + 1
