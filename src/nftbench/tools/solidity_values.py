"""JSON values as Solidity's types: what a contract call is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nftbench.chain.abi import Parameter
from nftbench.tools.arguments import ArgumentError, decode_address, decode_bytes, decode_integer, read_text, refusal

_ARRAY = re.compile(r"(.*)\[(\d*)\]$")


def decode_call_arguments(parameters: Sequence[Parameter], given: Sequence[Any], signature: str) -> tuple[Any, ...]:
    """A contract call's arguments from JSON, in order, by their Solidity types."""
    if len(given) != len(parameters):
        wanted = ", ".join(f"{p.type} {p.name}".strip() for p in parameters)
        raise ArgumentError(f"{signature} takes {len(parameters)} arguments ({wanted}); got {len(given)}")
    return tuple(
        decode_value(p, value, p.name or f"arguments[{i}]")
        for i, (p, value) in enumerate(zip(parameters, given, strict=True))
    )


def decode_value(parameter: Parameter, value: Any, name: str) -> Any:
    """One JSON value as the Solidity type of the parameter. Arrays and structs may be one JSON text each."""
    kind = parameter.type
    array = _ARRAY.match(kind)
    if array:
        return _decode_array(parameter, array, value, name)
    if kind == "tuple":
        return _decode_tuple(parameter, value, name)
    if kind == "address":
        return decode_address(name, value)
    if kind == "bool":
        if isinstance(value, str) and value in ("true", "false"):
            return value == "true"
        if not isinstance(value, bool):
            raise refusal(name, "true or false", value)
        return value
    if kind == "string":
        if not isinstance(value, str):
            raise refusal(name, "text", value)
        if not value.isascii() and any(0xD800 <= ord(c) <= 0xDFFF for c in value):
            raise refusal(name, "text without lone surrogates", value)
        return value
    if kind == "function":
        return decode_bytes(name, value, 24)
    if kind.startswith("bytes"):
        return decode_bytes(name, value, int(kind[5:]) if kind[5:] else None)
    bits = int(kind.lstrip("uint") or 256)
    if kind.startswith("uint"):
        return decode_integer(name, value, 0, 2**bits - 1)
    return decode_integer(name, value, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _decode_array(parameter: Parameter, array: re.Match[str], value: Any, name: str) -> tuple[Any, ...]:
    size = array[2]
    value = read_text(value) if isinstance(value, str) else value
    if not isinstance(value, list) or (size and len(value) != int(size)):
        expected = f"a JSON array{f' of {size} items' if size else ''} ({parameter.canonical})"
        raise refusal(name, expected, value, '["1", "2"]')
    canonical = parameter.canonical[: parameter.canonical.rindex("[")]
    item = Parameter(parameter.name, array[1], canonical, parameter.components)
    return tuple(decode_value(item, v, f"{name}[{i}]") for i, v in enumerate(value))


def _decode_tuple(parameter: Parameter, value: Any, name: str) -> tuple[Any, ...]:
    parts = parameter.components
    fields = ", ".join(f"{p.name}: {p.type}" if p.name else p.canonical for p in parts)
    value = read_text(value) if isinstance(value, str) else value
    if isinstance(value, dict) and all(p.name for p in parts):
        if set(value) != {p.name for p in parts}:
            raise refusal(name, f"an object with exactly the fields {fields}", value)
        value = [value[p.name] for p in parts]
    if not isinstance(value, list) or len(value) != len(parts):
        raise refusal(name, f"an object or array with the fields {fields}", value)
    pairs = enumerate(zip(parts, value, strict=True))
    return tuple(decode_value(p, v, f"{name}.{p.name or i}") for i, (p, v) in pairs)
