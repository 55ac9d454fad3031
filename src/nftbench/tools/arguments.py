"""Strict decoding of what a model sends: JSON values to typed ones, with errors that a model can act on.

Every refusal names the argument, says what was expected and shows an example. Integers may come as JSON integers or as
decimal strings; nothing is rounded, guessed or filled in. Where a list or an object is asked, text that is exactly one JSON
value of that kind is read as it; which arguments came so is told beside the values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import Struct

from nftbench.calls import DEEPEST_ARGUMENTS, decode, nests_deeper
from nftbench.values import UINT256_MAX, checksum, is_checksum_valid

Kind = Literal[
    "address", "integer", "text", "hash", "data", "time", "texts", "values", "rows", "where", "object", "any", "loose"
]
"""`texts` are a list of texts, `values` a list of contract values, `rows` a list of objects with the argument's `fields`,
`where` values by name, `object` an object whose keys nobody knows beforehand,
`loose` a text that may also be what its JSON says."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,77})")
_HEX = re.compile(r"0x([0-9a-fA-F]{2})*")
SHOWN = 80
MOST_ROWS = 100


class ArgumentError(Exception):
    """An argument that can't be used; the text is for the model."""


class Argument(Struct, frozen=True, kw_only=True):
    """One parameter of a tool: its JSON name, kind and description; `example` is shown in errors."""

    name: str
    kind: Kind
    description: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    example: str = ""
    fields: tuple[Argument, ...] = ()


class Given(Struct, frozen=True):
    """The decoded arguments by name, None for those left out, and the places where JSON text was read as a list or object."""

    values: dict[str, Any]
    from_text: tuple[str, ...] = ()


def shown(value: Any) -> str:
    """A value as an error shows it, cut to a bounded length."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__} too long to show"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def refusal(name: str, expected: str, value: Any, example: str = "") -> ArgumentError:
    """The error for a value that is not what was expected."""
    hint = f", for example {example}" if example else ""
    return ArgumentError(f"argument {name!r}: expected {expected}{hint}; got {shown(value)}")


def decode_arguments(declared: Sequence[Argument], given: dict[str, Any], within: str = "") -> Given:
    """The given arguments decoded; ArgumentError for anything that can't be. `within` names the row that they are of."""
    names = [a.name for a in declared]
    unknown = [name for name in given if name not in names]
    if unknown:
        choices = ", ".join(names) or "none"
        what = f"field of {within[:-1]}" if within else "argument"
        raise ArgumentError(
            f"there is no {what} {shown(unknown[0])}; {'it has' if within else 'this tool takes'}: {choices}"
        )
    decoded: dict[str, Any] = {}
    from_text: list[str] = []
    for argument in declared:
        value, name = given.get(argument.name), within + argument.name
        if value is None:
            if argument.required:
                example = f", for example {argument.example}" if argument.example else ""
                what = f": {argument.description}" if argument.description else ""
                raise ArgumentError(f"argument {name!r} is missing{what}{example}")
            decoded[argument.name] = None
            continue
        if isinstance(value, str) and argument.kind in _STRUCTURED:
            value = read_text(value)
            if not isinstance(value, str) and argument.kind != "object":
                from_text.append(name)
        if argument.kind == "rows":
            rows = [_row(argument, row, f"{name}[{i}]") for i, row in enumerate(_list_of_rows(argument, name, value))]
            decoded[argument.name] = [row.values for row in rows]
            from_text += [place for row in rows for place in row.from_text]
        else:
            decoded[argument.name] = _DECODERS[argument.kind](argument, name, value)
    return Given(decoded, tuple(from_text))


def read_text(text: str) -> Any:
    """The list or object that a text is, if it is exactly one; the text itself otherwise."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    value = decode(text.strip())
    return value if isinstance(value, list | dict) and not nests_deeper(value, DEEPEST_ARGUMENTS) else text


def _list_of_rows(argument: Argument, name: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_ROWS:
        raise refusal(name, f"a JSON array of at most {MOST_ROWS} objects", value, argument.example)
    return value


def _row(argument: Argument, value: Any, name: str) -> Given:
    if isinstance(value, str):
        value = read_text(value)
    if not isinstance(value, dict):
        raise refusal(name, f"an object with {', '.join(f.name for f in argument.fields)}", value, argument.example)
    return decode_arguments(argument.fields, value, f"{name}.")


def decode_address(name: str, value: Any) -> str:
    example = '"0x52908400098527886E0F7030069857D2E4169EE7"'
    try:
        address = checksum(value)
    except (ValueError, TypeError):
        raise refusal(
            name,
            "an address (0x and 40 hexadecimal digits; names are in the address book of read_state)",
            value,
            example,
        ) from None
    if not is_checksum_valid(value):
        raise refusal(name, "an address whose upper and lower case agree (EIP-55); a digit may be mistyped", value)
    return address


def decode_integer(name: str, value: Any, low: int = 0, high: int = UINT256_MAX, example: str = '"1500"') -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(name, "a whole number as a decimal string", value, example)
    if not low <= value <= high:
        raise refusal(name, f"a whole number from {low} to {high}", value)
    return value


def decode_bytes(name: str, value: Any, size: int | None = None) -> bytes:
    expected = (
        '0x and pairs of hexadecimal digits ("0x" for none)'
        if size is None
        else f"0x and {2 * size} hexadecimal digits ({size} bytes)"
    )
    if not isinstance(value, str) or not _HEX.fullmatch(value) or (size is not None and len(value) != 2 + 2 * size):
        raise refusal(name, expected, value, '"0x' + ("00" * size if size else "12ab") + '"')
    return bytes.fromhex(value[2:])


def decode_time(name: str, value: Any) -> int:
    """A Unix time from whole seconds or from ISO 8601 text; without an offset it is UTC."""
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise refusal(name, "Unix seconds or an ISO 8601 time", value, '"2027-03-05T18:00:00Z"') from None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return decode_integer(name, value, high=2**40)


def _text(argument: Argument, name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise refusal(name, "text", value, argument.example)
    if argument.choices and value not in argument.choices:
        raise refusal(name, f"one of {', '.join(argument.choices)}", value)
    return value


def _texts(argument: Argument, name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise refusal(name, "a JSON array of texts", value, argument.example)
    return value


def _where(argument: Argument, name: str, value: Any) -> dict[str, Any]:
    """Values by name, from a list of objects with `name` and `value`, or from one object."""
    if isinstance(value, list) and all(isinstance(v, dict) and set(v) == {"name", "value"} for v in value):
        value = {str(v["name"]): v["value"] for v in value}
    if not isinstance(value, dict):
        raise refusal(name, "a list of objects with name and value", value, argument.example)
    return value


def _object(argument: Argument, name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise refusal(name, "a JSON object, itself or as one JSON text", value, argument.example)
    return value


def _values(argument: Argument, name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise refusal(name, "a JSON array", value, argument.example)
    return value


_STRUCTURED = ("texts", "values", "rows", "where", "object")
_DECODERS: dict[str, Callable[[Argument, str, Any], Any]] = {
    "address": lambda a, name, v: decode_address(name, v),
    "integer": lambda a, name, v: decode_integer(name, v, example=a.example or '"1500"'),
    "hash": lambda a, name, v: "0x" + decode_bytes(name, v, 32).hex(),
    "data": lambda a, name, v: decode_bytes(name, v),
    "time": lambda a, name, v: decode_time(name, v),
    "text": _text,
    "texts": _texts,
    "values": _values,
    "where": _where,
    "object": _object,
    "any": lambda a, name, v: v,
    "loose": lambda a, name, v: v,
}
