"""Seaport orders as counterparties know them: read out of messages and events, priced at a moment, hashed by the contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nftbench.chain.seaport import TALLEST, Components, bulk_signature, order_hash
from nftbench.values import UINT256_MAX, checksum
from nftbench.world.actors.sight import Sight

NATIVE, ERC20, ERC721, ERC1155 = range(4)
"""Seaport's item types."""
CRITERIA = {4: ERC721, 5: ERC1155}
"""The item types by criteria, and what they come to; criteria 0 stands for every token of a collection."""
NO_CONDUIT = bytes(32)
CURRENCIES, TOKENS = (NATIVE, ERC20), (ERC721, ERC1155)

ORDER = "OrderComponents"
BULK = "BulkOrder"


class Item(Struct, frozen=True):
    """One item of an offer (`recipient` None) or a consideration. Its amount goes from `start` to `end` in a line."""

    kind: int
    token: str
    identifier: int
    start: int
    end: int
    recipient: str | None = None

    @property
    def told(self) -> tuple[Any, ...]:
        """As the contract takes it."""
        plain = (self.kind, self.token, self.identifier, self.start, self.end)
        return plain if self.recipient is None else (*plain, self.recipient)


class Order(Struct, frozen=True):
    """OrderComponents, with what proves them: a signature, or nothing where the contract has validated the order."""

    offerer: str
    zone: str
    offer: tuple[Item, ...]
    consideration: tuple[Item, ...]
    kind: int
    starts: int
    ends: int
    zone_hash: bytes
    salt: int
    conduit_key: bytes
    counter: int
    signature: bytes = b""

    @property
    def components(self) -> tuple[Any, ...]:
        return (*self._common, self.counter)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """OrderParameters, which have the number of consideration items in the counter's place."""
        return (*self._common, len(self.consideration))

    @property
    def _common(self) -> tuple[Any, ...]:
        items = (tuple(i.told for i in self.offer), tuple(i.told for i in self.consideration))
        rest = (self.kind, self.starts, self.ends, self.zone_hash, self.salt, self.conduit_key)
        return (self.offerer, self.zone, *items, *rest)

    def is_open_at(self, moment: int) -> bool:
        return self.starts <= moment < self.ends

    def amount(self, item: Item, moment: int) -> int:
        """What an item comes to at a moment of the order's time: rounded up in a consideration, down in an offer."""
        if item.start == item.end:
            return item.start
        duration, elapsed = self.ends - self.starts, moment - self.starts
        total = item.start * (duration - elapsed) + item.end * elapsed
        return total // duration if item.recipient is None else -(-total // duration)

    def price(self, moment: int) -> tuple[str | None, int] | None:
        """What its taker pays in all, and in which currency (None: ether); None if it asks for more than one currency, or for
        tokens, or is never open."""
        asked = {(item.kind, item.token) for item in self.consideration}
        if self.ends <= self.starts or len(asked) > 1 or any(kind not in CURRENCIES for kind, _ in asked):
            return None
        at = min(max(moment, self.starts), self.ends - 1)
        total = sum(self.amount(item, at) for item in self.consideration)
        coin = next((token for kind, token in asked if kind == ERC20), None)
        return coin, total

    def is_within(self, limit: int, moment: int) -> bool:
        """Whether it is open at a moment and asks no more than `limit` then."""
        return self.is_open_at(moment) and self._asks(moment) <= limit

    def falls_to(self, limit: int, after: int) -> int | None:
        """The first moment after this one at which it is open and asks no more than `limit`, if there is one that its price goes
        down to; prices are lines, so the first one can be looked for by halves."""
        first, last = max(after + 1, self.starts), self.ends - 1
        if first > last:
            return None
        if self._asks(first) <= limit:
            return first
        if self._asks(last) > limit:
            return None
        while first < last:
            middle = (first + last) // 2
            first, last = (first, middle) if self._asks(middle) <= limit else (middle + 1, last)
        return last

    def _asks(self, moment: int) -> int:
        priced = self.price(moment)
        return UINT256_MAX if priced is None else priced[1]


def order_of(message: Any, signature: bytes = b"") -> Order | None:
    """The order that a typed-data message says; None if it is none."""
    try:
        return Order(
            offerer=checksum(message["offerer"]),
            zone=checksum(message["zone"]),
            offer=tuple(_item(item) for item in message["offer"]),
            consideration=tuple(_item(item, checksum(item["recipient"])) for item in message["consideration"]),
            kind=_whole(message["orderType"], 4),
            starts=_whole(message["startTime"]),
            ends=_whole(message["endTime"]),
            zone_hash=_word(message["zoneHash"]),
            salt=_whole(message["salt"]),
            conduit_key=_word(message["conduitKey"]),
            counter=_whole(message["counter"]),
            signature=signature,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _item(given: Any, recipient: str | None = None) -> Item:
    identifier, start, end = (_whole(given[field]) for field in ("identifierOrCriteria", "startAmount", "endAmount"))
    return Item(_whole(given["itemType"], 5), checksum(given["token"]), identifier, start, end, recipient)


def _whole(value: Any, most: int = UINT256_MAX) -> int:
    number = int(value, 16 if value[:2] in ("0x", "0X") else 10) if isinstance(value, str) else int(value)
    if not 0 <= number <= most:
        raise ValueError(value)
    return number


def _word(value: Any) -> bytes:
    if not isinstance(value, str) or len(value.removeprefix("0x")) != 64:
        raise ValueError(value)
    return bytes.fromhex(value.removeprefix("0x"))


def order_from(components: Components, signature: bytes = b"") -> Order:
    """The order of OrderComponents."""
    offerer, zone, offer, consideration, *rest = components
    offered, asked = (tuple(Item(*item) for item in items) for items in (offer, consideration))
    kind, starts, ends, zone_hash, salt, conduit_key, counter = rest
    return Order(offerer, zone, offered, asked, kind, starts, ends, zone_hash, salt, conduit_key, counter, signature)


def validated(sight: Sight, seaport: str) -> Iterator[tuple[bytes, Order]]:
    """The orders that the contract's own events tell of, each with its hash: they need no signature any more."""
    interface = sight.world.interfaces[seaport]
    for log in sight.engine.logs:
        if log.address != seaport:
            continue
        event = interface.decode_log(log)
        if event is not None and event.name == "OrderValidated":
            identity, given = event.arguments["orderHash"], event.arguments["orderParameters"]
            counter = sight.read(seaport, "getCounter", given[0], default=0)
            yield identity, order_from((*given[:10], counter))


def signed_orders(signed: dict[str, Any]) -> Iterator[Order]:
    """The orders that one signature of the agent's stands for: one, or every leaf of a bulk order, each with the signature that
    proves it alone."""
    typed, signature = signed["typed_data"], bytes.fromhex(signed["signature"][2:])
    message = typed.get("message")
    if typed.get("primaryType") == ORDER:
        order = order_of(message, signature)
        if order is not None:
            yield order
    elif typed.get("primaryType") == BULK and isinstance(message, dict):
        orders = [order_of(leaf) for leaf in _leaves(message.get("tree"), 0)]
        height = (len(orders) - 1).bit_length()
        if None in orders or len(orders) != 1 << height or not height:
            return
        hashes = [order_hash(order.components) for order in orders if order is not None]
        for place, order in enumerate(orders):
            if order is not None:
                yield replace(order, signature=bulk_signature(signature, hashes, place))


def _leaves(tree: Any, depth: int) -> Iterator[Any]:
    """The leaves of a tree of nested lists, from left to right."""
    if not isinstance(tree, list | tuple):
        yield tree
    elif depth < TALLEST:
        for branch in tree:
            yield from _leaves(branch, depth + 1)
