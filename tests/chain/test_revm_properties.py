"""Whatever is done to a chain, in any order: reads cost nothing, the past stays put, marks bring everything back."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.chain.revm import COINBASE, RevmEngine
from nftbench.values import WEI_PER_ETHER, ZERO_ADDRESS, keccak256
from tests.chain import contracts as small
from tests.chain.assembly import assemble, creation
from tests.chain.sequence import ALICE, BOB, CAROL, account, create_address, word

NEW = account("made by value")
# Reads the slot in its call data; or writes it, sends its value to the third word, and reverts for an odd fourth one.
VAULT = assemble(
    """32 CALLDATASIZE EQ @read JUMPI
    32 CALLDATALOAD 0 CALLDATALOAD SSTORE
    0 0 0 0 CALLVALUE 64 CALLDATALOAD GAS CALL POP
    1 32 0 LOG1
    1 96 CALLDATALOAD AND @refuse JUMPI STOP
    read: 0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN
    refuse: 0 0 REVERT"""
)
PEOPLE = (ALICE, BOB, CAROL)
CONTRACTS = tuple(create_address(account("deployer"), nonce) for nonce in range(4))
WATCHED = (*PEOPLE, NEW, COINBASE, ZERO_ADDRESS, *CONTRACTS)
SLOTS = (0, 1, 2**256 - 1)
people, slots = st.sampled_from(PEOPLE), st.sampled_from(SLOTS)
contracts = st.sampled_from(CONTRACTS)
amounts = st.sampled_from([0, 1, 10**15, WEI_PER_ETHER])
values = st.sampled_from([0, 1, 2**256 - 1])
writes = st.builds(
    lambda slot, value, to, refuses: word(slot) + word(value) + word(to) + word(int(refuses)),
    slots,
    values,
    st.sampled_from([*PEOPLE, NEW, COINBASE, *CONTRACTS]),
    st.booleans(),
)
DEPLOYMENT = Transaction(sender=account("deployer"), to=None, data=creation(VAULT))


INSPECTOR = create_address(account("deployer of inspector"))


def state(engine: RevmEngine) -> dict[str, Any]:
    """Accounts as the engine tells of them."""
    return {
        address: (
            engine.balance(address),
            engine.nonce(address),
            engine.code(address),
            [engine.storage(address, slot) for slot in SLOTS],
        )
        for address in WATCHED
    }


def seen_by_contracts(engine: RevmEngine) -> list[tuple[bytes, list[bytes]]]:
    """Code size, code hash, balance and first word of code of each account, and slots, as instructions read them."""
    return [
        (
            engine.call(INSPECTOR, word(address)).output,
            [engine.call(c, word(s)).output for c in CONTRACTS for s in SLOTS],
        )
        for address in WATCHED
    ]


def told_to_contracts(engine: RevmEngine, seen: list[tuple[bytes, list[bytes]]]) -> None:
    """What instructions read is what the engine tells."""
    for address, (account_seen, _) in zip(WATCHED, seen, strict=True):
        code = engine.code(address)
        assert account_seen[:32] == word(len(code))
        assert account_seen[64:96] == word(engine.balance(address))
        if code:
            assert account_seen[32:64] == keccak256(code)


def records(engine: RevmEngine) -> list[Any]:
    clock = [engine.block, engine.pending_timestamp, engine.pending_base_fee]
    return [*clock, list(engine.logs), list(engine.receipts())]


class TwoChains(RuleBasedStateMachine):
    """`busy` is read, simulated and restored all the time; `quiet` only gets the transactions, and is put up anew at times."""

    marks = Bundle("marks")

    @initialize()
    def begin(self) -> None:
        self.busy, self.quiet = RevmEngine(), RevmEngine()
        self.funds = 0
        self.history: dict[int, dict[str, Any]] = {}
        for address in (*PEOPLE, account("deployer")):
            self.fund(address, 10 * WEI_PER_ETHER)
        self.fund(account("deployer of inspector"), WEI_PER_ETHER)
        inspector = creation(small.INSPECTOR)
        self.send(Transaction(sender=account("deployer of inspector"), to=None, data=inspector))
        for _ in range(3):
            self.send(DEPLOYMENT)

    def fund(self, address: str, wei: int) -> None:
        self.funds += wei - self.busy.balance(address)
        for engine in (self.busy, self.quiet):
            engine.fund(address, wei)
        self.remember()

    def send(self, transaction: Transaction) -> None:
        simulated = self.busy.simulate(transaction)
        outcome = self.busy.transact(transaction)
        assert simulated == outcome
        assert self.quiet.transact(transaction) == outcome
        if isinstance(outcome, Receipt):
            burned = self.busy.block.base_fee * outcome.gas_used
            self.funds -= burned
        self.remember()

    def remember(self) -> None:
        """What the newest block shows, as a read of that block must show it for ever."""
        self.history[self.busy.block.number] = {
            "balances": [self.busy.balance(address) for address in WATCHED],
            "slots": [self.busy.call(c, word(slot)).output for c in CONTRACTS for slot in SLOTS],
        }

    @rule(sender=people, to=contracts, data=writes, value=amounts)
    def write(self, sender: str, to: str, data: bytes, value: int) -> None:
        self.send(Transaction(sender=sender, to=to, data=data, value=value))

    @rule(sender=people, to=st.sampled_from([*PEOPLE, NEW, COINBASE, CONTRACTS[3]]), value=amounts)
    def pay(self, sender: str, to: str, value: int) -> None:
        self.send(Transaction(sender=sender, to=to, value=value))

    @rule(runtime=st.sampled_from([VAULT, small.DESTRUCT, b""]))
    def deploy(self, runtime: bytes) -> None:
        self.send(Transaction(sender=account("deployer"), to=None, data=creation(runtime)))

    @rule(address=people, wei=amounts)
    def set_balance(self, address: str, wei: int) -> None:
        self.fund(address, wei)

    @rule(seconds=st.integers(0, 10**6))
    def wait(self, seconds: int) -> None:
        assert self.busy.advance_time(seconds) == self.quiet.advance_time(seconds)
        self.remember()

    @rule(to=contracts, data=writes, sender=st.sampled_from([None, *PEOPLE, *CONTRACTS]), value=amounts)
    def read(self, to: str, data: bytes, sender: str | None, value: int) -> None:
        self.busy.call(to, data, sender=sender, value=value)

    @rule(sender=people, to=contracts, data=writes, value=amounts)
    def simulate(self, sender: str, to: str, data: bytes, value: int) -> None:
        self.busy.simulate(Transaction(sender=sender, to=to, data=data, value=value))

    @rule()
    def look_around(self) -> None:
        told_to_contracts(self.busy, seen_by_contracts(self.busy))

    @rule(data=st.data())
    def read_the_past(self, data: st.DataObject) -> None:
        block = data.draw(st.sampled_from(sorted(self.history)))
        then = self.history[block]
        assert [self.busy.balance(address, block=block) for address in WATCHED] == then["balances"]
        assert [self.busy.call(c, word(slot), block=block).output for c in CONTRACTS for slot in SLOTS] == then["slots"]

    @rule(target=marks)
    def mark(self) -> Any:
        both = (self.busy.snapshot(), self.quiet.snapshot())
        seen = seen_by_contracts(self.busy)
        return both, (state(self.busy), records(self.busy), seen), dict(self.history), self.funds

    @rule(marked=consumes(marks))
    def restore(self, marked: Any) -> None:
        (busy, quiet), before, history, funds = marked
        try:
            self.busy.restore(busy)
        except ValueError:
            return  # an older mark was restored since
        try:
            self.quiet.restore(quiet)
        except ValueError:  # it is a younger chain than the mark
            self.quiet = RevmEngine.put_up(self.busy.keep())
        self.history, self.funds = history, funds
        assert (state(self.busy), records(self.busy), seen_by_contracts(self.busy)) == before

    @rule()
    def put_up_elsewhere(self) -> None:
        """What was kept of a chain is the same chain again, also to its contracts, and stays as it was kept."""
        kept = self.busy.keep()
        for used in (False, True):
            self.quiet = RevmEngine.put_up(kept)
            assert (state(self.quiet), records(self.quiet)) == (state(self.busy), records(self.busy))
            assert seen_by_contracts(self.quiet) == seen_by_contracts(self.busy)
            if not used:
                self.quiet.transact(Transaction(sender=ALICE, to=CONTRACTS[0], data=word(0) + word(9) + word(BOB)))

    @rule(sender=people, nonce=st.sampled_from([0, 10**6]))
    def refused(self, sender: str, nonce: int) -> None:
        before = (state(self.busy), records(self.busy))
        outcome = self.busy.transact(Transaction(sender=sender, to=BOB, nonce=nonce, chain_id=1))
        assert isinstance(outcome, Refused)
        assert (state(self.busy), records(self.busy)) == before

    @invariant()
    def no_ether_appears_or_vanishes(self) -> None:
        """All that was funded is still there, less the burned base fees."""
        if hasattr(self, "busy"):
            deployers = (account("deployer"), account("deployer of inspector"))
            everyone = {*WATCHED, *deployers, *(r.contract_address for r in self.busy.receipts())} - {None}
            assert sum(self.busy.balance(address) for address in everyone if address) == self.funds


TwoChains.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestTwoChains = TwoChains.TestCase
