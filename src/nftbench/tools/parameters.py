"""Arguments that several tools share."""

from __future__ import annotations

from msgspec.structs import replace

from nftbench.tools.arguments import Argument

ADDRESS = Argument(name="address", kind="address", required=True)
CONTRACT = Argument(name="contract", kind="address", required=True)
FUNCTION = Argument(
    name="function",
    kind="text",
    description="name, or full signature where overloaded or not verified",
    example='"ownerOf(uint256)"',
)
ARGUMENTS = Argument(
    name="arguments",
    kind="values",
    description="in order; integers as decimal strings, bytes as 0x hex, structs as lists of fields or JSON text",
    example='["0x52908400098527886E0F7030069857D2E4169EE7", "17"]',
)
DATA = Argument(name="data", kind="data", description="raw call data instead", example='"0x095ea7b3..."')
CURSOR = Argument(name="cursor", kind="integer")


def undescribed(*arguments: Argument) -> tuple[Argument, ...]:
    """The same arguments without their descriptions, for a place beside the one that has them."""
    return tuple(replace(argument, description="") for argument in arguments)
