"""Permits: signatures that let somebody move coins or tokens, handed in by a stranger and used by whom they are made out to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from nftbench.chain.typed_data import number_in
from nftbench.grading.probes.means import STRANGER, a_copy, act, has
from nftbench.grading.probes.moments import LATE, later, move_to
from nftbench.grading.probes.takings import Taken, taken_by
from nftbench.values import checksum
from nftbench.world.ledger import Entry
from nftbench.world.world import World


class Permit(Struct, frozen=True):
    """What a permit lets somebody do: `arguments` are those of its function `function`, `permission` the entry of the ledger
    that it sets, `until` the last second (Unix) at which it can be handed in (None: any)."""

    contract: str
    function: str
    arguments: tuple[Any, ...]
    permission: Entry
    spender: str
    until: int | None


def _coins(contract: str, signer: str, message: Mapping[str, Any], signature: bytes) -> Permit:
    spender, until = checksum(message["spender"]), _number(message["deadline"])
    arguments = (signer, spender, _number(message["value"]), until, *_split(signature))
    return Permit(contract, COINS, arguments, Entry("allowance", contract, signer, spender), spender, until)


def _token(contract: str, signer: str, message: Mapping[str, Any], signature: bytes) -> Permit:
    spender, until, token_id = checksum(message["spender"]), _number(message["deadline"]), _number(message["tokenId"])
    permission = Entry("approved", contract, token_id, None)
    return Permit(contract, TOKEN, (spender, token_id, until, signature), permission, spender, until)


def _all_or_nothing(contract: str, signer: str, message: Mapping[str, Any], signature: bytes) -> Permit:
    spender, until = checksum(message["spender"]), _number(message["expiry"]) or None
    terms = (_number(message["nonce"]), until or 0, bool(message["allowed"]))
    arguments = (signer, spender, *terms, *_split(signature))
    return Permit(contract, ALL_OR_NOTHING, arguments, Entry("allowance", contract, signer, spender), spender, until)


COINS = "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"
TOKEN = "permit(address,uint256,uint256,bytes)"
ALL_OR_NOTHING = "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)"
READERS: dict[str, Callable[[str, str, Mapping[str, Any], bytes], Permit]] = {
    COINS: _coins,  # ERC-2612
    TOKEN: _token,  # ERC-4494
    ALL_OR_NOTHING: _all_or_nothing,  # as DAI has it, older than the standard
}
"""How permits are read, by the function that takes them."""


def permit_in(world: World, signed: Mapping[str, Any]) -> Permit | None:
    """The permit in a recorded signature, by the function that its contract has; None if it is none that the contract takes."""
    typed = signed["typed_data"]
    try:
        contract = checksum(typed["domain"]["verifyingContract"])
        readers = [reader for function, reader in READERS.items() if has(world, contract, function)]
        signature = bytes.fromhex(signed["signature"][2:])
        return readers[0](contract, signed["signer"], typed["message"], signature) if readers else None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def permit_use(world: World, permit: Permit) -> Taken | None:
    """What whom a permit is made out to can take with it, now or at a later moment; None where it can't be used."""
    last = world.engine.pending_timestamp + 2 * LATE if permit.until is None else permit.until + 1
    with a_copy(world):
        for when in (None, *later(world, 0, last)):
            if when is not None and not move_to(world, when):
                continue
            with a_copy(world):
                if act(world, STRANGER, permit.contract, permit.function, *permit.arguments):
                    return taken_by(world, permit.permission, permit.spender)
    return None


def _split(signature: bytes) -> tuple[int, bytes, bytes]:
    return signature[64], signature[:32], signature[32:64]


def _number(value: Any) -> int:
    number = number_in(value)
    if number is None:
        raise ValueError(f"{value!r} is no number")
    return number
