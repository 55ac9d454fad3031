"""A world: a deployed fixture with its names, its clock, its counterparties and its ledger."""

from __future__ import annotations

import hashlib
import json
from copy import copy
from typing import Any

from nftbench.chain.abi import Function, Interface, decode_revert
from nftbench.chain.artifacts import load
from nftbench.chain.engine import Engine, Receipt, Refused, Transaction
from nftbench.chain.keys import Key
from nftbench.errors import BenchmarkDefect
from nftbench.tasks.goals import AllEther, At, CallData, Reading, Signed
from nftbench.tasks.model import Contract, Fixture, Step
from nftbench.tasks.orders import ConduitKey, OrderHash, OrderOf, SignatureOf
from nftbench.values import ZERO_ADDRESS
from nftbench.world.ledger import Difference, Entry, Ledger, Surveyor, single_output
from nftbench.world.order_book import OrderBook
from nftbench.world.signed_orders import SignedOrder

CONDUIT_CONTROLLER = "ConduitController"
"""Whoever likes has it make conduits, so that their errors are known wherever there is one."""
PLAIN_TRANSFER_GAS = 21_000
_PLAIN = frozenset((int, str, bytes, bool))
"""What stands for itself, and is most of what is resolved."""
TIP = 10**9


class Reverted:
    """What a reading gives when the call reverts; equal to every other one, and to nothing else."""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reverted)

    def __hash__(self) -> int:
        return hash(Reverted)

    def __repr__(self) -> str:
        return f"reverts ({self.reason})" if self.reason else "reverts"


class NotSigned(LookupError):
    """A value asks for a signature that the agent has not made."""


class World:
    """Built by build.build_world. Names are the fixture's; addresses are the chain's. `memories` is what counterparties that have
    a past have in mind when the agent begins."""

    def __init__(self, engine: Engine, fixture: Fixture, keys: dict[str, Key]) -> None:
        self.engine = engine
        self.fixture = fixture
        self.keys = keys
        self.addresses = {account.name: account.address or keys[account.name].address for account in fixture.accounts}
        self.addresses["nobody"] = ZERO_ADDRESS
        self.names = {address: name for name, address in self.addresses.items()}
        self.contracts: dict[str, Contract] = {}
        self.interfaces: dict[str, Interface] = {}
        self.signatures: list[dict[str, Any]] = []
        self.memories: dict[str, Any] = {}
        self.orders: dict[str, SignedOrder] = {}
        self.order_book = OrderBook()
        self.start_block = 0
        self.start: Ledger = {}

    @property
    def user(self) -> str:
        """The address of the agent's own account."""
        return self.addresses[self.fixture.user]

    @property
    def controlled(self) -> dict[str, Key]:
        """The agent's accounts, the main one first: address to key."""
        names = (self.fixture.user, *self.fixture.controlled)
        return {self.addresses[name]: self.keys[name] for name in names}

    @property
    def elapsed(self) -> int:
        """Seconds that have passed since the agent began."""
        return self.engine.block.timestamp - self.fixture.start_time

    def address(self, name: str) -> str:
        try:
            return self.addresses[name]
        except KeyError:
            choices = ", ".join(sorted(self.addresses))
            raise BenchmarkDefect(f"no account or contract is named {name!r}; there are {choices}") from None

    def resolve(self, value: Any) -> Any:
        """The value with every At replaced by its address and every Reading by its result, through tuples, lists and dicts.

        NotSigned where a Signed asks for a signature that there is not.
        """
        if type(value) in _PLAIN:
            return value
        if isinstance(value, At):
            return self.address(value.name)
        if isinstance(value, CallData):
            address = self.address(value.contract)
            return self.function(address, value.function, len(value.args)).encode(self.resolve(value.args))
        if isinstance(value, Signed):
            return self._signed(value)
        if isinstance(value, OrderOf):
            return self.order(value.name).told(value)
        if isinstance(value, OrderHash):
            return self.order(value.name).hash
        if isinstance(value, SignatureOf):
            return self.order(value.name).signature
        if isinstance(value, ConduitKey):
            return self._conduit_key(value.name)
        if isinstance(value, Reading):
            return self.read(value)
        if isinstance(value, tuple | list):
            return tuple(self.resolve(v) for v in value)
        if isinstance(value, dict):
            return {k: self.resolve(v) for k, v in value.items()}
        return value

    def order(self, name: str) -> SignedOrder:
        """An order of the fixture; BenchmarkDefect if it is not made by then."""
        try:
            return self.orders[name]
        except KeyError:
            choices = ", ".join(sorted(self.orders)) or "none"
            raise BenchmarkDefect(f"no order is named {name!r}; there are {choices}") from None

    def _conduit_key(self, name: str) -> bytes:
        """The key of a conduit, which is the first argument that its controller made it of."""
        if name == "nobody":
            return bytes(32)
        return bytes(self.resolve(self.contracts[self.address(name)].args[0]))

    def _signed(self, wanted: Signed) -> Any:
        made = [s for s in self.signatures if s["typed_data"].get("primaryType") == wanted.primary_type]
        if not made:
            raise NotSigned(f"no {wanted.primary_type} was signed")
        signature = bytes.fromhex(made[-1]["signature"][2:])
        parts = {"signature": signature, "r": signature[:32], "s": signature[32:64], "v": signature[64]}
        return parts[wanted.part]

    def fees_paid(self, account: str, after: int, until: int | None = None) -> int:
        """Wei that an account paid in fees in the blocks after `after`, up to and with `until`."""
        return sum(
            receipt.gas_used * receipt.effective_gas_price
            for receipt in reversed(self.engine.receipts())
            if receipt.sender == account
            and receipt.block_number > after
            and (until is None or receipt.block_number <= until)
        )

    def changes(self, before: Ledger, block: int) -> list[Difference]:
        """What differs now from a ledger taken after block `block`; fees are left out of ether."""
        found = []
        for difference in self.surveyor.differences(before, self.surveyor.capture(), block=block):
            entry, then, now = difference
            fees = self.fees_paid(entry.subject, block) if entry.kind == "ether" else 0
            if not fees:
                found.append(difference)
            elif then != now + fees:
                found.append(Difference(entry, then, now + fees))
        return found

    def block_at(self, elapsed: int) -> int:
        """The last block whose timestamp is at most `elapsed` seconds after the start."""
        moment = self.fixture.start_time + elapsed
        number = self.engine.block.number
        while number > self.start_block and self.engine.block_at(number).timestamp > moment:
            number -= 1
        return number

    def add_contract(self, contract: Contract, address: str, interface: Interface) -> None:
        self.addresses[contract.name] = address
        self.names[address] = contract.name
        self.contracts[address] = contract
        self.interfaces[address] = interface

    def begin(self) -> None:
        """Take the starting ledger; from here on the agent acts."""
        self.start_block = self.engine.block.number
        watches = [(self.address(w.contract), self._signature(w), self.resolve(w.args)) for w in self.fixture.watches]
        accounts = [self.addresses[account.name] for account in self.fixture.accounts]
        self.order_book.begin()
        self.surveyor = Surveyor(self.engine, self.interfaces, accounts, watches)
        self.start = self.surveyor.capture()
        self.surveyor.begin(self.start_block)
        self.mark = self.engine.snapshot()

    def restart(self) -> None:
        """Everything as it was when the agent began: the chain, the signatures made since, the order book."""
        self.engine.restore(self.mark)
        self.signatures = []
        self.order_book = self.order_book.at_start()

    def over(self, engine: Engine) -> World:
        """This world as it was when the agent began, over another chain that stands at that moment."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list) and name != "start":
                setattr(other, name, copy(value))
        other.engine, other.signatures, other.order_book = engine, [], self.order_book.at_start()
        other.surveyor = self.surveyor.over(engine, other.interfaces)
        other.mark = engine.snapshot()
        return other

    def _signature(self, reading: Reading) -> str:
        return self.interfaces[self.address(reading.contract)].function(reading.function).signature

    def read(self, reading: Reading, *, block: int | None = None) -> Any:
        """A view's decoded result (one value, or a tuple for several), or Reverted."""
        address = self.address(reading.contract)
        function = self.function(address, reading.function, len(reading.args))
        result = self.engine.call(address, function.encode(self.resolve(reading.args)), block=block)
        if not result.success:
            return Reverted(self.explain(result.output, result.halt))
        return single_output(function, result.output)

    def entry(self, kind: str, contract: str | None, subject: Any, detail: Any = None) -> Entry:
        """A ledger entry from names."""
        address = None if contract is None else self.address(contract)
        return Entry(kind, address, self.resolve(subject), self.resolve(detail))

    def view_entry(self, reading: Reading) -> Entry:
        """A reading as a ledger entry."""
        address = self.address(reading.contract)
        function = self.function(address, reading.function, len(reading.args))
        return Entry("view", address, function.signature, self.resolve(reading.args))

    def function(self, address: str, name: str, count: int) -> Function:
        """A contract's function by full signature, or by name where only one overload takes `count` arguments."""
        interface = self.interfaces[address]
        fitting = [f for f in interface.overloads(name) if len(f.inputs) == count]
        return fitting[0] if len(fitting) == 1 else interface.function(name)

    def transaction(self, step: Step) -> Transaction:
        target = self.address(step.target)
        data = b""
        if step.function:
            function = self.function(target, step.function, len(step.args))
            data = function.encode(self.resolve(step.args))
        sender = self.address(step.sender)
        if not isinstance(step.value, AllEther):
            return Transaction(sender=sender, to=target, data=data, value=step.value)
        price = 2 * self.engine.block.base_fee + TIP
        value = max(self.engine.balance(sender) - PLAIN_TRANSFER_GAS * price, 0)
        return Transaction(sender=sender, to=target, value=value, gas_limit=PLAIN_TRANSFER_GAS, max_fee_per_gas=price)

    def send(self, step: Step) -> Receipt | Refused:
        return self.engine.transact(self.transaction(step))

    def explain(self, output: bytes, halt: str | None) -> str:
        """Why a call failed, decoded with the errors of every contract of this world whose source is verified."""
        if halt:
            return halt
        verified = [a for a in self.interfaces if self.contracts[a].verified]
        known = [self.interfaces[a] for a in verified]
        if any(self.contracts[a].artifact == CONDUIT_CONTROLLER for a in verified):
            known.append(load("Conduit").interface)
        return decode_revert(output, known).text

    def reason(self, outcome: Receipt | Refused) -> str:
        if isinstance(outcome, Refused):
            return outcome.message
        return "it succeeds" if outcome.success else self.explain(outcome.output, outcome.halt)

    def hash(self) -> str:
        """A SHA-256 over the names, the code, the clock, the history, the documents, the actors and the starting ledger."""
        digest = hashlib.sha256()
        for name in sorted(self.addresses):
            address = self.addresses[name]
            digest.update(f"{name}={address}:{self.engine.nonce(address)}\n".encode())
            digest.update(self.engine.code(address))
        digest.update(
            json.dumps([self.engine.block.timestamp, self.engine.chain_id, self.fixture.uris], sort_keys=True).encode()
        )
        digest.update(repr(self.fixture.actors).encode())
        if self.fixture.counterparties:
            digest.update(repr(self.fixture.counterparties).encode())
        for order in self.orders.values():
            digest.update(f"{order.name}={order.exchange}:{order.hash.hex()}:{order.signature.hex()}\n".encode())
        for entry in self.order_book.at_start().entries:
            digest.update(repr(entry).encode())
        for receipt in self.engine.receipts():
            digest.update(f"{receipt.transaction_hash}@{receipt.timestamp}:{receipt.success}\n".encode())
        for line in sorted(f"{tuple(entry)!r}={value!r}" for entry, value in self.start.items()):
            digest.update(line.encode())
        return digest.hexdigest()
