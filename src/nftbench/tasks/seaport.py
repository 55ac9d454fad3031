"""Real Seaport in a scene: an exchange with conduits, wrapped ether and an order book, and a line for each signed order.

How to write against it (amounts in wei or smallest units, times in Unix seconds, names as in the scene):

    sea = SeaportExchange(scene, fee=250)                     # Seaport 1.6, its controller, a conduit, WETH, an order book
    dollars = coin(scene, "Harbour Dollar")                   # tasks.markets: an ERC-20 with 6 decimals
    sea.approve("mira", cats)                                 # lets the exchange's conduit move Mira's tokens
    a = sea.list("mira", cats, 17, price=8 * ETHER // 10, royalty=("ada", 500))   # signed, posted; returns the order's name
    b = sea.list("mira", cats, 18, price=ETHER, last=ETHER // 2)                  # falls in a line from start to end
    c = sea.list("ivo", ore, 7, price=9 * ETHER, amount=9, partial=True)          # ERC-1155, may be filled in parts
    d = sea.list("ivo", cats, 3, price=5_000_000, currency=dollars, buyer="user") # a private sale in another currency
    e = sea.bid("ada", cats, 17, price=ETHER)                 # in WETH; token_id None: any token; a list of ids: criteria
    f = sea.order("ivo", (sea.token(cats, 3),), (sea.token(cats, 9, to="ivo"),))  # anything else, here a barter
    sea.cancel(a); sea.fill(b, by="ada"); sea.raise_counter("ivo"); sea.revoke("mira", cats); sea.retire(sea.conduit)

An order is made at its moment of history, so a dead one is: make it, then do what kills it. What kills one without a step:
`ends` (in the past), `signer="vera"` (forged), `counter=1`, `zone=sea.zone()` with `restricted=True`. Contracts come before
counted blocks, as in any scene: make exchanges, conduits, zones and coins first.

In steps and goals: OrderOf(name, form), OrderHash(name), SignatureOf(name), ConduitKey(conduit). `sea.status(name)` reads the
order's status: (validated, cancelled, filled, size). By criteria: `criteria_root(ids)`, `criteria_proof(ids, id)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack, cast

from nftbench.chain.merkle import merkle_proof, merkle_root
from nftbench.chain.seaport import CREATE_CONDUIT
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.minted import MULTI_TOKENS, TOKENS
from nftbench.tasks.orders import (
    ConduitKey,
    Item,
    ItemType,
    Order,
    OrderHash,
    OrderOf,
    OrderType,
    PostOrder,
    SignOrders,
)
from nftbench.tasks.orders.model import SigningForm
from nftbench.tasks.scene import Scene
from nftbench.values import UINT256_MAX, keccak256

DAY = 86_400
WETH_LABEL = "Wrapped Ether"


class OrderTerms(TypedDict, total=False):
    """What may be said of an order besides what it gives and wants; times default to the whole of the history and 30 days
    after the start.

    `conduit` None: the exchange itself moves the assets (default: the exchange's conduit); `conduit_key` one that there is not.
    `form`, `signer`: see SignOrders. `status`: what the book tells; `posted` False keeps it out of the book.
    """

    name: str
    starts: int
    ends: int
    partial: bool
    restricted: bool
    zone: str
    zone_hash: bytes
    salt: int
    conduit: str | None
    conduit_key: bytes
    counter: int
    form: SigningForm
    signer: str
    status: str
    posted: bool


class PriceTerms(OrderTerms, total=False):
    """What may be said of a listing or a bid besides its price: `last` is the price at its end, where it moves in a line;
    `amount` the units of an ERC-1155's token; `currency` a coin (None: ether for listings, WETH for bids); `royalty` who gets
    how many basis points, `fee` the market's where it is not the exchange's; `buyer` the only one who can fill a listing; `also`
    what else it sells."""

    last: int
    amount: int
    currency: str | None
    royalty: tuple[str, int] | None
    fee: int
    buyer: str | None
    also: Sequence[Item]


class SeaportExchange:
    """One exchange. `fee` is the market's share of a price in basis points, which goes to `collector`; handles of its contracts:
    `seaport`, `controller`, `conduit`, `weth`."""

    def __init__(
        self, scene: Scene, *, fee: int = 0, collector: str = "team", label: str = "Seaport", book: bool = True
    ) -> None:
        self.scene = scene
        self.fee, self.collector = fee, collector
        self.controller = scene.contract("ConduitController", (), label="Conduit Controller")
        self.seaport = scene.contract("Seaport", (At(self.controller),), label=label)
        self.weth = scene.contract("WrappedEther", (), label=WETH_LABEL)
        self._keys: dict[str, bytes] = {}
        self._orders: dict[str, Order] = {}
        self.conduit = self.add_conduit(f"{label} conduit")
        if book:
            scene.order_book = self.seaport

    def add_conduit(self, label: str, *, open_: bool = True, owner: str = "team") -> str:
        """Another conduit of the controller's; Seaport is a channel of it unless it is closed."""
        key = bytes.fromhex(self.scene.address("team")[2:]) + keccak256(label.encode())[:12]
        conduit = self.scene.contract(
            "Conduit", (key, At(owner)), label=label, factory=self.controller, making=CREATE_CONDUIT
        )
        self._keys[conduit] = key
        if open_:
            self._channel(conduit, True, owner)
        return conduit

    def zone(self, label: str = "Allowlist Zone", *, listed: bool = True) -> str:
        """A zone of the team's whose list says who may fill restricted orders."""
        return self.scene.contract("AllowlistZone", (At("team"),), label=label, listed=listed)

    def token(self, collection: str, token_id: int, amount: int = 1, to: str | None = None) -> Item:
        """A token, or units of one; asked for where it goes `to` somebody."""
        kind = ItemType.ERC1155 if self.scene.artifact(collection) in MULTI_TOKENS else ItemType.ERC721
        return Item(kind, At(collection), token_id, amount, recipient=None if to is None else At(to))

    def any_of(self, collection: str, ids: Sequence[int] | None, to: str, amount: int = 1) -> Item:
        """Any one of these tokens of a collection (None: of all), which goes to somebody."""
        units = self.scene.artifact(collection) in MULTI_TOKENS
        kind = ItemType.ERC1155_WITH_CRITERIA if units else ItemType.ERC721_WITH_CRITERIA
        root = int.from_bytes(criteria_root(ids), "big") if ids else 0
        return Item(kind, At(collection), root, amount, recipient=At(to))

    def money(
        self, amount: int, to: str | None = None, *, currency: str | None = None, last: int | None = None
    ) -> Item:
        """Ether (currency None) or an ERC-20 currency; asked for where it goes `to` somebody."""
        kind, token = (ItemType.NATIVE, "nobody") if currency is None else (ItemType.ERC20, currency)
        return Item(kind, At(token), 0, amount, last, None if to is None else At(to))

    def list(self, seller: str, collection: str, token_id: int, price: int, **terms: Unpack[PriceTerms]) -> str:
        """An order that sells a token (and `also` others): whoever fills it pays `price` in all, of which the market's fee and
        the royalty go where they should. With `buyer` only that account can fill it."""
        return self.order(seller, *self.listing(seller, collection, token_id, price, **terms), **order_terms(terms))

    def listing(
        self, seller: str, collection: str, token_id: int, price: int, **terms: Unpack[PriceTerms]
    ) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        """The offer and the consideration of a listing, for `draft`."""
        offer = (self.token(collection, token_id, terms.get("amount", 1)), *terms.get("also", ()))
        asked = self._shared(seller, (price, terms.get("last", price)), terms.get("currency"), self._shares(terms))
        buyer = terms.get("buyer")
        if buyer is not None:
            asked += tuple(Item(i.item_type, i.token, i.identifier, i.start_amount, None, At(buyer)) for i in offer)
        return offer, asked

    def bid(
        self,
        bidder: str,
        collection: str,
        token_id: int | Sequence[int] | None,
        price: int,
        **terms: Unpack[PriceTerms],
    ) -> str:
        """An order that buys a token, one of several, or any of a collection; fee and royalty are paid out of the price by
        whoever sells."""
        currency, amount = terms.get("currency") or self.weth, terms.get("amount", 1)
        if isinstance(token_id, int):
            wanted = self.token(collection, token_id, amount, bidder)
        else:
            wanted = self.any_of(collection, token_id, bidder, amount)
        last = terms.get("last", price)
        fees = self._shared(None, (price, last), currency, self._shares(terms))
        given = self.money(price, currency=currency, last=None if last == price else last)
        return self.order(bidder, (given,), (wanted, *fees), **order_terms(terms))

    def _shares(self, terms: PriceTerms) -> tuple[tuple[str, int], ...]:
        royalty = terms.get("royalty")
        return ((self.collector, terms.get("fee", self.fee)), *((royalty,) if royalty else ()))

    def _shared(
        self, rest: str | None, ends: tuple[int, int], currency: str | None, shares: tuple[tuple[str, int], ...]
    ) -> tuple[Item, ...]:
        """A price, at its start and at its end, split: the rest, if somebody gets it, and then the shares, rounded down."""
        parts = [(to, [end * points // BASIS_POINTS for end in ends]) for to, points in shares if points]
        remainder = [end - sum(part[i] for _, part in parts) for i, end in enumerate(ends)]
        split = ([(rest, remainder)] if rest is not None else []) + parts
        return tuple(self.money(a, to, currency=currency, last=None if a == b else b) for to, (a, b) in split)

    def order(
        self, offerer: str, offer: Sequence[Item], consideration: Sequence[Item], **terms: Unpack[OrderTerms]
    ) -> str:
        """Any order: made, signed and posted at this moment of history. Returns its name."""
        order = self.draft(offerer, offer, consideration, **terms)
        self.scene.off_chain(SignOrders((order,), terms.get("form", "full"), terms.get("signer")))
        if terms.get("posted", True):
            self.post(order.name, terms.get("status", "active"))
        return order.name

    def draft(
        self, offerer: str, offer: Sequence[Item], consideration: Sequence[Item], **terms: Unpack[OrderTerms]
    ) -> Order:
        """An order that is not signed yet; for `sign_bulk`."""
        name = terms.get("name") or f"{offerer}'s order {len(self._orders) + 1}"
        if name in self._orders:
            raise ValueError(f"there is an order named {name!r} already")
        salt = int.from_bytes(keccak256(f"{self.scene.seed}/{name}".encode())[:8], "big")
        kind = (OrderType.PARTIAL_OPEN if terms.get("partial") else OrderType.FULL_OPEN) + 2 * bool(
            terms.get("restricted")
        )
        order = Order(
            name=name,
            exchange=self.seaport,
            offerer=offerer,
            offer=tuple(offer),
            consideration=tuple(consideration),
            start_time=terms.get("starts", self.scene.start - 30 * DAY),
            end_time=terms.get("ends", self.scene.start + 30 * DAY),
            order_type=OrderType(kind),
            zone=terms.get("zone", "nobody"),
            zone_hash=terms.get("zone_hash", bytes(32)),
            salt=terms.get("salt", salt),
            conduit=terms.get("conduit", self.conduit),
            conduit_key=terms.get("conduit_key"),
            counter=terms.get("counter"),
        )
        self._orders[name] = order
        return order

    def sign_bulk(self, orders: Sequence[Order], *, posted: bool = True, signer: str | None = None) -> None:
        """One signature of their offerer's over several drafts."""
        self.scene.off_chain(SignOrders(tuple(orders), "bulk", signer))
        for order in orders if posted else ():
            self.post(order.name)

    def post(self, name: str, status: str = "active") -> None:
        self.scene.off_chain(PostOrder(name, status))

    def approve(self, who: str, token: str, through: str | None = None, *, amount: int = UINT256_MAX) -> None:
        """Let a conduit (default: the exchange's) move somebody's tokens, or so many coins of theirs."""
        self._approval(who, token, through or self.conduit, amount)

    def revoke(self, who: str, token: str, through: str | None = None) -> None:
        """Take that back."""
        self._approval(who, token, through or self.conduit, 0)

    def _approval(self, who: str, token: str, mover: str, amount: int) -> None:
        if self.scene.artifact(token) in TOKENS:
            self.scene.step(who, token, "setApprovalForAll", At(mover), bool(amount))
        else:
            self.scene.step(who, token, "approve", At(mover), amount)

    def wrap(self, who: str, wei: int) -> None:
        """Let somebody have so much WETH."""
        self.scene.step(who, self.weth, "deposit", value=wei)

    def cancel(self, *names: str) -> None:
        """Let the offerer cancel orders, in one transaction."""
        orders = tuple(OrderOf(name) for name in names)
        self.scene.step(self._orders[names[0]].offerer, self.seaport, "cancel", orders)

    def raise_counter(self, who: str) -> None:
        """Cancel all orders that somebody has signed so far."""
        self.scene.step(who, self.seaport, "incrementCounter")

    def validate(self, name: str) -> None:
        """Let the offerer have the order validated on chain, after which it needs no signature."""
        order = self._orders[name]
        self.scene.step(order.offerer, self.seaport, "validate", (OrderOf(name, "order"),))

    def fill(self, name: str, by: str, *, part: tuple[int, int] = (1, 1), resolvers: tuple[Any, ...] = ()) -> None:
        """Let somebody fill an order, or a part of it; the conduit of the exchange moves what they give. `resolvers` say which
        tokens criteria come to."""
        order = self._orders[name]
        asked = [i for i in order.consideration if i.item_type == ItemType.NATIVE]
        value = sum(max(i.start_amount, i.start_amount if i.end_amount is None else i.end_amount) for i in asked)
        args = (OrderOf(name, "advanced", part=part), resolvers, ConduitKey(self.conduit), At(by))
        self.scene.step(by, self.seaport, "fulfillAdvancedOrder", *args, value=-(-value * part[0] // part[1]))

    def retire(self, conduit: str, owner: str = "team") -> None:
        """Close the exchange's channel of a conduit: orders that name its key can't be filled any more."""
        self._channel(conduit, False, owner)

    def _channel(self, conduit: str, open_: bool, owner: str) -> None:
        self.scene.step(owner, self.controller, "updateChannel", At(conduit), At(self.seaport), open_)

    def status(self, name: str) -> Reading:
        """(validated, cancelled, filled, size) of an order."""
        return Reading(self.seaport, "getOrderStatus", (OrderHash(name),))

    def key(self, conduit: str) -> bytes:
        """The key of a conduit of this exchange, which begins with the address of who made it."""
        return self._keys[conduit]


def order_terms(terms: PriceTerms) -> OrderTerms:
    """Those of the terms that an order has, whatever it is for."""
    kept = {name: value for name, value in terms.items() if name in OrderTerms.__annotations__}
    return cast(OrderTerms, kept)


def _leaves(ids: Sequence[int]) -> list[bytes]:
    return [keccak256(token_id.to_bytes(32, "big")) for token_id in ids]


def criteria_root(ids: Sequence[int]) -> bytes:
    """The root that stands in an order for any one of these ids: pairs are sorted, leaves are hashed words."""
    return merkle_root(_leaves(ids))


def criteria_proof(ids: Sequence[int], token_id: int) -> list[bytes]:
    """What proves an id under that root."""
    return merkle_proof(_leaves(ids), keccak256(token_id.to_bytes(32, "big")))
