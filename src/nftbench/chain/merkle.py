"""Merkle trees as allowlists use them: Keccak-256 of sorted pairs, as OpenZeppelin's MerkleProof checks them.

Two layouts are in use, whose roots differ for 5, 7 or 9 leaves, among others: what a contract has depends on the program
that made its tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from nftbench.values import keccak256


class Layout(Struct, frozen=True):
    """One way to build a tree. `root` and `proof` sort the 32-byte leaves first; a proof is the siblings from the leaf up.
    ValueError without leaves, or for a leaf that is not among them."""

    root: Callable[[Sequence[bytes]], bytes]
    proof: Callable[[Sequence[bytes], bytes], list[bytes]]


def _pair(a: bytes, b: bytes) -> bytes:
    return keccak256(a + b if a <= b else b + a)


def _next_layer(layer: Sequence[bytes]) -> list[bytes]:
    pairs = [_pair(layer[i], layer[i + 1]) for i in range(0, len(layer) - 1, 2)]
    return pairs + list(layer[len(layer) - 1 :]) if len(layer) % 2 else pairs


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root where pairs are hashed layer by layer and an odd node moves up; a single leaf is its own root."""
    layer = _sorted(leaves)
    while len(layer) > 1:
        layer = _next_layer(layer)
    return layer[0]


def merkle_proof(leaves: Sequence[bytes], leaf: bytes) -> list[bytes]:
    """The siblings from `leaf` up to that root, bottom first."""
    layer = _sorted(leaves)
    position, proof = _position(layer, leaf), []
    while len(layer) > 1:
        sibling = position ^ 1
        if sibling < len(layer):
            proof.append(layer[sibling])
        layer = _next_layer(layer)
        position //= 2
    return proof


def _sorted(leaves: Sequence[bytes]) -> list[bytes]:
    if not leaves:
        raise ValueError("a Merkle tree needs at least one leaf")
    return sorted(leaves)


def _position(leaves: Sequence[bytes], leaf: bytes) -> int:
    if leaf not in leaves:
        raise ValueError("this leaf is not among the leaves")
    return leaves.index(leaf)


def _complete_tree(leaves: Sequence[bytes]) -> list[bytes]:
    """The nodes of a complete binary tree, the root first and the sorted leaves last, in reverse (OpenZeppelin's layout)."""
    ordered = _sorted(leaves)
    tree = [b""] * (len(ordered) - 1) + ordered[::-1]
    for node in reversed(range(len(ordered) - 1)):
        tree[node] = _pair(tree[2 * node + 1], tree[2 * node + 2])
    return tree


def _complete_proof(leaves: Sequence[bytes], leaf: bytes) -> list[bytes]:
    tree = _complete_tree(leaves)
    node, proof = len(tree) - 1 - _position(_sorted(leaves), leaf), []
    while node:
        proof.append(tree[node + 1 if node % 2 else node - 1])
        node = (node - 1) // 2
    return proof


LAYOUTS = {
    "plain": Layout(merkle_root, merkle_proof),
    "openzeppelin": Layout(lambda leaves: _complete_tree(leaves)[0], _complete_proof),
}
