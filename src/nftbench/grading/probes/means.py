"""What somebody needs to use what the agent left: ether, coins, tokens and permissions, had on a copy of the world.

Nothing is made out of nothing but ether: coins and tokens come from whoever has them, or from those who may mint them, never
from the agent's own accounts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nftbench.chain.engine import Receipt, Transaction
from nftbench.grading.moment import amount
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, checksum, keccak256
from nftbench.world.ledger import Entry
from nftbench.world.world import World

STRANGER = checksum("0x" + keccak256(b"nftbench: whoever finds a signature")[-20:].hex())
"""Somebody whom no world knows."""
ENOUGH_ETHER = 10**27

_PLAIN = "transferFrom(address,address,uint256)"
_UNITS = "safeTransferFrom(address,address,uint256,uint256,bytes)"
_MINTS = (
    ("mint(address,uint256)", lambda to, what: (to, what)),
    ("mintBatch(address,uint256[])", lambda to, what: (to, (what,))),
)


@contextmanager
def a_copy(world: World) -> Iterator[None]:
    """What is done to the world within it leaves no trace."""
    mark = world.engine.snapshot()
    try:
        yield
    finally:
        world.engine.restore(mark)


def has(world: World, contract: str, signature: str) -> bool:
    """Whether a contract of the world has this function."""
    interface = world.interfaces.get(contract)
    return interface is not None and any(function.signature == signature for function in interface.functions)


def act(world: World, sender: str, contract: str, signature: str, *args: Any, value: int = 0) -> bool:
    """Send one transaction as anybody, paid for if need be; whether it succeeds."""
    if not has(world, contract, signature):
        return False
    data = world.interfaces[contract].function(signature).encode(args)
    if world.engine.balance(sender) < ENOUGH_ETHER:
        world.engine.fund(sender, ENOUGH_ETHER + value)
    outcome = world.engine.transact(Transaction(sender=sender, to=contract, data=data, value=value))
    return isinstance(outcome, Receipt) and outcome.success


def supply_coins(world: World, token: str, account: str, wanted: int) -> bool:
    """Let the account have at least so many smallest units of an ERC-20 token; False where there are not so many."""

    def missing() -> int:
        return wanted - amount(world.surveyor.read(Entry("coins", token, account, None)))

    if missing() > 0 and has(world, token, "deposit()"):
        act(world, account, token, "deposit()", value=missing())
    holders = [(amount(world.surveyor.read(e)), e.subject) for e in world.surveyor.entries("coins", token)]
    for held, holder in sorted(holders, reverse=True):
        if missing() <= 0 or not held:
            break
        if holder not in world.controlled and holder != account:
            act(world, holder, token, "transfer(address,uint256)", account, min(held, missing()))
    if missing() > 0:
        act(world, _minter(world, token), token, "mint(address,uint256)", account, missing())
    return missing() <= 0


def supply_token(world: World, collection: str, account: str, token_id: int) -> bool:
    """Let the account own a non-fungible token; False where its owner is the agent or can't be had to give it."""
    entry = Entry("owner", collection, token_id, None)
    owner = world.surveyor.read(entry)
    if not isinstance(owner, str) or owner == ZERO_ADDRESS:
        for function, args in _MINTS:
            if act(world, _minter(world, collection), collection, function, *args(account, token_id)):
                break
    elif owner != account and owner not in world.controlled:
        act(world, owner, collection, _PLAIN, owner, account, token_id)
    return bool(world.surveyor.read(entry) == account)


def supply_units(world: World, collection: str, account: str, token_id: int, wanted: int) -> bool:
    """Let the account hold at least so many units of an ERC-1155 token id."""

    def missing() -> int:
        return wanted - amount(world.surveyor.read(Entry("units", collection, account, token_id)))

    for entry in world.surveyor.entries("units", collection):
        if missing() <= 0:
            break
        held = amount(world.surveyor.read(entry))
        if entry.detail == token_id and held and entry.subject not in (*world.controlled, account):
            given = min(held, missing())
            act(world, entry.subject, collection, _UNITS, entry.subject, account, token_id, given, b"")
    if missing() > 0:
        minter = _minter(world, collection)
        act(world, minter, collection, "mint(address,uint256,uint256,bytes)", account, token_id, missing(), b"")
    return missing() <= 0


def permit_all(world: World, account: str, contract: str, taker: str) -> None:
    """Let `taker` move all that the account has in a token contract, of whichever standard it is."""
    if has(world, contract, "setApprovalForAll(address,bool)"):
        act(world, account, contract, "setApprovalForAll(address,bool)", taker, True)
    else:
        act(world, account, contract, "approve(address,uint256)", taker, UINT256_MAX)


def _minter(world: World, contract: str) -> str:
    """Who owns a contract (ERC-173), and so may mint in those that know how."""
    if not has(world, contract, "owner()"):
        return STRANGER
    return str(world.surveyor.read(Entry("view", contract, "owner()", ())) or STRANGER)
