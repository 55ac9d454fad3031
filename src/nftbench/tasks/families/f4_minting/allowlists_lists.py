"""The published lists of Merkle mints: rows, leaves as the two collections hash them, documents, OpenZeppelin's tree dump."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from nftbench.chain.merkle import merkle_proof, merkle_root
from nftbench.tasks.scene import Scene
from nftbench.values import keccak256

ACCOUNTS_ONLY = "keccak256(abi.encodePacked(account))"
WITH_ALLOWANCES = "keccak256(keccak256(abi.encode(account, allowance)))"
TREE = "leaves in ascending order; two neighbours are hashed in ascending order; an odd one moves up as it is"


class Row(NamedTuple):
    """One line of a list: an address and how many it may mint (None: the list holds addresses alone)."""

    account: str
    allowance: int | None


def leaf(row: Row) -> bytes:
    """What AllowlistCollection, or without an allowance AddressAllowlistCollection, hashes the row to."""
    account = bytes.fromhex(row.account[2:])
    if row.allowance is None:
        return keccak256(account)
    return keccak256(keccak256(account.rjust(32, b"\0") + row.allowance.to_bytes(32, "big")))


def root(rows: Sequence[Row]) -> bytes:
    return merkle_root([leaf(row) for row in rows])


def proof(rows: Sequence[Row], row: Row) -> tuple[bytes, ...]:
    return tuple(merkle_proof([leaf(r) for r in rows], leaf(row)))


def document(scene: Scene, collection: str, rows: Sequence[Row]) -> str:
    """The list as a team publishes it, with addresses in lower case and the rules of its tree."""
    entries: list[dict[str, Any]] = []
    for row in rows:
        allowance = {} if row.allowance is None else {"allowance": str(row.allowance)}
        entries.append({"account": row.account.lower()} | allowance)
    content = {
        "collection": scene.labels[collection],
        "contract": scene.contract_address(collection),
        "leaf": ACCOUNTS_ONLY if rows[0].allowance is None else WITH_ALLOWANCES,
        "tree": TREE,
        "entries": entries,
    }
    return json.dumps(content, indent=1)


class Heap(NamedTuple):
    """A tree as @openzeppelin/merkle-tree lays it out: the root first, the children of node i at 2i + 1 and 2i + 2, the
    leaves last with the smallest at the very end. Its shape, and so its root, is another than that of layers from below."""

    nodes: tuple[bytes, ...]
    positions: tuple[int, ...]

    def proof(self, position: int) -> tuple[bytes, ...]:
        """The siblings from the node at `position` up to the root."""
        siblings = []
        while position:
            siblings.append(self.nodes[position + 1 if position % 2 else position - 1])
            position = (position - 1) // 2
        return tuple(siblings)


def heap(rows: Sequence[Row]) -> Heap:
    """OpenZeppelin's tree over the rows; `positions` says where each row's leaf is."""
    leaves = [leaf(row) for row in rows]
    nodes = [b""] * (len(leaves) - 1) + sorted(leaves, reverse=True)
    for i in range(len(leaves) - 2, -1, -1):
        nodes[i] = keccak256(b"".join(sorted(nodes[2 * i + 1 : 2 * i + 3])))
    return Heap(tuple(nodes), tuple(nodes.index(one, len(leaves) - 1) for one in leaves))


def dump(rows: Sequence[Row]) -> str:
    """The rows and their tree in the `standard-v1` format of @openzeppelin/merkle-tree."""
    tree = heap(rows)
    values = [
        {"value": [row.account, str(row.allowance)], "treeIndex": position}
        for row, position in zip(rows, tree.positions, strict=True)
    ]
    content = {
        "format": "standard-v1",
        "leafEncoding": ["address", "uint256"],
        "tree": ["0x" + node.hex() for node in tree.nodes],
        "values": values,
    }
    return json.dumps(content)
