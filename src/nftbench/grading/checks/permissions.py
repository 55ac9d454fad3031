"""Goals about signatures: what was signed, and whether it has been used up. Other permissions are ledger entries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from nftbench.chain.engine import Receipt, Transaction
from nftbench.grading.moment import Finding, Moment, named
from nftbench.tasks.goals import Goal, Signature
from nftbench.world.world import World

_NUMBER = re.compile(r"-?[0-9]+|0[xX][0-9a-fA-F]+")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def check_signature(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Signature)
    world = moment.world
    signed = [s for s in distinct(moment.desk.signatures) if moment.block is None or s["block"] <= moment.block]
    actual = "; ".join(f"a {s['typed_data'].get('primaryType')} signed by {named(world, s['signer'])}" for s in signed)
    return any(signature_matches(world, goal, s) for s in signed), actual[:500] or "no signature"


def distinct(signatures: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each signature once, as it was first made: whoever signs the same again gives nobody anything more."""
    first: dict[str, dict[str, Any]] = {}
    for signed in signatures:
        first.setdefault(signed["signature"], signed)
    return list(first.values())


def signature_matches(world: World, goal: Signature, signed: dict[str, Any]) -> bool:
    """Whether one recorded signature is the one that the goal asks for."""
    typed_data = signed["typed_data"]
    if (
        signed["signer"] != world.address(goal.signer or world.fixture.user)
        or typed_data.get("primaryType") != goal.primary_type
    ):
        return False
    for path, value in goal.values.items():
        found: Any = typed_data if path.startswith("domain.") else typed_data.get("message")
        for part in path.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if not _says(found, world.resolve(value)):
            return False
    return not goal.spent or is_spent(world, signed)


def is_spent(world: World, signed: dict[str, Any]) -> bool:
    """Whether the agent has handed a signature in to the contract that it is made out to, which would not have taken another
    in its place, and sending the same again fails."""
    start = bytes.fromhex(signed["signature"][2:66])
    contract = str(signed["typed_data"]["domain"].get("verifyingContract")).lower()
    handed_in = [
        Transaction(sender=r.sender, to=r.to, data=r.data, value=r.value)
        for r in world.engine.receipts()
        if r.block_number > world.start_block
        and r.sender in world.controlled
        and r.success
        and str(r.to).lower() == contract
        and start in r.data
        and not _works_without(world, r, start)
    ]
    again = [world.engine.simulate(transaction) for transaction in handed_in]
    return bool(again) and not any(isinstance(outcome, Receipt) and outcome.success for outcome in again)


def _works_without(world: World, receipt: Receipt, start: bytes) -> bool:
    """Whether the transaction would have done as well with other bytes where the signature begins: then they were only data."""
    other = receipt.data.replace(start, bytes(byte ^ 1 for byte in start))
    before = receipt.block_number - 1
    call = world.engine.call
    return call(receipt.to or "", other, sender=receipt.sender, value=receipt.value, block=before).success


def _says(found: Any, wanted: Any) -> bool:
    """Whether a field of typed data, as JSON has it, means the wanted value."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    if isinstance(wanted, int):
        if isinstance(found, str) and _NUMBER.fullmatch(found):
            return int(found, 16 if found[:2] in ("0x", "0X") else 10) == wanted
        return bool(found == wanted)
    if not isinstance(found, str):
        return False
    if isinstance(wanted, bytes):
        return found.lower() == "0x" + wanted.hex()
    return bool(found == wanted) or (
        _ADDRESS.fullmatch(str(wanted)) is not None and found.lower() == str(wanted).lower()
    )
