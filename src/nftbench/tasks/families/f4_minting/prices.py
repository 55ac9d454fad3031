"""F4d: sales in other currencies and at falling prices. What a token costs in the very block that the purchase gets into.

Computed by rule: what is paid or approved is the price at the time of the purchase's own block (12 seconds after the block
before it) times the quantity; what is wrapped is that sum less the wrapped ether there is; the moment at which a falling
price reaches a limit follows from the terms of the sale.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from nftbench.tasks.appointments import appointment
from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f4_minting.sales import (
    BLOCK_TIME,
    MILLIETHER,
    Shop,
    counters,
    ether,
    minted,
    price,
    reads,
    shop,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import Allowance, At, EtherChange, Goal, HoldsCoins, Pays
from nftbench.tasks.markets import DOLLAR_DECIMALS as DECIMALS
from nftbench.tasks.markets import coin
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import Step as Waited
from nftbench.tasks.playing import (
    awaited,
    conclude,
    contract,
    finish,
    give_up,
    send,
    state,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import UINT256_MAX, format_units

CENT = 10**4

SOLD = ("Sold", "paid")


class Sale(NamedTuple):
    """The terms of a falling price: smallest units of the currency for a token, Unix seconds."""

    start_price: int
    end_price: int
    starts_at: int
    ends_at: int

    def price_at(self, time: int) -> int:
        """The price at a time after the start."""
        passed = min(time, self.ends_at) - self.starts_at
        return self.start_price - (self.start_price - self.end_price) * passed // (self.ends_at - self.starts_at)

    def first_within(self, cap: int) -> int:
        """The first second at which the price is at most `cap`, for a cap between the end price and the start price."""
        fall, length = self.start_price - self.end_price, self.ends_at - self.starts_at
        return self.starts_at + -((cap - self.start_price) * length // fall)


def _coin(scene: Scene, name: str) -> str:
    """A currency of six decimals, of which the user and the team have some hundreds."""
    money = coin(scene, f"{scene.draw.collection().split()[0]} {name}")
    balance = scene.draw.number(400, 900) * 10**DECIMALS
    for holder in ("user", "team"):
        scene.step("team", money, "mint", At(holder), balance)
    return money


def _bought(of: Shop, quantity: int) -> tuple[Goal, ...]:
    return (*minted(of.collection, range(of.next_id, of.next_id + quantity)), reads(of.minter, "sold", value=quantity))


def falling_and_refunding(scene: Scene, _: bool) -> Story:
    """A falling price in ether; what is paid above it comes back at once."""
    draw, now = scene.draw, scene.start
    low = price(draw, 20, 60)
    sale = Sale(
        low + draw.number(300, 700) * MILLIETHER, low, now - draw.number(3, 20) * HOUR, now + draw.number(25, 60) * HOUR
    )
    of = shop(scene, "DecayingPriceMinter", draw.number(20, 90), sale)
    cap = (sale.price_at(now) // MILLIETHER + draw.number(4, 30)) * MILLIETHER
    label, limit, quantity = scene.labels[of.minter], ether(cap), draw.number(2, 3)
    return Story(
        phrasings=(
            f"Buy {quantity} from the {label} now, at whatever its falling price is at, but for at most {limit} each. It pays back what one sends too much.",
            f"Please get me {quantity} tokens out of the {label} right away. The price goes down steadily; up to {limit} a token is fine, and overpaying does no harm there because the shop returns it.",
            f"{quantity} new tokens from the {label}, immediately. I'll spend {limit} apiece at the very most; the sale gives change.",
        ),
        goals=(*_bought(of, quantity), Pays("user", of.minter, most=quantity * cap, told_by=SOLD)),
        brief={"shop": label, "quantity": quantity, "cap": cap},
        deadline=HOUR,
    )


def fixed_in_coins(scene: Scene, _: bool) -> Story:
    """A fixed price in one of two currencies that the user has; the shop takes it out of an allowance."""
    draw = scene.draw
    cost, quantity = draw.number(1250, 4990) * CENT, draw.number(2, 3)
    currency, _other = _coin(scene, "Dollar"), _coin(scene, "Franc")
    of = shop(scene, "TokenPriceMinter", draw.number(20, 90), At(currency), cost)
    label, money = scene.labels[of.minter], scene.labels[currency]
    return Story(
        phrasings=(
            f"Buy {quantity} tokens at the {label}, paid in {money}.",
            f"The {label} takes {money}. Please get me {quantity} tokens there.",
            f"I want {quantity} from the {label}; use the {money} I have in this wallet to pay for them.",
        ),
        goals=(
            *_bought(of, quantity),
            Pays("user", of.minter, most=quantity * cost, least=quantity * cost, token=currency),
            Allowance(currency, "user", of.minter, 0),
        ),
        brief={"shop": label, "quantity": quantity, "coin": money},
    )


def short_of_wrapped(scene: Scene, feasible: bool) -> Story:
    """A price in wrapped ether, of which a part is missing and can be wrapped. In the twin too much is missing."""
    draw = scene.draw
    cost, quantity = draw.number(290, 350) * 10 * MILLIETHER, 4
    total, missing = quantity * cost, draw.number(31, 89) * 10 * MILLIETHER
    if not feasible:
        missing += 10 * ETHER
    weth = scene.contract("WrappedEther", (), label="Wrapped Ether")
    held = total - missing
    scene.step("team", weth, "deposit", value=held)
    scene.step("team", weth, "transfer", At("user"), held)
    of = shop(scene, "TokenPriceMinter", draw.number(20, 90), At(weth), cost)
    label = scene.labels[of.minter]
    return Story(
        phrasings=(
            f"Buy {quantity} tokens from the {label}. It wants Wrapped Ether; wrap just as much of my ether as is missing for that, and no more.",
            f"Please get me {quantity} at the {label}, which I need all {quantity} of. The price is in Wrapped Ether: use up what I have and wrap exactly the rest from my ether.",
            f"{quantity} new tokens out of the {label}, please. They're paid in Wrapped Ether. I don't want any left over, so top mine up from plain ether to precisely the sum needed.",
        ),
        goals=(
            *_bought(of, quantity),
            HoldsCoins("user", weth, 0),
            HoldsCoins(of.minter, weth, total),
            EtherChange("user", -missing),
            EtherChange(weth, missing),
            Allowance(weth, "user", of.minter, 0),
        ),
        allowed=counters(weth, total, "totalSupply"),
        brief={"shop": label, "quantity": quantity, "coin": "Wrapped Ether", "wrap": True},
    )


def down_to_a_limit(scene: Scene, _: bool) -> Story:
    """The price reaches the user's limit in some hours, and about an hour later somebody buys all that is left. The shop
    keeps what it is sent above its price."""
    draw, now = scene.draw, scene.start
    rival = scene.person(ether=90)
    high, low = draw.number(700, 950) * MILLIETHER, draw.number(60, 140) * MILLIETHER
    sale = Sale(high, low, now - 2 * HOUR, now + draw.number(20, 34) * HOUR)
    cap = (sale.price_at(now + draw.number(5, 9) * HOUR) // MILLIETHER) * MILLIETHER
    reached = sale.first_within(cap)
    deadline = (reached - now) // HOUR * HOUR + draw.number(8, 12) * HOUR
    quantity, supply = draw.number(2, 3), draw.number(5, 9)
    of = shop(scene, "KeepingDecayingPriceMinter", supply, sale)
    step = Step(sender=rival, target=of.minter, function="buy", args=(supply,), value=supply * cap)
    scene.actor("rival", Trigger(after=reached - now + 60 * draw.number(45, 80)), step)
    label, limit, by = scene.labels[of.minter], ether(cap), moment(now + deadline)
    return Story(
        phrasings=(
            f"The price at the {label} falls by the second. Buy {quantity} as soon as a token costs no more than {limit}; others are waiting too, so be quick then. Pay what they cost at that moment and not a wei more. It must be done by {by}.",
            f"I'll pay up to {limit} a token at the {label}, where they get cheaper all the time. Please get {quantity} once they're down to that, without dawdling (they will sell out), and before {by}. What I pay is to be just the price of that moment, nothing on top of it.",
            f"Wait until the {label} asks {limit} or less for a token, then take {quantity} at once, for exactly what they cost in that very moment; there won't be any soon after. {by} is the last moment.",
        ),
        goals=(*_bought(of, quantity), Pays("user", of.minter, most=quantity * cap, told_by=SOLD)),
        brief={"shop": label, "quantity": quantity, "cap": cap, "deadline": now + deadline},
        deadline=deadline,
    )


def falling_in_coins(scene: Scene, _: bool) -> Story:
    """A falling price that is taken out of an allowance, so that what is approved now is more than what is taken then."""
    draw, now = scene.draw, scene.start
    currency = _coin(scene, "Dollar")
    low, quantity = draw.number(2000, 4000) * CENT, draw.number(2, 3)
    sale = Sale(
        low + draw.number(5000, 8000) * CENT, low, now - draw.number(3, 6) * HOUR, now + draw.number(14, 30) * HOUR
    )
    of = shop(scene, "DecayingTokenPriceMinter", draw.number(20, 90), At(currency), sale)
    cap = (sale.price_at(now) // 10**DECIMALS + draw.number(2, 5)) * 10**DECIMALS
    label, money, limit = scene.labels[of.minter], scene.labels[currency], format_units(cap, DECIMALS)
    return Story(
        phrasings=(
            f"Buy {quantity} tokens at the {label} now and pay in {money}. The price keeps falling; I won't pay more than {limit} {money} for one.",
            f"The {label} sells at a price in {money} that goes down every second. Please get {quantity} of its tokens right away, each for {limit} {money} at most.",
            f"I'd like {quantity} tokens out of the {label}, straight away and with my {money}. It's a declining sale: {limit} {money} a token is the ceiling.",
        ),
        goals=(
            *_bought(of, quantity),
            Pays("user", of.minter, most=quantity * cap, token=currency, told_by=SOLD),
            Allowance(currency, "user", of.minter, 0),
        ),
        brief={"shop": label, "quantity": quantity, "coin": money, "cap": cap},
        deadline=HOUR,
    )


def exact_after_a_pause(scene: Scene, feasible: bool) -> Story:
    """The collection is paused until the team lets it go on; the shop then takes the exact price of the block and nothing
    else. In the twin the pause lasts until after the deadline."""
    draw, now = scene.draw, scene.start
    scene.person()
    low = price(draw, 30, 60)
    sale = Sale(
        low + draw.number(300, 700) * MILLIETHER, low, now - draw.number(3, 20) * HOUR, now + draw.number(3, 5) * DAY
    )
    of = shop(scene, "ExactDecayingPriceMinter", draw.number(20, 90), sale)
    scene.step("team", of.collection, "pause")
    quoted, quantity = (sale.price_at(now) // MILLIETHER + 1) * MILLIETHER, draw.number(2, 3)
    pause = appointment(scene, (6, 11))
    resumes = 60 * draw.number(4, 40) + (pause.expected if feasible else pause.deadline)
    scene.actor("team", Trigger(after=resumes), Step(sender="team", target=of.collection, function="unpause"))
    label, name, each = scene.labels[of.minter], scene.labels[of.collection], ether(quoted)
    about, by = pause.about, pause.by
    return Story(
        phrasings=(
            f"Buy {quantity} at the {label} by {by}. {name} is paused at the moment, until about {about} as far as I know. The price had come down to {each} a token when I looked and goes on falling; don't pay more than that.",
            f"I want {quantity} {name} from the {label}, bought before {by}. The team has paused the collection and means to go on around {about}. When I looked, one was {each}, and it only gets cheaper, so that is my limit.",
            f"Please get me {quantity} tokens out of the {label}, for no more than the {each} a token that I saw last (it's a falling price). There's a pause on {name} that should be over at roughly {about}; I need them by {by}.",
        ),
        goals=(*_bought(of, quantity), Pays("user", of.minter, most=quantity * quoted, told_by=SOLD)),
        brief={"shop": label, "quantity": quantity, "cap": quoted, **pause.told},
        deadline=pause.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Wait for the moment that fits, work out the price of the block that the purchase will be in, pay just that."""
    seen = yield from state()
    shop_, quantity = contract(seen, brief["shop"]), brief["quantity"]
    left = int((yield from view(shop_, "supply"))) - int((yield from view(shop_, "sold")))
    if left < quantity:
        yield from give_up(f"only {left} tokens are left", "sold_out")
        return
    if "expected" in brief and (yield from _still_paused(shop_, brief)):
        yield from give_up("the collection is still paused at the deadline", "paused")
        return
    if "coin" in brief:
        problem = yield from _buy_with_coins(seen, shop_, brief)
        kind = "funds"
    else:
        problem = yield from _buy_with_ether(seen, shop_, brief)
        kind = "time"
    yield from conclude(problem, "Bought.", kind)


def _still_paused(shop_: str, brief: dict[str, Any]) -> Any:
    """Whether the collection is still paused after looking from the expected time up to the deadline."""
    collection = yield from view(shop_, "collection")

    def goes_on() -> Waited:
        return not (yield from view(collection, "paused"))

    return not ((yield from goes_on()) or (yield from awaited(brief, goes_on)))


def _buy_with_ether(seen: dict[str, Any], shop_: str, brief: dict[str, Any]) -> Any:
    now = int((yield from view(shop_, "currentPrice")))
    if now > brief["cap"]:
        terms = yield from view(shop_, "sale")
        sale = Sale(*(int(terms[k]) for k in ("startPrice", "endPrice", "startsAt", "endsAt")))
        if sale.end_price > brief["cap"]:
            return "the price never falls that low"
        reached = sale.first_within(brief["cap"])
        if reached > brief["deadline"]:
            return "the price falls that low only after the deadline"
        yield from wait_until(max(reached, int(seen["time"]) + BLOCK_TIME) - BLOCK_TIME)
        now = int((yield from view(shop_, "currentPrice")))
    return (yield from send(shop_, "buy", brief["quantity"], value=now * brief["quantity"]))


def _buy_with_coins(seen: dict[str, Any], shop_: str, brief: dict[str, Any]) -> Any:
    """Approve what the purchase will take in the block after the approval, and buy."""
    about = yield from use("get_contract", address=shop_)
    currency, quantity = (yield from view(shop_, "currency")), brief["quantity"]
    if any(line.startswith("priceAt(") for line in about["functions"]):
        now = yield from use("read_state")
        each = yield from view(shop_, "priceAt", int(now["time"]) + 2 * BLOCK_TIME)
    else:
        each = yield from view(shop_, "price")
    total = int(each) * quantity
    missing = total - int((yield from view(currency, "balanceOf", seen["you"])))
    if int(each) > brief.get("cap", int(each)):
        return "the price is above the limit"
    if missing > 0:
        if not brief.get("wrap") or missing >= int(seen["accounts"][0]["wei"]):
            return f"{missing} smallest units are missing"
        problem = yield from send(currency, "deposit", value=missing)
        if problem:
            return problem
    problem = yield from send(currency, "approve", shop_, total)
    return problem or (yield from send(shop_, "buy", quantity))


def careless(brief: dict[str, Any]) -> Play:
    """Pay the limit that was named, or allow the shop to take whatever it likes, buy at once and call it done."""
    seen = yield from state()
    shop_, quantity = contract(seen, brief["shop"]), brief["quantity"]
    if "coin" in brief:
        yield from without_looking(contract(seen, brief["coin"]), "approve", shop_, UINT256_MAX)
    value = 0 if "coin" in brief else quantity * brief["cap"]
    yield from without_looking(shop_, "buy", quantity, value=value)
    yield from finish("Bought.")


F4D = SubFamily(
    name="F4d",
    title="prices in tokens and falling prices",
    cases=(
        Case(tell=falling_and_refunding, difficulty="T1", tags=("Dutch",)),
        Case(tell=fixed_in_coins, difficulty="T2", tags=("ERC-20", "trap:unlimited-allowance")),
        Case(tell=short_of_wrapped, difficulty="T3", tags=("ERC-20", "wrapped", "trap:first-idea-fails")),
        Case(tell=short_of_wrapped, difficulty="T3", tags=("ERC-20", "wrapped"), twin_of=3, reasons=("funds",)),
        Case(tell=down_to_a_limit, difficulty="T4", tags=("Dutch", "keeps-change", "trap:pays-at-once")),
        Case(tell=falling_in_coins, difficulty="T3", tags=("Dutch", "ERC-20", "trap:leftover-allowance")),
        Case(tell=exact_after_a_pause, difficulty="T4", tags=("Dutch", "paused", "trap:quoted-price")),
        Case(
            tell=exact_after_a_pause, difficulty="T4", tags=("Dutch", "paused"), twin_of=7, reasons=("paused", "time")
        ),
    ),
    policy=play,
    derivations=("difference", "moment", "product"),
    careless=careless,
)
