"""What every set of orders of a book really comes to for the user, tried one after the other on the chain itself.

Written apart from the plays: orders are the book's own entries, sets of them are found by what they give and want, and what
they are worth is read from balances after they were filled, not computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Step
from nftbench.values import ZERO_ADDRESS
from nftbench.world.order_book import Entry
from tests.tasks.sittings import Sitting

NONE = "0x" + "00" * 32
ALL = str(2**200)
COIN, TOKEN, ANY_TOKEN = 1, 2, 4
Asset = tuple[int, str, int]


class Outcome(NamedTuple):
    """What filling some orders has come to for the user: tokens gone and come, and wei of wrapped ether; `others` says whether
    any other coin has moved."""

    entries: tuple[Entry, ...]
    gone: frozenset[tuple[str, int]]
    come: frozenset[tuple[str, int]]
    wrapped: int
    others: bool


class Trader:
    """The user of an instance, who may try things out."""

    def __init__(self, name: str, suite_seed: int = 0) -> None:
        self.sitting = Sitting(name, suite_seed)
        self.brief = self.sitting.brief
        self.exchange = self.of(self.brief["exchange"])
        self.weth, self.wanted = self.of("Wrapped Ether"), self.of(self.brief["collection"])
        self.kinds = [self.of(kind) for kind in self.brief["kinds"]]
        if "gives" in self.brief:
            self.given = (self.of(self.brief["gives"][0]), int(self.brief["gives"][1]))

    @property
    def book(self) -> tuple[Entry, ...]:
        return self.sitting.world.order_book.entries

    @property
    def now(self) -> int:
        return self.sitting.world.engine.block.timestamp

    def of(self, label: str) -> str:
        return self.sitting.address(self.sitting.named(label))

    def send(self, to: str, function: str, *arguments: Any) -> bool:
        done = self.sitting.use("send_transaction", to=to, function=function, arguments=list(arguments))
        return bool(done.get("status") == "success")

    def allow_all(self) -> None:
        """Let the exchange move everything that the user has, or may come to have."""
        ledger = self.sitting.world.surveyor.capture()
        tokens = {str(entry.contract) for entry in ledger if entry.kind == "owner"}
        coins = {str(entry.contract) for entry in ledger if entry.kind == "coins"}
        assert all(self.send(token, "setApprovalForAll", self.exchange, True) for token in tokens)
        assert all(self.send(coin, "approve", self.exchange, ALL) for coin in coins)

    def allow(self, much: int, spender: str | None = None) -> None:
        """Let the exchange take the one token, and so much wrapped ether."""
        assert self.send(self.given[0], "approve", spender or self.exchange, str(self.given[1]))
        assert self.send(self.weth, "approve", spender or self.exchange, str(much))

    def fill(
        self, entry: Entry, function: str = "fulfillOrder", key: str = NONE, resolvers: Sequence[list[Any]] = ()
    ) -> bool:
        if function == "fulfillOrder":
            return self.send(self.exchange, function, order_of(entry), key)
        return self.send(self.exchange, function, advanced(order_of(entry)), list(resolvers), key, ZERO_ADDRESS)

    def match(self, orders: Sequence[dict[str, Any]], function: str = "matchOrders") -> bool:
        """Match orders; where one of them wants any token of a collection, always by the function that is told which."""
        resolvers = [[str(place), "1", str(number), token, []] for place, number, token in choices(orders)]
        if function == "matchOrders" and not resolvers:
            return self.send(self.exchange, function, list(orders), pairs(orders))
        whole, function = [advanced(order) for order in orders], "matchAdvancedOrders"
        return self.send(self.exchange, function, whole, resolvers, pairs(orders), self.sitting.world.user)

    def own(self, gets: int, much: int) -> dict[str, Any]:
        """The user's own order: the one token and so much wrapped ether for one of the wanted tokens."""
        user = self.sitting.world.user
        offer = [item(TOKEN, *self.given, 1), item(COIN, self.weth, 0, much)]
        return order(user, offer, [item(TOKEN, self.wanted, gets, 1) | {"recipient": user}])

    @contextmanager
    def trying(self) -> Iterator[None]:
        """What is done within it is undone."""
        engine, stage = self.sitting.world.engine, self.sitting.desk.stage
        marks = engine.snapshot(), stage.snapshot()
        yield
        engine.restore(marks[0])
        stage.restore(marks[1])

    def holdings(self) -> tuple[set[tuple[str, int]], dict[str, int]]:
        """The user's tokens and coins, by the world's own ledger."""
        user = self.sitting.world.user
        ledger = self.sitting.world.surveyor.capture()
        read = self.sitting.world.surveyor.read
        tokens = {(str(e.contract), int(e.subject)) for e in ledger if e.kind == "owner" and read(e) == user}
        coins = {str(e.contract): int(read(e)) for e in ledger if e.kind == "coins" and e.subject == user}
        return tokens, coins

    def outcome(self, entries: tuple[Entry, ...], *more: dict[str, Any]) -> Outcome | None:
        """What filling one order, or matching several with orders of the user's own, comes to; None where it can't be done."""
        with self.trying():
            tokens, coins = self.holdings()
            single = len(entries) == 1 and not more
            orders = [order_of(entry) for entry in entries]
            done = self.fill(entries[0]) if single else self.match([*orders, *more])
            after, left = self.holdings()
        if not done:
            return None
        change = {coin: left.get(coin, 0) - coins.get(coin, 0) for coin in {*left, *coins}}
        wrapped = change.pop(self.weth, 0)
        return Outcome(entries, frozenset(tokens - after), frozenset(after - tokens), wrapped, any(change.values()))

    def could_fill(self, entry: Entry) -> bool:
        """Whether the user could fill an order as soon as it opens, were it handed each token that the order wants, or some token
        of the book where it wants any."""
        with self.trying():
            if entry.components[5] > self.now:
                self.sitting.use("wait", until=str(entry.components[5]))
            for _, collection, token_id in tokens_of([entry], 3):
                self.hand_over(collection, token_id)
            resolvers = []
            for number, (kind, collection, *_) in enumerate(entry.components[3]):
                if kind == ANY_TOKEN:
                    token_id = min(each[2] for each in tokens_of(self.book, 2) if each[1] == collection)
                    self.hand_over(collection, token_id)
                    resolvers.append(["0", "1", str(number), str(token_id), []])
            return self.fill(entry, "fulfillAdvancedOrder", resolvers=resolvers)

    def hand_over(self, collection: str, token_id: int) -> None:
        """Let whoever has a token send it to the user."""
        world = self.sitting.world
        name = world.names[collection]
        holder = world.names[world.read(Reading(name, "ownerOf", (token_id,)))]
        world.send(Step(sender=holder, target=name, function="transferFrom", args=(At(holder), At("user"), token_id)))

    def singles(self) -> list[Outcome]:
        """Every order that gives one wanted token for the one given and wrapped ether, the cheapest first."""
        self.allow_all()
        found = [out for entry in self.book if (out := self.outcome((entry,))) is not None]
        right = [out for out in found if out.gone == {self.given} and not out.others and self._one_wanted(out)]
        return best_first(right)

    def _one_wanted(self, outcome: Outcome) -> bool:
        return len(outcome.come) == 1 and all(collection == self.wanted for collection, _ in outcome.come)

    def rings(self, size: int) -> list[Outcome]:
        """Every set of orders that give each other what they want, without a thing of the user's; what leaves most first."""
        closed = [some for some in combinations(self.book, size) if self._closes(some)]
        found = [out for some in closed if (out := self.outcome(some)) is not None]
        return best_first([out for out in found if not (out.gone or out.come or out.others)])

    def _closes(self, entries: Sequence[Entry]) -> bool:
        """Whether orders give just what they want, all of it of the kinds that were spoken of; one that wants any token of a
        collection takes what the others leave."""
        gives, wants = tokens_of(entries, 2), tokens_of(entries, 3)
        free = [each[1] for entry in entries for each in entry.components[3] if each[0] == ANY_TOKEN]
        left = [collection for _, collection, _ in gives - wants]
        return wants <= gives and left == free and {collection for _, collection, _ in gives} <= {*self.kinds}

    def chains(self) -> list[Outcome]:
        """Every two orders that turn the given token into a wanted one, with the user's own order; the cheapest first."""
        self.allow_all()
        found = []
        for some in combinations(self.book, 2):
            open_end = tokens_of(some, 2) - tokens_of(some, 3), tokens_of(some, 3) - tokens_of(some, 2)
            gets = [asset[2] for asset in open_end[0] if asset[1] == self.wanted]
            if open_end[1] == {(TOKEN, *self.given)} and len(open_end[0]) == len(gets) == 1:
                out = self.outcome(some, self.own(gets[0], cost(some, self.weth)))
                found += [out] if out is not None and self._one_wanted(out) else []
        return best_first(found)


def best_first(found: list[Outcome]) -> list[Outcome]:
    return sorted(found, key=lambda out: out.wrapped, reverse=True)


def tokens_of(entries: Sequence[Entry], side: int) -> set[Asset]:
    """The tokens that orders give (2) or want (3), by where Seaport has them in its components."""
    return {each[:3] for entry in entries for each in entry.components[side] if each[0] == TOKEN}


def cost(entries: Sequence[Entry], coin: str) -> int:
    """What orders with prices that do not move ask for of a coin."""
    return sum(each[3] for entry in entries for each in entry.components[3] if each[1] == coin)


def item(kind: int, token: str, identifier: int, much: int) -> dict[str, Any]:
    named = {"itemType": str(kind), "token": token, "identifierOrCriteria": str(identifier)}
    return {**named, "startAmount": str(much), "endAmount": str(much)}


def order(
    offerer: str, offer: list[dict[str, Any]], consideration: list[dict[str, Any]], signature: str = "0x", **terms: str
) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "offerer": offerer,
        "zone": ZERO_ADDRESS,
        "offer": [each for each in offer if each["startAmount"] != "0"],
        "consideration": consideration,
        "orderType": "0",
        "startTime": "1",
        "endTime": str(2**40),
        "zoneHash": NONE,
        "salt": "7",
        "conduitKey": NONE,
        "totalOriginalConsiderationItems": str(len(consideration)),
    }
    return {"parameters": parameters | terms, "signature": signature}


def order_of(entry: Entry) -> dict[str, Any]:
    """An order of the book as the exchange takes it."""
    offerer, zone, offer, asked, kind, starts, ends, zone_hash, salt, key, _ = entry.components
    given = [item(*each[:4]) | {"endAmount": str(each[4])} for each in offer]
    wanted = [item(*each[:4]) | {"endAmount": str(each[4]), "recipient": each[5]} for each in asked]
    terms = {"zone": zone, "orderType": str(kind), "startTime": str(starts), "endTime": str(ends)}
    words = {"zoneHash": "0x" + zone_hash.hex(), "salt": str(salt), "conduitKey": "0x" + key.hex()}
    return order(offerer, given, wanted, "0x" + entry.signature.hex(), **terms, **words)


def advanced(order: dict[str, Any]) -> dict[str, Any]:
    return {**order, "numerator": "1", "denominator": "1", "extraData": "0x"}


def pairs(orders: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each thing asked for the offer of the same thing: in all of these sets there is just one."""
    offers = {
        asset(each): (place, number)
        for place, order in enumerate(orders)
        for number, each in enumerate(order["parameters"]["offer"])
    }
    chosen = {(place, number): token for place, number, token in choices(orders)}
    found = []
    for place, order in enumerate(orders):
        for number, each in enumerate(order["parameters"]["consideration"]):
            source = offers.get(("2", each["token"], chosen.get((place, number), each["identifierOrCriteria"])))
            source = source or offers.get(asset(each))
            if source is not None:
                taken = {"considerationComponents": [component(place, number)]}
                found.append({"offerComponents": [component(*source)], **taken})
    return found


def choices(orders: Sequence[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """Which token, by the places of the order and of its item, goes to whoever wants any of a collection: the one that nobody
    wants by its number."""
    sides = ("offer", "consideration")
    gives, wants = ({asset(each) for order in orders for each in order["parameters"][side]} for side in sides)
    return [
        (place, number, token)
        for place, order in enumerate(orders)
        for number, each in enumerate(order["parameters"]["consideration"])
        for kind, collection, token in sorted(gives - wants)
        if each["itemType"] == str(ANY_TOKEN) and (kind, collection) == (str(TOKEN), each["token"])
    ]


def component(place: int, number: int) -> dict[str, str]:
    return {"orderIndex": str(place), "itemIndex": str(number)}


def asset(each: dict[str, Any]) -> tuple[str, ...]:
    return each["itemType"], each["token"], each["identifierOrCriteria"]
