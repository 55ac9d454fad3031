"""How a drop is minted from: the reference policy of F4a, and the play of somebody who mints first and reads nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from nftbench.tasks.drops import Phase
from nftbench.tasks.families.f4_minting.sales import BLOCK_TIME
from nftbench.tasks.family import Play
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    contract,
    events,
    finish,
    give_up,
    person,
    send,
    state,
    view,
    wait_until,
    without_looking,
)
from nftbench.values import ZERO_ADDRESS


class Chance(NamedTuple):
    """A moment at which a phase lets the wallet mint so many at that price; or, with no quantity, why there is none."""

    time: int = 0
    quantity: int = 0
    price: int = 0
    obstacle: str = ""


def play(brief: dict[str, Any]) -> Play:
    """Read the phases and the claims, pick the first moment that fits what was asked, be there, and pay to the wei."""
    seen = yield from state()
    collection = contract(seen, brief["collection"])
    wallets = [seen["you"], *(person(seen, label) for label in brief.get("wallets", []))]
    phases = yield from _phases(collection)
    chances = []
    for wallet in wallets:
        claims = []
        for number in range(len(phases)):
            claims.append(int((yield from view(collection, "claimedBy", wallet, number))))
        chances.append(_first_chance(phases, claims, brief, int(seen["time"]) + BLOCK_TIME))
    left = int((yield from view(collection, "maxSupply"))) - int((yield from view(collection, "totalMinted")))
    for chance in chances:
        if chance.obstacle:
            yield from give_up(f"no phase of the drop fits: the obstacle is {chance.obstacle}", chance.obstacle)
            return
    if sum(chance.quantity for chance in chances) > left:
        yield from give_up(f"only {left} tokens are left", "sold_out")
        return
    for wallet, chance in zip(wallets, chances, strict=True):
        if chance.time > int(seen["time"]) + BLOCK_TIME:
            yield from wait_until(chance.time - BLOCK_TIME)
        value = chance.quantity * chance.price
        problem = yield from send(collection, "mint", chance.quantity, value=value, sender=wallet)
        if problem:
            yield from give_up(f"minting fails: {problem}", "sold_out")
            return
    if "to" in brief:
        yield from _pass_on(collection, seen["you"], person(seen, brief["to"]))
    yield from finish("Minted.")


def _phases(collection: str) -> Any:
    count = int((yield from view(collection, "phaseCount")))
    phases = []
    for number in range(count):
        terms = yield from view(collection, "phaseTerms", number)
        phases.append(Phase(*(int(terms[k]) for k in ("startsAt", "endsAt", "price", "walletLimit"))))
    return phases


def _first_chance(phases: list[Phase], claims: list[int], brief: dict[str, Any], now: int) -> Chance:
    """The first moment whose phase, the first open one, has the price and the claims that are asked for."""
    turns = {now, *(t for phase in phases for t in (phase.starts_at, phase.ends_at) if t > now)}
    obstacle = "time"
    for turn in sorted(turns):
        number = next((i for i, p in enumerate(phases) if p.starts_at <= turn < p.ends_at), None)
        if number is None or turn > brief.get("deadline", turn):
            continue
        phase = phases[number]
        rest = phase.limit - claims[number]
        quantity = brief.get("quantity", rest)
        if phase.price > brief.get("cap", phase.price):
            continue
        if phase.limit and not 0 < quantity <= rest:
            obstacle = "limit"
            continue
        return Chance(turn, quantity, phase.price)
    return Chance(obstacle=obstacle)


def _pass_on(collection: str, me: str, to: str) -> Any:
    """Send the last token that was minted to `me` on."""
    logs = yield from events(collection, event="Transfer", where={"from": ZERO_ADDRESS, "to": me})
    return (yield from send(collection, SAFE_TRANSFER, me, to, int(logs[-1]["args"]["tokenId"])))


def careless(brief: dict[str, Any]) -> Play:
    """Mint at once, or at the announced time, at the price that was named, from the main wallet, and call it done."""
    seen = yield from state()
    collection = contract(seen, brief["collection"])
    if "announced" in brief:
        yield from wait_until(brief["announced"])
    quantity = brief.get("quantity", brief.get("limit", 1)) * (1 + len(brief.get("wallets", [])))
    value = quantity * brief.get("price", brief.get("cap", 0))
    yield from without_looking(collection, "mint", quantity, value=value)
    yield from finish("Minted.")
