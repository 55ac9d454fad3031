"""One payment a person: guests of several evenings, whose wallets are linked by what they have confirmed on the chain.

Computed by rule: a wallet's person is the main wallet that its confirmed links lead to, as they stand now; a person was at every
evening at which one of their wallets was.
"""

from __future__ import annotations

from typing import NamedTuple

from nftbench.tasks.drawing import DAY, HOUR
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At
from nftbench.tasks.ladders.l2_payouts.paying import (
    MILLIETHER,
    Clock,
    bulk_payments,
    ether,
    payment_goals,
    payments,
    slack,
    wallets,
)
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.scene import Scene

EVENINGS = 3
FEWEST = 2
"""Evenings at which somebody must have been."""


class Guest(NamedTuple):
    """A person: the main wallet, and what each of the others is linked to."""

    main: str
    links: dict[str, str]

    @property
    def wallets(self) -> list[str]:
        return [self.main, *self.links]


class Said(NamedTuple):
    """A wallet calls a function of the register, about another wallet or about none."""

    who: str
    function: str
    about: str | None = None


class Places(NamedTuple):
    """The badges that guests were given, the register of links, and what pays many at once."""

    badges: str
    links: str
    bulk: str


def tell(size: int, scene: Scene, _: bool) -> Story:
    """So many attendances, of about a third as many people."""
    draw = scene.draw
    guests = _guests(scene, max(4, size * 7 // 20))
    treasurer, stranger = scene.person(ether=5_000), scene.person(ether=5_000)
    places = _places(scene)
    attended = _attendances(scene, guests, size)
    clock = Clock(scene)
    clock.until(scene.start - 25 * DAY)
    steps = _statements(scene, guests)
    part = len(steps) // (EVENINGS + 1)
    for evening in range(1, EVENINGS + 1):
        _say(scene, clock, places.links, steps[(evening - 1) * part : evening * part])
        clock.after(2 * DAY + draw.number(1, 9) * HOUR)
        there = tuple(At(who) for who, when in attended if when == evening)
        scene.step("team", places.badges, "award", evening, there)
        clock.at()
    _say(scene, clock, places.links, steps[EVENINGS * part :])
    entitled = those_entitled(guests, attended)
    each = draw.number(21, 79) * MILLIETHER
    paid = [guests[1], *draw.sample(entitled[2:], len(entitled) // 5)]
    clock.after(DAY)
    payments(scene, treasurer, places.bulk, {guest.wallets[-1]: each for guest in paid})
    others = [draw.choice(guest.wallets) for guest in draw.sample(guests, max(1, len(guests) // 6))]
    payments(scene, stranger, places.bulk, dict.fromkeys(others, each))
    due = {guest.main: each for guest in entitled if guest not in paid}
    total = sum(due.values())
    scene.purse(total + slack(draw, total))
    return _story(scene, places, treasurer, each, due)


def _guests(scene: Scene, count: int) -> list[Guest]:
    """People of one to three wallets, the first of two and the second of one. Every fourth from the fourth on has two, both of
    which come to the same evening. A third wallet is linked to the second or to the main one."""
    draw = scene.draw
    sizes = [2, 1, *(2 if place % 4 == 3 else draw.choice((1, 2, 2, 3)) for place in range(2, count))]
    people, guests = iter(wallets(scene, sum(sizes))), list[Guest]()
    for size in sizes:
        main, links = next(people), dict[str, str]()
        for _ in range(size - 1):
            links[next(people)] = draw.choice([main, *list(links) * 2])
        guests.append(Guest(main, links))
    return guests


def _places(scene: Scene) -> Places:
    """Contracts only: the badges are given out later."""
    name = scene.draw.collection()
    args = (name, symbol_of(name), At("team"), scene.folder(name))
    badges = scene.contract("AttendanceCollection", args, label=name)
    links = scene.contract("WalletLinks", (), label="Wallet Links")
    return Places(badges, links, bulk_payments(scene))


def _attendances(scene: Scene, guests: list[Guest], size: int) -> list[tuple[str, int]]:
    """So many wallets and evenings, in drawn order. The first three guests come twice at least, the first of all with two
    wallets; every fourth comes to one evening only, with two."""
    draw, evenings = scene.draw, range(1, EVENINGS + 1)
    sure = list(zip(guests[0].wallets, draw.sample(evenings, FEWEST), strict=True))
    sure += [(draw.choice(guest.wallets), when) for guest in guests[1:3] for when in draw.sample(evenings, FEWEST)]
    doubles = [(guest, draw.choice(evenings)) for guest in guests[3::4]] if size > len(sure) else []
    sure += [(wallet, when) for guest, when in doubles for wallet in guest.wallets]
    some = [guest for place, guest in enumerate(guests) if place % 4 < 3]
    others = [(who, when) for guest in some for who in guest.wallets for when in evenings if (who, when) not in sure]
    return draw.shuffled([*sure, *draw.sample(others, size - len(sure))])


def _statements(scene: Scene, guests: list[Guest]) -> list[Said]:
    """What wallets say and confirm, those of one wallet in order: links that stand, links that were given up or replaced, and
    claims that nobody confirms."""
    draw, groups = scene.draw, list[list[Said]]()
    for guest in guests:
        strangers = [other.main for other in guests if other is not guest]
        for wallet, main in guest.links.items():
            before = _linked(wallet, draw.choice(strangers)) if draw.number(1, 6) == 1 else []
            groups.append([*before, *_linked(wallet, main)])
        match draw.number(1, 8):
            case 1:
                groups.append([*_linked(guest.main, draw.choice(strangers)), Said(guest.main, "release")])
            case 2:
                groups.append([Said(guest.main, "claim", draw.choice(strangers))])
    return [said for group in draw.shuffled(groups) for said in group]


def _linked(wallet: str, main: str) -> list[Said]:
    return [Said(wallet, "claim", main), Said(main, "confirm", wallet)]


def _say(scene: Scene, clock: Clock, links: str, statements: list[Said]) -> None:
    for said in statements:
        clock.after(scene.draw.number(1, 20) * 60)
        scene.step(said.who, links, said.function, *(() if said.about is None else (At(said.about),)))
        clock.at()


def those_entitled(guests: list[Guest], attended: list[tuple[str, int]]) -> list[Guest]:
    """Who was at enough different evenings, with whichever wallets."""
    return [guest for guest in guests if len({when for who, when in attended if who in guest.wallets}) >= FEWEST]


def _story(scene: Scene, places: Places, treasurer: str, each: int, due: dict[str, int]) -> Story:
    badges, links, bulk = (scene.labels[place] for place in places)
    name, much = scene.labels[treasurer], ether(each)
    return Story(
        phrasings=(
            f"Whoever was at two or more of the three evenings of {badges} gets {much} from me, once a person. Wallets that are linked in {links} are one person's: evenings of all of them count together, and the money goes to the main wallet, where need be by way of several links. What counts are the links that stand now. {name} has paid some people already, by {bulk}: a person who has had {much} from {name} on any of their wallets gets no more. Please pay all the others, out of my wallet.",
            f"Please pay {much} to each person who came to at least two of the three {badges} evenings (the badges show which wallet was at which). Many use several wallets; {links} has, as it stands today, which wallet belongs to which main one, sometimes over more than one step. A person's evenings count whichever of their wallets was there, and the payment goes to the main wallet at the end, once. Leave out those to one of whose wallets {name} has sent {much} through {bulk} before. The ether is mine.",
            f"{much} a head for the guests of {badges}, but only for people who were at two different evenings or at all three. It's people that count and not wallets: take together what is linked in {links} at this moment (links may lead on to further links; the last one is the main wallet), and pay to the main wallet only. If {name} has paid somebody the {much} through {bulk}, to whichever wallet of theirs, they've had it. Everybody else who qualifies shall have it from my wallet.",
        ),
        goals=payment_goals(due),
        brief={
            "way": "persons",
            "badges": badges,
            "links": links,
            "bulk": bulk,
            "treasurer": name,
            "each": each,
            "fewest": FEWEST,
        },
    )
