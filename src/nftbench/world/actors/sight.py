"""What a counterparty sees: the chain, the mempool, the order book, what it keeps in mind. No task, and no look of the agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from nftbench.chain.engine import Log, Receipt, Refused, Transaction
from nftbench.chain.seaport import Components, digest, order_hash
from nftbench.tasks.policies import Amount, Call, Counterparty, Limit, ShareOfMedian
from nftbench.values import format_ether
from nftbench.world.actors.acts import Memory
from nftbench.world.ledger import single_output
from nftbench.world.order_book import Entry
from nftbench.world.world import World


class Sight:
    """One look of one counterparty. `pending` is the agent's transaction that is in the mempool, or that has just been mined for
    those who move behind it; None at any other time."""

    def __init__(
        self, world: World, counterparty: Counterparty, memory: Memory, pending: Transaction | None = None
    ) -> None:
        self.world = world
        self.engine = world.engine
        self.memory = memory
        self.pending = pending
        self.account = world.address(counterparty.account)
        self.knows = [world.orders[name] for name in counterparty.knows if name in world.orders]
        self._key = world.keys.get(counterparty.account)

    @property
    def now(self) -> int:
        """When a transaction that is sent now would be mined."""
        return self.engine.pending_timestamp

    @property
    def news(self) -> Sequence[Log]:
        """The logs since its last look."""
        return self.engine.logs[self.memory.logs :]

    @cached_property
    def preview(self) -> Receipt | Refused | None:
        """How the pending transaction would come out if nobody moved in front of it."""
        return None if self.pending is None else self.engine.simulate(self.pending)

    @property
    def is_coming(self) -> bool:
        """Whether there is a transaction in the mempool that will do something."""
        return isinstance(self.preview, Receipt) and self.preview.success

    def address(self, name: str) -> str:
        return self.world.address(name)

    def named(self, address: str) -> str:
        """An address as a person who reads the record would call it."""
        return self.world.names.get(address, address)

    def token(self, collection: str, token_id: int) -> str:
        return f"{self.named(collection)} #{token_id}"

    def amount(self, value: int, currency: str | None) -> str:
        """An amount of a currency, by its address (None: ether)."""
        return f"{format_ether(value)} ether" if currency is None else f"{value} units of {self.named(currency)}"

    def read(self, address: str, function: str, *args: Any, default: Any = None) -> Any:
        """What a view gives, or the default where it fails or there is no such function."""
        interface = self.world.interfaces.get(address)
        found = next((f for f in interface.functions if function in (f.signature, f.name)), None) if interface else None
        if found is None:
            return default
        result = self.engine.call(address, found.encode(args))
        return single_output(found, result.output) if result.success else default

    def has(self, address: str, *signatures: str) -> bool:
        """Whether a contract has all of these functions."""
        interface = self.world.interfaces.get(address)
        return interface is not None and {f.signature for f in interface.functions}.issuperset(signatures)

    def call(self, address: str, function: str, *args: Any, value: int = 0) -> Transaction:
        """A transaction of the counterparty's own that calls a function by its full signature."""
        data = self.world.interfaces[address].function(function).encode(args)
        return Transaction(sender=self.account, to=address, data=data, value=value)

    def sending(self, call: Call, amount: int = 0) -> Transaction:
        """The transaction that a policy's call asks for, where Amount stands for `amount`."""
        target = self.address(call.target)
        data = b""
        if call.function:
            args = self.world.resolve(_filled(call.args, amount))
            data = self.world.function(target, call.function, len(args)).encode(args)
        value = call.value if isinstance(call.value, int) else amount
        return Transaction(sender=self.account, to=target, data=data, value=value)

    def listing(self, exchange: str, components: Components) -> Entry:
        """An order of the counterparty's own, signed, as it enters the order book."""
        assert self._key is not None, f"{self.named(self.account)} has no key to sign with"
        identity = order_hash(components)
        signature = self._key.sign_digest(digest(self.engine.chain_id, exchange, identity))
        return Entry(identity, exchange, components, signature, self.engine.block.timestamp)

    def works(self, transactions: Sequence[Transaction]) -> bool:
        """Whether all of them would succeed, sent in a row: whoever pays for what they send tries it out first."""
        if len(transactions) == 1:
            return _succeeded(self.engine.simulate(transactions[0]))
        mark = self.engine.snapshot()
        try:
            return all(_succeeded(self.engine.transact(transaction)) for transaction in transactions)
        finally:
            self.engine.restore(mark)

    def works_behind(self, first: Transaction, transactions: Sequence[Transaction]) -> bool:
        """Whether all of them would still succeed once this one was mined."""
        mark = self.engine.snapshot()
        try:
            return _succeeded(self.engine.transact(first)) and self.works(transactions)
        finally:
            self.engine.restore(mark)

    def limit(self, limit: Limit, sales: Callable[[], list[int]]) -> int | None:
        """A limit as an amount, given what the last sales came to, oldest first; None where there are too few of them."""
        if not isinstance(limit, ShareOfMedian):
            return limit
        last = sorted(sales()[-limit.sales :])
        if len(last) < limit.sales:
            return None
        middle = len(last) // 2
        median = last[middle] if len(last) % 2 else (last[middle - 1] + last[middle]) // 2
        return median * limit.basis_points // 10_000


def _succeeded(outcome: Receipt | Refused) -> bool:
    return isinstance(outcome, Receipt) and outcome.success


def _filled(value: Any, amount: int) -> Any:
    """The value with every Amount replaced, through tuples."""
    if isinstance(value, tuple | list):
        return tuple(_filled(v, amount) for v in value)
    return amount if isinstance(value, Amount) else value
