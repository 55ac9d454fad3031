"""A bidder who outbids whoever leads, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.tasks.policies import Bidder
from nftbench.world.actors.acts import Act
from nftbench.world.actors.sight import Sight
from nftbench.world.world import Reverted, World


def watches(policy: Bidder, world: World) -> Iterator[str]:
    """The auction."""
    yield from {world.address(name): None for name in (policy.bid.target, policy.highest.contract)}


def bids(policy: Bidder, sight: Sight) -> Iterator[Act]:
    """Bid the next amount if somebody else leads and it is within the limit."""
    highest, leader = sight.world.read(policy.highest), sight.world.read(policy.leader)
    if isinstance(highest, Reverted) or leader == sight.account:
        return
    step = max(policy.step, highest * policy.step_basis_points // 10_000)
    amount = highest + step if highest else policy.opening
    if not 0 < amount <= policy.limit:
        return
    stood = f"over {highest} of {sight.named(str(leader))}" if highest else "as the first"
    yield Act((sight.sending(policy.bid, amount),), f"bid {amount} {stood}: within its limit of {policy.limit}")
