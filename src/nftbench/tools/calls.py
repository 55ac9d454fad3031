"""From a tool's contract, function and arguments to call data, by the verified interface or a full signature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from nftbench.chain.abi import Function, Parameter, UnknownFunction
from nftbench.chain.codec import codec, split_types
from nftbench.chain.selectors import normalise_signature, selector
from nftbench.tools.arguments import ArgumentError, shown
from nftbench.tools.interfaces import interface_of
from nftbench.tools.solidity_values import decode_call_arguments
from nftbench.tools.toolbox import Desk

LONGEST_NAME = 200
LONGEST_TYPES = 2_000
_SIGNATURE = re.compile(r"([A-Za-z_$][A-Za-z0-9_$]*)(\([a-zA-Z0-9_\[\](),]*\))")
_BITS = "|".join(str(bits) for bits in range(8, 257, 8))
_TYPE = re.compile(rf"(address|bool|string|function|bytes([1-9]|[12][0-9]|3[0-2])?|u?int({_BITS}))(\[\d*\])*")
_TUPLE = re.compile(r"(?:tuple)?(\(.*\))((?:\[\d*\])*)")


def parse_types(types: Sequence[str], name: str) -> tuple[Parameter, ...]:
    """Solidity types, structs as their fields in parentheses; ArgumentError names the one that is none."""
    if sum(map(len, types)) > LONGEST_TYPES:
        raise ArgumentError(f"argument {name!r}: the types are longer than {LONGEST_TYPES} characters")
    return tuple(_parameter(kind.strip(), name) for kind in types)


def _parameter(kind: str, name: str) -> Parameter:
    try:
        canonical = normalise_signature(f"f({kind})")[2:-1] if "(" in kind else kind
        codec(canonical)
        return _parsed(canonical)
    except ValueError:
        raise ArgumentError(
            f"argument {name!r}: {kind[:60]!r} is no Solidity type such as address, uint256, bytes32[] or "
            "(address,uint256)[] (write uint256, not uint)"
        ) from None


def _parsed(kind: str) -> Parameter:
    """The parameter of a canonical type; ValueError for what the codec takes and Solidity does not."""
    if not kind.startswith("("):
        if not _TYPE.fullmatch(kind):
            raise ValueError(kind)
        return Parameter("", kind, kind)
    found = _TUPLE.fullmatch(kind)
    if found is None:
        raise ValueError(kind)
    return Parameter("", "tuple" + found[2], kind, tuple(map(_parsed, split_types(found[1]))))


def parse_list(parenthesised: str, name: str) -> tuple[Parameter, ...]:
    """The types of a list in parentheses, as a signature has it."""
    try:
        return parse_types(split_types(parenthesised), name)
    except ValueError:
        raise ArgumentError(f"argument {name!r}: the parentheses of {parenthesised[:60]!r} don't match") from None


def parse_signature(text: str, name: str, returns: Sequence[str] = ()) -> Function | None:
    """The function of a full signature, or None if the text is none."""
    match = _SIGNATURE.fullmatch(normalise_signature(text).replace(" ", ""))
    if match is None:
        return None
    inputs, outputs = parse_list(match[2], name), parse_types(returns, "returns")
    signature = match[1] + match[2]
    return Function(match[1], signature, selector(signature), inputs, outputs, "view")


def find_function(desk: Desk, contract: str, function: str, count: int, returns: Sequence[str] = ()) -> Function:
    """The function meant: by full signature, or by name when only one of that name takes `count` arguments."""
    world = desk.world
    if contract not in world.contracts and not world.engine.code(contract):
        raise ArgumentError(f"there is no contract at {contract}")
    interface = interface_of(world, contract)
    if interface is not None:
        fitting = [f for f in interface.overloads(function) if len(f.inputs) == count]
        if len(fitting) == 1:
            return fitting[0]
        try:
            return interface.function(function[:LONGEST_NAME])
        except UnknownFunction as unknown:
            if "(" not in function or not returns:
                raise ArgumentError(f"argument 'function': {unknown}; see get_contract") from None
    found = parse_signature(function, "function", returns)
    if found is None:
        raise ArgumentError(
            "argument 'function': this contract's source is not verified, so give a full signature such as "
            f"'ownerOf(uint256)' or 'fill((address,uint256),bytes)'; got {shown(function)}"
        )
    return found


def call_data(
    desk: Desk, contract: str, function: str, arguments: list[Any] | None, returns: Sequence[str] | None = None
) -> tuple[Function, bytes]:
    """The function and the encoded call."""
    given = arguments or []
    found = find_function(desk, contract, function, len(given), returns or ())
    return found, found.encode(decode_call_arguments(found.inputs, given, found.signature))


def given_call(
    desk: Desk, contract: str, given: dict[str, Any], returns: Sequence[str] | None = None
) -> tuple[Function | None, bytes]:
    """The call that a tool's `function` and `arguments`, or its raw `data`, stand for; no function where it is raw or none."""
    if given["data"] is not None:
        if given["function"] or given["arguments"]:
            raise ArgumentError("give either 'function' and 'arguments', or 'data'")
        return None, given["data"]
    if given["function"]:
        return call_data(desk, contract, given["function"], given["arguments"], returns)
    if given["arguments"]:
        raise ArgumentError("argument 'function' is missing: arguments were given without it")
    return None, b""
