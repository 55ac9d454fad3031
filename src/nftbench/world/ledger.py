"""The ledger: everything of value that a world's contracts say, read by calls, that can be taken at any time and compared.

Logs, call data and views only say where to look (which tokens, holders, operators and roles exist, see sightings); every value
comes from a call, kept as the raw return data and decoded for those entries that differ. A reverting read is a value too: None
(a token that does not exist).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple, TypeVar

from nftbench.chain.abi import Function, Interface
from nftbench.chain.engine import Block, Engine, Log, Receipt
from nftbench.world.sightings import (
    Entry,
    Shape,
    account,
    guesses_from_call,
    guesses_from_log,
    is_standard,
    named_by,
    number,
    ranges_in,
    shape_of,
    token_entries,
    topic_of,
)


class Difference(NamedTuple):
    """One entry that is not what it was; values are decoded, None for a read that reverts."""

    entry: Entry
    before: Any
    after: Any


Ledger = dict[Entry, bytes | int | None]

__all__ = ["Difference", "Entry", "Ledger", "Surveyor", "single_output"]

_Seen = TypeVar("_Seen", Log, Receipt)

MOST_COUNTED = 2_000
"""How many tokens are looked for where a contract says that it has more than anything names."""

_NULL = bytes(12)


def _selector(signature: str) -> bytes:
    return topic_of(signature)[:4]


def _word(value: Any) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(32, "big")
    if isinstance(value, bytes):
        return value.rjust(32, b"\0")
    return _NULL + bytes.fromhex(value[2:])


def _bool(raw: bytes) -> bool:
    return bool(number(raw))


# kind -> (selector of the read, decoder of its return data)
_READS: dict[str, tuple[bytes, Callable[[bytes], Any]]] = {
    "owner": (_selector("ownerOf(uint256)"), account),
    "approved": (_selector("getApproved(uint256)"), account),
    "operator": (_selector("isApprovedForAll(address,address)"), _bool),
    "units": (_selector("balanceOf(address,uint256)"), number),
    "coins": (_selector("balanceOf(address)"), number),
    "allowance": (_selector("allowance(address,address)"), number),
    "role": (_selector("hasRole(bytes32,address)"), _bool),
}


def single_output(function: Function, raw: bytes) -> Any:
    """A view's decoded result: its one value, or a tuple of several."""
    values = function.decode_output(raw)
    return values[0] if len(values) == 1 else values


class _Moment(NamedTuple):
    """A moment of a chain. The block is told by identity: a block that another one was put back for may look the same."""

    block: Block
    time: int
    ether: Ledger

    def is_that(self, other: _Moment) -> bool:
        return self.block is other.block and self.time == other.time and self.ether == other.ether


class Surveyor:
    """Knows which entries a world's ledger has, and reads them.

    `contracts` maps addresses to interfaces, `accounts` are the addresses whose ether counts, `watches` further views as
    (contract, function signature, arguments).
    """

    def __init__(
        self,
        engine: Engine,
        contracts: dict[str, Interface],
        accounts: Iterable[str],
        watches: Iterable[tuple[str, str, tuple[Any, ...]]] = (),
    ) -> None:
        self.engine = engine
        self._contracts = contracts
        self._shapes = {address: shape_of(interface) for address, interface in contracts.items()}
        self._calls: dict[Entry, bytes] = {}
        self._decoders: dict[Entry, Callable[[bytes], Any]] = {}
        self._asked: dict[Entry, bytes] = {}
        self._counted: set[tuple[str, int, int]] = set()
        self._seen_logs: list[Log] = []
        self._seen_receipts: list[Receipt] = []
        self._start: int | None = None
        self._captured: tuple[_Moment, Ledger] | None = None
        self.ranges: dict[str, list[tuple[int, int]]] = {}
        self._accounts = [*accounts, *contracts]
        self._ether = [Entry("ether", None, account, None) for account in self._accounts]
        for address, shape in self._shapes.items():
            for signature in shape.views:
                self._add_view(address, signature, ())
        for address, signature, args in watches:
            self._add_view(address, signature, args)

    def over(self, engine: Engine, contracts: dict[str, Interface]) -> Surveyor:
        """A surveyor that knows what this one does, over another chain of the same history."""
        other = copy(self)
        other.engine, other._contracts = engine, contracts
        other._calls, other._decoders, other._asked = dict(self._calls), dict(self._decoders), dict(self._asked)
        other._counted = set(self._counted)
        other._seen_logs, other._seen_receipts = list(self._seen_logs), list(self._seen_receipts)
        other.ranges = {address: list(ranges) for address, ranges in self.ranges.items()}
        return other

    def capture(self) -> Ledger:
        """Every entry's value now. What was read at this very moment of the chain already is not read again."""
        self._scan()
        moment = self._now()
        known = self._known(moment)
        if known is not None:
            return moment.ether | known
        ledger = dict(moment.ether)
        self._read_into(ledger, self._calls)
        more = self._uncounted(ledger)
        if more:
            self._look(more)
            self._read_into(ledger, [entry for entry in self._calls if entry not in ledger])
        self._captured = (moment, {entry: ledger[entry] for entry in self._calls})
        return ledger

    def begin(self, block: int) -> None:
        """From block `block` on what transactions name is looked at, too; what is found then is compared with what it was."""
        self._start = block
        self._seen_receipts = list(self.engine.receipts())

    def differences(self, before: Ledger, after: Ledger, *, block: int) -> Iterator[Difference]:
        """What differs between two captures; entries that came up later are read as they stood after block `block`."""
        then = dict(before)
        with self.engine.supposing(block=block):
            self._read_into(then, [entry for entry in after if entry not in before])
        for entry, now in after.items():
            if then[entry] != now:
                yield Difference(entry, self._decode(entry, then[entry]), self._decode(entry, now))

    def read(self, entry: Entry, *, block: int | None = None) -> Any:
        """One entry's decoded value, now or after a block, whether or not the ledger holds it now or from then on."""
        if entry.kind == "ether":
            return self.engine.balance(entry.subject, block=block)
        result = self.engine.call(entry.contract or "", self.call_data(entry), block=block)
        return self._decode(entry, result.output if result.success else None)

    def call_data(self, entry: Entry) -> bytes:
        """The call that reads an entry of a contract."""
        data = self._calls.get(entry) or self._asked.get(entry)
        if data is None:
            data = self._asked[entry] = self._call_data(entry)
        return data

    def holdings(self, holder: str) -> Iterator[tuple[Entry, int]]:
        """The holder's tokens (amount 1), ERC-1155 units and ERC-20 coins, those with an amount only."""
        self._scan()
        mine = [
            entry
            for entry in self._calls
            if (entry.subject == holder if entry.kind in ("units", "coins") else entry.kind == "owner")
        ]
        values = self._known(self._now())
        if values is None:
            values = {}
            self._read_into(values, mine)
        for entry in mine:
            raw = values[entry]
            value = 0 if raw is None else self._decode(entry, raw)
            amount = int(value == holder) if entry.kind == "owner" else value
            if amount:
                yield entry, amount

    def named_in(self, receipt: Receipt) -> list[Entry]:
        """The entries that a transaction's logs and call data name, for certain or perhaps."""
        logs = [(log, self._shapes[log.address]) for log in receipt.logs if log.address in self._shapes and log.topics]
        found = [entry for log, shape in logs for entry in (*named_by(log, shape), *guesses_from_log(log, shape))]
        return list(dict.fromkeys([*found, *guesses_from_call(receipt, self._shapes)]))

    def entries(self, kind: str, contract: str) -> list[Entry]:
        """The entries of a kind that are known of a contract."""
        self._scan()
        return [entry for entry in self._calls if entry.kind == kind and entry.contract == contract]

    def token_ids(self, contract: str) -> list[int]:
        """The ids of the contract's non-fungible tokens that are known one by one, in order; of long ranges the ends."""
        return sorted(entry.subject for entry in self.entries("owner", contract))

    def _now(self) -> _Moment:
        engine = self.engine
        return _Moment(engine.block, engine.pending_timestamp, {e: engine.balance(e.subject) for e in self._ether})

    def _known(self, moment: _Moment) -> Ledger | None:
        """All entries of contracts, if they were read at this very moment."""
        if self._captured is None or not moment.is_that(self._captured[0]):
            return None
        known = self._captured[1]
        return known if known.keys() == self._calls.keys() else None

    def _decode(self, entry: Entry, raw: bytes | int | None) -> Any:
        if raw is None or isinstance(raw, int):
            return raw
        try:
            return self._decoders[entry](raw)
        except Exception:  # a contract that is no contract, or returns something else: the bytes are the value
            return raw

    def _read_into(self, ledger: Ledger, entries: Iterable[Entry]) -> None:
        wanted, calls = list(entries), self._calls
        answers = self.engine.read_many([(entry.contract or "", calls[entry]) for entry in wanted])
        ledger.update(zip(wanted, answers, strict=True))

    def _add(self, entry: Entry) -> None:
        if entry not in self._calls:
            self._calls[entry] = self._call_data(entry)

    def _call_data(self, entry: Entry) -> bytes:
        """The call that reads an entry; its decoder is kept."""
        if entry.kind == "view":
            function = self._contracts[entry.contract or ""].function(entry.subject)
            self._decoders[entry] = lambda raw: single_output(function, raw)
            return function.encode(entry.detail or ())
        selector, self._decoders[entry] = _READS[entry.kind]
        parts = [entry.subject] if entry.detail is None else [entry.subject, entry.detail]
        return selector + b"".join(map(_word, parts))

    def _add_view(self, address: str, signature: str, args: tuple[Any, ...]) -> None:
        self._add(Entry("view", address, self._contracts[address].function(signature).signature, args))

    def _scan(self) -> None:
        """Take up what the logs and, since the start, the transactions name that have come since the last time."""
        guesses: dict[Entry, None] = {}
        for log in _newer(self._seen_logs, self.engine.logs):
            shape = self._shapes.get(log.address)
            if shape is None or not log.topics:
                continue
            for entry in named_by(log, shape):
                self._add(entry)
            self.ranges.setdefault(log.address, []).extend(ranges_in(log, shape))
            if shape.names_things and not is_standard(log, shape):
                guesses |= dict.fromkeys(guesses_from_log(log, shape))
        if self._start is not None:
            for receipt in _newer(self._seen_receipts, self.engine.receipts()):
                if receipt.success and receipt.block_number > self._start:
                    guesses |= dict.fromkeys(guesses_from_call(receipt, self._shapes))
        self._look(guesses)

    def _look(self, guesses: Iterable[Entry]) -> None:
        """Take up those guesses behind which there is something, or was at the start."""
        unknown = [entry for entry in guesses if entry not in self._calls]
        reads = [(entry.contract or "", self._call_data(entry)) for entry in unknown]
        found = {entry for entry, raw in zip(unknown, self.engine.read_many(reads), strict=True) if _is_something(raw)}
        if self._start is not None and len(found) < len(unknown):
            with self.engine.supposing(block=self._start):
                then = self.engine.read_many(reads)
            found |= {entry for entry, raw in zip(unknown, then, strict=True) if _is_something(raw)}
        for entry in unknown:
            if entry in found and entry.kind == "owner":
                for part in token_entries(entry.contract or "", entry.subject, self._shapes[entry.contract or ""]):
                    self._add(part)
            elif entry in found:
                self._add(entry)

    def _uncounted(self, ledger: Ledger) -> list[Entry]:
        """Where to look for tokens, of contracts that say they have more than are known of."""
        alive = Counter(entry.contract for entry, raw in ledger.items() if entry.kind == "owner" and raw is not None)
        guesses: list[Entry] = []
        for address, shape in self._shapes.items():
            supply = ledger.get(Entry("view", address, _SUPPLY, ()))
            if "owner" not in shape.tokens or not isinstance(supply, bytes):
                continue
            count = (address, number(supply), alive[address])
            if count[1] > count[2] and count not in self._counted and not self.ranges.get(address):
                self._counted.add(count)
                guesses += [Entry("owner", address, i, None) for i in self._enumerated(address, shape, count[1])]
        return guesses

    def _enumerated(self, address: str, shape: Shape, supply: int) -> Iterator[int]:
        """The ids that a contract's views list (ERC-721 Enumerable), or else those of somebody who counts from 0 or 1."""
        most = min(supply, MOST_COUNTED)
        if _BY_INDEX in shape.signatures:
            yield from self._listed(address, _selector(_BY_INDEX), b"", most)
        elif _BY_OWNER in shape.signatures:
            for holder in self._accounts:
                yield from self._listed(address, _selector(_BY_OWNER), _word(holder), most)
        yield from range(most + 1)

    def _listed(self, address: str, selector: bytes, before: bytes, most: int) -> Iterator[int]:
        for index in range(most):
            result = self.engine.call(address, selector + before + _word(index))
            if not result.success:
                break
            yield number(result.output)


_SUPPLY = "totalSupply()"
_BY_INDEX = "tokenByIndex(uint256)"
_BY_OWNER = "tokenOfOwnerByIndex(address,uint256)"


def _is_something(raw: bytes | None) -> bool:
    """Whether a read gave a value that is not nothing: an owner, an amount, a yes."""
    return raw is not None and len(raw) == 32 and any(raw)


def _newer(seen: list[_Seen], now: Sequence[_Seen]) -> list[_Seen]:
    """What has been added since the last time; everything where the engine was put back to an older mark in between."""
    if seen and (len(now) < len(seen) or now[len(seen) - 1] is not seen[-1]):
        seen.clear()
    newer = list(now[len(seen) :])
    seen.extend(newer)
    return newer
