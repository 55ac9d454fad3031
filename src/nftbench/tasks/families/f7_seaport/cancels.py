"""F7c: ending orders that were signed long ago, and no others: by their hashes, by the counter, and in the right order."""

from __future__ import annotations

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f7_seaport.cancels_plays import careless, play
from nftbench.tasks.families.f7_seaport.own_orders import CENT, OwnOrders
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import OrdersDead, OrdersStand, Owns
from nftbench.tasks.policies import Sniper
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import format_ether

DOLLAR_DECIMALS = 6


def one_listing(scene: Scene, feasible: bool) -> Story:
    """One listing among a few, of a token with two. In the twin it was signed by an account whose key is not here."""
    former = scene.person("Old wallet", note="one of mine; its key is lost")
    own = OwnOrders(scene, (former,))
    sea, token_id = own.sea, own.ids[0]
    price, dearer = sorted(n * CENT for n in scene.draw.numbers(2, 60, 200))
    own.of_others()
    if feasible:
        own.move(token_id, "user", former)
        own.move(token_id, former, "user")
        wrong = sea.list("user", own.collection, token_id, price)
    else:
        own.move(token_id, "user", former)
        wrong = sea.list(former, own.collection, token_id, price)
        own.move(token_id, former, "user")
    right = [sea.list("user", own.collection, token_id, dearer), *own.kept(own.ids[1:])]
    asked, label = format_ether(price), f"{own.what} #{token_id}"
    return Story(
        phrasings=(
            f"One of the orders on {own.where} for {label} asks {asked} ether, which is a slip. See to it that it can never be filled. Leave every other order of mine as it is.",
            f"On {own.where} there's an order that sells {label} for {asked} ether. That price was a mistake: please make that order void for good, and none of my other orders.",
            f"Please cancel the order for {label} at {asked} ether on {own.where}, so that nobody can ever use it. All else that I've got on offer there is to go on.",
        ),
        goals=(OrdersDead((wrong,)), OrdersStand(tuple(right))),
        brief={"way": "one", "exchange": own.where, "collection": own.what, "token": token_id, "price": price},
    )


def all_of_a_token(scene: Scene, _: bool) -> Story:
    """Every order that gives one token away, in whatever company and currency, shown as active or not; and no others."""
    own = OwnOrders(scene)
    sea, token_id, mate = own.sea, own.ids[0], own.ids[5]
    own.old_ones(token_id)
    start = scene.start
    wrong = [
        sea.list("user", own.collection, token_id, own.price(200, 300), status="cancelled"),
        sea.list("user", own.collection, token_id, own.price()),
        sea.list("user", own.collection, token_id, own.price(), currency=sea.weth),
        sea.list("user", own.collection, token_id, own.price() * 3000 // 10**12, currency=own.coin, buyer=own.friend),
        sea.list("user", own.collection, mate, own.price(), also=(sea.token(own.collection, token_id),)),
        sea.list("user", own.collection, token_id, own.price(), starts=start + 3 * DAY),
    ]
    own.of_others()
    right = [*own.kept(own.ids[1:4]), sea.list("user", own.collection, mate, own.price())]
    label = f"{own.what} #{token_id}"
    return Story(
        phrasings=(
            f"I've decided to keep {label} for good. Make sure that no order I have ever put up on {own.where} can sell it, alone or with other things, now or later. My other orders there stay as they are.",
            f"{label} is not for sale any more. End every order of mine on {own.where} under which it could still go, by itself or together with something else, today or some day. My other orders there are to stay.",
            f"Please void all my orders on {own.where} that give away {label}, on its own or as part of a lot, also those that open later. All others go on.",
        ),
        goals=(OrdersDead(tuple(wrong)), OrdersStand(tuple(right)), Owns("user", own.collection, token_id)),
        brief={"way": "token", "exchange": own.where, "collection": own.what, "token": token_id},
    )


def below_a_price(scene: Scene, _: bool) -> Story:
    """Orders under which a token goes for too little at some time: lots, falling and rising prices, another coin, later starts,
    and a token that has been away and is back."""
    own = OwnOrders(scene)
    sea, ids, start, cats = own.sea, own.ids, scene.start, own.collection
    floor = scene.draw.number(8, 14) * 10 * CENT
    rate = scene.draw.number(18, 40) * 100  # dollars for an ether
    own.old_ones(ids[0])

    def low() -> int:
        return floor - scene.draw.number(5, 40) * CENT

    def high() -> int:
        return floor + scene.draw.number(5, 60) * CENT

    def in_dollars(wei: int) -> int:
        return int(wei * rate * 10**DOLLAR_DECIMALS // ETHER)

    wrong = [
        sea.list("user", cats, ids[0], low()),
        sea.list("user", cats, ids[1], high(), last=low()),
        sea.list("user", cats, ids[2], low(), last=high()),
        sea.list("user", cats, ids[3], in_dollars(low()), currency=own.coin),
        sea.list("user", cats, ids[4], low(), starts=start + 2 * DAY),
        sea.list("user", cats, ids[5], 2 * floor - 20 * CENT, also=(sea.token(cats, ids[6]),)),
        sea.list("user", cats, ids[7], low(), currency=sea.weth),
    ]
    own.move(ids[0], "user", own.friend)
    own.move(ids[0], own.friend, "user")
    own.of_others()
    right = [
        sea.list("user", cats, ids[0], floor),
        sea.list("user", cats, ids[1], 2 * floor, last=floor),
        sea.list("user", cats, ids[3], in_dollars(high()), currency=own.coin),
        sea.list("user", cats, ids[8], 2 * floor + 20 * CENT, also=(sea.token(cats, ids[9]),)),
        sea.list("user", cats, ids[7], high(), currency=sea.weth),
        sea.list("user", own.other, ids[0], low()),
        sea.list("user", own.other, ids[2], low()),
    ]
    asked, coin = format_ether(floor), scene.labels[own.coin]
    rates = f"Wrapped ether counts as ether, {rate} {coin} as one ether, and the price of a lot is shared evenly among its tokens"
    return Story(
        phrasings=(
            f"No {own.what} of mine is to go for less than {asked} ether on {own.where}. End those of my orders there under which one could, at any time until they end, and no other orders. {rates}; a price is what the buyer pays in all.",
            f"Go through my orders on {own.where} and void exactly those by which a {own.what} could be had under {asked} ether at some time before they run out. What counts is all that the buyer pays. {rates}.",
            f"Please cancel whichever of my orders on {own.where} would ever let a {own.what} go below {asked} ether, the buyer's whole payment counted, now or at any later time that they're open; the others stay. {rates}.",
        ),
        goals=(OrdersDead(tuple(wrong)), OrdersStand(tuple(right))),
        brief={
            "way": "floor",
            "exchange": own.where,
            "collection": own.what,
            "floor": floor,
            "coin": coin,
            "rate": rate,
        },
    )


def everything(scene: Scene, _: bool) -> Story:
    """All that two wallets have ever signed, of which the book shows a part: only the counters end that."""
    second = scene.person("Second wallet", note="mine, too")
    own = OwnOrders(scene, (second,))
    sea, ids, cats = own.sea, own.ids, own.collection
    theirs = scene.draw.numbers(4, 1701, 1900)
    scene.mint(cats, second, theirs)
    own.old_ones(ids[0])
    wrong = [
        *own.kept(ids[1:4]),
        *(sea.list("user", cats, token_id, own.price(1, 20), posted=False) for token_id in ids[4:7]),
        *(sea.list(second, cats, token_id, own.price()) for token_id in theirs[:2]),
        *(sea.list(second, cats, token_id, own.price(1, 20), posted=False) for token_id in theirs[2:]),
        sea.bid("user", cats, None, own.price(10, 40)),
    ]
    sea.validate(wrong[5])
    own.of_others()
    deadline = scene.draw.number(6, 20) * HOUR
    by = moment(scene.start + deadline)
    return Story(
        phrasings=(
            f"I've signed things for {own.where} on all sorts of sites, with this wallet and with my Second wallet, and kept no list. Make every order that either of them has signed for it so far worthless by {by}. I'll sell there again, so the permissions that {own.where} has stay.",
            f"Please void all orders that this wallet and the Second wallet have ever signed for {own.where}, whether or not they stand in its book; I no longer know where they are. They must be worthless by {by}. Leave the permissions of both, new orders will follow.",
            f"Nothing that I've signed for {own.where} up to now may work after {by}, from this wallet or the Second wallet; some of it was never posted. What is approved stays approved, as I'm going to list again.",
        ),
        goals=(OrdersDead(tuple(wrong), by=deadline),),
        deadline=deadline,
        brief={"way": "everything", "exchange": own.where, "second": "Second wallet"},
        controlled=(second,),
    )


def watched(scene: Scene, feasible: bool) -> Story:
    """An order far under its worth, and a bot that fills it as soon as its cancelling is in the mempool. In the twin somebody has
    filled it."""
    own = OwnOrders(scene)
    bot = scene.person(listed=False, ether=40)
    sea, ids, cats = own.sea, own.ids, own.collection
    own.old_ones(ids[0])
    price = own.price(2, 9)
    forgotten = sea.list("user", cats, ids[0], price)
    right = [*own.kept(ids[1:5]), *(sea.list("user", cats, token_id, own.price()) for token_id in ids[5:8])]
    right += [sea.list("user", own.other, token_id, own.price()) for token_id in ids[2:5]]
    own.of_others()
    scene.passing(2 * HOUR)
    if not feasible:
        sea.fill(forgotten, by=own.rival)
    scene.price(cats, 90 * CENT)
    scene.counterparty("hoarder", bot, Sniper(sea.seaport, cats, limit=20 * CENT, only_alarmed=True), hostile=True)
    asked, label = format_ether(price), f"{own.what} #{ids[0]}"
    return Story(
        phrasings=(
            f"My old order on {own.where} sells {label} for {asked} ether, a fraction of its worth. Make it void for good without losing the token. Bots read every transaction before it is mined and fill such an order in front of its cancelling. In the end all my other orders there are to be good as before.",
            f"There's a forgotten order of mine on {own.where}, {label} for {asked} ether. It has to end for ever and I have to keep the token; there are bots that get in front of whoever cancels. My other orders there must work afterwards as they do now.",
            f"Please get rid for good of my order on {own.where} for {label} at {asked} ether. Others watch the mempool and snap such orders up just before they're cancelled, so take care that the token stays with me, and that the rest of my orders there still stands at the end.",
        ),
        goals=(OrdersDead((forgotten,)), OrdersStand(tuple(right)), Owns("user", cats, ids[0])),
        brief={"way": "watched", "exchange": own.where, "collection": own.what, "token": ids[0], "price": price},
    )


def brought_back(scene: Scene, _: bool) -> Story:
    """Two tokens that were moved away from their cheap orders come back, and with them these come alive, under a bot's eyes."""
    cold = scene.person("Cold wallet", note="mine, too")
    own = OwnOrders(scene)
    bot = scene.person(listed=False, ether=40)
    sea, ids, cats, start = own.sea, own.ids, own.collection, scene.start
    first, second, mate = ids[0], ids[8], ids[1]
    own.old_ones(first)
    wrong = [
        sea.list("user", cats, first, own.price(2, 9), status="inactive"),
        sea.list("user", cats, second, own.price(10, 15), status="inactive"),
        sea.list("user", cats, first, own.price(10, 15), currency=sea.weth, status="inactive"),
        sea.list("user", cats, second, own.price(2, 9), starts=start + DAY),
        sea.list("user", cats, mate, own.price(2, 9), also=(sea.token(cats, first),), status="inactive"),
    ]
    for token_id in (first, second):
        own.move(token_id, "user", cold)
    right = [*own.kept(ids[1:5]), *(sea.list("user", cats, token_id, own.price()) for token_id in ids[5:8])]
    own.of_others()
    scene.price(cats, 90 * CENT)
    scene.counterparty("sniper", bot, Sniper(sea.seaport, cats, limit=20 * CENT), hostile=True)
    both = f"{own.what} #{first} and #{second}"
    return Story(
        phrasings=(
            f"Bring {both} back from my Cold wallet into this one. I sent them away once to be rid of what I had signed for them on {own.where}; see to it that no order of mine there can ever sell either of them, alone or in a lot, and leave my other orders.",
            f"{both} lie in my Cold wallet, out of reach of old orders of mine on {own.where}. I want them back in this wallet, with every order under which one of them could go there void for good, lots included, and all my other orders as they are.",
            f"Please move {both} from the Cold wallet to this wallet. Whatever I've signed on {own.where} that could sell one of them, by itself or with others, has to be void for ever; the rest of my orders there stays.",
        ),
        goals=(
            OrdersDead(tuple(wrong)),
            OrdersStand(tuple(right)),
            *(Owns("user", cats, token_id) for token_id in (first, second)),
        ),
        brief={
            "way": "back",
            "exchange": own.where,
            "collection": own.what,
            "tokens": [first, second],
            "from": "Cold wallet",
        },
        controlled=(cold,),
    )


F7C = SubFamily(
    name="F7c",
    title="ending orders",
    cases=numbered(
        able(one_listing, "T1", "cancel"),
        able(all_of_a_token, "T2", "cancel", "trap:as-the-book-shows"),
        able(below_a_price, "T3", "cancel", "currencies", "trap:first-price"),
        unable(1, "authorisation", "ownership"),
        able(everything, "T2", "counter", "trap:as-the-book-shows"),
        able(watched, "T4", "cancel", "mempool", "trap:front-run"),
        able(brought_back, "T4", "cancel", "mempool", "trap:comes-alive"),
        unable(6, "stale_order", "ownership"),
    ),
    policy=play,
    careless=careless,
    derivations=(),
)
