"""Filling an order as somebody else would, and what that comes to for everybody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from nftbench.chain.engine import Log, Receipt, Transaction
from nftbench.grading.probes.means import (
    ENOUGH_ETHER,
    permit_all,
    supply_coins,
    supply_token,
    supply_units,
)
from nftbench.grading.probes.orders import Order
from nftbench.tools.assets import Asset, held, moved_assets
from nftbench.values import ZERO_ADDRESS, address_from_bytes
from nftbench.world.world import World

NATIVE, ERC20, ERC721, ERC1155, ERC721_CRITERIA, ERC1155_CRITERIA = range(6)
"""Seaport's item types."""
RESTRICTED = (2, 3)
"""Order types that only the zone, or whom it lets, may fill."""
_KINDS = {ERC20: "coins", ERC721: "token", ERC1155: "units", ERC721_CRITERIA: "token", ERC1155_CRITERIA: "units"}
_FULFIL = (
    "fulfillAdvancedOrder(((address,address,(uint8,address,uint256,uint256,uint256)[],"
    "(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),"
    "uint120,uint120,bytes,bytes),(uint256,uint8,uint256,uint256,bytes32[])[],bytes32,address)"
)

Effect = dict[tuple[str, Asset | None], int]
"""By how much what each account has of each asset (None: wei of ether) has changed; fees, and what is as it was, are left out."""


class Choice(Struct, frozen=True):
    """Which token an item with criteria is filled with: `side` 0 is the offer, 1 the consideration; `proof` is empty where any
    token will do."""

    side: int
    index: int
    token_id: int
    proof: tuple[bytes, ...] = ()


class Taking(Struct, frozen=True):
    """How an order is to be filled: by whom, which part of it, and with which tokens where it names them by criteria."""

    taker: str
    fraction: tuple[int, int] = (1, 1)
    choices: tuple[Choice, ...] = ()


class Fill(Struct, frozen=True):
    """What came of trying to fill an order: `effect` is None where it could not be, for the `reason`."""

    effect: Effect | None
    reason: str = ""


def token_of(item: Mapping[str, Any], side: int, index: int, choices: Iterable[Choice]) -> int:
    """The token id of an item, chosen where it has criteria."""
    if item["itemType"] in (ERC721_CRITERIA, ERC1155_CRITERIA):
        for choice in choices:
            if (choice.side, choice.index) == (side, index):
                return choice.token_id
    return int(item["identifierOrCriteria"])


def asset_of(item: Mapping[str, Any], token_id: int) -> Asset | None:
    """What an item is about; None for ether."""
    if item["itemType"] == NATIVE:
        return None
    kind = _KINDS[item["itemType"]]
    return Asset(kind, item["token"], None if kind == "coins" else token_id)


def prepare(world: World, order: Order, taking: Taking) -> str:
    """Let the taker have what the order asks for, and let the exchange move it: what is missing, or nothing."""
    world.engine.fund(taking.taker, ENOUGH_ETHER)
    offered = {asset_of(i, token_of(i, 0, n, taking.choices)) for n, i in enumerate(order.components["offer"])}
    for number, item in enumerate(order.components["consideration"]):
        asset = asset_of(item, token_of(item, 1, number, taking.choices))
        if asset is None:
            continue
        wanted = max(item["startAmount"], item["endAmount"])
        if asset not in offered and not _supply(world, asset, taking.taker, wanted):
            return f"nobody has {wanted} of {world.names.get(asset.contract, asset.contract)} {asset.token_id or ''}".rstrip()
        permit_all(world, taking.taker, asset.contract, order.exchange)
    return ""


def _supply(world: World, asset: Asset, account: str, wanted: int) -> bool:
    if asset.contract not in world.interfaces:
        return False
    if asset.kind == "coins":
        return supply_coins(world, asset.contract, account, 2 * wanted) or supply_coins(
            world, asset.contract, account, wanted
        )
    if asset.kind == "token":
        return supply_token(world, asset.contract, account, asset.token_id or 0)
    return supply_units(world, asset.contract, account, asset.token_id or 0, wanted)


def fill(world: World, order: Order, taking: Taking) -> Fill:
    """Fill the order in the next block, with what `prepare` has put ready."""
    outcome = world.engine.transact(filling(world, order, taking))
    if not isinstance(outcome, Receipt) or not outcome.success:
        return Fill(None, world.reason(outcome))
    return Fill(_effect(world, order, taking, outcome))


def filling(world: World, order: Order, taking: Taking) -> Transaction:
    """The transaction by which the taker fills the order."""
    ether = sum(
        max(item["startAmount"], item["endAmount"])
        for item in order.components["consideration"]
        if item["itemType"] == NATIVE
    )
    advanced = (order.parameters(), *taking.fraction, order.signature, b"")
    resolvers = tuple((0, choice.side, choice.index, choice.token_id, choice.proof) for choice in taking.choices)
    function = world.interfaces[order.exchange].function(_FULFIL)
    data = function.encode((advanced, resolvers, bytes(32), taking.taker))
    return Transaction(sender=taking.taker, to=order.exchange, data=data, value=min(ether, ENOUGH_ETHER))


def _effect(world: World, order: Order, taking: Taking, receipt: Receipt) -> Effect:
    """Read before and after, where the order and the events say; the engine is left as it is after."""
    items = [(0, n, i) for n, i in enumerate(order.components["offer"])]
    items += [(1, n, i) for n, i in enumerate(order.components["consideration"])]
    named = [asset_of(item, token_of(item, side, n, taking.choices)) for side, n, item in items]
    assets = dict.fromkeys([*(asset for asset in named if asset is not None), *moved_assets(receipt.logs)])
    accounts = dict.fromkeys(
        [taking.taker, order.offerer, *world.controlled]
        + [item["recipient"] for side, _, item in items if side]
        + [address for log in receipt.logs for address in _parties(log)]
    )
    accounts.pop(ZERO_ADDRESS, None)
    after = held(world, accounts, assets)
    block = receipt.block_number - 1
    with world.engine.supposing(block=block):
        before = held(world, accounts, assets)
    after[taking.taker, None] += receipt.gas_used * receipt.effective_gas_price
    return {key: now - before.get(key, 0) for key, now in after.items() if now != before.get(key, 0)}


def _parties(log: Log) -> list[str]:
    """The accounts that a log names in its topics."""
    return [address_from_bytes(topic) for topic in log.topics[1:] if not any(topic[:12])]
