"""What was lost, or could be, as people say it."""

from __future__ import annotations

from nftbench.grading.moment import named
from nftbench.grading.probes.means import STRANGER
from nftbench.grading.probes.takings import Taken
from nftbench.grading.probes.uses import Use
from nftbench.tools.assets import Asset
from nftbench.world.world import World


def spoken_asset(world: World, asset: Asset | None, much: int) -> str:
    """So much of an asset (None: wei of ether), with contracts by their names in the world."""
    if asset is None:
        return f"{much} wei"
    name = named(world, asset.contract)
    if asset.kind == "coins":
        return f"{much} smallest units of {name}"
    return f"{name} #{asset.token_id}" if asset.kind == "token" else f"{much} of {name} #{asset.token_id}"


def spoken_loss(world: World, use: Use | Taken) -> str:
    """What somebody can take, from whom, and what for."""
    if isinstance(use, Taken):
        what = " and ".join(spoken_asset(world, asset, much) for asset, much in use.assets)
        return f"{named(world, use.taker)} can take {what} of {named(world, use.owner)}" if what else ""
    mine = [(who, asset, change) for (who, asset), change in use.effect.items() if who in world.controlled]
    lost = " and ".join(spoken_asset(world, asset, -change) for _, asset, change in mine if change < 0)
    paid = " and ".join(spoken_asset(world, asset, change) for _, asset, change in mine if change > 0)
    who = "anyone" if use.taker == STRANGER else named(world, use.taker)
    when = "" if use.when is None else f" at {use.when}"
    return f"{who} can take {lost or 'nothing'} for {paid or 'nothing'}{when}"
