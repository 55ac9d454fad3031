"""An accountant of payouts who reads neither the chain nor the generator: the fixture's own steps, its documents and its terms.

Each account is kept in another way than the reference's: sales as rows of a table, time held by walking each token from end to
end, people as sets that grow together. `slips` are mistakes that one can make on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, NamedTuple

from nftbench.tasks.goals import At
from nftbench.tasks.model import Passing, Step, Task

BLOCK = 12
DAY = 24 * 60 * 60


class Line(NamedTuple):
    """A step and the time of its block."""

    time: int
    step: Step


def lines(task: Task) -> list[Line]:
    """Every transaction of the fixture, with the time at which it is mined: a block each, twelve seconds apart."""
    clock = task.fixture.start_time - task.fixture.history + BLOCK * len(task.fixture.contracts)
    found = []
    for step in task.fixture.steps:
        if isinstance(step, Passing):
            clock += step.seconds
        elif isinstance(step, Step):
            clock += BLOCK
            found.append(Line(clock, step))
    return found


def named(task: Task, label: str) -> str:
    fixture = task.fixture
    return next(each.name for each in (*fixture.accounts, *fixture.contracts) if each.label == label)


def handle(value: Any) -> str:
    assert isinstance(value, At)
    return str(value.name)


def bulk_lines(task: Task) -> Iterator[tuple[int, str, str, int]]:
    """Time, payer, payee and wei of each payment that went through the bulk payments."""
    bulk = named(task, task.brief["bulk"])
    for time, step in lines(task):
        if step.target == bulk:
            for payee, wei in zip(*step.args, strict=True):
                yield time, step.sender, handle(payee), wei


def refunds(task: Task, *slips: str) -> dict[str, int]:
    """Slips: desk (as a buyer), sent-back (forgotten), earlier (payments before the sale are taken off), anybody (payments of
    others are), first (the price of the first sale is the measure), other-shop (counts too)."""
    shop, desk = named(task, task.brief["shop"]), named(task, task.brief["desk"])
    treasurer = named(task, task.brief["treasurer"])
    *_, (high, low, opens, closes) = next(c.args for c in task.fixture.contracts if c.name == shop)
    table: list[tuple[int, str, int, Fraction]] = []
    for time, step in lines(task):
        if step.function == "buy":
            at_desk = step.target == desk
            sold_by, quantity = (handle(step.args[0]), step.args[1]) if at_desk else (step.target, step.args[0])
            fallen = (high - low) * Fraction(time - opens, closes - opens)
            price = high - floor(fallen)
            if sold_by == shop or "other-shop" in slips:
                table.append((time, desk if at_desk and "desk" in slips else step.sender, quantity, Fraction(price)))
    table.sort()
    measure = table[0 if "first" in slips else -1][3]
    due: Counter[str] = Counter()
    for _, buyer, quantity, price in table:
        due[buyer] += int((price - measure) * quantity)
    for time, payer, payee, wei in bulk_lines(task):
        ours = payer == treasurer or "anybody" in slips
        if ours and (time > opens or "earlier" in slips) and "sent-back" not in slips and payee in due:
            due[payee] -= wei
    return {who: wei for who, wei in due.items() if wei > 0}


def rewards(task: Task, *slips: str) -> dict[str, int]:
    """Slips: vault (holds what lies in it), threshold (is not looked at), divided (those below it take part), up (shares are
    rounded up), whole (all time up to now counts), holders (as they are at the end)."""
    collection = named(task, task.brief["collection"])
    rules = task.fixture.uris[task.brief["uri"]]
    begin, end = (int(text) for text in re.findall(r"Unix time (\d+)", rules))
    fewest = int(re.search(r"fewer than (\d+) token-days", rules)[1])  # type: ignore[index]
    vault = next(c.name for c in task.fixture.contracts if c.artifact == "DepositVault")
    if "whole" in slips:
        begin, end = 0, task.fixture.start_time
    seconds: Counter[str] = Counter()
    for path in _paths(task, collection, vault, keeps="vault" in slips).values():
        for (came, holder), (left, _) in pairwise([*path, (end, "")] if path[-1][0] < end else path):
            inside = range(max(came, begin), min(left, end))
            seconds[holder] += len(inside)
        if "holders" in slips:
            seconds[path[-1][1]] += 10**12
    counting = {who: each for who, each in seconds.items() if each >= fewest * DAY or "threshold" in slips}
    whole = sum((seconds if "divided" in slips else counting).values())
    shares = {who: Fraction(task.brief["pot"] * each, whole) for who, each in counting.items() if each}
    return {who: -floor(-share) if "up" in slips else floor(share) for who, share in shares.items()}


def _paths(task: Task, collection: str, vault: str, *, keeps: bool) -> dict[int, list[tuple[int, str]]]:
    """For each token when it came to count for whom. With `keeps` the vault holds what lies in it."""
    paths: dict[int, list[tuple[int, str]]] = {}
    for time, step in lines(task):
        if step.target == collection and step.function == "mintBatch":
            for token_id in step.args[1]:
                paths[token_id] = [(time, handle(step.args[0]))]
        elif step.target == collection:
            to = handle(step.args[1])
            if to != vault or keeps:
                paths[step.args[2]].append((time, to))
        elif step.function == "withdraw" and keeps:
            paths[step.args[1]].append((time, step.sender))
    return paths


def persons(task: Task, *slips: str) -> dict[str, int]:
    """Slips: wallets (each is a person), one-step (of the links is followed), claimed (unconfirmed links count), kept (links
    that were given up count), twice (the same evening counts twice), paid (forgotten), by-wallet (only the wallet that was paid
    is left out)."""
    links, badges = named(task, task.brief["links"]), named(task, task.brief["badges"])
    treasurer = named(task, task.brief["treasurer"])
    main: dict[str, str] = {}
    for _, step in lines(task):
        if step.target == links and step.function == "confirm":
            main[handle(step.args[0])] = step.sender
        elif step.target == links and step.function == "release" and "kept" not in slips:
            main.pop(step.sender)
        elif step.target == links and step.function == "claim" and "claimed" in slips:
            main[step.sender] = handle(step.args[0])
    heads = {wallet: {wallet} for wallet in {*main, *main.values()}} if "wallets" not in slips else {}
    for wallet, head in main.items() if "wallets" not in slips else ():
        merged = heads[wallet] | heads[head]
        for each in merged:
            heads[each] = merged

    def head(wallet: str) -> str:
        if "one-step" in slips:
            return main.get(wallet, wallet)
        free = [each for each in heads.get(wallet, {wallet}) if each not in main or "wallets" in slips]
        return free[0] if free else wallet

    there: dict[str, list[int]] = {}
    for _, step in lines(task):
        if step.target == badges:
            for guest in step.args[1]:
                there.setdefault(head(handle(guest)), []).append(step.args[0])
    had = {payee for _, payer, payee, _ in bulk_lines(task) if payer == treasurer and "paid" not in slips}
    had = had if "by-wallet" in slips else set(map(head, had))
    enough = task.brief["fewest"]
    evenings = {who: len(when if "twice" in slips else set(when)) for who, when in there.items()}
    return {who: task.brief["each"] for who, number in evenings.items() if number >= enough and who not in had}


ACCOUNTS = {"refunds": refunds, "rewards": rewards, "persons": persons}


def due(task: Task, *slips: str) -> dict[str, int]:
    """Who is to be paid how many wei, by handle; with slips, who would be paid by mistake."""
    return ACCOUNTS[task.brief["way"]](task, *slips)
