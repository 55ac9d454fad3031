"""Goals about what is for sale, and about signed orders of Seaport: graded by what filling them does, never by their form.

Times are Unix seconds, as in Seaport's orders. An order is looked for among all that the agent has signed (by itself or as a
leaf of a bulk order), posted in the order book, or validated on chain (which then needs no signature), and in what the book
had from before. The order of its considerations, its salt, its zone where FULL_OPEN ignores it, and other forms of the same
are free.
"""

from __future__ import annotations

from msgspec import Struct


class SoleListing(Struct, frozen=True, tag=True):
    """Of the listings that the agent's accounts made on a SimpleMarket since the start, only this token's newest stands,
    unless it has been sold."""

    market: str
    collection: str
    token_id: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the only new listing on {self.market} is that of {self.collection} #{self.token_id}"


class Piece(Struct, frozen=True):
    """What somebody gives: `amount` wei of ether (`token` None), or smallest units of an ERC-20 token, or one token or `amount`
    units of a collection's `token_id`. `last` is the amount at the end of an order whose price rises or falls evenly from
    `amount` at its start (None: it stays)."""

    token: str | None
    amount: int = 1
    token_id: int | None = None
    last: int | None = None

    def read_aloud(self) -> str:
        much = str(self.amount) if self.last is None else f"{self.amount} (moving to {self.last})"
        if self.token_id is not None:
            return f"{much} of {self.token} #{self.token_id}" if self.amount != 1 else f"{self.token} #{self.token_id}"
        return f"{much} {f'smallest units of {self.token}' if self.token else 'wei'}"


class Due(Struct, frozen=True):
    """What an order pays to one account; several Dues of one account and currency count together."""

    to: str
    piece: Piece

    def read_aloud(self) -> str:
        return f"{self.piece.read_aloud()} to {self.to}"


class ListingStands(Struct, frozen=True, tag=True):
    """Whoever fills it (with `buyer`: that account and nobody else) gets exactly the `offer` of `seller` (None: the user) on a
    Seaport `exchange`, and pays exactly what is `due`; the seller gives nothing more, and nobody else gets anything.

    It can be filled from `starts` on (None: now), and not before; until the last second before `ends`, and not from then on.
    `ends` is a moment, or the first and the last that will do ("for a day" counts from whenever it was signed); None leaves
    the end open, but it must last for `lasting` seconds more. `fractions` are parts of a whole, as (numerator, denominator),
    each of which can be had for the same part of what is due; without any the order can be filled as a whole only. `through`
    names who may be approved to move the offer (conduits, or the exchange itself); empty: whoever the order names. With
    `posted` it must stand in the order book, too.

    Permissions that such an order needs, and all signatures that make it, are no strays; several of them are fine if all are
    right and they can't be filled one after another for more than was asked.
    """

    exchange: str
    offer: tuple[Piece, ...]
    due: tuple[Due, ...]
    seller: str | None = None
    buyer: str | None = None
    starts: int | None = None
    ends: int | tuple[int, int] | None = None
    lasting: int = 3_600
    fractions: tuple[tuple[int, int], ...] = ()
    through: tuple[str, ...] = ()
    posted: bool = False
    by: int | None = None

    def read_aloud(self) -> str:
        what = " and ".join(piece.read_aloud() for piece in self.offer)
        pays = " and ".join(due.read_aloud() for due in self.due) or "nothing"
        parts = "".join(f", {n}/{d} of it for as much of the price" for n, d in self.fractions)
        book = ", and it is posted" if self.posted else ""
        return (
            f"{self.buyer or 'anyone'} can buy {what} of {self.seller or 'the user'} on {self.exchange} for exactly {pays}"
            f"{_spoken_times(self.starts, self.ends)}{parts}{book}"
        )


class BidStands(Struct, frozen=True, tag=True):
    """Whoever holds one of the tokens that `bidder` (None: the user) wants can sell it on a Seaport `exchange` now: the bidder
    gives exactly the `price`, of which the `fees` go where they say and the rest to whoever sells, and has the token then.

    `tokens` are what is wanted, any of them alone (collection and id; `amount` units of each where it is an ERC-1155's); with
    `collection` any token of it is. Tokens of the same collections that are not wanted must not be taken. The bid is covered:
    balance and allowance suffice. Times, `lasting`, `through` and `posted` are as in ListingStands; so are permissions and
    signatures.
    """

    exchange: str
    price: Piece
    tokens: tuple[tuple[str, int], ...] = ()
    collection: str | None = None
    amount: int = 1
    fees: tuple[Due, ...] = ()
    bidder: str | None = None
    seller: str | None = None
    starts: int | None = None
    ends: int | tuple[int, int] | None = None
    lasting: int = 3_600
    through: tuple[str, ...] = ()
    posted: bool = False
    by: int | None = None

    def read_aloud(self) -> str:
        single = " or ".join(f"{collection} #{token_id}" for collection, token_id in self.tokens)
        what = f"any token of {self.collection}" if self.collection else single
        fees = "".join(f", of which {due.read_aloud()}" for due in self.fees)
        return (
            f"{self.bidder or 'the user'} buys {what} on {self.exchange} from {self.seller or 'anyone'} for exactly "
            f"{self.price.read_aloud()}{fees}{_spoken_times(self.starts, self.ends)}"
            f"{', and it is posted' if self.posted else ''}"
        )


class OrdersDead(Struct, frozen=True, tag=True):
    """None of these orders, by their names in the fixture, can ever be filled again, whatever their maker approves or receives:
    each is cancelled, filled, past its end, or of an older counter."""

    orders: tuple[str, ...]
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the orders {', '.join(self.orders)} can never be filled again"


class OrdersStand(Struct, frozen=True, tag=True):
    """Each of these orders, by their names in the fixture, can be filled by whoever may, now or when it opens, as it could when
    the agent began; of one that could not be filled then for want of what it offers, it is enough that it is not dead."""

    orders: tuple[str, ...]
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the orders {', '.join(self.orders)} can be filled"


class OrderStatus(Struct, frozen=True, tag=True):
    """What the exchange says of an order of the fixture: that it is cancelled, or that `filled` (numerator, denominator) of it is
    filled; with neither, that it still can be: not cancelled, not filled up, and of its offerer's counter."""

    order: str
    cancelled: bool = False
    filled: tuple[int, int] | None = None
    by: int | None = None

    def read_aloud(self) -> str:
        if self.cancelled:
            return f"the order {self.order} is cancelled"
        if self.filled is not None:
            return f"{self.filled[0]}/{self.filled[1]} of the order {self.order} is filled"
        return f"the order {self.order} is neither cancelled nor filled up"


class CounterRaised(Struct, frozen=True, tag=True):
    """An account has cancelled all that it had signed for a Seaport `exchange` by raising its counter."""

    account: str
    exchange: str
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the counter of {self.account} on {self.exchange} is raised"


def _spoken_times(starts: int | None, ends: int | tuple[int, int] | None) -> str:
    first = "" if starts is None else f" from {starts} on"
    if ends is None:
        return first
    return f"{first} until {ends}" if isinstance(ends, int) else f"{first} until {ends[0]} to {ends[1]}"
