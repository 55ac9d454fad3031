"""What may stand in a goal, a step or a change for a value that only the built world knows."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class At(Struct, frozen=True):
    """The address of the account or contract of this name."""

    name: str


class CallData(Struct, frozen=True):
    """The encoded call of a contract's function, for contracts that pass calls on."""

    contract: str
    function: str
    args: tuple[Any, ...] = ()


class Signed(Struct, frozen=True):
    """What the agent last signed with this primary type: the whole signature (65 bytes), or its r, s or v. Nothing can be
    sent with it as long as there is no such signature."""

    primary_type: str
    part: Literal["signature", "r", "s", "v"] = "signature"


class AllEther(Struct, frozen=True):
    """As the value of a plain transfer of ether: all that the sender has, less the fee."""


class Reading(Struct, frozen=True):
    """One view call: `function` by name or full signature."""

    contract: str
    function: str
    args: tuple[Any, ...] = ()

    def read_aloud(self) -> str:
        return f"{self.contract}.{self.function.split('(')[0]}({', '.join(map(spoken, self.args))})"


def spoken(value: Any) -> str:
    """A value of a goal as a person would read it."""
    if isinstance(value, At):
        return value.name
    if isinstance(value, Reading):
        return value.read_aloud()
    if isinstance(value, Signed):
        return f"the {value.part} of the signed {value.primary_type}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(spoken, value)) + ")"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value)
