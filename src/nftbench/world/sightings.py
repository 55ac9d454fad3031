"""Where to look: which tokens, holders and permissions the logs and the call data of a chain name.

A log of a standard shape says for certain what it is about. Any other log of a token contract, and the call data of a
transaction that has to do with it, may name a token or an account in any of its words: those are guesses, and whoever looks
finds out whether there is anything behind them. A range of ids (ERC-2309) is named by its ends, however long it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from nftbench.chain.abi import Interface
from nftbench.chain.engine import Log, Receipt
from nftbench.values import address_from_bytes, keccak256


class Entry(NamedTuple):
    """What one value in the ledger is about; the parts depend on the kind.

    owner, approved: contract, token id, None. operator: contract, owner, operator. units: contract, holder, token id.
    coins: contract, holder, None. allowance: contract, owner, spender. ether: None, account, None.
    role: contract, role (32 bytes), account. view: contract, function signature, arguments. storage: contract, None, None,
    for what no interface tells.
    """

    kind: str
    contract: str | None
    subject: Any
    detail: Any


def topic_of(signature: str) -> bytes:
    return keccak256(signature.encode())


TRANSFER = topic_of("Transfer(address,address,uint256)")
APPROVAL = topic_of("Approval(address,address,uint256)")
APPROVAL_FOR_ALL = topic_of("ApprovalForAll(address,address,bool)")
TRANSFER_SINGLE = topic_of("TransferSingle(address,address,address,uint256,uint256)")
TRANSFER_BATCH = topic_of("TransferBatch(address,address,address,uint256[],uint256[])")
CONSECUTIVE_TRANSFER = topic_of("ConsecutiveTransfer(uint256,uint256,address,address)")
ROLE_GRANTED = topic_of("RoleGranted(bytes32,address,address)")

ORDER_STATUS, COUNTER = "getOrderStatus(bytes32)", "getCounter(address)"
"""The views of Seaport that say what has become of an order, and of all orders of an offerer."""
_ORDER_EVENTS = {
    topic_of("OrderCancelled(bytes32,address,address)"),
    topic_of(
        "OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],"
        "(uint8,address,uint256,uint256,address)[])"
    ),
    topic_of(
        "OrderValidated(bytes32,(address,address,(uint8,address,uint256,uint256,uint256)[],"
        "(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256))"
    ),
}
_COUNTER_INCREMENTED = topic_of("CounterIncremented(uint256,address)")

TOKEN_KINDS = ("owner", "approved")
PER_TOKEN_VIEWS = (
    "approvedFor(uint256)",
    "locked(uint256)",
    "lockedBy(uint256)",
    "userOf(uint256)",
    "userExpires(uint256)",
)

LONGEST_LISTED = 256
"""A range of at most so many ids is looked at token by token; of a longer one the ends, and what else is named of it."""

MOST_WORDS, MOST_SHIFTED, MOST_PARTIES, MOST_IDS = 4_096, 128, 6, 64
"""How many words of one log or call are looked at, and of those how many as accounts and ids of units."""

_NESTED = (4, 8)
"""By how many bytes the words of calls within calls are shifted against those around them: a selector each time."""


class Shape(NamedTuple):
    """What a contract's interface lets the ledger ask of it."""

    tokens: tuple[str, ...]
    operators: bool
    units: bool
    coins: bool
    roles: bool
    views: tuple[str, ...]
    signatures: frozenset[str]

    @property
    def names_things(self) -> bool:
        """Whether there is anything that a word of its logs or calls might name."""
        return bool(self.tokens or self.operators or self.units or self.coins)


def shape_of(interface: Interface) -> Shape:
    """Which entries a contract has, by the functions in its interface."""
    signatures = frozenset(function.signature for function in interface.functions)
    has = signatures.__contains__
    tokens = ["owner"] * has("ownerOf(uint256)") + ["approved"] * has("getApproved(uint256)")
    return Shape(
        tokens=tuple(tokens + [v for v in PER_TOKEN_VIEWS if has(v)]) if tokens else (),
        operators=has("isApprovedForAll(address,address)"),
        units=has("balanceOf(address,uint256)"),
        coins=has("allowance(address,address)") and has("balanceOf(address)"),
        roles=has("hasRole(bytes32,address)"),
        views=tuple(f.signature for f in interface.functions if not f.inputs and f.mutability == "view" and f.outputs),
        signatures=signatures,
    )


def token_entries(address: str, token_id: int, shape: Shape) -> Iterator[Entry]:
    """All that the ledger has on one token."""
    for kind in shape.tokens:
        if kind in TOKEN_KINDS:
            yield Entry(kind, address, token_id, None)
        else:
            yield Entry("view", address, kind, (token_id,))


def ranges_in(log: Log, shape: Shape) -> Iterator[tuple[int, int]]:
    """The first and the last id of a range of tokens that the log names (ERC-2309)."""
    if shape.tokens and log.topics[0] == CONSECUTIVE_TRANSFER and len(log.topics) > 1:
        first, last = number(log.topics[1]), number(log.data)
        if first <= last:
            yield first, last


def named_by(log: Log, shape: Shape) -> Iterator[Entry]:
    """What a log of a standard shape is about."""
    topic, topics, address = log.topics[0], log.topics, log.address
    for first, last in ranges_in(log, shape):
        ids = range(first, last + 1) if last - first < LONGEST_LISTED else (first, last)
        for token_id in ids:
            yield from token_entries(address, token_id, shape)
    if topic in (TRANSFER, APPROVAL) and shape.tokens and len(topics) == 4:
        yield from token_entries(address, number(topics[3]), shape)
    elif topic == TRANSFER and shape.coins:
        for party in topics[1:3]:
            yield Entry("coins", address, account(party), None)
    elif topic == APPROVAL and shape.coins and len(topics) == 3:
        yield Entry("allowance", address, account(topics[1]), account(topics[2]))
    elif topic == APPROVAL_FOR_ALL and shape.operators and len(topics) == 3:
        yield Entry("operator", address, account(topics[1]), account(topics[2]))
    elif topic in (TRANSFER_SINGLE, TRANSFER_BATCH) and shape.units and len(topics) == 4:
        for token_id in [number(log.data)] if topic == TRANSFER_SINGLE else first_array(log.data):
            for party in topics[2:4]:
                if any(party):
                    yield Entry("units", address, account(party), token_id)
    elif topic == ROLE_GRANTED and shape.roles and len(topics) > 2:
        yield Entry("role", address, topics[1], account(topics[2]))
    elif topic in _ORDER_EVENTS and ORDER_STATUS in shape.signatures:
        yield Entry("view", address, ORDER_STATUS, (log.data[:32],))
    elif topic == _COUNTER_INCREMENTED and COUNTER in shape.signatures and len(topics) == 2:
        yield Entry("view", address, COUNTER, (account(topics[1]),))


def is_standard(log: Log, shape: Shape) -> bool:
    """Whether named_by tells all that there is in a log."""
    return log.topics[0] == CONSECUTIVE_TRANSFER or any(True for _ in named_by(log, shape))


def guesses_from_log(log: Log, shape: Shape) -> Iterator[Entry]:
    """What the words of a log may name."""
    words = [number(topic) for topic in log.topics[1:]]
    words += [number(log.data[at : at + 32]) for at in range(0, min(len(log.data), 32 * MOST_WORDS), 32)]
    yield from _guesses(log.address, shape, words, ())


def guesses_from_call(receipt: Receipt, shapes: dict[str, Shape]) -> Iterator[Entry]:
    """What the words of a transaction's call data may name in the contracts that it has to do with: the one called, those
    heard of in its logs, and those whose addresses stand in the call data."""
    words = _words(receipt.data)
    there = dict.fromkeys([receipt.to, *(log.address for log in receipt.logs)])
    there |= dict.fromkeys(address_from_bytes(w.to_bytes(32, "big")) for w in words if _is_account(w))
    for contract in there:
        shape = shapes.get(contract or "")
        if contract is not None and shape is not None and shape.names_things:
            yield from _guesses(contract, shape, words, (receipt.sender,))


def _words(data: bytes) -> list[int]:
    """The words of call data, and those of calls in it, without repetition."""
    found = dict.fromkeys(number(data[at : at + 32]) for at in range(4, min(len(data), 32 * MOST_WORDS), 32))
    for shift in _NESTED:
        starts = islice(range(4 + shift, len(data) - 31, 32), MOST_SHIFTED)
        found |= dict.fromkeys(number(data[at : at + 32]) for at in starts)
    return list(found)


def _guesses(contract: str, shape: Shape, words: list[int], parties: tuple[str, ...]) -> Iterator[Entry]:
    if shape.tokens:
        for word in dict.fromkeys(words):
            yield Entry(shape.tokens[0], contract, word, None)
    named = (address_from_bytes(word.to_bytes(32, "big")) for word in words if _is_account(word))
    people = list(islice(dict.fromkeys([*parties, *named]), MOST_PARTIES))
    if shape.units:
        ids = [word for word in dict.fromkeys(words) if not _is_account(word)][:MOST_IDS]
        yield from (Entry("units", contract, person, token_id) for person in people for token_id in ids)
    if shape.coins:
        yield from (Entry("coins", contract, person, None) for person in people)
    for kind in ["allowance"] * shape.coins + ["operator"] * shape.operators:
        yield from (Entry(kind, contract, one, other) for one in people for other in people if one != other)


def _is_account(word: int) -> bool:
    """Whether a word looks like an address: few have more than eight zero bytes in front."""
    return 1 << 96 <= word < 1 << 160


def number(raw: bytes) -> int:
    return int.from_bytes(raw[:32], "big")


def account(raw: bytes) -> str:
    return address_from_bytes(raw[:32])


def first_array(data: bytes) -> list[int]:
    """The uint256[] that the first word of ABI-encoded event data points to, as far as the data goes."""
    start = number(data)
    count = min(number(data[start : start + 32]), len(data) // 32)
    return [number(data[start + 32 * (i + 1) : start + 32 * (i + 2)]) for i in range(count)]
