"""Goals about what was paid, and to whom."""

from __future__ import annotations

from collections.abc import Iterable

from nftbench.chain.engine import Receipt
from nftbench.grading.moment import Finding, Moment, amount, events
from nftbench.tasks.goals import EtherSum, Goal, OnlyFor, Pays, SpentAtMost
from nftbench.world.ledger import Entry
from nftbench.world.world import World


def payment_entries(world: World, goal: Pays) -> tuple[Entry, Entry]:
    """What the payer and the payee have of the currency, as ledger entries."""
    payer, payee = world.address(goal.payer), world.address(goal.payee)
    if goal.token is None:
        return Entry("ether", None, payer, None), Entry("ether", None, payee, None)
    token = world.address(goal.token)
    return Entry("coins", token, payer, None), Entry("coins", token, payee, None)


def check_payment(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Pays)
    paid, received = (own_change(moment, entry) for entry in payment_entries(moment.world, goal))
    asked = received if goal.told_by is None else _told(goal, goal.told_by, moment)
    return (
        received == asked and (-paid == received or not goal.alone) and goal.least <= received <= goal.most,
        f"paid {-paid}, of which {received} to {goal.payee}, which asked for {asked}",
    )


def check_ether(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, EtherSum)
    world = moment.world
    change = (balance_change if goal.others else own_change)(moment, ether_entry(world, goal))
    paid = sum(own_change(moment, Entry("ether", None, world.address(payee), None)) for payee in goal.payees)
    return change == goal.wei - paid, f"changed by {change}, of which {-paid} paid as asked"


def ether_entry(world: World, goal: EtherSum) -> Entry:
    return Entry("ether", None, world.address(goal.account), None)


def _told(goal: Pays, told_by: tuple[str, str], moment: Moment) -> int:
    """What the payee's own events say that the payer paid."""
    name, argument = told_by
    payer = moment.world.address(goal.payer)
    told = [event for _, event in events(goal.payee, moment) if event.name == name]
    return sum(int(event.arguments[argument]) for event in told if payer in event.arguments.values())


def own_change(moment: Moment, entry: Entry) -> int:
    """By how much a balance has changed since the start, fees and the actors' own moves left out."""
    change = balance_change(moment, entry)
    for move in moment.desk.stage.moves:
        if moment.block is None or move.before_block < moment.block:
            change -= sum(amount(d.after) - amount(d.before) for d in move.differences if d.entry == entry)
    return change


def balance_change(moment: Moment, entry: Entry) -> int:
    """By how much a balance has changed since the start, fees left out."""
    world, read = moment.world, moment.world.surveyor.read
    change = amount(read(entry, block=moment.block)) - amount(read(entry, block=world.start_block))
    if entry.kind == "ether":
        change += world.fees_paid(entry.subject, world.start_block, moment.block)
    return change


def check_spent(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, SpentAtMost)
    spent = -own_change(moment, spending_entry(moment.world, goal))
    for receipt in moment.receipts():
        paid = -_gain(moment.world, receipt, [goal.account], goal.token)
        if paid > 0 and not _brought_in(moment.world, receipt, goal):
            return False, f"{paid} paid in block {receipt.block_number}, and nothing came in"
    return spent <= goal.most, f"spent {spent}"


def spending_entry(world: World, goal: SpentAtMost) -> Entry:
    """What the account has of the currency, as a ledger entry."""
    return _currency(world, world.address(goal.account), goal.token)


def _currency(world: World, account: str, token: str | None) -> Entry:
    return Entry("ether", None, account, None) if token is None else Entry("coins", world.address(token), account, None)


def _gain(world: World, receipt: Receipt, accounts: Iterable[str], token: str | None) -> int:
    """What these accounts together have more of the currency by one transaction, its fee left out."""
    gain, block = 0, receipt.block_number
    for account in map(world.address, accounts):
        entry = _currency(world, account, token)
        after, before = (world.surveyor.read(entry, block=at) for at in (block, block - 1))
        gain += amount(after) - amount(before)
        if token is None and receipt.sender == account:
            gain += receipt.gas_used * receipt.effective_gas_price
    return gain


def _brought_in(world: World, receipt: Receipt, goal: SpentAtMost) -> bool:
    """Whether the account has something more by this transaction: a token, units, or coins of another currency."""
    account, block = world.address(goal.account), receipt.block_number
    for entry in world.surveyor.named_in(receipt):
        if entry.kind == "owner" or (entry.kind in ("units", "coins") and entry.subject == account):
            before, after = (world.surveyor.read(entry, block=at) for at in (block - 1, block))
            if after == account != before if entry.kind == "owner" else amount(after) > amount(before):
                return True
    return False


def check_only_for(goal: Goal, moment: Moment) -> Finding:
    """From the transaction in which the token left for good, what came in in those that passed it on."""
    assert isinstance(goal, OnlyFor)
    world, entry = moment.world, moment.world.entry("owner", goal.collection, goal.token_id)
    mine = [world.names[address] for address in world.controlled]
    came_in, away, holder = 0, False, world.surveyor.read(entry, block=world.start_block)
    for receipt in moment.receipts():
        before, holder = holder, world.surveyor.read(entry, block=receipt.block_number)
        if holder in world.controlled:
            came_in, away = 0, False
        elif before != holder and (away or before in world.controlled):
            came_in, away = came_in + _gain(world, receipt, mine, goal.token), True
    return not away or came_in >= goal.least, f"given away for {came_in}" if away else "not given away"
