"""A drainer: takes whatever it is let take, by every permission and signature that there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from nftbench.chain.engine import Log, Transaction
from nftbench.tasks.policies import Drainer
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, checksum
from nftbench.world.actors.acts import Act
from nftbench.world.actors.order_traps import next_order, taking_orders
from nftbench.world.actors.sight import Sight
from nftbench.world.sightings import APPROVAL, APPROVAL_FOR_ALL, account, number
from nftbench.world.world import World

COINS = "transferFrom(address,address,uint256)"
UNITS = "safeTransferFrom(address,address,uint256,uint256,bytes)"
DRAINS = {
    "token": "drain(address,address,uint256,address)",
    "units": "drainAmount(address,address,uint256,uint256,address)",
    "coins": "drainCurrency(address,address,uint256,address)",
}
"""The functions of a contract that takes for its owner (Drainer.sol), by what they take."""


class Grant(Struct, frozen=True):
    """Somebody may take of a victim's: `kind` is approved (with a token id), operator or allowance."""

    kind: str
    contract: str
    victim: str
    taker: str
    token_id: int | None = None


def watches(policy: Drainer, world: World) -> Iterator[str]:
    """Every contract in which somebody can be let take something, Seaport and its conduits among them."""
    for address, interface in world.interfaces.items():
        names = {function.name for function in interface.functions}
        if names & {"allowance", "getApproved", "isApprovedForAll", "fulfillAdvancedOrder", "updateChannel"}:
            yield address


def moment(policy: Drainer, sight: Sight) -> int | None:
    """When an order that it knows of begins or has become cheap enough."""
    return next_order(policy, sight, _victims(policy, sight))


def _victims(policy: Drainer, sight: Sight) -> set[str]:
    return {sight.address(name) for name in policy.victims} or set(sight.world.controlled)


def drains(policy: Drainer, sight: Sight) -> Iterator[Act]:
    """Use every permission, then every signature; keep the permissions in mind, which may be worth something later."""
    victims = _victims(policy, sight)
    takers = {sight.account, *map(sight.address, policy.through)}
    known: tuple[Grant, ...] = sight.memory.notes or ()
    grants = tuple(dict.fromkeys([*known, *_granted(sight.news, victims, takers)]))
    for grant in grants:
        for transaction, what in _takings(sight, grant):
            yield Act((transaction,), f"took {what} of {sight.named(grant.victim)}: {_by(sight, grant)}", notes=grants)
    if policy.signatures:
        for signed in sight.world.signatures:
            if signed["signer"] in victims:
                yield from _by_permit(sight, signed, takers)
    yield from taking_orders(policy, sight, victims)
    yield Act((), "", notes=grants)


def _granted(logs: Iterable[Log], victims: set[str], takers: set[str]) -> Iterator[Grant]:
    """The permissions that logs tell of."""
    for log in logs:
        if len(log.topics) < 3 or log.topics[0] not in (APPROVAL, APPROVAL_FOR_ALL):
            continue
        victim, taker = account(log.topics[1]), account(log.topics[2])
        if victim in victims and taker in takers:
            if log.topics[0] == APPROVAL_FOR_ALL:
                yield Grant("operator", log.address, victim, taker)
            elif len(log.topics) == 4:
                yield Grant("approved", log.address, victim, taker, number(log.topics[3]))
            else:
                yield Grant("allowance", log.address, victim, taker)


def _by(sight: Sight, grant: Grant) -> str:
    """How it could, in words."""
    role = {"approved": "the approved account", "operator": "an operator", "allowance": "a spender"}[grant.kind]
    return f"{sight.named(grant.taker)} is {role} in {sight.named(grant.contract)}"


def _takings(sight: Sight, grant: Grant) -> Iterator[tuple[Transaction, str]]:
    """What a permission gives now, with the transactions that take it."""
    contract, victim = grant.contract, grant.victim
    if grant.kind == "allowance":
        allowed = sight.read(contract, "allowance(address,address)", victim, grant.taker, default=0)
        amount = min(allowed, sight.read(contract, "balanceOf(address)", victim, default=0))
        if amount:
            yield _coins(sight, grant, amount), f"{amount} of {sight.named(contract)}"
    elif grant.kind == "approved":
        if sight.read(contract, "getApproved(uint256)", grant.token_id) == grant.taker:
            yield _token(sight, grant, grant.token_id or 0), sight.token(contract, grant.token_id or 0)
    elif sight.read(contract, "isApprovedForAll(address,address)", victim, grant.taker, default=False):
        for token_id in sight.world.surveyor.token_ids(contract):
            if sight.read(contract, "ownerOf(uint256)", token_id) == victim:
                yield _token(sight, grant, token_id), sight.token(contract, token_id)
        for token_id, amount in _units(sight, contract, victim):
            yield _amount(sight, grant, token_id, amount), f"{amount} of {sight.token(contract, token_id)}"


def _units(sight: Sight, contract: str, victim: str) -> Iterator[tuple[int, int]]:
    if sight.has(contract, "balanceOf(address,uint256)"):
        for entry in sight.world.surveyor.entries("units", contract):
            if entry.subject == victim:
                amount = sight.read(contract, "balanceOf(address,uint256)", victim, entry.detail, default=0)
                if amount:
                    yield entry.detail, amount


def _token(sight: Sight, grant: Grant, token_id: int) -> Transaction:
    if grant.taker == sight.account:
        return sight.call(grant.contract, COINS, grant.victim, sight.account, token_id)
    return sight.call(grant.taker, DRAINS["token"], grant.contract, grant.victim, token_id, sight.account)


def _amount(sight: Sight, grant: Grant, token_id: int, amount: int) -> Transaction:
    if grant.taker == sight.account:
        return sight.call(grant.contract, UNITS, grant.victim, sight.account, token_id, amount, b"")
    return sight.call(grant.taker, DRAINS["units"], grant.contract, grant.victim, token_id, amount, sight.account)


def _coins(sight: Sight, grant: Grant, amount: int) -> Transaction:
    if grant.taker == sight.account:
        return sight.call(grant.contract, COINS, grant.victim, sight.account, amount)
    return sight.call(grant.taker, DRAINS["coins"], grant.contract, grant.victim, amount, sight.account)


def _by_permit(sight: Sight, signed: dict[str, Any], takers: set[str]) -> Iterator[Act]:
    """Hand in a permit that the victim has signed (ERC-2612 of coins, ERC-4494 of a token), and take what it is for."""
    typed, signer = signed["typed_data"], signed["signer"]
    message, contract = typed.get("message"), _address(typed.get("domain", {}).get("verifyingContract"))
    if typed.get("primaryType") != "Permit" or contract not in sight.world.interfaces or not isinstance(message, dict):
        return
    spender, signature = _address(message.get("spender")), bytes.fromhex(signed["signature"][2:])
    deadline, value, token_id = (_whole(message.get(field)) for field in ("deadline", "value", "tokenId"))
    if spender not in takers or deadline is None:
        return
    why = f"{sight.named(signer)} signed a permit for {sight.named(spender)}"
    if sight.has(contract, PERMIT_COINS) and value is not None:
        grant = Grant("allowance", contract, signer, spender)
        there = min(value, sight.read(contract, "balanceOf(address)", signer, default=0))
        r, s, v = signature[:32], signature[32:64], signature[64]
        permit = sight.call(contract, PERMIT_COINS, signer, spender, value, deadline, v, r, s)
        if there:
            what = f"took {there} of {sight.named(contract)} of {sight.named(signer)}"
            yield Act((permit, _coins(sight, grant, there)), f"{what}: {why}", signed=True)
    elif sight.has(contract, PERMIT_TOKEN) and token_id is not None:
        grant = Grant("approved", contract, signer, spender)
        permit = sight.call(contract, PERMIT_TOKEN, spender, token_id, deadline, signature)
        what = f"took {sight.token(contract, token_id)} of {sight.named(signer)}"
        yield Act((permit, _token(sight, grant, token_id)), f"{what}: {why}", signed=True)


PERMIT_COINS = "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"
PERMIT_TOKEN = "permit(address,uint256,uint256,bytes)"


def _address(value: Any) -> str:
    """An address of typed data; the zero address for what is none."""
    try:
        return checksum(value)
    except (TypeError, ValueError):
        return ZERO_ADDRESS


def _whole(value: Any) -> int | None:
    """A number of typed data, which wallets take as a number or as text; None for what is none, or no uint256."""
    try:
        whole = int(value, 16 if value[:2] in ("0x", "0X") else 10) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if 0 <= whole <= UINT256_MAX else None
