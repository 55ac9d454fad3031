"""Solidity's abi.encodePacked: no padding, no offsets, no lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.chain.codec import WORD, EncodingError, codec


def encode_packed(types: Sequence[str], values: Sequence[Any]) -> bytes:
    """The packed encoding; EncodingError for values that don't fit, ValueError for types that can't be packed.

    As Solidity has it, elements of an array stay padded to 32 bytes, and structs and nested arrays can't be packed.
    """
    if len(types) != len(values):
        raise EncodingError(f"{len(types)} types and {len(values)} values were given")
    return b"".join(_packed(kind, value) for kind, value in zip(types, values, strict=True))


def _packed(kind: str, value: Any) -> bytes:
    if kind.endswith("]"):
        element = kind[: kind.rindex("[")]
        if element.endswith(("]", ")")) or element in ("string", "bytes"):
            raise ValueError(f"{kind} can't be packed: only arrays of plain values can")
        encoded = codec(kind).encode(value)
        return encoded[WORD:] if codec(kind).dynamic else encoded
    if kind.endswith(")"):
        raise ValueError(f"{kind} can't be packed: structs can't")
    word = codec(kind).encode(value)
    if kind in ("string", "bytes"):
        return value.encode() if isinstance(value, str) else bytes(value)
    if kind.startswith("bytes"):
        return word[: int(kind[5:])]
    if kind == "function":
        return word[:24]
    return word[-_width(kind) :]


def _width(kind: str) -> int:
    if kind == "address":
        return 20
    if kind == "bool":
        return 1
    return int(kind.removeprefix("u").removeprefix("int")) // 8
