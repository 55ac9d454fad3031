"""Prompts are solvable as written: whatever the reference sends was told, shown, or comes of that by a declared rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from nftbench.tasks.family import Derivation
from nftbench.validation.derivations import Seen, derived
from nftbench.validation.replay import Trace, Turn
from nftbench.values import UINT256_MAX, ZERO_ADDRESS

SENDING: dict[str, tuple[str, ...]] = {
    "call": ("contract", "arguments", "data", "block", "account"),
    "call_many": ("calls", "block", "account"),
    "simulate": ("to", "arguments", "data", "value_wei", "account", "then"),
    "send_transaction": ("to", "arguments", "data", "value_wei", "account"),
    "sign_typed_data": ("typed_data", "account"),
    "list_orders": ("order_hash", "collection", "token_id", "offerer", "currency"),
    "post_order": ("order", "signature"),
    "hash_data": ("values", "leaves", "leaf"),
    "get_contract": ("address",),
    "get_source": ("address",),
    "get_transactions": ("address",),
    "wait": ("until_event_of",),
    "finish_task": ("answer",),
}
"""The tools by which values leave the agent, and the arguments that hold them. A wait's moment is the agent's own choice."""

_HEX_TEXT = re.compile(r"0x((?:[0-9a-f]{2}){48,})")

CONSTANTS = (ZERO_ADDRESS, "0x", "0", "1", str(UINT256_MAX))
"""Nobody, nothing, none, one, and as much as there can be: values that need no source."""


def unexplained(trace: Trace, rules: Iterable[Derivation]) -> list[str]:
    """A sentence for every address, number and byte string of the reference that comes from nowhere."""
    seen, found = Seen(trace.prompt), []
    rules = tuple(rules)
    for turn in trace.turns:
        seen.along = [int(value) for _, value in _leaves(turn.arguments.get("arguments"), "") if str(value).isdecimal()]
        for path, value in _sent(turn):
            if not _known(value, seen, rules):
                found.append(
                    f"the reference sends {str(value)[:80]} ({turn.name} {path}), which it was neither told nor shown"
                )
        seen.add(turn.result)
    return list(dict.fromkeys(found))


def _sent(turn: Turn) -> Iterator[tuple[str, Any]]:
    for name in SENDING.get(turn.name, ()):
        yield from _leaves(turn.arguments.get(name), name)


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in ("types", "function", "returns"):
                yield from _leaves(part, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{path}[{index}]")
    elif value is not None and not isinstance(value, bool):
        yield path, value


def _known(value: Any, seen: Seen, rules: tuple[Derivation, ...]) -> bool:
    text = str(value)
    if text in CONSTANTS:
        return True
    if text.startswith("0x"):
        filled, turned = "word" in rules and _word(text, seen), "compact" in rules and _compact(text, seen)
        return text.lower() in seen.text or filled or turned or ("decoded" in rules and text.lower() in _decoded(seen))
    if text.isdecimal():
        number = int(text)
        return number in seen.told or number in seen.shown or derived(number, seen, rules)
    return True


def _word(text: str, seen: Seen) -> bool:
    """A seen number, address or shorter byte string, filled up to 32 bytes at either end."""
    digits = text[2:].lower()
    parts = (digits.rstrip("0"), digits[-40:])
    return len(digits) == 64 and (int(digits, 16) in seen.numbers() or any(part in seen.text for part in parts))


def _decoded(seen: Seen) -> str:
    """The texts that were shown in hexadecimal."""
    return " ".join(bytes.fromhex(found).decode("utf-8", "ignore") for found in _HEX_TEXT.findall(seen.text)).lower()


def _compact(text: str, seen: Seen) -> bool:
    """A seen signature in the other of its two forms (EIP-2098): 64 bytes with the parity in the top bit of s, or r, s and v."""
    digits = text[2:].lower()
    if len(digits) == 128:
        s = f"{int(digits[64:], 16) & (2**255 - 1):064x}"
        return digits[:64] + s in seen.text
    if len(digits) == 130:
        s = f"{int(digits[64:128], 16) | (int(digits[128:], 16) - 27) << 255:064x}"
        return digits[:64] + s in seen.text
    return False
