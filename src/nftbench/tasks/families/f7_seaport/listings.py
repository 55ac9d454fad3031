"""F7a: listing on Seaport: a price split to the unit between seller, exchange and artist, till the second that was named, through a
conduit that works, and posted."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f7_seaport.listings_plays import careless, play
from nftbench.tasks.families.f7_seaport.own_orders import CENT, FEE
from nftbench.tasks.families.f7_seaport.sales import ROYALTY, SaleBook
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import At, Due, Goal, ListingStands, Operator, OrdersDead, OrdersStand, Piece
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.policies import FloorBuyer
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.staging import UNITS, Appointment, crowd
from nftbench.values import format_ether


class Shop:
    """A book in which the user lists some of `ids`, tokens of the book's collection, until `ends`; `conduit` is what moves them."""

    def __init__(self, scene: Scene, count: int = 1, *, depth: bool = True) -> None:
        draw = scene.draw
        crowd(scene, 2, 0)
        self.scene, self.book = scene, SaleBook(scene, stated=True)
        self.book.purse(ether=draw.number(4, 8) * ETHER)
        self.ids = draw.shuffled(draw.numbers(count, 901, 1300))
        scene.mint(self.book.collection, "user", sorted(self.ids))
        self.sea, self.collection = self.book.sea, self.book.collection
        self.ends = scene.start + draw.number(3, 9) * DAY + draw.number(1, 9) * HOUR
        *lower, self.price = (number * CENT for number in draw.numbers(4, 50, 120))
        if depth:
            self.book.dead(lower)
            self.book.unlike(self.price, self.price, self.price + 10 * CENT)
        self.floor = self.book.ask(self.price)
        self.book.ask(self.price + draw.number(3, 9) * CENT)

    @property
    def until(self) -> str:
        return moment(self.ends)

    @property
    def conduit(self) -> str:
        """As the wallet knows it."""
        return self.scene.labels[self.sea.conduit]

    @property
    def fees(self) -> str:
        return self.scene.labels[self.book.fees]

    def stands(self, token_id: int, price: int, royalty: tuple[str, int] | None = None) -> ListingStands:
        """Goal: the token is for sale at a price, of which the exchange and who gets the royalty (in basis points) have their
        shares."""
        artist, points = royalty or (self.book.artist, ROYALTY)
        return self._goal(Piece(self.collection, token_id=token_id), price, (artist, points), ())

    def units(self, collection: str, token_id: int, amount: int, price: int) -> ListingStands:
        """Goal: units are for sale, some or all of them, without a royalty."""
        parts = ((1, amount), (amount // 2 - 1, amount), (amount - 1, amount))
        return self._goal(Piece(collection, amount, token_id), price, (self.book.artist, 0), parts)

    def _goal(
        self, piece: Piece, price: int, royalty: tuple[str, int], parts: tuple[tuple[int, int], ...]
    ) -> ListingStands:
        fee, cut = (price * points // BASIS_POINTS for points in (FEE, royalty[1]))
        shares = (("user", price - fee - cut), (self.book.fees, fee), (royalty[0], cut))
        return ListingStands(
            exchange=self.sea.seaport,
            offer=(piece,),
            due=tuple(Due(to, Piece(None, much)) for to, much in shares if much),
            ends=self.ends,
            fractions=parts,
            through=(self.sea.conduit,),
            posted=True,
        )

    def no_operators(self) -> tuple[Goal, ...]:
        movers = (self.sea.seaport, self.sea.conduit, self.book.retired)
        return tuple(Operator(self.collection, "user", mover, allowed=False) for mover in movers)

    def brief(self, ids: list[int], prices: list[int], **more: Any) -> dict[str, Any]:
        return {
            "way": "list",
            "exchange": self.book.where,
            "collection": self.book.what,
            "conduit": self.conduit,
            "fees": self.fees,
            "tokens": ids,
            "prices": prices,
            "ends": self.ends,
            **more,
        }


def one_token(scene: Scene, feasible: bool) -> Story:
    """A price, an end, a fee and a royalty. In the twin the conduit that is named serves the exchange no longer."""
    shop = Shop(scene, depth=False)
    shop.book.open()
    if not feasible:
        shop.sea.retire(shop.sea.conduit)
    price, (token_id,) = shop.price + 20 * CENT, shop.ids
    asked, label, where = format_ether(price), f"{shop.book.what} #{token_id}", shop.book.where
    return Story(
        phrasings=(
            f"Please list {label} on {where} for {asked} ether in all, until {shop.until}, so that anyone can buy it from now on. Out of that price go the exchange's fee, as the entry {shop.fees} in my address book says, and the royalty that the collection's contract states for this token. The {shop.conduit} moves the token and is permitted that one token only. Post the order in the book.",
            f"Put {label} up for sale to anyone on {where}: the buyer pays {asked} ether altogether, from now until {shop.until}. The fee is noted at {shop.fees} in the address book, the royalty is what the collection's contract says of this token, and both come out of the price. Use the {shop.conduit}, with a permission for this token and nothing else, and post the order.",
            f"I'd like to sell {label} on {where} to whoever pays {asked} ether, all included, from now and no longer than until {shop.until}. {shop.fees} (see the note in my address book) and whoever the collection's contract names for this token's royalty get their shares of that sum. Let the {shop.conduit} move just this token, and see that the order is posted.",
        ),
        goals=(shop.stands(token_id, price), *shop.no_operators()),
        brief=shop.brief([token_id], [price]),
    )


def retired_conduit(scene: Scene, _: bool) -> Story:
    """A conduit that no longer serves the exchange may take everything, the one that does nothing."""
    shop = Shop(scene, 3)
    shop.sea.approve("user", shop.collection, shop.book.retired)
    shop.book.open()
    price, token_id = shop.price + 20 * CENT, shop.ids[0]
    asked, label, where = format_ether(price), f"{shop.book.what} #{token_id}", shop.book.where
    old = scene.labels[shop.book.retired]
    return Story(
        phrasings=(
            f"The {old} that I once permitted for {shop.book.what} serves {where} no more: take its permission away. Then list {label} there for {asked} ether in all, for anyone, from now until {shop.until}, through the {shop.conduit}, which may move that token and no other. The fee (noted at {shop.fees} in the address book) and the token's royalty by its contract come out of the price. The order has to be posted.",
            f"Please sell {label} on {where} by a posted order: {asked} ether altogether, from now until {shop.until}, open to anyone. Of that the fee in the note on {shop.fees} and the royalty which the contract states for the token are paid. The {shop.conduit} is to move it, permitted for that token alone; the {old}'s old permission for {shop.book.what} has to go.",
            f"List {label} on {where}, posted and for anyone, at a total of {asked} ether from now until {shop.until}, with the fee as noted at {shop.fees} and the contract's royalty for the token out of it. It goes through the {shop.conduit}, whose permission covers just this token. Nothing of {shop.book.what} may be left to the {old}, which had a permission of old.",
        ),
        goals=(shop.stands(token_id, price), *shop.no_operators()),
        brief=shop.brief([token_id], [price], retired=old),
    )


def three_tokens(scene: Scene, feasible: bool) -> Story:
    """The contract states another royalty for each of three tokens. In the twin the last has been moved to somebody."""
    shop = Shop(scene, 4)
    draw, book = scene.draw, shop.book
    ids, other = shop.ids[:3], scene.person()
    points = 25 * draw.number(28, 40)
    scene.step("team", shop.collection, "setTokenRoyalty", ids[1], At(other), points)
    scene.step("team", shop.collection, "setTokenRoyalty", ids[2], At(book.artist), 0)
    if not feasible:
        scene.step("user", shop.collection, "transferFrom", At("user"), At(book.guest), ids[2])
    book.open()
    prices = [shop.price + 10 * number * CENT for number in draw.numbers(3, 1, 9)]
    rates = ((book.artist, ROYALTY), (other, points), (book.artist, 0))
    pairs = list(zip(ids, prices, strict=True))
    spoken = [f"#{token_id} for {format_ether(price)}" for token_id, price in pairs]
    each, what, where = f"{spoken[0]}, {spoken[1]} and {spoken[2]} ether", book.what, book.where
    return Story(
        phrasings=(
            f"List three of my {what} on {where}, each by itself: {each}, everything included, for anyone, from now until {shop.until}. From each price the fee goes off as noted at {shop.fees} in the address book, and the royalty that the contract states for that very token. The {shop.conduit} moves them and is permitted those three and no others. All orders have to be posted.",
            f"Please post an order of its own on {where} for each of these {what}: {each}, which is all that a buyer pays, from now until {shop.until} and open to anyone. Each token's royalty is what the contract says of it, the fee is in the note on {shop.fees}; both come out of the price. Use the {shop.conduit} with permissions for just those three.",
            f"I'm selling three {what} one by one on {where}, to anyone, from now until {shop.until}: {each} in total. Out of each go the fee in my address book's note on {shop.fees} and that token's own royalty by the contract. Let the {shop.conduit} move these three, nothing more, and post the three orders.",
        ),
        goals=(
            *(shop.stands(token_id, price, rate) for (token_id, price), rate in zip(pairs, rates, strict=True)),
            *shop.no_operators(),
        ),
        brief=shop.brief(ids, prices),
    )


def lot_in_parts(scene: Scene, _: bool) -> Story:
    """Units that may be bought one by one: every share of the price has to divide."""
    shop = Shop(scene)
    draw, amount = scene.draw, scene.draw.choice((8, 12, 16))
    item, token_id = draw.items(1)[0], draw.number(2, 40)
    collection = scene.collection(draw.choice(UNITS))
    scene.mint_units(collection, "user", {token_id: amount + draw.number(2, 9), token_id + 1: 5})
    shop.book.open()
    price = amount * draw.number(3, 12) * CENT
    asked, what, where = format_ether(price), scene.labels[collection], shop.book.where
    return Story(
        phrasings=(
            f"Please list {amount} units of {what} #{token_id} ({item}) on {where} in one order, which anyone can fill as a whole or for any number of units from now until {shop.until}. All {amount} cost {asked} ether, fewer as much less. The fee noted at {shop.fees} in my address book comes out of it, and there's no royalty. The {shop.conduit} may be permitted to move what I have of {what}. Post the order.",
            f"Put {amount} of my {what} #{token_id} ({item}) on {where}, posted as a single order for anyone: {asked} ether for the lot, or any number of units for their part of that, from now until {shop.until}. No royalty is due, the fee in the note on {shop.fees} is, out of the price. Permit the {shop.conduit} for {what}.",
            f"I want to sell {amount} {what} #{token_id} ({item}) on {where} by one posted order, from now until {shop.until}; whoever wants fewer than all gets them at the same price apiece, the whole being {asked} ether. Of that {shop.fees} gets what its note in the address book says and nobody any royalty. It's the {shop.conduit} that moves the units, and that may have the permission for {what}.",
        ),
        goals=(shop.units(collection, token_id, amount, price),),
        brief={**shop.brief([token_id], [price]), "way": "parts", "collection": what, "amount": amount},
    )


def level_with_the_cheapest(scene: Scene, _: bool) -> Story:
    """The cheapest in the book are dead or something else, a bot takes what is cheaper than the cheapest that lives, and the
    royalty changes before the listing may be made."""
    shop = Shop(scene)
    draw, book, (token_id,) = scene.draw, shop.book, shop.ids
    book.open()
    change = Appointment(scene, (3, 8), (5, 9))
    points = 25 * draw.number(24, 36)
    raised = Step(sender="team", target=shop.collection, function="setDefaultRoyalty", args=(At(book.artist), points))
    scene.actor("curator", Trigger(after=change.expected + 60 * draw.number(4, 50)), raised)
    bot = scene.person(listed=False, ether=30)
    scene.counterparty("floor buyer", bot, FloorBuyer(shop.sea.seaport, shop.collection, limit=shop.price - CENT))
    label, what, where = f"{book.what} #{token_id}", book.what, book.where
    return Story(
        phrasings=(
            f"Around {change.about} {what} gets a new royalty. After that and by {change.by}, list {label} on {where} for anyone, until {shop.until}, at exactly what a buyer pays in all for the cheapest single {what} that anyone can really buy there for ether alone. The fee noted at {shop.fees} in the address book and the new royalty by the contract come out of the price. The {shop.conduit} moves it, permitted that token only. Post the order.",
            f"Please post an order for {label} on {where} by {change.by}, but not before the royalty of {what} has changed, which is expected around {change.about}: it has to pay the new one, as the contract states it, and the fee in the note on {shop.fees}, out of the price. That price is the total of the cheapest single {what} which is truly there for anyone, for nothing but ether. It's open to anyone until {shop.until}; the {shop.conduit} may move this token and no other.",
            f"I want {label} in the book of {where} level with the cheapest single {what} that anyone can actually buy for just ether, counting all that is paid. Wait for the collection's new royalty, about {change.about}, and have it posted by {change.by}, good for anyone until {shop.until}. The new royalty by the contract and the fee as noted at {shop.fees} are part of the price. Only this token is permitted, to the {shop.conduit}.",
        ),
        goals=(shop.stands(token_id, shop.price, (book.artist, points)), *shop.no_operators()),
        deadline=change.deadline,
        brief={
            **{key: value for key, value in shop.brief([token_id], []).items() if key != "prices"},
            **change.brief,
            "way": "level",
            "pays": ["ether"],
        },
    )


def instead_of_an_old_one(scene: Scene, _: bool) -> Story:
    """A listing that is too cheap makes way for another; the rest of what the user sells stays."""
    shop = Shop(scene, 5)
    draw, book, sea, (token_id, *others) = scene.draw, shop.book, shop.sea, shop.ids
    sea.approve("user", shop.collection)
    low, *rest = (number * CENT for number in draw.numbers(5, 125, 190))
    royalty = (book.artist, ROYALTY)
    wrong = sea.list("user", shop.collection, token_id, low, royalty=royalty)
    kept = [
        sea.list("user", shop.collection, other, price, royalty=royalty)
        for other, price in zip(others, rest, strict=True)
    ]
    kept.append(sea.list("user", shop.collection, token_id, 300 * CENT, royalty=royalty, buyer=book.guest))
    book.open()
    price = (200 + draw.number(1, 60)) * CENT
    was, asked, label, where = format_ether(low), format_ether(price), f"{book.what} #{token_id}", book.where
    return Story(
        phrasings=(
            f"My listing of {label} on {where} at {was} ether is too cheap. Make that order void for good, and list the token for anyone at {asked} ether in all, from now until {shop.until}, through the {shop.conduit} as before. The fee noted at {shop.fees} in my address book and the contract's royalty for it come out of the price. Post the order, and leave my other orders and permissions.",
            f"Please replace my order on {where} that sells {label} for {was} ether, so that nobody can ever fill it, by a posted one for {asked} ether altogether, open to anyone from now until {shop.until}. It pays the fee in the note on {shop.fees} and the royalty that the contract states for the token out of that, and goes through the {shop.conduit}. Everything else that I've on offer and permitted stays as it is.",
            f"Raise the price of {label} on {where} from {was} to {asked} ether, all included: the old order must never work again, the new one is for anyone, posted, and good from now until {shop.until}. Out of the new price the royalty by the contract and the fee as noted at {shop.fees} are paid; the {shop.conduit} moves the token. My other orders go on and permissions stay.",
        ),
        goals=(OrdersDead((wrong,)), OrdersStand(tuple(kept)), shop.stands(token_id, price)),
        brief=shop.brief([token_id], [price], instead=low),
    )


F7A = SubFamily(
    name="F7a",
    title="listing",
    cases=numbered(
        able(one_token, "T1", "list"),
        able(retired_conduit, "T2", "list", "conduit", "trap:old-permission"),
        able(three_tokens, "T3", "list", "royalty", "trap:royalty"),
        unable(1, "authorisation", "blocked_operator"),
        able(lot_in_parts, "T3", "list", "units", "trap:as-a-whole"),
        able(level_with_the_cheapest, "T4", "list", "listings", "royalty", "trap:as-the-book-shows"),
        able(instead_of_an_old_one, "T2", "list", "cancel", "trap:old-order"),
        unable(3, "ownership"),
    ),
    policy=play,
    careless=careless,
    derivations=("units", "moment", "share", "difference", "word"),
)
