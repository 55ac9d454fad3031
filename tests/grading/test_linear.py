"""Grading costs what was done: twice as many actions of any kind take at most twice as many looks at the chain.

Looks are counted, not timed: every call, every balance and every slot that grading reads, and everything that it tries out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from nftbench.chain.artifacts import load
from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.chain.revm import RevmEngine
from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import Answer, At, Change, Goal, Owns, Signature
from nftbench.tasks.model import Contract, Step, Task, Trigger
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world
from nftbench.world.sightings import CONSECUTIVE_TRANSFER
from tests.chain.assembly import assemble, creation
from tests.world.scenes import Stand

SLACK = 1.1
"""The second doubling may cost so much more than twice what the first has."""


RANGES = f"""
    CALLDATASIZE 100 EQ @mint JUMPI
    CALLDATASIZE 36 EQ @owner JUMPI
    0 0 MSTORE 32 0 RETURN
    owner: 0 SLOAD 4 CALLDATALOAD LT ISZERO @none JUMPI
    1 SLOAD 0 MSTORE 32 0 RETURN
    none: 0 0 REVERT
    mint: 36 CALLDATALOAD 1 ADD 0 SSTORE 68 CALLDATALOAD 1 SSTORE
    36 CALLDATALOAD 0 MSTORE
    68 CALLDATALOAD 0 4 CALLDATALOAD {int.from_bytes(CONSECUTIVE_TRANSFER, "big")} 32 0 LOG4 STOP
"""
"""A collection that mints ranges (ERC-2309): called with a first id, a last one and an account, it logs the range, and from then
on every id up to the last is the account's."""


class Counting(RevmEngine):
    """An engine that counts how often it is asked."""

    looks = 0

    def _read(self, *args: Any, **kwargs: Any) -> Any:
        self.looks += 1
        return super()._read(*args, **kwargs)

    def read_many(self, reads: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        self.looks += len(reads)
        return super().read_many(reads)

    def balance(self, *args: Any, **kwargs: Any) -> int:
        self.looks += 1
        return super().balance(*args, **kwargs)

    def storage(self, *args: Any, **kwargs: Any) -> int:
        self.looks += 1
        return super().storage(*args, **kwargs)

    def simulate(self, transaction: Transaction) -> Receipt | Refused:
        self.looks += 1
        return super().simulate(transaction)

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        self.looks += 1
        return super().transact(transaction)


class Counted(Stand):
    """A stand on such an engine, with a market and a collection of the user's own; actors move if the scene has any."""

    def __init__(self, actor: bool = False, ranges: bool = False) -> None:
        super().__init__("linear")
        self.own = self.scene.contract("OpenZeppelinCollection", ("Own", "OWN", At("user"), ""), label="Own")
        self.market = self.scene.contract("SimpleMarket", (At("team"), 0), label="Market")
        self.permits = self.scene.contract("PermitCollection", ("Slips", "SLP", At("team"), ""), label="Slips")
        self.scene.mint(self.permits, "user", [1])
        if actor:
            again = Step(sender=self.mira, target=self.cats, function="approve", args=(At(self.thief), 4))
            self.scene.actor("bell", Trigger(after=0), again, repeat=True)
        self.world = build_world(self.scene.fixture(), Counting)
        if ranges:
            made = self.world.engine.transact(
                Transaction(sender=self.address("team"), to=None, data=creation(assemble(RANGES)), gas_limit=2_000_000)
            )
            assert isinstance(made, Receipt) and made.contract_address
            contract = Contract(name="ranges", artifact="SequentialCollection", args=(), label="Ranges")
            self.world.add_contract(contract, made.contract_address, load("SequentialCollection").interface)
            self.world.begin()
        self.desk = Desk(self.world)
        self.box = standard_toolbox(self.desk)

    def looks_of(self, task: Task) -> tuple[int, Grade]:
        engine = self.world.engine
        assert isinstance(engine, Counting)
        before = engine.looks
        verdict = grade(task, self.desk, "finish_task")
        return engine.looks - before, verdict


def mints_of_many(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.send(stand.own, "mintBatch", "user", list(range(100 * i, 100 * i + 8)))


def approvals(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.send(stand.cats, "approve", stand.mira if i % 2 else stand.thief, 1 + i % 3)


def operators(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.send(stand.cats, "setApprovalForAll", "0x" + f"{i + 1:02x}" * 20, True)


def allowances(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.send(stand.gold, "approve", "0x" + f"{i + 1:02x}" * 20, 5)


def reads(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.use("call", to=stand.address(stand.cats), function="ownerOf", arguments=[str(i)])
        stand.use("read_state")


def waits(stand: Counted, count: int) -> None:
    for _ in range(count):
        stand.use("wait", seconds="60")


def moves(stand: Counted, count: int) -> None:
    """The same token there and back."""
    for _ in range(count):
        stand.send(stand.cats, "approve", stand.mira, 2)
        sent = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At("user"), At(stand.mira), 2))
        back = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), 2))
        for step in (sent, back):
            outcome = stand.world.send(step)
            assert isinstance(outcome, Receipt) and outcome.success


def listings(stand: Counted, count: int) -> None:
    for _ in range(count):
        stand.send(stand.market, "list", stand.cats, 1, "nobody", 5)


def units(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.send(stand.ore, "safeTransferFrom", "user", "0x" + f"{i + 1:02x}" * 20, 7, 0, "0x")


def letters(stand: Counted, count: int) -> None:
    for i in range(count):
        stand.use("sign_typed_data", typed_data=letter(stand, i))


def the_same_letter(stand: Counted, count: int) -> None:
    """One letter, signed again and again, and its signature sent along each time."""
    for _ in range(count):
        signature = stand.use("sign_typed_data", typed_data=letter(stand, 0))["signature"]
        move = ("user", "user", 1, signature)
        stand.send(stand.cats, "safeTransferFrom(address,address,uint256,bytes)", *move)


def letter(stand: Counted, number: int) -> dict[str, Any]:
    domain_type = [{"name": "name", "type": "string"}, {"name": "verifyingContract", "type": "address"}]
    return {
        "types": {"EIP712Domain": domain_type, "Letter": [{"name": "number", "type": "uint256"}]},
        "primaryType": "Letter",
        "domain": {"name": "Post", "verifyingContract": stand.address(stand.cats)},
        "message": {"number": str(number)},
    }


def range_of(stand: Counted, first: int, last: int) -> None:
    words = (0, first, last, int(stand.address("user"), 16))
    data = "0x" + b"".join(word.to_bytes(32, "big") for word in words).hex()[56:]
    assert stand.use("send_transaction", to=stand.address("ranges"), data=data)["status"] == "success"


ACTIONS: dict[str, Callable[[Counted, int], None]] = {
    act.__name__: act
    for act in (mints_of_many, approvals, operators, allowances, reads, waits, moves, listings, units, letters)
} | {"the_same_letter": the_same_letter}

ANSWER: tuple[Goal, ...] = (Answer("integer", 1),)
HELD: tuple[Goal, ...] = (*ANSWER, Owns("user", "test_cats", 1), Signature("Letter", {}, spent=True))
TASKS: dict[str, tuple[tuple[Goal, ...], tuple[Change, ...], bool]] = {
    "everything is a stray": (ANSWER, (), True),
    "everything is allowed": (
        HELD,
        tuple(Change(kind=kind) for kind in ("owner", "approved", "operator", "units", "coins", "allowance", "view")),
        True,
    ),
    "infeasible": (ANSWER, (), False),
}


@pytest.mark.slow
@pytest.mark.parametrize(("told", "actor"), [*((told, False) for told in TASKS), ("everything is allowed", True)])
@pytest.mark.parametrize("action", ACTIONS)
def test_twice_as_many_actions_cost_at_most_twice_as_many_looks(action: str, told: str, actor: bool) -> None:
    goals, allowed, feasible = TASKS[told]
    looks = []
    for count in (3, 6, 12):
        stand = Counted(actor)
        ACTIONS[action](stand, count)
        stand.use("finish_task", summary="done", answer="1")
        fields: dict[str, Any] = {"feasible": feasible} | ({} if feasible else {"reason_classes": ("locked",)})
        looks.append(stand.looks_of(stand.task(*goals, allowed=allowed, **fields))[0])
    first, second = looks[1] - looks[0], looks[2] - looks[1]
    assert second <= SLACK * 2 * max(first, 0) + 4


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("told", TASKS)
def test_a_range_of_a_million_ids_costs_what_one_of_a_thousand_costs_and_so_does_one_of_2_to_the_64(
    told: str, times: int
) -> None:
    goals, allowed, feasible = TASKS[told]
    looks = []
    for length in (1_000, 10**6, 2**64):
        stand = Counted(ranges=True)
        for i in range(times):
            range_of(stand, 7 + i * length, 6 + (i + 1) * length)
        stand.use("finish_task", summary="done", answer="1")
        fields: dict[str, Any] = {"feasible": feasible} | ({} if feasible else {"reason_classes": ("locked",)})
        found, verdict = stand.looks_of(stand.task(*goals, allowed=allowed, **fields))
        looks.append(found)
        strays = {check.name for check in verdict.checks if check.kind == "frame" and not check.passed}
        ends = {7 + i * length for i in range(times)} | {6 + (i + 1) * length for i in range(times)}
        seen = {f"the owner of ranges #{end} is left alone" for end in ends}
        assert seen <= strays or told == "everything is allowed"
    assert max(looks) - min(looks) <= 60 * times  # the words of the call data are other ones, and looked at as guesses
