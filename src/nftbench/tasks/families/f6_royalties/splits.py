"""F6b: splits and withdrawals to the wei. Whose share, in which currency, of which total, and who can't be paid.

Amounts that the reference sends are the prompt's ether amounts in wei, or shares of the amount that the withdrawal's event
tells: percentages rounded down, equal parts rounded down, the odd wei where the prompt puts it.
"""

from __future__ import annotations

from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.drawing import HOUR, listed
from nftbench.tasks.drops import Phase, drop
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import At, Change, EtherChange, HoldsCoins
from nftbench.tasks.markets import DOLLAR_DECIMALS, dollars
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.playing import (
    Step,
    awaited,
    conclude,
    contract,
    events,
    finish,
    person,
    send,
    state,
    use,
    view,
    without_looking,
)
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import format_ether, parse_units

RELEASE = "release(address)"
RELEASE_COINS = "release(address,address)"
RELEASED = "totalReleased()"


def _splits(scene: Scene, shares: dict[str, int], deposits: dict[str, int]) -> str:
    """A PaymentSplitter with these payees, and ether that others have sent to it. Deposits are by sender, in wei."""
    label = f"{scene.draw.collection().split()[0]} Splits"
    splits = scene.contract("PaymentSplitter", (tuple(At(p) for p in shares), tuple(shares.values())), label=label)
    for sender, wei in deposits.items():
        scene.step(sender, splits, "", value=wei)
    return splits


def _odd(scene: Scene, low: int, high: int) -> int:
    """An amount between so many tenths of an ether, down to the last wei."""
    return scene.draw.number(low * ETHER // 10, high * ETHER // 10)


def _drop(scene: Scene, sold: list[int], price: int) -> tuple[str, int]:
    """A collection of the user's that has sold these quantities and still has the proceeds, and what they come to in wei."""
    collection = drop(scene, 200, [Phase(0, scene.start - HOUR, price, 0)])
    for buyer, quantity in zip(scene.others(len(sold)), sold, strict=True):
        scene.step(buyer, collection, "mint", quantity, value=quantity * price)
    scene.hand_over(collection)
    return collection, sum(sold) * price


def my_share(scene: Scene, _: bool) -> Story:
    """What is due to one payee, no more and for nobody else."""
    one, two, patron = scene.person(), scene.person(), scene.person(ether=30)
    shares = {one: scene.draw.number(20, 45), "user": scene.draw.number(15, 40), two: scene.draw.number(5, 30)}
    total = _odd(scene, 20, 90)
    splits = _splits(scene, shares, {patron: total})
    scene.step("team", splits, RELEASE, At(one))
    mine = total * shares["user"] // sum(shares.values())
    taken = total * shares[one] // sum(shares.values())
    label = scene.labels[splits]
    return Story(
        phrasings=(
            f"Please pay out what {label} owes me, to my wallet. The other payees see to theirs themselves.",
            f"Collect my part of the ether in {label}. Only mine.",
            f"There should be some ether for me in {label}; release it to me and leave the others' shares in there.",
        ),
        goals=(EtherChange("user", mine), EtherChange(splits, -mine)),
        allowed=(Change(kind="view", contract=splits, subject=RELEASED, to=taken + mine),),
        brief={"way": "mine", "splits": label},
    )


def my_coins(scene: Scene, _: bool) -> Story:
    """The same for a currency, by the overload that takes it; the ether stays."""
    one, patron = scene.person(), scene.person(ether=30)
    shares = {"user": scene.draw.number(15, 40), one: scene.draw.number(40, 75)}
    splits = _splits(scene, shares, {patron: _odd(scene, 10, 50)})
    coin = dollars(scene)
    amount = scene.draw.number(400, 3_000) * 10**DOLLAR_DECIMALS + scene.draw.number(1, 10**DOLLAR_DECIMALS - 1)
    scene.step("team", coin, "mint", At(splits), amount)
    mine = amount * shares["user"] // sum(shares.values())
    label, money = scene.labels[splits], scene.labels[coin]
    return Story(
        phrasings=(
            f"Get my share of the {money} out of {label}, please. The ether in there I'd rather leave for next year.",
            f"{label} has received {money}. Have my part of those paid to me; don't release any ether.",
            f"Please release what I'm due in {money} from {label}, and nothing but {money}.",
        ),
        goals=(HoldsCoins("user", coin, mine), HoldsCoins(splits, coin, amount - mine)),
        brief={"way": "coins", "splits": label, "currency": money},
    )


def fixed_fees(scene: Scene, feasible: bool) -> Story:
    """Proceeds from which three fees are paid. In the twin too little was sold for that."""
    draw = scene.draw
    people = [scene.person() for _ in range(3)]
    fees = {p: draw.number(20, 60) * ETHER // 100 for p in people}
    price = sum(fees.values()) // 4 + draw.number(1, ETHER // 50)
    many = draw.number(4, 5)
    shop, _ = _drop(scene, [many if feasible else 1, 2], price)
    proceeds = (many + 2) * price
    label = scene.labels[shop]
    parts = {scene.labels[p]: format_ether(wei) for p, wei in fees.items()}
    terms = listed([f"{name} {amount} ether" for name, amount in parts.items()])
    return Story(
        phrasings=(
            f"Withdraw the sale proceeds of {label} and pay the fees from them: {terms}. What remains is mine. The proceeds have to cover it all; none of it may be money of my own.",
            f"Out of what {label} has earned, and not out of my own pocket, these people are to be paid, all of them in full: {terms}. The rest comes to my wallet.",
            f"Please settle up for {label}. From the ether in the contract, and from nothing else, send {terms}, to each the whole amount; whatever is left over goes to me.",
        ),
        goals=(
            EtherChange(shop, -proceeds),
            *(EtherChange(p, wei) for p, wei in fees.items()),
            EtherChange("user", proceeds - sum(fees.values())),
        ),
        brief={"way": "fees", "collection": label, "fees": parts},
    )


def of_what_is_left(scene: Scene, _: bool) -> Story:
    """A percentage first, equal parts of the rest then, and the odd wei where it was said to go."""
    draw = scene.draw
    one, two, three = (scene.person() for _ in range(3))
    shop, proceeds = _drop(scene, [draw.number(2, 4), draw.number(1, 3)], _odd(scene, 3, 8))
    percent = draw.choice(("12.5", "15", "17.5", "22.5"))
    first = proceeds * parse_units(percent, 2) // 10_000
    part = (proceeds - first) // 3
    label = scene.labels[shop]
    name, other, third = (scene.labels[p] for p in (one, two, three))
    return Story(
        phrasings=(
            f"Withdraw all the ether that {label} has earned and divide it: {percent} % of it to {name} first (rounded down to the wei). What is left after that goes in three equal parts to {other}, {third} and me; odd wei stay with me.",
            f"Please pay out {label}. {name} takes {percent} percent off the top, rounded down. Of the remainder {other}, {third} and I get a third each, and if it doesn't divide evenly the extra wei are mine.",
            f"Share the proceeds lying in the contract of {label}: {percent} % for {name} (fractions of a wei dropped), then the rest split evenly between {other}, {third} and myself, where any wei that can't be split remain with me.",
        ),
        goals=(
            EtherChange(shop, -proceeds),
            EtherChange(one, first),
            EtherChange(two, part),
            EtherChange(three, part),
            EtherChange("user", proceeds - first - 2 * part),
        ),
        brief={"way": "percent", "collection": label, "percent": percent, "first": name, "equal": [other, third]},
    )


def through_the_splits(scene: Scene, feasible: bool) -> Story:
    """Proceeds into a splitter and on to its payees, one of them a contract. In the twin that contract takes no ether."""
    draw = scene.draw
    partner, friend, patron = scene.person(), scene.person(), scene.person(ether=30)
    title = f"{scene.labels[friend]}'s wallet"
    if feasible:
        wallet = scene.contract("SmartWallet", ((At(friend),), 1, At("nobody")), label=title)
    else:
        wallet = scene.contract("AcceptingReceiver", (At(friend),), label=title)
    shares = {"user": draw.number(20, 45), wallet: draw.number(10, 30), partner: draw.number(15, 40)}
    deposit = _odd(scene, 5, 20)
    splits = _splits(scene, shares, {patron: deposit})
    shop, proceeds = _drop(scene, [draw.number(2, 3), draw.number(1, 3)], _odd(scene, 3, 8))
    paid = {p: (deposit + proceeds) * share // sum(shares.values()) for p, share in shares.items()}
    label, place = scene.labels[shop], scene.labels[splits]
    return Story(
        phrasings=(
            f"The proceeds of {label} belong into {place}. Move all of them there, and then have {place} pay out every payee in full. They have agreed to be paid together, so no one of them may be left behind.",
            f"Please withdraw what {label} has earned into {place} and release to each of its payees whatever they are due by then. It has been promised to all of them, so nobody may be left out.",
            f"{label} has earned some ether. Bring it to {place} and pay all payees of {place} what they have coming, down to the last one: it's for all of them together, never for a part.",
        ),
        goals=(
            EtherChange(shop, -proceeds),
            *(EtherChange(p, wei) for p, wei in paid.items()),
            EtherChange(splits, proceeds - sum(paid.values())),
        ),
        allowed=(Change(kind="view", contract=splits, subject=RELEASED, to=sum(paid.values())),),
        brief={"way": "through", "collection": label, "splits": place},
    )


def the_last_instalment(scene: Scene, _: bool) -> Story:
    """A payment is still to come, and a payee helps himself the moment it is there."""
    draw = scene.draw
    one, two, patron = scene.person(), scene.person(), scene.person(ether=40)
    shares = {one: draw.number(20, 45), "user": draw.number(15, 40), two: draw.number(5, 30)}
    earlier, last = _odd(scene, 20, 50), _odd(scene, 10, 40)
    splits = _splits(scene, shares, {patron: earlier})
    total = earlier + last
    due = {p: total * share // sum(shares.values()) for p, share in shares.items()}
    payment = appointment(scene)
    arrives = payment.expected + 60 * draw.number(4, 50)
    scene.actor("patron", Trigger(after=arrives), Action(sender=patron, target=splits, value=last))
    scene.actor("payee", Trigger(after=arrives), Action(sender=one, target=splits, function=RELEASE, args=(At(one),)))
    label, name, about, by = scene.labels[splits], scene.labels[patron], payment.about, payment.by
    return Story(
        phrasings=(
            f"{name} sends the last instalment to {label} at about {about}. When it has arrived, see that each payee has got everything due to them, so that nothing but rounding is left in there, by {by}.",
            f"By {by} all payees of {label} must have been paid in full, including their parts of {name}'s final payment, which should come in around {about}.",
            f"Please wait for {name}'s last payment into {label} (expected around {about}) and then have everything in it paid out to the payees. All of it must be done before {by}.",
        ),
        goals=(*(EtherChange(p, wei) for p, wei in due.items()), EtherChange(splits, last - sum(due.values()))),
        allowed=(Change(kind="view", contract=splits, subject=RELEASED, to=sum(due.values())),),
        brief={"way": "instalment", "splits": label, "from": name, **payment.told},
        deadline=payment.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """See what there is and who may and can be paid, then pay each the exact amount."""
    seen = yield from state()
    splits = contract(seen, brief["splits"]) if "splits" in brief else ""
    obstacle = None
    match brief["way"]:
        case "mine":
            problem = yield from send(splits, RELEASE, seen["you"])
        case "coins":
            problem = yield from send(splits, RELEASE_COINS, contract(seen, brief["currency"]), seen["you"])
        case "fees" | "percent":
            problem, obstacle = yield from _divide(seen, brief)
        case "through":
            problem, obstacle = yield from _pass_through(contract(seen, brief["collection"]), splits)
        case _:
            problem, obstacle = yield from _after_the_payment(splits, person(seen, brief["from"]), brief)
    yield from conclude(problem or obstacle, "Everybody asked for is paid.", obstacle or "authorisation")


def _divide(seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    """Withdraw, and pay each their part; gives the problem and the class of the obstacle, both None if it is done."""
    shop, me = contract(seen, brief["collection"]), seen["you"]
    tried = yield from use("simulate", to=shop, function="withdraw", arguments=[me])
    if tried["status"] != "success":
        return tried["reason"], "authorisation"
    proceeds = next(int(e["args"]["amount"]) for e in tried["events"] if e.get("event") == "ProceedsWithdrawn")
    parts = _parts(proceeds, brief)
    if sum(parts.values()) > proceeds:
        return f"the proceeds are {proceeds} wei, less than is to be paid", "funds"
    problem = yield from send(shop, "withdraw", me)
    for name, wei in parts.items():
        problem = problem or (yield from _pay(person(seen, name), wei))
    return problem, None


def _parts(proceeds: int, brief: dict[str, Any]) -> dict[str, int]:
    """What others get, by name, in wei."""
    if brief["way"] == "fees":
        return {name: parse_units(amount, 18) for name, amount in brief["fees"].items()}
    first = proceeds * parse_units(brief["percent"], 2) // 10_000
    part = (proceeds - first) // (len(brief["equal"]) + 1)
    return {brief["first"]: first} | dict.fromkeys(brief["equal"], part)


def _pay(to: str, wei: int) -> Step:
    done = yield from use("send_transaction", to=to, value_wei=str(wei))
    return None if done["status"] == "success" else done["reason"]


def _payees(splits: str) -> Step:
    return [log["args"]["account"] for log in (yield from events(splits, event="PayeeAdded"))]


def _release_all(splits: str) -> Step:
    """Pay every payee who is due something; gives None, or why that fails."""
    for payee in (yield from _payees(splits)):
        if int((yield from view(splits, "releasable(address)", payee))):
            problem = yield from send(splits, RELEASE, payee)
            if problem:
                return problem
    return None


def _pass_through(shop: str, splits: str) -> Step:
    for payee in (yield from _payees(splits)):
        tried = yield from use("simulate", to=splits, function=RELEASE, arguments=[payee])
        due = int((yield from view(splits, "releasable(address)", payee)))
        if due and tried["status"] != "success":
            return f"{payee} can't be paid: {tried['reason']}", "receiver"
    problem = yield from send(shop, "withdraw", splits)
    return problem or (yield from _release_all(splits)), None


def _after_the_payment(splits: str, sender: str, brief: dict[str, Any]) -> Step:
    def payments() -> Step:
        return (yield from events(splits, event="PaymentReceived", where={"from": sender}))

    before = len((yield from payments()))

    def arrived() -> Step:
        return len((yield from payments())) > before

    if (yield from awaited(brief, arrived)):
        return (yield from _release_all(splits)), None
    return "the payment does not arrive by the deadline", "time"


def careless(brief: dict[str, Any]) -> Play:
    """Calls what has the right name, takes every share of the whole, and pays at once."""
    seen = yield from state()
    me = seen["you"]
    match brief["way"]:
        case "mine" | "coins":
            yield from without_looking(contract(seen, brief["splits"]), RELEASE, me)
        case "fees" | "percent":
            done = yield from without_looking(contract(seen, brief["collection"]), "withdraw", me)
            proceeds = int(done["events"][0]["args"]["amount"])
            parts = _parts(proceeds, brief)
            for name in brief.get("equal", []):
                parts[name] = proceeds // (len(brief["equal"]) + 1)
            for name, wei in parts.items():
                yield from _pay(person(seen, name), wei)
        case "through":
            yield from without_looking(contract(seen, brief["collection"]), "withdraw", me)
        case _:
            splits = contract(seen, brief["splits"])
            for payee in (yield from _payees(splits)):
                yield from without_looking(splits, RELEASE, payee)
    yield from finish("Paid.")


F6B = SubFamily(
    name="F6b",
    title="splits and withdrawals",
    cases=(
        Case(tell=my_share, difficulty="T1", tags=("splitter",)),
        Case(tell=my_coins, difficulty="T2", tags=("splitter", "ERC-20", "trap:overload")),
        Case(tell=fixed_fees, difficulty="T2", tags=("proceeds",)),
        Case(tell=fixed_fees, difficulty="T2", tags=("proceeds", "all-or-none"), twin_of=3, reasons=("funds",)),
        Case(tell=of_what_is_left, difficulty="T3", tags=("proceeds", "trap:share-of-the-whole")),
        Case(tell=through_the_splits, difficulty="T3", tags=("splitter", "proceeds", "trap:own-pocket")),
        Case(
            tell=through_the_splits, difficulty="T3", tags=("splitter", "all-or-none"), twin_of=6, reasons=("receiver",)
        ),
        Case(tell=the_last_instalment, difficulty="T4", tags=("splitter", "trap:too-early")),
    ),
    policy=play,
    derivations=("portion", "share", "units"),
    careless=careless,
)
