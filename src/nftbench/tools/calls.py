"""From a tool's contract, function and arguments to call data, by the verified interface or a full signature."""

from __future__ import annotations

import re
from typing import Any

from nftbench.chain.abi import Function, Parameter, UnknownFunction
from nftbench.chain.codec import codec
from nftbench.chain.selectors import selector
from nftbench.tools.arguments import ArgumentError, decode_call_arguments, shown
from nftbench.tools.toolbox import Desk

LONGEST_NAME = 200
_SIGNATURE = re.compile(r"([A-Za-z_$][A-Za-z0-9_$]*)\(([a-zA-Z0-9_\[\],]*)\)")
_BITS = "|".join(str(bits) for bits in range(8, 257, 8))
_TYPE = re.compile(rf"(address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?|u?int({_BITS}))(\[\d*\])*")


def parse_types(text: str, name: str) -> tuple[Parameter, ...]:
    """Comma-separated elementary Solidity types; ArgumentError names the one that is none."""
    types = [t for t in text.split(",") if t]
    for kind in types:
        if not _TYPE.fullmatch(kind):
            raise ArgumentError(
                f"argument {name!r}: {kind[:40]!r} is no elementary Solidity type such as address, uint256, bytes32[] "
                "(write uint256, not uint)"
            )
        try:
            codec(kind)
        except ValueError as problem:
            raise ArgumentError(f"argument {name!r}: {kind[:40]!r} can't be used: {str(problem)[:80]}") from None
    return tuple(Parameter("", kind, kind) for kind in types)


def find_function(desk: Desk, contract: str, function: str, count: int, returns: list[Any] | None = None) -> Function:
    """The function meant: by full signature, or by name when only one of that name takes `count` arguments."""
    world = desk.world
    declared = world.contracts.get(contract)
    if declared is None and not world.engine.code(contract):
        raise ArgumentError(f"there is no contract at {contract}")
    interface = world.interfaces[contract] if declared is not None and declared.verified else None
    if interface is not None:
        fitting = [f for f in interface.overloads(function) if len(f.inputs) == count]
        if len(fitting) == 1:
            return fitting[0]
        try:
            return interface.function(function[:LONGEST_NAME])
        except UnknownFunction as unknown:
            if "(" not in function or not returns:
                raise ArgumentError(f"argument 'function': {unknown}; see get_contract") from None
    match = _SIGNATURE.fullmatch(function.replace(" ", ""))
    if match is None:
        raise ArgumentError(
            "argument 'function': this contract's source is not verified, so give a full signature such as "
            f"'ownerOf(uint256)'; got {shown(function)}"
        )
    inputs, outputs = parse_types(match[2], "function"), parse_types(",".join(map(str, returns or [])), "returns")
    signature = f"{match[1]}({match[2]})"
    return Function(match[1], signature, selector(signature), inputs, outputs, "view")


def call_data(
    desk: Desk, contract: str, function: str, arguments: list[Any] | None, returns: list[Any] | None = None
) -> tuple[Function, bytes]:
    """The function and the encoded call."""
    given = arguments or []
    found = find_function(desk, contract, function, len(given), returns)
    return found, found.encode(decode_call_arguments(found.inputs, given, found.signature))
