"""One instance played by hand or by its reference, and graded: what the tests of the creators' families act in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.grading.grade import Grade, grade
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.family import SubFamily
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world
from tests.world.scenes import Stand


def enlisted(*families: SubFamily) -> list[str]:
    """The instances of these sub-families."""
    return [f"{one.name}_{number:02d}" for one in families for number in range(1, len(one.cases) + 1)]


def reference(task: Task) -> Result:
    return attempt(task, ReferenceAgent(catalog.policy(task))).result


def careless(task: Task) -> Result:
    play = catalog.SUB_FAMILIES[task.sub_family].careless
    assert play is not None
    return attempt(task, ReferenceAgent(lambda: play(task.brief))).result


def reference_and_careless(ids: Iterable[str], suite_seed: int) -> Iterator[tuple[Task, bool]]:
    """Each of these instances, once the reference has solved it, and whether the careless play passes."""
    for task in (catalog.task(name, suite_seed) for name in ids):
        result = reference(task)
        assert result.success and result.diagnosis in (None, True), (task.id, suite_seed)
        yield task, careless(task).success


def is_trap(task: Task) -> bool:
    return any(tag.startswith("trap:") for tag in task.tags)


class Sitting(Stand):
    """An instance's world with the agent's tools over it. Contracts may be named by a piece of their label."""

    def __init__(self, name: str, suite_seed: int = 0) -> None:
        self.instance = catalog.task(name, suite_seed)
        self.brief = self.instance.brief
        self.world = build_world(self.instance.fixture)
        self.desk = Desk(self.world)
        self.box = standard_toolbox(self.desk)

    @property
    def collection(self) -> str:
        return self.named(self.brief["collection"])

    def named(self, label: str) -> str:
        """The name in the fixture of the account or contract that the wallet knows by this label."""
        fixture = self.instance.fixture
        return next(each.name for each in (*fixture.accounts, *fixture.contracts) if each.label == label)

    def read(self, contract: str, function: str, *args: Any) -> Any:
        found = self.world.read(
            Reading(contract, function, tuple(At(a) if a in self.world.addresses else a for a in args))
        )
        return self.world.names.get(found, found) if isinstance(found, str) else found

    def ids(self, collection: str | None = None) -> list[int]:
        """Every token id that was minted, from the world's own logs."""
        address = self.address(collection or self.collection)
        interface = self.world.interfaces[address]
        events = [interface.decode_log(log) for log in self.world.engine.logs if log.address == address]
        return sorted({e.arguments["tokenId"] for e in events if e is not None and e.name == "Transfer"})

    def solve(self) -> Sitting:
        """Let the reference play, up to its last word."""
        play = catalog.policy(self.instance)()
        call = next(play)
        while call.name not in ("finish_task", "declare_infeasible"):
            call = play.send(self.box.call(call.name, call.arguments).text)
        return self

    def pay(self, to: str, wei: int) -> None:
        answer = self.use("send_transaction", to=self.address(to), value_wei=str(wei))
        assert answer["status"] == "success"

    def try_to(self, target: str, function: str, *args: Any) -> str:
        """Send a transaction that may fail; its status."""
        arguments = [self._plain(a) for a in args]
        return str(
            self.use("send_transaction", to=self.address(target), function=function, arguments=arguments)["status"]
        )

    def document(self, uri: str) -> Any:
        return json.loads(self.use("fetch_uri", uri=uri)["content"])

    def done(self) -> Grade:
        self.use("finish_task", summary="done")
        return grade(self.instance, self.desk, "finish_task")

    def declined(self) -> Grade:
        self.use("declare_infeasible", reason="it can't be done")
        return grade(self.instance, self.desk, "declare_infeasible")


def failed(verdict: Grade) -> list[str]:
    """The names of the checks that failed."""
    return [check.name for check in verdict.checks if not check.passed]


def ether(sitting: Sitting, name: str) -> int:
    """What an account has gained since the start, in wei, its fees left out."""
    engine, address = sitting.world.engine, sitting.address(name)
    start = sitting.world.start_block
    return engine.balance(address) - engine.balance(address, block=start) + sitting.world.fees_paid(address, start)


def units(amount: str, decimals: int) -> int:
    return int(Decimal(amount) * 10**decimals)
