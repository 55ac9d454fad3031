"""An order book in which others bid for tokens of the user's: what pays, what is dead in nine ways, and what can be taken and is
not what is asked for.

Everything is posted in drawn order, and ends only after all of it was posted, as the book does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any, Unpack, cast

from msgspec import Struct

from nftbench.tasks.drawing import DAY, HOUR
from nftbench.tasks.goals import At, Goal, HoldsCoins, Owns
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import PriceTerms, SeaportExchange, criteria_proof
from nftbench.tasks.staging import dollars, named, named_alike

FEE = 250
"""Basis points of a price that the exchange keeps."""
ROYALTY = 500
"""Basis points of a price that the artist gets."""
CENT = ETHER // 100
_TOKENS = 4


class BidTerms(PriceTerms, total=False):
    """What may be said of a bid: with `among` any one of these ids will do, and if there are none, any of the collection."""

    among: Sequence[int]


class Bid(Struct, frozen=True):
    """What one order buys: a token for so many smallest units of a currency, of which whoever sells pays fee and royalty.
    `held` is what the bidder has of the currency. `among` (None: no criteria) are the ids that will do as well as `token_id`,
    which is what the user would sell for it; `amount` tokens in all, each an equal part of the order."""

    name: str
    bidder: str
    token_id: int
    price: int
    currency: str
    held: int
    among: tuple[int, ...] | None = None
    amount: int = 1

    def resolvers(self, token_id: int) -> tuple[Any, ...]:
        """What tells the exchange that its criteria come to this token."""
        if self.among is None:
            return ()
        return ((0, 1, 0, token_id, tuple(criteria_proof(self.among, token_id)) if self.among else ()),)


class BidBook:
    """An exchange with its bids. `ids` are the user's tokens of `collection`; `coin` has six decimals and `crowns` has eighteen;
    `heirlooms` is a collection of which the user has one; `friend` is a bidder of the address book; `wrapped` is how much ether
    has been wrapped in all."""

    def __init__(self, scene: Scene) -> None:
        draw = scene.draw
        self.scene, self.friend, self.artist = scene, scene.person(ether=40), scene.person()
        self._former, self._forger = scene.person(), scene.person(listed=False)
        self.sea = SeaportExchange(scene, fee=FEE, label=named(scene, "Exchange"))
        self._retired = self.sea.add_conduit("Retired conduit")
        self._zone = self.sea.zone("Members only", listed=False)
        self.coin, self.crowns = dollars(scene), dollars(scene, 18, "Crown")
        self.collection = self._made()
        self._alike = named_alike(scene, scene.labels[self.collection], self._forger)
        self.heirlooms = scene.collection("SoladyCollection")
        scene.fill()
        self.ids = draw.shuffled(draw.numbers(_TOKENS, 1, 900))
        self._deal()
        scene.mint(self._alike, "user", self.ids[:1], by=self._forger)
        self.heirloom = draw.number(10, 99)
        scene.mint(self.heirlooms, "user", [self.heirloom])
        self._had = {self.sea.weth: draw.number(20, 90) * CENT, self.coin: draw.number(20, 90) * 10**6}
        scene.purse(draw.number(2, 5) * ETHER)
        self.wrapped = self._had[self.sea.weth]
        self.sea.wrap("user", self.wrapped)
        scene.step("team", self.coin, "mint", At("user"), self._had[self.coin])
        self._rows: list[Callable[[], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._passed_on = False
        self._strangers = 0
        self.forms: Iterator[BidTerms] = cycle(({},))
        scene.passing(draw.number(2, 6) * DAY)

    def held(self, currency: str) -> int:
        """What the user begins with of wrapped ether or of `coin`, in smallest units."""
        return self._had[currency]

    def _made(self) -> str:
        """The collection that is bid for."""
        return self.scene.collection("OpenZeppelinCollection")

    def _deal(self) -> None:
        """Mint the user's tokens, the first of them to its former holder."""
        self.scene.mint(self.collection, self._former, self.ids[:1])
        self.scene.mint(self.collection, "user", sorted(self.ids[1:]))

    @property
    def where(self) -> str:
        """The exchange's name, as the wallet knows it."""
        return self.scene.labels[self.sea.seaport]

    @property
    def what(self) -> str:
        return self.scene.labels[self.collection]

    def bid(
        self,
        price: int,
        token_id: int | None = None,
        *,
        bidder: str | None = None,
        after: Callable[[Bid], None] | None = None,
        held: int | None = None,
        **terms: Unpack[BidTerms],
    ) -> Bid:
        """A bid for one of the user's tokens (None: the first) or for others as well, which stands in the book at a drawn place, of a
        bidder of its own who has `held` of its currency (None: enough); `after` is what becomes of it once all are posted."""
        bidder = bidder or self._stranger()
        currency = terms.get("currency") or self.sea.weth
        held = max(price, terms.get("last", 0)) * 6 // 5 if held is None else held
        wanted = self.ids[0] if token_id is None else token_id
        among = None if "among" not in terms else tuple(terms["among"])
        name, amount = f"bid {len(self._rows) + 1}", terms.get("amount", 1)
        bid = Bid(name, bidder, wanted, price, currency, held, among, amount)
        self._rows.append(lambda: self._post(bid, terms))
        if after is not None:
            self._ends.append(lambda: after(bid))
        return bid

    def _stranger(self) -> str:
        """Somebody whom the wallet does not know."""
        self._strangers += 1
        return self.scene.person(f"bidder {self._strangers}", listed=False, ether=40)

    def _post(self, bid: Bid, terms: BidTerms) -> None:
        self._fund(bid.bidder, bid.currency, bid.held, terms.get("conduit"))
        said = cast(PriceTerms, {name: value for name, value in terms.items() if name != "among"})
        whole: PriceTerms = {"royalty": (self.artist, ROYALTY), **said, "name": bid.name}
        wanted = bid.token_id if bid.among is None else bid.among or None
        self.sea.bid(bid.bidder, self.collection, wanted, bid.price, **whole)

    def _fund(self, who: str, currency: str, held: int, through: str | None = None) -> None:
        if currency == self.sea.weth:
            self.sea.wrap(who, held)
            self.wrapped += held
        else:
            self.scene.step("team", currency, "mint", At(who), held)
        self.sea.approve(who, currency, through)

    def open(self) -> None:
        """Post everything, and then let end what ends; the user has all of the tokens then."""
        for row in self.scene.draw.shuffled(self._rows):
            row()
        self.scene.passing(self.scene.draw.number(3, 20) * HOUR)
        for end in self._ends:
            end()
        if not self._passed_on:
            self._hand_on(self._former)

    def _hand_on(self, holder: str, taker: str = "user") -> None:
        self.scene.step(holder, self.collection, "transferFrom", At(holder), At(taker), self.ids[0])

    def _formed(
        self,
        price: int,
        after: Callable[[Bid], None] | None = None,
        held: int | None = None,
        **terms: Unpack[BidTerms],
    ) -> None:
        """A bid of the next of the `forms` which those take that come to nothing."""
        whole: BidTerms = {**next(self.forms), **terms}
        self.bid(price, after=after, held=held, **whole)

    def dead(self, prices: Sequence[int], currency: str | None = None) -> None:
        """Nine bids that nobody can take (the last one: none but members), at these prices in turn."""
        sea, price, money = self.sea, cycle(prices), currency or self.sea.weth
        self._formed(next(price), lambda bid: sea.raise_counter(bid.bidder), currency=currency)
        self._formed(next(price), self.cancel, currency=currency)
        self._formed(next(price), None, CENT if currency is None else 10**6, currency=currency)
        self._formed(next(price), ends=self.scene.start - 5 * HOUR, currency=currency)
        self._formed(next(price), lambda bid: sea.revoke(bid.bidder, money), currency=currency)
        self._formed(next(price), signer=self._forger, currency=currency)
        self._formed(next(price), self._filled, fee=0, royalty=None, currency=currency)
        self._formed(next(price), conduit=self._retired, currency=currency)
        self._ends.append(lambda: sea.retire(self._retired))
        self._formed(next(price), restricted=True, zone=self._zone, currency=currency)

    def cancel(self, bid: Bid) -> None:
        self.sea.cancel(bid.name)

    def cancelled(self, bid: Bid, stays: bool) -> None:
        """Let the bidder cancel it once all is posted, unless it `stays`."""
        if not stays:
            self._ends.append(lambda: self.cancel(bid))

    def _filled(self, bid: Bid) -> None:
        """Let the former holder take the bid, as often as it wants a token, and the bidder pass the token on to the user."""
        self.sea.approve(self._former, self.collection)
        token_id = self.ids[0]
        for part in range(bid.amount):
            if part:
                self._hand_on(bid.bidder, self._former)
            self.sea.fill(bid.name, by=self._former, part=(1, bid.amount), resolvers=bid.resolvers(token_id))
        self._hand_on(bid.bidder)
        self._passed_on = True

    def unlike(self, best: int, currency: str | None = None) -> None:
        """Bids that can be taken and are no better than the `best` price: of which more than a quarter goes elsewhere, one that
        has fallen, one that has not risen yet, one for another token, one that takes an heirloom as well, and one for a token
        of a look-alike collection."""
        sea, start, part = self.sea, self.scene.start, best // 100
        self._formed(106 * part, fee=2500, currency=currency)
        self._formed(150 * part, last=30 * part, starts=start - 25 * DAY, ends=start + 5 * DAY, currency=currency)
        self._formed(50 * part, last=200 * part, starts=start - 2 * DAY, ends=start + 28 * DAY, currency=currency)
        self.bid(130 * part, self.ids[3], currency=currency)
        money = currency or sea.weth
        keen, faker = self._stranger(), self._stranger()

        def with_heirloom() -> None:
            self._fund(keen, money, 140 * part)
            asked = (
                sea.token(self.collection, self.ids[0], to=keen),
                sea.token(self.heirlooms, self.heirloom, to=keen),
            )
            sea.order(keen, (sea.money(140 * part, currency=money),), asked)

        def for_the_alike() -> None:
            self._fund(faker, money, 155 * part)
            sea.bid(faker, self._alike, self.ids[0], 155 * part, currency=money)

        self._rows += [with_heirloom, for_the_alike]

    def withdraws(self, bid: Bid, after: int) -> None:
        """Let the bidder take the allowance back so many seconds after the agent began."""
        back = Step(sender=bid.bidder, target=bid.currency, function="approve", args=(At(self.sea.conduit), 0))
        self.scene.actor("bidder", Trigger(after=after), back)

    def sold(self, bid: Bid, also: Sequence[int] = ()) -> tuple[Goal, ...]:
        """Goals: the token (and what is sold by the same bid) is the bidder's, who has paid the price, and everybody has their share
        of it."""
        fee, royalty = (bid.price * points // BASIS_POINTS for points in (FEE, ROYALTY))
        mine = self._had[bid.currency] + bid.price - fee - royalty
        shares = {"user": mine, bid.bidder: bid.held - bid.price, "team": fee, self.artist: royalty}
        return (
            *(Owns(bid.bidder, self.collection, token_id) for token_id in (bid.token_id, *also)),
            *(HoldsCoins(who, bid.currency, much) for who, much in shares.items()),
        )


def net(price: int) -> int:
    """What is left of a price after the exchange's fee and the artist's royalty."""
    return price - price * FEE // BASIS_POINTS - price * ROYALTY // BASIS_POINTS
