"""An order book in which others swap tokens for tokens, and for tokens and wrapped ether: what can be had, and what is dead in
nine ways.

Everything is posted in drawn order, and ends only after all of it was posted, as the book does not tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal, Unpack

from msgspec import Struct, structs

from nftbench.tasks.drawing import DAY, HOUR
from nftbench.tasks.goals import At, Goal, HoldsCoins, Owns
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.orders import Item, ItemType
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import OrderTerms, SeaportExchange
from nftbench.tasks.staging import dollars, named, named_alike

FEE = 250
"""Basis points of a price in coins that the exchange keeps."""
CENT = ETHER // 100
_IDS = 60

Death = Literal["counter", "cancelled", "moved", "over", "revoked", "forged", "filled", "retired", "members"]
"""How an order has come to be one that nobody can fill (the last one: none but members)."""
DEATHS: tuple[Death, ...] = Death.__args__  # type: ignore[attr-defined]


class Barter(Struct, frozen=True):
    """What one order swaps; each item that its `maker` wants says who gets it."""

    name: str
    maker: str
    gives: tuple[Item, ...]
    wants: tuple[Item, ...]


class BarterBook:
    """An exchange with its orders. The user has `ids` of `given`, which it may swap, for tokens of `wanted` and `third`, and one
    of `heirlooms`; `alike` has the name of `wanted`. `coin` has six decimals. `friend` stands in the address book.
    """

    def __init__(self, scene: Scene) -> None:
        draw = scene.draw
        self.scene, self.friend = scene, scene.person(ether=40)
        self.guest, self.forger = (scene.person(listed=False, ether=40) for _ in range(2))
        self.sea = SeaportExchange(scene, fee=FEE, label=named(scene, "Exchange"))
        self._retired = self.sea.add_conduit("Retired conduit")
        self._zone = self.sea.zone("Members only", listed=False)
        self.coin = dollars(scene)
        self.given, self.wanted = (scene.collection("OpenZeppelinCollection") for _ in range(2))
        self.third, self.heirlooms = (scene.collection("SoladyCollection") for _ in range(2))
        self.alike = named_alike(scene, scene.labels[self.wanted], self.forger)
        scene.fill()
        collections = (self.given, self.wanted, self.third, self.alike)
        self._ids = {collection: draw.shuffled(draw.numbers(_IDS, 1, 900)) for collection in collections}
        self.ids = [self._ids[self.given].pop() for _ in range(3)]
        self.heirloom = self.sea.token(self.heirlooms, draw.number(10, 99))
        scene.mint(self.given, self.guest, self.ids[:1])
        scene.mint(self.given, "user", sorted(self.ids[1:]))
        scene.mint(self.heirlooms, "user", [self.heirloom.identifier])
        self._holders = {(self.given, token_id): "user" for token_id in self.ids[1:]}
        self._holders[self.given, self.ids[0]] = self.guest
        self._coins: Counter[tuple[str, str]] = Counter()
        self._rows: list[Callable[[], None]] = []
        self._ends: list[Callable[[], None]] = []
        self._strangers = 0
        scene.passing(draw.number(2, 6) * DAY)

    def label(self, handle: str) -> str:
        """What the wallet calls somebody or a contract."""
        return self.scene.labels[handle]

    @property
    def where(self) -> str:
        """The exchange's name, as the wallet knows it."""
        return self.label(self.sea.seaport)

    def brief(self, size: int, *kinds: str, gives: int | None = None, **more: Any) -> dict[str, Any]:
        """What a policy is told of a deal: of how many orders it consists, the collections whose tokens may change hands in it,
        and which of its own `given` the user gives for one of `wanted`, if any."""
        told = {"way": "deal", "exchange": self.where, "collection": self.label(self.wanted), "size": size}
        mine = {} if gives is None else {"gives": [self.label(self.given), gives]}
        return {**told, "kinds": [self.label(kind) for kind in kinds], **mine, **more}

    def purse(self, wrapped: int, coins: int = 0) -> None:
        """What the user has of wrapped ether, and of the coin in its smallest units."""
        self.scene.purse(wrapped + self.scene.draw.number(2, 5) * ETHER)
        self._provide("user", self.money(wrapped))
        if coins:
            self._provide("user", self.money(coins, currency=self.coin))

    def mine(self, place: int = 0) -> Item:
        """One of the user's tokens of `given`."""
        return self.sea.token(self.given, self.ids[place])

    def new(self, collection: str) -> Item:
        """A token that stands in no order yet."""
        return self.sea.token(collection, self._ids[collection].pop())

    def any_one(self, collection: str | None = None) -> Item:
        """Any token of a collection, to want (None: of `wanted`)."""
        return structs.replace(self.sea.any_of(collection or self.wanted, None, self.guest), recipient=None)

    def faked(self, token: Item) -> Item:
        """The same number of the look-alike collection; the token itself is with somebody who does not part with it."""
        self._provide(self.guest, token)
        return self.sea.token(self.alike, token.identifier)

    def money(self, amount: int, *, currency: str | None = None, last: int | None = None) -> Item:
        """Wrapped ether, or another currency."""
        return self.sea.money(amount, currency=currency or self.sea.weth, last=last)

    def price(
        self, total: int, *, currency: str | None = None, last: int | None = None, fee: int = FEE
    ) -> tuple[Item, ...]:
        """So much in all to want, of which `fee` basis points go to the exchange."""
        end = total if last is None else last
        fees = [amount * fee // BASIS_POINTS for amount in (total, end)]
        share = self.money(fees[0], currency=currency, last=None if last is None else fees[1])
        rest = self.money(total - fees[0], currency=currency, last=None if last is None else end - fees[1])
        return rest, structs.replace(share, recipient=At(self.sea.collector))

    def post(
        self,
        gives: Sequence[Item],
        wants: Sequence[Item],
        *,
        maker: str | None = None,
        dies: Death | None = None,
        **terms: Unpack[OrderTerms],
    ) -> Barter:
        """An order that stands in the book at a drawn place; what it wants goes to its maker (None: a new one) where it does not
        say to whom. `dies` is what becomes of it once all are posted."""
        maker = maker or self.stranger()
        asked = tuple(item if item.recipient else structs.replace(item, recipient=At(maker)) for item in wants)
        barter = Barter(f"barter {len(self._rows) + 1}", maker, tuple(gives), asked)
        whole: OrderTerms = {**terms, **self._stillborn(dies), "name": barter.name}
        self._rows.append(lambda: self._post(barter, whole))
        if dies is not None:
            self._ends.append(lambda: self._end(barter, dies))
        return barter

    def stranger(self) -> str:
        """Somebody whom the wallet does not know."""
        self._strangers += 1
        return self.scene.person(f"trader {self._strangers}", listed=False, ether=40)

    def _stillborn(self, dies: Death | None) -> OrderTerms:
        """What an order says of itself that nobody can fill."""
        if dies == "over":
            return {"ends": self.scene.start - 5 * HOUR}
        if dies == "forged":
            return {"signer": self.forger}
        if dies == "retired":
            return {"conduit": self._retired}
        return {"restricted": True, "zone": self._zone} if dies == "members" else {}

    def _post(self, barter: Barter, terms: OrderTerms) -> None:
        for item in barter.gives:
            self._provide(barter.maker, item)
            self.sea.approve(barter.maker, item.token.name, terms.get("conduit"))
        self.sea.order(barter.maker, barter.gives, barter.wants, **terms)

    def _provide(self, who: str, item: Item) -> None:
        """Let somebody have what they are going to give."""
        what, much = item.token.name, max(item.start_amount, item.end_amount or 0)
        if item.item_type == ItemType.ERC20:
            self._coins[who, what] += much
            if what == self.sea.weth:
                self.sea.wrap(who, much)
            else:
                self.scene.step("team", what, "mint", At(who), much)
        elif (what, item.identifier) not in self._holders:
            self.scene.mint(what, who, [item.identifier], by=self.forger if what == self.alike else "team")
            self._holders[what, item.identifier] = who

    def open(self) -> None:
        """Post everything, and then let end what ends; the user has all of its tokens then."""
        for row in self.scene.draw.shuffled(self._rows):
            row()
        self.scene.passing(self.scene.draw.number(3, 20) * HOUR)
        for end in self._ends:
            end()
        self._pass_on(self.guest, "user", self.mine())

    def cancelled(self, barter: Barter, stays: bool) -> None:
        """Let its maker cancel it once all is posted, unless it `stays`."""
        if not stays:
            self._ends.append(lambda: self.sea.cancel(barter.name))

    def _end(self, barter: Barter, dies: Death) -> None:
        given = barter.gives[0]
        if dies == "counter":
            self.sea.raise_counter(barter.maker)
        elif dies == "cancelled":
            self.sea.cancel(barter.name)
        elif dies == "moved":
            self._pass_on(barter.maker, self.guest, given)
        elif dies == "revoked":
            self.sea.revoke(barter.maker, given.token.name)
        elif dies == "filled":
            self._fill(barter)
        elif dies == "retired":
            self.sea.retire(self._retired)

    def _pass_on(self, giver: str, taker: str, item: Item) -> None:
        """Let a token, or coins, go from one to another."""
        token = item.token.name
        if item.item_type == ItemType.ERC20:
            self.scene.step(giver, token, "transfer", At(taker), item.start_amount)
            self._coins[giver, token] -= item.start_amount
            self._coins[taker, token] += item.start_amount
        else:
            self.scene.step(giver, token, "transferFrom", At(giver), At(taker), item.identifier)

    def _fill(self, barter: Barter) -> None:
        """Let the guest, to whom what is wanted is lent, fill it, and all tokens go back to where they were."""
        lent: list[tuple[str, Item]] = []
        for item in barter.wants:
            if item.item_type == ItemType.ERC20:
                self._provide(self.guest, item)
                self._coins[self.guest, item.token.name] -= item.start_amount
                self._coins[_receiver(item), item.token.name] += item.start_amount
            else:
                holder = self._holders[item.token.name, item.identifier]
                lent.append((holder, item))
                if holder != self.guest:
                    self._pass_on(holder, self.guest, item)
            self.sea.approve(self.guest, item.token.name)
        self.sea.fill(barter.name, by=self.guest)
        for holder, item in lent:
            self._pass_on(barter.maker, holder, item)
        for item in barter.gives:
            if item.item_type == ItemType.ERC20:
                self._coins[barter.maker, item.token.name] -= item.start_amount
                self._coins[self.guest, item.token.name] += item.start_amount
            else:
                self._pass_on(self.guest, barter.maker, item)

    def settled(self, *barters: Barter) -> tuple[Goal, ...]:
        """Goals: these orders are filled, with everybody having what they want, and the user what is over, having paid what
        is missing. To be asked for once the book is open."""
        owners: dict[tuple[str, int], str] = {}
        coins, parties = self._coins.copy(), dict[str, None]()
        for item in chain.from_iterable(barter.gives for barter in barters):
            owners[item.token.name, item.identifier] = "user"
        for barter in barters:
            for item in (item for item in barter.gives if item.item_type == ItemType.ERC20):
                coins[barter.maker, item.token.name] -= item.start_amount
                coins["user", item.token.name] += item.start_amount
                parties |= {barter.maker: None, "user": None}
            for item in barter.wants:
                owners[_met(item, owners)] = _receiver(item)
                if item.item_type == ItemType.ERC20:
                    coins["user", item.token.name] -= item.start_amount
                    coins[_receiver(item), item.token.name] += item.start_amount
                    parties |= {_receiver(item): None, "user": None}
        weth = self.sea.weth
        tokens = {token: owner for token, owner in owners.items() if token[0] != weth}
        return (
            *(Owns(owner, collection, token_id) for (collection, token_id), owner in tokens.items()),
            *(HoldsCoins(who, weth, coins[who, weth]) for who in parties),
        )


def _met(item: Item, offered: Iterable[tuple[str, int]]) -> tuple[str, int]:
    """The token that an item is about; of any of a collection the one that is offered."""
    if item.item_type == ItemType.ERC721_WITH_CRITERIA:
        (token,) = (token for token in offered if token[0] == item.token.name)
        return token
    return item.token.name, item.identifier


def _receiver(item: Item) -> str:
    assert item.recipient is not None
    return item.recipient.name
