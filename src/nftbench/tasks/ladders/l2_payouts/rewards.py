"""Rewards by time held: a pot is shared by token-seconds, as a published document says."""

from __future__ import annotations

from itertools import cycle
from typing import NamedTuple

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At
from nftbench.tasks.ladders.l2_payouts.paying import (
    MILLIETHER,
    Clock,
    about,
    bulk_payments,
    ether,
    payment_goals,
    slack,
    wallets,
)
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import named

SAFE_TRANSFER = "safeTransferFrom(address,address,uint256)"
FIRST_MINT, BEGIN, END = 24 * DAY, 20 * DAY, 6 * DAY  # before the start


class Moved(NamedTuple):
    """A token came to count for somebody at a time (Unix seconds)."""

    time: int
    token_id: int
    holder: str


class Period(NamedTuple):
    """What the document says: Unix seconds, and the fewest token-days that are rewarded."""

    begin: int
    end: int
    fewest_days: int


def tell(size: int, scene: Scene, _: bool) -> Story:
    """So many transfers before the end of the period, mints and those to and from the vault among them."""
    draw = scene.draw
    people = wallets(scene, max(4, size * 3 // 10))
    collection = scene.collection("OpenZeppelinCollection")
    vault = scene.contract("DepositVault", (At("team"), ()), label=named(scene, "Vault"))
    bulk = bulk_payments(scene)
    begin, end = scene.start - BEGIN + draw.number(0, 20) * HOUR, scene.start - END - draw.number(0, 20) * HOUR
    moved = _history(scene, (collection, vault), people, end, size)
    held = seconds_held(moved, begin, end)
    period = Period(begin, end, threshold(held))
    pot = draw.number(2_000, 9_000) * MILLIETHER
    due = shares(pot, held, period.fewest_days)
    scene.purse(pot + slack(draw, pot))
    uri = f"{scene.folder('rewards')}rules.txt"
    scene.uris[uri] = _document(scene, collection, vault, period)
    return _story(scene, (collection, bulk), pot, uri, due)


def _history(scene: Scene, places: tuple[str, str], people: list[str], end: int, size: int) -> list[Moved]:
    """What makes `size` transfers up to the end, the last of them between people, and a few more after it; gives the changes that
    count."""
    draw, (collection, vault) = scene.draw, places
    tokens = max(3, size * 2 // 5)
    clock = Clock(scene)
    clock.until(scene.start - FIRST_MINT)
    moved = _mints(scene, clock, collection, people, tokens)
    holders, kept = {one.token_id: one.holder for one in moved}, set[int]()
    moves = size - tokens
    gap = (end - clock.time - 2 * HOUR) * 2 // 3 // moves
    for number in range(moves + max(2, size // 10)):
        clock.until(end + HOUR) if number == moves else clock.after(about(draw, gap if number < moves else HOUR))
        free = [token_id for token_id in holders if token_id not in kept]
        token_id = draw.choice(free if number == moves - 1 else list(holders))
        holder = holders[token_id]
        if token_id in kept:
            scene.step(holder, vault, "withdraw", At(collection), token_id)
            kept.discard(token_id)
            clock.at()
            continue
        stored = number != moves - 1 and draw.number(1, 4) == 1
        to = vault if stored else draw.choice([p for p in people if p != holder])
        scene.step(holder, collection, SAFE_TRANSFER, At(holder), At(to), token_id)
        if stored:
            kept.add(token_id)
            clock.at()
            continue
        holders[token_id] = to
        moved.append(Moved(clock.at(), token_id, to))
    return moved


def _mints(scene: Scene, clock: Clock, collection: str, people: list[str], tokens: int) -> list[Moved]:
    """The tokens from 1 on, in batches to one after another; small collections go one by one."""
    draw, moved, next_id = scene.draw, list[Moved](), 1
    most = max(1, min(4, tokens // 8))
    for holder in cycle(people):
        if next_id > tokens:
            break
        ids = list(range(next_id, min(next_id + draw.number(1, most), tokens + 1)))
        scene.mint(collection, holder, ids)
        time = clock.at()
        moved += [Moved(time, token_id, holder) for token_id in ids]
        next_id += len(ids)
    return moved


def seconds_held(moved: list[Moved], begin: int, end: int) -> dict[str, int]:
    """Token-seconds of each between the two times; those who have none are left out."""
    held: dict[str, int] = {}
    since: dict[int, Moved] = {}
    last = [Moved(end, token_id, "") for token_id in {one.token_id for one in moved}]
    for one in (*(m for m in moved if m.time < end), *last):
        before = since.get(one.token_id)
        if before is not None and one.time > begin:
            held[before.holder] = held.get(before.holder, 0) + one.time - max(before.time, begin)
        since[one.token_id] = one
    return {who: seconds for who, seconds in held.items() if seconds}


def threshold(held: dict[str, int]) -> int:
    """So many whole days that about one in six of the holders comes to fewer token-days, and two at least to no fewer."""
    seconds = sorted(held.values())
    return min(seconds[max(0, len(held) // 6 - 1)] // DAY + 1, seconds[-2] // DAY)


def shares(pot: int, held: dict[str, int], fewest_days: int) -> dict[str, int]:
    """What each gets of the pot, in wei, rounded down."""
    counting = {who: seconds for who, seconds in held.items() if seconds >= fewest_days * DAY}
    return {who: pot * seconds // sum(counting.values()) for who, seconds in counting.items()}


def _document(scene: Scene, collection: str, vault: str, period: Period) -> str:
    name = scene.labels[collection]
    begin, end = (f"{moment(time)} (Unix time {time})" for time in (period.begin, period.end))
    return "\n".join(
        (
            f"Rewards for the holders of {name} ({scene.contract_address(collection)})",
            f"1. The period begins at {begin}, and ends at {end}.",
            "2. Every token counts for its holder, second by second, from the time of the block in which it comes to them to that of the block in which it leaves them, as far as that lies in the period.",
            f"3. While a token lies in the {scene.labels[vault]} ({scene.contract_address(vault)}) it counts for whoever put it there.",
            f"4. Those with fewer than {period.fewest_days} token-days get nothing and take no part in the division. A token-day is one token for 86400 seconds.",
            "5. The pot is divided among all others in proportion to their token-seconds. Every share is rounded down to a whole wei; what that leaves over is not paid to anybody.",
        )
    )


def _story(scene: Scene, places: tuple[str, str], pot: int, uri: str, due: dict[str, int]) -> Story:
    name, bulk = (scene.labels[place] for place in places)
    much = ether(pot)
    return Story(
        phrasings=(
            f"Please pay the rewards to the holders of {name}: the pot is {much}, from my wallet, and who gets how much of it follows from the rules at {uri}. Each share is one holder's, exactly to the wei.",
            f"The holders of {name} have been promised {much} among them, by the time they held. The published rules are {uri}; work out each holder's share by them and send it from my ether, to the wei.",
            f"{much} of mine are to go to the holders of {name}, divided just as {uri} says. Send everyone who is due something under those rules their exact share, and nobody else anything.",
        ),
        goals=payment_goals(due),
        brief={"way": "rewards", "collection": name, "bulk": bulk, "pot": pot, "uri": uri},
    )
