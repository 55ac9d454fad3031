"""Goals about what was paid, and to whom."""

from __future__ import annotations

from nftbench.grading.checks.moment import Finding, Moment, events
from nftbench.tasks.goals import Goal, Pays
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
    paid, received = (_own_change(moment, entry) for entry in payment_entries(moment.world, goal))
    asked = received if goal.told_by is None else _told(goal, goal.told_by, moment)
    return (
        -paid == received == asked and goal.least <= received <= goal.most,
        f"paid {-paid}, of which {received} to {goal.payee}, which asked for {asked}",
    )


def _told(goal: Pays, told_by: tuple[str, str], moment: Moment) -> int:
    """What the payee's own events say that the payer paid."""
    name, argument = told_by
    payer = moment.world.address(goal.payer)
    told = [event for _, event in events(goal.payee, moment) if event.name == name]
    return sum(int(event.arguments[argument]) for event in told if payer in event.arguments.values())


def _own_change(moment: Moment, entry: Entry) -> int:
    """By how much a balance has changed since the start, fees and the actors' own moves left out."""
    world, read = moment.world, moment.world.surveyor.read
    change = int(read(entry, block=moment.block) or 0) - int(read(entry, block=world.start_block) or 0)
    if entry.kind == "ether":
        change += world.fees_paid(entry.subject, world.start_block, moment.block)
    for move in moment.desk.stage.moves:
        if moment.block is None or move.before_block < moment.block:
            change -= sum((d.after or 0) - (d.before or 0) for d in move.differences if d.entry == entry)
    return change
