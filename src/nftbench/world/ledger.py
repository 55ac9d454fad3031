"""The ledger: everything of value that a world's contracts say, read by calls, that can be taken at any time and compared.

Logs only say where to look (which tokens, holders, operators and roles exist); every value comes from a call, kept as the raw
return data and decoded for those entries that differ. A reverting read is a value too: None (a token that does not exist).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from nftbench.chain.abi import Function, Interface
from nftbench.chain.engine import Engine, Log
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


class Difference(NamedTuple):
    """One entry that is not what it was; values are decoded, None for a read that reverts."""

    entry: Entry
    before: Any
    after: Any


Ledger = dict[Entry, bytes | int | None]


def _topic(signature: str) -> bytes:
    return keccak256(signature.encode())


def _selector(signature: str) -> bytes:
    return _topic(signature)[:4]


TRANSFER = _topic("Transfer(address,address,uint256)")
APPROVAL = _topic("Approval(address,address,uint256)")
APPROVAL_FOR_ALL = _topic("ApprovalForAll(address,address,bool)")
TRANSFER_SINGLE = _topic("TransferSingle(address,address,address,uint256,uint256)")
TRANSFER_BATCH = _topic("TransferBatch(address,address,address,uint256[],uint256[])")
CONSECUTIVE_TRANSFER = _topic("ConsecutiveTransfer(uint256,uint256,address,address)")
ROLE_GRANTED = _topic("RoleGranted(bytes32,address,address)")

_NULL = bytes(12)
_PER_TOKEN_VIEWS = (
    "approvedFor(uint256)",
    "locked(uint256)",
    "lockedBy(uint256)",
    "userOf(uint256)",
    "userExpires(uint256)",
)


def _word(value: Any) -> bytes:
    if isinstance(value, int):
        return value.to_bytes(32, "big")
    if isinstance(value, bytes):
        return value.rjust(32, b"\0")
    return _NULL + bytes.fromhex(value[2:])


def _int(raw: bytes) -> int:
    return int.from_bytes(raw[:32], "big")


def _bool(raw: bytes) -> bool:
    return bool(_int(raw))


def _address(raw: bytes) -> str:
    return address_from_bytes(raw[:32])


# kind -> (selector of the read, decoder of its return data)
_READS: dict[str, tuple[bytes, Callable[[bytes], Any]]] = {
    "owner": (_selector("ownerOf(uint256)"), _address),
    "approved": (_selector("getApproved(uint256)"), _address),
    "operator": (_selector("isApprovedForAll(address,address)"), _bool),
    "units": (_selector("balanceOf(address,uint256)"), _int),
    "coins": (_selector("balanceOf(address)"), _int),
    "allowance": (_selector("allowance(address,address)"), _int),
    "role": (_selector("hasRole(bytes32,address)"), _bool),
}


def single_output(function: Function, raw: bytes) -> Any:
    """A view's decoded result: its one value, or a tuple of several."""
    values = function.decode_output(raw)
    return values[0] if len(values) == 1 else values


class _Shape(NamedTuple):
    """What a contract's interface lets the ledger ask of it."""

    tokens: tuple[str, ...]
    operators: bool
    units: bool
    coins: bool
    roles: bool
    views: tuple[str, ...]


def shape_of(interface: Interface) -> _Shape:
    """Which entries a contract has, by the functions in its interface."""
    signatures = {function.signature for function in interface.functions}
    has = signatures.__contains__
    tokens = ["owner"] * has("ownerOf(uint256)") + ["approved"] * has("getApproved(uint256)")
    return _Shape(
        tokens=tuple(tokens + [v for v in _PER_TOKEN_VIEWS if has(v)]) if tokens else (),
        operators=has("isApprovedForAll(address,address)"),
        units=has("balanceOf(address,uint256)"),
        coins=has("allowance(address,address)") and has("balanceOf(address)"),
        roles=has("hasRole(bytes32,address)"),
        views=tuple(f.signature for f in interface.functions if not f.inputs and f.mutability == "view" and f.outputs),
    )


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
        self._scanned: list[Log] = []
        self._accounts = [*accounts, *contracts]
        for address, shape in self._shapes.items():
            for signature in shape.views:
                self._add_view(address, signature, ())
        for address, signature, args in watches:
            self._add_view(address, signature, args)

    def capture(self) -> Ledger:
        """Every entry's value now."""
        self._scan()
        call = self.engine.call
        ledger: Ledger = {Entry("ether", None, a, None): self.engine.balance(a) for a in self._accounts}
        for entry, data in self._calls.items():
            result = call(entry.contract or "", data)
            ledger[entry] = result.output if result.success else None
        return ledger

    def differences(self, before: Ledger, after: Ledger, *, block: int) -> Iterator[Difference]:
        """What differs between two captures; entries that came up later are read as they stood after block `block`."""
        for entry, now in after.items():
            if entry in before:
                then = before[entry]
            else:
                result = self.engine.call(entry.contract or "", self._calls[entry], block=block)
                then = result.output if result.success else None
            if then != now:
                yield Difference(entry, self._decode(entry, then), self._decode(entry, now))

    def read(self, entry: Entry, *, block: int | None = None) -> Any:
        """One entry's decoded value, now or after a block, whether or not the ledger holds it now or from then on."""
        if entry.kind == "ether":
            return self.engine.balance(entry.subject, block=block)
        data = self._calls.get(entry) or self._asked.get(entry)
        if data is None:
            data = self._asked[entry] = self._call_data(entry)
        result = self.engine.call(entry.contract or "", data, block=block)
        return self._decode(entry, result.output if result.success else None)

    def holdings(self, holder: str) -> Iterator[tuple[Entry, int]]:
        """The holder's tokens (amount 1), ERC-1155 units and ERC-20 coins, those with an amount only."""
        self._scan()
        for entry, data in list(self._calls.items()):
            mine = entry.subject == holder if entry.kind in ("units", "coins") else entry.kind == "owner"
            if not mine:
                continue
            result = self.engine.call(entry.contract or "", data)
            value = self._decode(entry, result.output) if result.success else 0
            amount = int(value == holder) if entry.kind == "owner" else value
            if amount:
                yield entry, amount

    def named_in(self, logs: Iterable[Log]) -> list[Entry]:
        """The entries that these logs say to look at."""
        shapes = self._shapes
        found = (e for log in logs if log.address in shapes and log.topics for e in _entries(log, shapes[log.address]))
        return list(dict.fromkeys(found))

    def token_ids(self, contract: str) -> list[int]:
        """The ids of the contract's non-fungible tokens that are known of, in order."""
        self._scan()
        return sorted(entry.subject for entry in self._calls if entry.kind == "owner" and entry.contract == contract)

    def _decode(self, entry: Entry, raw: bytes | int | None) -> Any:
        if raw is None or isinstance(raw, int):
            return raw
        try:
            return self._decoders[entry](raw)
        except Exception:  # a contract that is no contract, or returns something else: the bytes are the value
            return raw

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
        logs, known = self.engine.logs, self._scanned
        if known and (len(logs) < len(known) or logs[len(known) - 1] is not known[-1]):
            known.clear()  # the engine was put back to an older mark
        for log in logs[len(known) :]:
            shape = self._shapes.get(log.address)
            if shape is not None and log.topics:
                for entry in _entries(log, shape):
                    self._add(entry)
        known.extend(logs[len(known) :])


def _entries(log: Log, shape: _Shape) -> Iterator[Entry]:
    """Where one log says to look."""
    topic, topics, address = log.topics[0], log.topics, log.address
    if topic == TRANSFER and shape.tokens and len(topics) != 3:
        token_id = int.from_bytes(topics[3] if len(topics) == 4 else log.data[64:96], "big")
        yield from _token_entries(address, token_id, shape)
    elif topic == CONSECUTIVE_TRANSFER and shape.tokens:
        for token_id in range(_int(topics[1]), _int(log.data) + 1):
            yield from _token_entries(address, token_id, shape)
    elif topic == TRANSFER and shape.coins:
        for party in topics[1:3]:
            yield Entry("coins", address, _address(party), None)
    elif topic == APPROVAL and shape.coins and len(topics) == 3:
        yield Entry("allowance", address, _address(topics[1]), _address(topics[2]))
    elif topic == APPROVAL_FOR_ALL and shape.operators:
        yield Entry("operator", address, _address(topics[1]), _address(topics[2]))
    elif topic in (TRANSFER_SINGLE, TRANSFER_BATCH) and shape.units:
        for token_id in [_int(log.data)] if topic == TRANSFER_SINGLE else _first_array(log.data):
            for party in topics[2:4]:
                if any(party):
                    yield Entry("units", address, _address(party), token_id)
    elif topic == ROLE_GRANTED and shape.roles:
        yield Entry("role", address, topics[1], _address(topics[2]))


def _token_entries(address: str, token_id: int, shape: _Shape) -> Iterator[Entry]:
    for kind in shape.tokens:
        if kind in _READS:
            yield Entry(kind, address, token_id, None)
        else:
            yield Entry("view", address, kind, (token_id,))


def _first_array(data: bytes) -> list[int]:
    """The uint256[] that the first word of ABI-encoded event data points to."""
    start = _int(data)
    count = _int(data[start : start + 32])
    return [_int(data[start + 32 * (i + 1) : start + 32 * (i + 2)]) for i in range(count)]
