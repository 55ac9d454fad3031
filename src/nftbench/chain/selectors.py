"""Function signatures as text: their canonical form and the selectors made of it."""

from __future__ import annotations

import re
from functools import lru_cache

from nftbench.chain.codec import DEEPEST_TYPE, nesting, split_types
from nftbench.values import keccak256

LONGEST_SIGNATURE = 4_000
"""Characters of a signature that are looked at; the longest in use take some hundreds."""
_ALIASES = {"uint": "uint256", "int": "int256", "byte": "bytes1"}
_ARRAYS = re.compile(r"(?:\[[0-9]*\])*")


@lru_cache(maxsize=65536)
def selector(signature: str) -> bytes:
    """The first 4 bytes of the Keccak-256 of a canonical signature."""
    return keccak256(signature.encode())[:4]


def normalise_signature(text: str) -> str:
    """The canonical signature in text with spaces, parameter names or short types: `f(uint id)` is `f(uint256)`.

    What a Solidity declaration may have behind its parameters is dropped. Text without a well-formed list of parameters
    comes back unchanged, and then names no function; so does text that is too long, or nested too deeply, to be one.
    """
    if len(text) > LONGEST_SIGNATURE or nesting(text) > DEEPEST_TYPE:
        return text
    name, _, rest = text.strip().partition("(")
    try:
        end = _closing(rest)
        types = _canonical_list("(" + rest[:end])
    except ValueError:
        return text
    if rest[end:] and not rest[end].isspace():
        return text
    return name.strip().removeprefix("function ").strip() + types


def _canonical_list(parenthesised: str) -> str:
    return "(" + ",".join(map(_canonical, split_types(parenthesised))) + ")"


def _canonical(declaration: str) -> str:
    """The type in `uint id` or `tuple(address to, uint amount)[] calldata parts`."""
    text = declaration.strip()
    if text.startswith(("(", "tuple(")):
        inner = text.removeprefix("tuple")[1:]
        end = _closing(inner)
        base, rest = _canonical_list("(" + inner[:end]), inner[end:]
    else:
        match = re.match(r"\w+", text)
        if not match:
            raise ValueError(f"{declaration!r} names no type")
        base, rest = _ALIASES.get(match[0], match[0]), text[match.end() :]
    arrays = _ARRAYS.match(rest)
    return base + (arrays[0] if arrays else "")


def _closing(text: str) -> int:
    """Where the parenthesis that was opened before `text` has just been closed; ValueError if it never is."""
    depth = 1
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at + 1
    raise ValueError("a parenthesis is never closed")
