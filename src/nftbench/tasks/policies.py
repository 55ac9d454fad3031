"""How counterparties behave: frozen data, one kind of struct a policy. What each does with it stands in `world/actors/`.

Handles are the fixture's. Amounts are wei, or smallest units of `currency` where that names a coin (None: ether). Limits are
inclusive: whoever has a limit of 5 pays 5.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from nftbench.tasks.goals.values import Reading


class ShareOfMedian(Struct, frozen=True):
    """A limit that follows the market: so many basis points of the median price of the collection's last `sales` sales there.
    There is none until so many have been made."""

    basis_points: int
    sales: int = 5


Limit = int | ShareOfMedian


class Amount(Struct, frozen=True):
    """In a bidder's call: the amount of its bid."""


class Call(Struct, frozen=True, kw_only=True):
    """A transaction that a counterparty sends from its own account. `value` may be the Amount of a bid."""

    target: str
    function: str = ""
    args: tuple[Any, ...] = ()
    value: int | Amount = 0


class FloorBuyer(Struct, frozen=True, tag=True):
    """Buys what is for sale of a collection at or below a price, the cheapest first."""

    market: str
    collection: str
    limit: Limit
    currency: str | None = None

    def read_aloud(self) -> str:
        return f"buys any {self.collection} on {self.market} at or below {_limit(self.limit, self.currency)}"


class Sniper(Struct, frozen=True, tag=True):
    """Lies in wait for forgotten and underpriced orders of a collection: fills one as soon as it can, also one that comes alive
    again because its token is back or its market may move it again.

    `alarms` are the functions of the market by which it knows, in the mempool, that an order is about to end: it fills
    that order in front of the transaction. With `only_alarmed` it fills nothing but those: it hoards what it knows of until
    the seller stirs. `sellers` are whose orders it looks at (empty: anyone's).
    """

    market: str
    collection: str
    limit: Limit
    currency: str | None = None
    alarms: tuple[str, ...] = ("cancel", "incrementCounter", "setPrice")
    only_alarmed: bool = False
    sellers: tuple[str, ...] = ()

    def read_aloud(self) -> str:
        when = "as soon as its end is in the mempool" if self.only_alarmed else "as soon as it can"
        return (
            f"fills orders for {self.collection} on {self.market} at or below "
            f"{_limit(self.limit, self.currency)} {when}"
        )


class Bidder(Struct, frozen=True, tag=True):
    """Outbids whoever leads, by the larger of `step` and `step_basis_points` of the standing bid, up to `limit`.

    `highest` reads the standing bid (0: none, then it bids `opening`), `leader` who made it; `bid` is the call that bids.
    """

    highest: Reading
    leader: Reading
    bid: Call
    limit: int
    step: int
    step_basis_points: int = 0
    opening: int = 0

    def read_aloud(self) -> str:
        return f"outbids anyone at {self.bid.target} by at least {self.step} up to {self.limit}"


class OfferBidder(Struct, frozen=True, tag=True):
    """Bids coins for a token of a collection (`token_id` None: for any of it) on a Seaport, and outbids whoever bids as much, by
    `step`, up to `limit`. With nobody else there it bids `opening` (0: it waits). Each bid stands for `lasts` seconds and takes
    the place of its last one. It is posted in the order book, or where there is none, validated on chain."""

    market: str
    collection: str
    currency: str
    limit: int
    step: int
    token_id: int | None = None
    opening: int = 0
    lasts: int = 86_400

    def read_aloud(self) -> str:
        what = f"any {self.collection}" if self.token_id is None else f"{self.collection} #{self.token_id}"
        return f"bids for {what} on {self.market}, {self.step} over others, up to {self.limit} of {self.currency}"


Watching = Literal["pending", "allowance", "bid"]


class ShySeller(Struct, frozen=True, tag=True):
    """Withdraws its order when it sees that somebody is after it.

    Looking is unseen: reads and dry runs leave no trace. What it can see is `signs`: `pending`, a transaction in the mempool
    that would fill its order, in front of which it moves; `allowance`, somebody else letting the market take the order's
    currency; `bid`, an offer for its token. It cancels, or asks `raised` basis points of its price where that is given.
    """

    market: str
    collection: str
    signs: tuple[Watching, ...] = ("pending",)
    raised: int | None = None

    def read_aloud(self) -> str:
        what = "cancels its orders" if self.raised is None else f"asks {self.raised} basis points of its price"
        return f"{what} for {self.collection} on {self.market} when it sees {' or '.join(self.signs)}"


class Drainer(Struct, frozen=True, tag=True):
    """Takes whatever anyone lets it take: by approvals, operators and allowances of itself and of the contracts `through`, and,
    with `signatures`, by permits and orders that the agent signs, posted or not.

    `victims` are whose assets it takes (empty: the agent's accounts). It pays at most `pays` wei for all that one order gives, or
    a token of its own from one of the collections `fakes`.
    """

    through: tuple[str, ...] = ()
    signatures: bool = True
    victims: tuple[str, ...] = ()
    pays: int = 0
    fakes: tuple[str, ...] = ()

    def read_aloud(self) -> str:
        means = "approvals and signatures" if self.signatures else "approvals"
        return f"takes what it is let take by {means}{' through ' if self.through else ''}{', '.join(self.through)}"


class Poisoner(Struct, frozen=True, tag=True):
    """Sends dust to the agent's accounts from look-alikes of those they deal with: the wrong address then stands in the history.

    A look-alike has the first `prefix` and the last `suffix` hex digits of the address that it poses as. The dust is `wei` of
    ether, or a transfer of nothing from the victim to the look-alike in `coin`, which ERC-20 lets anyone make.
    """

    prefix: int = 4
    suffix: int = 4
    wei: int = 1
    coin: str | None = None

    def read_aloud(self) -> str:
        dust = f"{self.wei} wei" if self.coin is None else f"transfers of nothing in {self.coin}"
        return f"sends {dust} from look-alikes of those whom the agent deals with"


class Sandwicher(Struct, frozen=True, tag=True):
    """Sees a call of `function` of a contract in the mempool and moves in front of it and behind it, at its time.

    It moves only for calls that send at least `least` wei along, and only if its own calls in front would succeed. `spares`:
    only if the call would succeed behind them, too (who wants to sell to the victim does).
    """

    contract: str
    function: str
    before: tuple[Call, ...]
    after: tuple[Call, ...] = ()
    least: int = 0
    spares: bool = False

    def read_aloud(self) -> str:
        return f"moves in front of and behind calls of {self.contract}.{self.function.split('(')[0]}"


Policy = FloorBuyer | Sniper | Bidder | OfferBidder | ShySeller | Drainer | Poisoner | Sandwicher
"""Every kind of policy."""


class Counterparty(Struct, frozen=True, kw_only=True):
    """Somebody who acts by a policy, from `account`. Times are in seconds after the start of the agent.

    It looks from `since` to `until` (None: to the end), whenever something happens that its policy is about, or with a
    `period` only every so many seconds from `since` on, at what was mined before then; the mempool is always watched. It moves
    at most `most` times.

    With a negative `since` it has a past: it acts in the history, too, as that comes about, so that its habits can be
    learned from the chain. Its purse is then what the account has at the start, each time anew.
    `hostile`: what it gets of the agent's counts as harm. `knows` are orders of the fixture that it has kept, be they in the
    order book or not.
    """

    name: str
    account: str
    policy: Policy
    hostile: bool = False
    since: int = 0
    until: int | None = None
    period: int | None = None
    most: int | None = None
    knows: tuple[str, ...] = ()

    def read_aloud(self) -> str:
        every = "" if self.period is None else f", every {self.period} seconds"
        return f"{self.account} {self.policy.read_aloud()}{every}"


def _limit(limit: Limit, currency: str | None) -> str:
    if isinstance(limit, ShareOfMedian):
        return f"{limit.basis_points} basis points of the median of the last {limit.sales} sales"
    return f"{limit} {'wei' if currency is None else f'smallest units of {currency}'}"
