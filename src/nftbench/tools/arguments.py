"""Strict decoding of what a model sends: JSON values to typed ones, with errors that a model can act on.

Every refusal names the argument, says what was expected and shows an example. Integers may come as JSON integers or as
decimal strings; nothing is rounded, guessed or filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import Struct

from nftbench.chain.abi import Parameter as AbiParameter
from nftbench.values import UINT256_MAX, checksum, is_checksum_valid

Kind = Literal["address", "integer", "text", "list", "object", "any", "hash", "time"]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,77})")
_HEX = re.compile(r"0x([0-9a-fA-F]{2})*")
_ARRAY = re.compile(r"(.*)\[(\d*)\]$")
SHOWN = 80


class ArgumentError(Exception):
    """An argument that can't be used; the text is for the model."""


class Argument(Struct, frozen=True, kw_only=True):
    """One parameter of a tool: its JSON name, kind and description; `example` is shown in errors."""

    name: str
    kind: Kind
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    example: str = ""

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        kinds: dict[str, Any] = {"list": "array", "object": "object", "integer": "string", "any": None}
        kind = kinds.get(self.kind, "string")
        schema: dict[str, Any] = (
            {"description": self.description} if kind is None else {"type": kind, "description": self.description}
        )
        if self.choices:
            schema["enum"] = list(self.choices)
        return schema


def shown(value: Any) -> str:
    """A value as an error shows it, cut to a bounded length."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _refuse(name: str, expected: str, value: Any, example: str = "") -> ArgumentError:
    hint = f", for example {example}" if example else ""
    return ArgumentError(f"argument {name!r}: expected {expected}{hint}; got {shown(value)}")


def decode_arguments(declared: Sequence[Argument], given: dict[str, Any]) -> dict[str, Any]:
    """The given arguments by name, decoded; missing optional ones are None. ArgumentError for anything else."""
    names = [a.name for a in declared]
    unknown = [name for name in given if name not in names]
    if unknown:
        choices = ", ".join(names) or "none"
        raise ArgumentError(f"there is no argument {shown(unknown[0])}; this tool takes: {choices}")
    decoded: dict[str, Any] = {}
    for argument in declared:
        value = given.get(argument.name)
        if value is None:
            if argument.required:
                example = f", for example {argument.example}" if argument.example else ""
                raise ArgumentError(f"argument {argument.name!r} is missing: {argument.description}{example}")
            decoded[argument.name] = None
        else:
            decoded[argument.name] = _DECODERS[argument.kind](argument, value)
    return decoded


def decode_address(name: str, value: Any) -> str:
    example = '"0x52908400098527886E0F7030069857D2E4169EE7"'
    try:
        address = checksum(value)
    except (ValueError, TypeError):
        raise _refuse(
            name,
            "an address (0x and 40 hexadecimal digits; names are in the address book of read_state)",
            value,
            example,
        ) from None
    if not is_checksum_valid(value):
        raise _refuse(name, "an address whose upper and lower case agree (EIP-55); a digit may be mistyped", value)
    return address


def decode_integer(name: str, value: Any, low: int = 0, high: int = UINT256_MAX, example: str = '"1500"') -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(name, "a whole number as a decimal string", value, example)
    if not low <= value <= high:
        raise _refuse(name, f"a whole number from {low} to {high}", value)
    return value


def decode_bytes(name: str, value: Any, size: int | None = None) -> bytes:
    expected = (
        '0x and pairs of hexadecimal digits ("0x" for none)'
        if size is None
        else f"0x and {2 * size} hexadecimal digits ({size} bytes)"
    )
    if not isinstance(value, str) or not _HEX.fullmatch(value) or (size is not None and len(value) != 2 + 2 * size):
        raise _refuse(name, expected, value, '"0x' + ("00" * size if size else "12ab") + '"')
    return bytes.fromhex(value[2:])


def decode_time(name: str, value: Any) -> int:
    """A Unix time from whole seconds or from ISO 8601 text; without an offset it is UTC."""
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise _refuse(name, "Unix seconds or an ISO 8601 time", value, '"2027-03-05T18:00:00Z"') from None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return decode_integer(name, value, high=2**40)


def _text(argument: Argument, value: Any) -> str:
    if not isinstance(value, str):
        raise _refuse(argument.name, "text", value, argument.example)
    if argument.choices and value not in argument.choices:
        raise _refuse(argument.name, f"one of {', '.join(argument.choices)}", value)
    return value


def _of_type(kind: type, expected: str) -> Callable[[Argument, Any], Any]:
    def decode(argument: Argument, value: Any) -> Any:
        if not isinstance(value, kind):
            raise _refuse(argument.name, expected, value, argument.example)
        return value

    return decode


_DECODERS: dict[str, Callable[[Argument, Any], Any]] = {
    "address": lambda a, v: decode_address(a.name, v),
    "integer": lambda a, v: decode_integer(a.name, v, example=a.example or '"1500"'),
    "hash": lambda a, v: "0x" + decode_bytes(a.name, v, 32).hex(),
    "time": lambda a, v: decode_time(a.name, v),
    "text": _text,
    "list": _of_type(list, "a JSON array"),
    "object": _of_type(dict, "a JSON object"),
    "any": lambda a, v: v,
}


def decode_call_arguments(parameters: Sequence[AbiParameter], given: Sequence[Any], signature: str) -> tuple[Any, ...]:
    """A contract call's arguments from JSON, in order, by their Solidity types."""
    if len(given) != len(parameters):
        wanted = ", ".join(f"{p.type} {p.name}".strip() for p in parameters)
        raise ArgumentError(f"{signature} takes {len(parameters)} arguments ({wanted}); got {len(given)}")
    return tuple(
        decode_value(p, value, p.name or f"arguments[{i}]")
        for i, (p, value) in enumerate(zip(parameters, given, strict=True))
    )


def decode_value(parameter: AbiParameter, value: Any, name: str) -> Any:
    """One JSON value as the Solidity type of the parameter."""
    kind = parameter.type
    array = _ARRAY.match(kind)
    if array:
        return _decode_array(parameter, array, value, name)
    if kind == "tuple":
        return _decode_tuple(parameter, value, name)
    if kind == "address":
        return decode_address(name, value)
    if kind == "bool":
        if not isinstance(value, bool):
            raise _refuse(name, "true or false", value)
        return value
    if kind == "string":
        if not isinstance(value, str):
            raise _refuse(name, "text", value)
        if not value.isascii() and any(0xD800 <= ord(c) <= 0xDFFF for c in value):
            raise _refuse(name, "text without lone surrogates", value)
        return value
    if kind == "function":
        return decode_bytes(name, value, 24)
    if kind.startswith("bytes"):
        return decode_bytes(name, value, int(kind[5:]) if kind[5:] else None)
    bits = int(kind.lstrip("uint") or 256)
    if kind.startswith("uint"):
        return decode_integer(name, value, 0, 2**bits - 1)
    return decode_integer(name, value, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _decode_array(parameter: AbiParameter, array: re.Match[str], value: Any, name: str) -> tuple[Any, ...]:
    size = array[2]
    if not isinstance(value, list) or (size and len(value) != int(size)):
        raise _refuse(
            name, f"a JSON array{f' of {size} items' if size else ''} ({parameter.type})", value, '["1", "2"]'
        )
    item = AbiParameter(
        parameter.name, array[1], parameter.canonical[: parameter.canonical.rindex("[")], parameter.components
    )
    return tuple(decode_value(item, v, f"{name}[{i}]") for i, v in enumerate(value))


def _decode_tuple(parameter: AbiParameter, value: Any, name: str) -> tuple[Any, ...]:
    parts = parameter.components
    fields = ", ".join(f"{p.name}: {p.type}" for p in parts)
    if isinstance(value, dict):
        if set(value) != {p.name for p in parts}:
            raise _refuse(name, f"an object with exactly the fields {fields}", value)
        value = [value[p.name] for p in parts]
    if not isinstance(value, list) or len(value) != len(parts):
        raise _refuse(name, f"an object or array with the fields {fields}", value)
    return tuple(decode_value(p, v, f"{name}.{p.name}") for p, v in zip(parts, value, strict=True))
