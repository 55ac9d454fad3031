"""The policies that pay out: read every page once, add up, and pay all of them or nobody."""

from __future__ import annotations

import re
from typing import Any

from nftbench.tasks.drawing import DAY
from nftbench.tasks.family import Play
from nftbench.tasks.playing import Step, by_brief, contract, events, finish, give_up, person, use, without_looking
from nftbench.values import ZERO_ADDRESS

AT_ONCE = 50
"""Payees of one transaction."""

_UNIX = re.compile(r"\(Unix time ([0-9]+)\)")
_FEWEST = re.compile(r"fewer than ([0-9]+) token-days")


def _pay_all(seen: dict[str, Any], bulk: str, due: dict[str, int]) -> Step:
    """Pay each in transactions of many, if the purse has enough for all of them, and end."""
    purse = int(seen["accounts"][0]["wei"])
    if sum(due.values()) > purse:
        yield from give_up(f"{sum(due.values())} wei are to be paid, and there are {purse}", "funds")
        return
    payees = sorted(due)
    for first in range(0, len(payees), AT_ONCE):
        some = payees[first : first + AT_ONCE]
        amounts = [due[who] for who in some]
        done = yield from without_looking(bulk, "pay", some, amounts, value=sum(amounts))
        if done["status"] != "success":
            raise RuntimeError(f"a payment fails: {done}")
    yield from finish(f"{len(due)} are paid {sum(due.values())} wei in all.")


def _paid_by(seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    """What the treasurer has paid through the bulk payments."""
    treasurer = person(seen, brief["treasurer"])
    return (yield from events(contract(seen, brief["bulk"]), event="Paid", where={"from": treasurer}))


def _refunds(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Step:
    shop, desk = contract(seen, brief["shop"]), contract(seen, brief["desk"])
    sold = yield from events(shop, event="Sold")
    for_others = yield from events(desk, event="BoughtFor", where={"shop": shop})
    sent = yield from _paid_by(seen, brief)
    own = [row for row in sold if row["args"]["buyer"] != desk]
    last = _each(sold[-1]["args"])
    due: dict[str, int] = {}
    for row in (*own, *for_others):
        given = row["args"]
        who = given.get("buyer") or given["customer"]
        due[who] = due.get(who, 0) + int(given["paid"]) - last * int(given["quantity"])
    for row in sent:
        who = row["args"]["to"]
        if int(row["time"]) >= int(sold[0]["time"]) and who in due:
            due[who] -= int(row["args"]["amount"])
    yield from _pay_all(seen, contract(seen, brief["bulk"]), {who: wei for who, wei in due.items() if wei > 0})


def _each(sale: dict[str, Any]) -> int:
    return int(sale["paid"]) // int(sale["quantity"])


def _rewards(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    rules = (yield from use("fetch_uri", uri=brief["uri"]))["content"]
    begin, end = map(int, _UNIX.findall(rules))
    fewest = int(_FEWEST.findall(rules)[0])
    vaults = {address for address in re.findall(r"0x[0-9a-fA-F]{40}", rules) if address != collection}
    moves = yield from events(collection, event="Transfer")
    held: dict[str, int] = {}
    for row in moves:
        giver, taker = row["args"]["from"], row["args"]["to"]
        left = max(0, end - max(begin, int(row["time"])))
        if vaults.isdisjoint((giver, taker)):
            held[taker] = held.get(taker, 0) + left
            if giver != ZERO_ADDRESS:
                held[giver] -= left
    counting = {who: seconds for who, seconds in held.items() if seconds >= fewest * DAY}
    due = {who: brief["pot"] * seconds // sum(counting.values()) for who, seconds in counting.items()}
    yield from _pay_all(seen, contract(seen, brief["bulk"]), due)


def _persons(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Step:
    attended = yield from events(contract(seen, brief["badges"]), event="Attended")
    statements = yield from events(contract(seen, brief["links"]))
    sent = yield from _paid_by(seen, brief)
    main: dict[str, str] = {}
    for row in statements:
        if row["event"] == "Confirmed":
            main[row["args"]["wallet"]] = row["args"]["main"]
        elif row["event"] == "Released":
            main.pop(row["args"]["wallet"], None)
    evenings: dict[str, set[str]] = {}
    for row in attended:
        evenings.setdefault(_last(main, row["args"]["guest"]), set()).add(row["args"]["evening"])
    had = {_last(main, row["args"]["to"]) for row in sent if int(row["args"]["amount"]) == brief["each"]}
    due = {who: brief["each"] for who, some in evenings.items() if len(some) >= brief["fewest"] and who not in had}
    yield from _pay_all(seen, contract(seen, brief["bulk"]), due)


def _last(main: dict[str, str], wallet: str) -> str:
    """Where the links of a wallet lead to."""
    while wallet in main:
        wallet = main[wallet]
    return wallet


play = by_brief("way", {"refunds": _refunds, "rewards": _rewards, "persons": _persons})


def _refunds_at_sight(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Step:
    """Every buyer that the shop names, whatever they have had."""
    sold = yield from events(contract(seen, brief["shop"]), event="Sold")
    last = _each(sold[-1]["args"])
    due: dict[str, int] = {}
    for row in sold:
        given = row["args"]
        due[given["buyer"]] = due.get(given["buyer"], 0) + int(given["paid"]) - last * int(given["quantity"])
    return {who: wei for who, wei in due.items() if wei}


def _rewards_at_sight(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    """By the tokens that each has now."""
    holders: dict[str, str] = {}
    for row in (yield from events(collection, event="Transfer")):
        holders[row["args"]["tokenId"]] = row["args"]["to"]
    tokens = list(holders.values())
    return {who: brief["pot"] * tokens.count(who) // len(tokens) for who in tokens}


def _persons_at_sight(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Step:
    """Every wallet that was at two evenings."""
    attended = yield from events(contract(seen, brief["badges"]), event="Attended")
    guests = [row["args"]["guest"] for row in attended]
    return {who: brief["each"] for who in guests if guests.count(who) >= brief["fewest"]}


_AT_SIGHT = {"refunds": _refunds_at_sight, "rewards": _rewards_at_sight, "persons": _persons_at_sight}


def careless(brief: dict[str, Any]) -> Play:
    """Adds up the first list of events and pays by it."""

    def pay(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
        due = yield from _AT_SIGHT[brief["way"]](seen, collection, brief)
        bulk, payees = contract(seen, brief["bulk"]), list(due)
        for first in range(0, len(payees), AT_ONCE):
            some = payees[first : first + AT_ONCE]
            yield from without_looking(
                bulk, "pay", some, [due[who] for who in some], value=sum(due[who] for who in some)
            )
        yield from finish("Paid.")

    yield from by_brief("way", dict.fromkeys(_AT_SIGHT, pay))(brief)
