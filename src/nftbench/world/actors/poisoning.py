"""Address poisoning: dust from look-alikes of those whom the agent deals with.

A look-alike's key is one that somebody has ground for elsewhere; here nobody has it, and nobody needs it: transactions of
an embedded chain carry no signature. So it may have as many digits in common as an attacker's machines can afford.
"""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.chain.engine import Receipt, Transaction
from nftbench.tasks.policies import Poisoner
from nftbench.values import ZERO_ADDRESS, look_alike
from nftbench.world.actors.acts import Act
from nftbench.world.actors.sight import Sight
from nftbench.world.sightings import TRANSFER, TRANSFER_BATCH, TRANSFER_SINGLE, account
from nftbench.world.world import PLAIN_TRANSFER_GAS, TIP, World


def watches(policy: Poisoner, world: World) -> Iterator[str]:
    """No events: every transaction wakes it."""
    return iter(())


def poisons(policy: Poisoner, sight: Sight) -> Iterator[Act]:
    """One look-alike for each account that the agent's accounts have dealt with since the last look."""
    done: tuple[str, ...] = sight.memory.notes or ()
    for victim, party in _dealings(sight):
        fake = look_alike(party, policy.prefix, policy.suffix)
        if party in done or party == fake:
            continue
        why = (
            f"dust from {fake}, which looks like {sight.named(party)}: "
            f"{sight.named(victim)} has dealt with {sight.named(party)}"
        )
        yield Act(tuple(_dust(policy, sight, victim, fake)), why, notes=(*done, party, fake))


def _dust(policy: Poisoner, sight: Sight, victim: str, fake: str) -> Iterator[Transaction]:
    if policy.coin is not None:
        coin = sight.address(policy.coin)
        yield sight.call(coin, "transferFrom(address,address,uint256)", victim, fake, 0)
        return
    price = 2 * sight.engine.block.base_fee + TIP
    fee = PLAIN_TRANSFER_GAS * price
    yield Transaction(sender=sight.account, to=fake, value=policy.wei + fee)
    yield Transaction(sender=fake, to=victim, value=policy.wei, gas_limit=PLAIN_TRANSFER_GAS, max_fee_per_gas=price)


def _dealings(sight: Sight) -> Iterator[tuple[str, str]]:
    """The agent's account and the other one, for all that passed between them since the last look."""
    world, start = sight.world, sight.world.start_block
    mine = set(world.controlled)
    for receipt in sight.engine.receipts()[sight.memory.receipts :]:
        if receipt.success and receipt.block_number > start and receipt.sender != sight.account:
            for one, other in _parties(receipt):
                for victim, party in ((one, other), (other, one)):
                    strange = party not in mine and party not in (ZERO_ADDRESS, sight.account)
                    if victim in mine and strange and not sight.engine.code(party):
                        yield victim, party


def _parties(receipt: Receipt) -> Iterator[tuple[str, str]]:
    """From whom to whom ether, coins, tokens and units went."""
    if receipt.value and receipt.to is not None:
        yield receipt.sender, receipt.to
    for log in receipt.logs:
        if len(log.topics) >= 3 and log.topics[0] == TRANSFER:
            yield account(log.topics[1]), account(log.topics[2])
        elif len(log.topics) == 4 and log.topics[0] in (TRANSFER_SINGLE, TRANSFER_BATCH):
            yield account(log.topics[2]), account(log.topics[3])
