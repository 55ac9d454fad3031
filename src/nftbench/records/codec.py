"""Records as JSON text: ASCII escapes throughout, numbers finite, results typed.

Text that a model wrote may hold lone surrogates, which no UTF-8 file can; escaped, they survive. Numbers that JSON
lacks become the words NaN, Infinity and -Infinity; integers beyond what Python will print become hexadecimal text.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from nftbench.records.model import Result

MAX_DEPTH = 100
MAX_INTEGER_BITS = 4096
TOO_DEEP = f"[left out: nested deeper than {MAX_DEPTH} levels]"


class Unreadable(ValueError):
    """A record that is cut, is not JSON, or does not have the shape it should; the message says which."""


def encode(value: Any, *, indent: int | None = None) -> bytes:
    """ASCII JSON of plain values (None, bool, int, float, str, list, tuple, dict); TypeError for anything else.

    A value that JSON can't carry as it stands is tamed first: see the module's docstring and MAX_DEPTH.
    """
    carried = value if _is_tame(value) else _tamed(value, MAX_DEPTH)
    return json.dumps(carried, allow_nan=False, indent=indent).encode("ascii")


def encode_line(value: Mapping[str, Any]) -> bytes:
    """One line of a .jsonl file, its newline included."""
    return encode(value) + b"\n"


def encode_trajectory(trajectory: Mapping[str, Any] | bytes, run_id: str) -> bytes:
    """The text of a trajectory.json, tied to a run by the run's id. In bytes it is what `encode` gave for one without an id."""
    if isinstance(trajectory, bytes):
        return b'%s, "run_id": %s}\n' % (trajectory[:-1], encode(run_id))
    return encode({**trajectory, "run_id": run_id}) + b"\n"


def encode_result(result: Result, run_id: str = "") -> bytes:
    """The text of a result.json, tied to a run by the run's id and to itself by a digest."""
    fields = decode(encode({**msgspec.to_builtins(result), "run_id": run_id}))
    return encode({**fields, "digest": digest(fields)}, indent=2) + b"\n"


def digest(fields: Mapping[str, Any]) -> str:
    """A sum over the fields of a record as they were read or are to be written, in whatever order and spacing; a
    `digest` among them does not count."""
    kept = {name: value for name, value in fields.items() if name != "digest"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def decode(raw: bytes) -> Any:
    """The JSON value in the given bytes; Unreadable if there is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"it is cut or no JSON ({type(problem).__name__})") from None


def decode_result(raw: bytes) -> Result:
    """The Result in the text of a result.json; Unreadable if any field is missing, unknown in kind, or does not fit."""
    return result_in(decode(raw))


def result_in(fields: Any) -> Result:
    """The Result in the decoded fields of a result.json; Unreadable as decode_result."""
    try:
        result = msgspec.convert(fields, Result)
    except msgspec.ValidationError as problem:
        raise Unreadable(f"it is no result: {problem}") from None
    if result.success and result.status != "scored":
        raise Unreadable("it claims success without having been scored")
    if result.success and not result.checks:
        raise Unreadable("it claims success without any check")
    if result.success and not all(check.passed for check in result.checks):
        raise Unreadable("it claims success against a check of its own")
    return result


def _is_tame(value: Any) -> bool:
    """Whether JSON carries the value as it stands, and any reader can follow its nesting."""
    level, depth = [value], 0
    while level:
        if depth > MAX_DEPTH:
            return False
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item)
                below.extend(item.values())
            elif isinstance(item, (list, tuple)):
                below.extend(item)
            elif (isinstance(item, float) and not math.isfinite(item)) or (
                isinstance(item, int) and item.bit_length() > MAX_INTEGER_BITS
            ):
                return False
        level, depth = below, depth + 1
    return True


def _tamed(value: Any, depth: int) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
        return hex(value)
    if not isinstance(value, (dict, list, tuple)):
        return value
    if depth == 0:
        return TOO_DEEP
    if isinstance(value, dict):
        return {_tamed(key, depth - 1): _tamed(item, depth - 1) for key, item in value.items()}
    return [_tamed(item, depth - 1) for item in value]
