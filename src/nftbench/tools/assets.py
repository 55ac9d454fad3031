"""What transactions would change of what the agent's accounts own: ether, tokens, units and coins.

Events say where to look; what is told is read from the contracts before and after.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from nftbench.chain.engine import Log
from nftbench.tools.rendering import contract_label
from nftbench.values import address_from_bytes, keccak256
from nftbench.world.world import World

_TRANSFER = keccak256(b"Transfer(address,address,uint256)")
_SINGLE = keccak256(b"TransferSingle(address,address,address,uint256,uint256)")
_BATCH = keccak256(b"TransferBatch(address,address,address,uint256[],uint256[])")
_OWNER_OF, _BALANCE_OF, _UNITS_OF = (
    keccak256(f)[:4] for f in (b"ownerOf(uint256)", b"balanceOf(address)", b"balanceOf(address,uint256)")
)
MOST_ASSETS = 60


class Asset(NamedTuple):
    """Something an account may hold: a token or units by `token_id`, or coins (None). `kind` is how it is read."""

    kind: str
    contract: str
    token_id: int | None


def moved_assets(logs: Iterable[Log]) -> list[Asset]:
    """The assets that events of the usual forms name, each once."""
    found: dict[Asset, None] = {}
    for log in logs:
        topics = log.topics
        if not topics:
            continue
        if topics[0] == _TRANSFER and len(topics) == 4:
            found[Asset("token", log.address, int.from_bytes(topics[3], "big"))] = None
        elif topics[0] == _TRANSFER:
            found[Asset("coins", log.address, None)] = None
            if len(topics) == 3 and len(log.data) == 32:
                found[Asset("token", log.address, int.from_bytes(log.data, "big"))] = None
        elif topics[0] == _SINGLE and len(log.data) == 64:
            found[Asset("units", log.address, int.from_bytes(log.data[:32], "big"))] = None
        elif topics[0] == _BATCH:
            count = int.from_bytes(log.data[64:96], "big")
            ids = [log.data[96 + 32 * i : 128 + 32 * i] for i in range(min(count, MOST_ASSETS))]
            found |= {Asset("units", log.address, int.from_bytes(word, "big")): None for word in ids if len(word) == 32}
    return list(found)[:MOST_ASSETS]


def held(world: World, accounts: Iterable[str], assets: Iterable[Asset]) -> dict[tuple[str, Asset | None], int]:
    """How much of each asset, and of ether (None), each account has now; left out where a contract does not say."""
    found: dict[tuple[str, Asset | None], int] = {}
    wanted = list(assets)
    for account in accounts:
        found[account, None] = world.engine.balance(account)
        for asset in wanted:
            amount = _amount(world, account, asset)
            if amount is not None:
                found[account, asset] = amount
    return found


def _amount(world: World, account: str, asset: Asset) -> int | None:
    word = bytes.fromhex(account[2:]).rjust(32, b"\0")
    token = (asset.token_id or 0).to_bytes(32, "big")
    data = {"token": _OWNER_OF + token, "coins": _BALANCE_OF + word, "units": _UNITS_OF + word + token}[asset.kind]
    result = world.engine.call(asset.contract, data)
    if asset.kind == "token":
        owner = address_from_bytes(result.output) if result.success and len(result.output) == 32 else None
        return int(owner == account)
    return int.from_bytes(result.output, "big") if result.success and len(result.output) == 32 else None


def render_changes(
    world: World, before: dict[tuple[str, Asset | None], int], after: dict[tuple[str, Asset | None], int]
) -> list[dict[str, Any]]:
    """What differs, an entry for each account and asset; ether in wei, fees included."""
    changes: list[dict[str, Any]] = []
    for (account, asset), now in after.items():
        change = now - before.get((account, asset), 0)
        if not change:
            continue
        shown: dict[str, Any] = {"account": account, "change": f"{change:+d}"}
        if asset is None:
            changes.append(shown | {"of": "wei"})
            continue
        label = contract_label(world, asset.contract)
        shown |= {"of": asset.kind, "contract": asset.contract} | ({"contract_name": label} if label else {})
        changes.append(shown if asset.token_id is None else shown | {"token_id": str(asset.token_id)})
    return changes
