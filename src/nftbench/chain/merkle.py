"""Merkle trees as allowlists use them: keccak of sorted pairs, an odd node moves up unchanged (OpenZeppelin MerkleProof)."""

from __future__ import annotations

from collections.abc import Sequence

from nftbench.values import keccak256


def _pair(a: bytes, b: bytes) -> bytes:
    return keccak256(a + b if a <= b else b + a)


def _next_layer(layer: Sequence[bytes]) -> list[bytes]:
    pairs = [_pair(layer[i], layer[i + 1]) for i in range(0, len(layer) - 1, 2)]
    return pairs + list(layer[len(layer) - 1 :]) if len(layer) % 2 else pairs


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root over 32-byte leaves, which are sorted first; a single leaf is its own root. ValueError without leaves."""
    layer = sorted(leaves)
    if not layer:
        raise ValueError("a Merkle tree needs at least one leaf")
    while len(layer) > 1:
        layer = _next_layer(layer)
    return layer[0]


def merkle_proof(leaves: Sequence[bytes], leaf: bytes) -> list[bytes]:
    """The siblings from `leaf` up to the root, bottom first; ValueError if the leaf is not among the leaves."""
    layer = sorted(leaves)
    if leaf not in layer:
        raise ValueError("this leaf is not among the leaves")
    position, proof = layer.index(leaf), []
    while len(layer) > 1:
        sibling = position ^ 1
        if sibling < len(layer):
            proof.append(layer[sibling])
        layer = _next_layer(layer)
        position //= 2
    return proof
