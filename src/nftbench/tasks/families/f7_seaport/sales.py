"""An order book in which others sell tokens of one collection: what can be had, what is dead in nine ways, and what can be had
and is not what is asked for.

Everything is posted in drawn order, and ends only after all of it was posted, as the book does not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Unpack

from msgspec import Struct

from nftbench.tasks.drawing import DAY, HOUR
from nftbench.tasks.families.f7_seaport.own_orders import FEE
from nftbench.tasks.goals import At, EtherChange, Goal, HoldsCoins, Owns, SpentAtMost
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import PriceTerms, SeaportExchange
from nftbench.tasks.staging import dollars, named, named_alike

ROYALTY = 500
"""Basis points of a price that the artist gets."""
_TOKENS = 9


class Ask(Struct, frozen=True):
    """What one order sells: a token for so many smallest units in all of a currency (None: wei of ether)."""

    name: str
    seller: str
    token_id: int
    price: int
    currency: str | None = None


class SaleBook:
    """An exchange with its orders. `sellers` are who sells what can be had; `guest` buys some of it, `artist` gets the royalties; `retired` is
    a conduit that no longer serves the exchange once all is posted;
    `heirlooms` is a collection of which the user has one and lets it be moved by the exchange; `coin` has six decimals.

    With `stated` the collection states its royalty (ERC-2981), and the address book names `fees`, who gets the exchange's fee."""

    def __init__(self, scene: Scene, *, stated: bool = False) -> None:
        draw = scene.draw
        self.scene, self.guest, self.artist = scene, scene.person(ether=30), scene.person()
        self.sellers = [scene.person(listed=number < 2) for number in range(4)]
        self._quitter, self._shut, self._forger = (scene.person(listed=False) for _ in range(3))
        where = named(scene, "Exchange")
        note = f"gets {FEE / 100}% of every price there"
        self.fees = scene.person(f"{where} fees", note=note) if stated else "team"
        self.sea = SeaportExchange(scene, fee=FEE, collector=self.fees, label=where)
        self.retired = self.sea.add_conduit("Retired conduit")
        self._zone = self.sea.zone("Members only", listed=False)
        self.coin = dollars(scene)
        kind, terms = ("RoyaltyCollection", (At(self.artist), ROYALTY)) if stated else ("OpenZeppelinCollection", ())
        self.collection = scene.collection(kind, terms=terms)
        self._alike = named_alike(scene, scene.labels[self.collection], self._forger)
        self.heirlooms = scene.collection("SoladyCollection")
        scene.fill()
        holders = [*self.sellers, self._quitter, self._shut]
        ids = draw.shuffled(draw.numbers(_TOKENS * len(holders), 1, 900))
        self._ids = {who: ids[place :: len(holders)] for place, who in enumerate(holders)}
        for who in holders:
            scene.mint(self.collection, who, sorted(self._ids[who]))
            self.sea.approve(who, self.collection)
        self._fakes = draw.numbers(3, 1, 900)
        scene.mint(self._alike, self._forger, self._fakes, by=self._forger)
        self.sea.approve(self._forger, self._alike)
        self.heirloom = draw.number(10, 99)
        scene.mint(self.heirlooms, "user", [self.heirloom])
        self.sea.approve("user", self.heirlooms)
        self._held = {self.sea.weth: 0, self.coin: 0}
        self._rows: list[Callable[[], None]] = []
        self._ends: list[Callable[[], None]] = []
        scene.passing(draw.number(2, 6) * DAY)

    @property
    def where(self) -> str:
        """The exchange's name, as the wallet knows it."""
        return self.scene.labels[self.sea.seaport]

    @property
    def what(self) -> str:
        return self.scene.labels[self.collection]

    def purse(self, *, ether: int, wrapped: int = 0, coins: int = 0) -> None:
        """What the user has to pay with, in wei and in the coin's smallest units."""
        self._held = {self.sea.weth: wrapped, self.coin: coins}
        self.scene.purse(ether + wrapped)
        if wrapped:
            self.sea.wrap("user", wrapped)
        if coins:
            self.scene.step("team", self.coin, "mint", At("user"), coins)

    def permitted_once(self) -> None:
        """Let the conduit that is going to be retired take whatever the user has of wrapped ether."""
        self.sea.approve("user", self.sea.weth, self.retired)

    def ask(
        self,
        price: int,
        seller: str | None = None,
        after: Callable[[Ask], None] | None = None,
        **terms: Unpack[PriceTerms],
    ) -> Ask:
        """An order for one more token, which stands in the book at a drawn place; `after` is what becomes of it once all are
        posted."""
        seller = seller or self._any_seller()
        ask = Ask(f"ask {len(self._rows) + 1}", seller, self._ids[seller].pop(), price, terms.get("currency"))
        self._rows.append(lambda: self._post(ask, terms))
        if after is not None:
            self._ends.append(lambda: after(ask))
        return ask

    def _any_seller(self) -> str:
        """One who has something left to sell."""
        return self.scene.draw.choice([who for who in self.sellers if len(self._ids[who]) > 1])

    def _post(self, ask: Ask, terms: PriceTerms) -> None:
        whole: PriceTerms = {"royalty": (self.artist, ROYALTY), **terms, "name": ask.name}
        self.sea.list(ask.seller, self.collection, ask.token_id, ask.price, **whole)

    def open(self) -> None:
        """Post everything, and then let end what ends."""
        for row in self.scene.draw.shuffled(self._rows):
            row()
        self.scene.passing(self.scene.draw.number(3, 20) * HOUR)
        for end in self._ends:
            end()

    def dead(self, prices: Sequence[int], currency: str | None = None) -> None:
        """Nine orders that nobody can fill (the last one: none but members), at these prices in turn."""
        sea, price = self.sea, cycle(prices)
        self.ask(next(price), self._quitter, lambda _: sea.raise_counter(self._quitter), currency=currency)
        self.ask(next(price), None, lambda ask: sea.cancel(ask.name), currency=currency)
        self.ask(next(price), None, self.moved, currency=currency)
        self.ask(next(price), ends=self.scene.start - 5 * HOUR, currency=currency)
        self.ask(next(price), self._shut, lambda _: sea.revoke(self._shut, self.collection), currency=currency)
        self.ask(next(price), signer=self._forger, currency=currency)
        self.ask(next(price), None, self._filled)
        closed = self.ask(next(price), conduit=self.retired, currency=currency)
        sea.approve(closed.seller, self.collection, self.retired)
        self._ends.append(lambda: sea.retire(self.retired))
        self.ask(next(price), restricted=True, zone=self._zone, currency=currency)

    def cancelled(self, ask: Ask, stays: bool) -> None:
        """Let the seller cancel it once all is posted, unless it `stays`."""
        if not stays:
            self._ends.append(lambda: self.sea.cancel(ask.name))

    def sold_for_coins(self, ask: Ask, stays: bool) -> None:
        """Let the guest have the coins for it once all is posted, and buy it unless it `stays`."""

        def act() -> None:
            self.scene.step("team", self.coin, "mint", At(self.guest), ask.price)
            self.sea.approve(self.guest, self.coin, amount=ask.price)
            if not stays:
                self.sea.fill(ask.name, by=self.guest)

        self._ends.append(act)

    def moved(self, ask: Ask) -> None:
        """Let the token leave its seller."""
        self.scene.step(ask.seller, self.collection, "transferFrom", At(ask.seller), At(self.guest), ask.token_id)

    def _filled(self, ask: Ask) -> None:
        self.sea.fill(ask.name, by=self.guest)

    def unlike(self, best: int, limit: int, last: int, currency: str | None = None) -> None:
        """Orders that can be filled and are no better than the `best` price: one whose seller takes less and the exchange more,
        one that rises above `limit`, one that falls from above it to `last`, a lot, one that takes an heirloom as well, one for
        the guest alone, and three of a look-alike collection."""
        sea, start = self.sea, self.scene.start
        unit = best // 100
        self.ask(104 * unit, fee=2000, currency=currency)
        self.ask(40 * unit, last=limit + 140 * unit, starts=start - 25 * DAY, ends=start + 5 * DAY, currency=currency)
        self.ask(limit + 60 * unit, last=last, starts=start - 2 * DAY, ends=start + 28 * DAY, currency=currency)
        lot = self._any_seller()
        mate = sea.token(self.collection, self._ids[lot].pop())
        self.ask(limit + 20 * unit, lot, also=(mate,), currency=currency)
        self.ask(70 * unit, buyer=self.guest, currency=currency)
        swap = self._any_seller()
        given = self._ids[swap].pop()
        self._rows.append(lambda: self._with_heirloom(swap, given, 30 * unit, currency))
        for token_id, share in zip(self._fakes, (20, 65, 95), strict=True):
            self._rows.append(self._fake(token_id, share * unit, currency))

    def _with_heirloom(self, seller: str, token_id: int, price: int, currency: str | None) -> None:
        sea = self.sea
        asked = (
            sea.money(price, seller, currency=currency),
            sea.token(self.heirlooms, self.heirloom, to=seller),
        )
        sea.order(seller, (sea.token(self.collection, token_id),), asked)

    def _fake(self, token_id: int, price: int, currency: str | None) -> Callable[[], None]:
        def post() -> None:
            self.sea.list(self._forger, self._alike, token_id, price, currency=currency)

        return post

    def bought(self, *asks: Ask) -> tuple[Goal, ...]:
        """Goals: these are the user's, each paid for in its currency to the unit, and everybody has their share. What the user
        had of coins is what `purse` said."""
        currency = asks[0].currency
        shares: dict[str, int] = {"team": 0, self.artist: 0}
        for ask in asks:
            fee, royalty = (ask.price * points // BASIS_POINTS for points in (FEE, ROYALTY))
            shares["team"] += fee
            shares[self.artist] += royalty
            shares[ask.seller] = shares.get(ask.seller, 0) + ask.price - fee - royalty
        total = sum(ask.price for ask in asks)
        paid: tuple[Goal, ...]
        if currency is None:
            paid = (EtherChange("user", -total), *(EtherChange(who, much) for who, much in shares.items()))
        else:
            left = self._held[currency] - total
            paid = (
                HoldsCoins("user", currency, left),
                SpentAtMost("user", total, currency),
                *(HoldsCoins(who, currency, much) for who, much in shares.items()),
            )
        return (*(Owns("user", self.collection, ask.token_id) for ask in asks), *paid)
