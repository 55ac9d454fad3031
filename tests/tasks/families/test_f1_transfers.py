"""Family F1: the reference solves it by the tools alone, doing nothing and declining don't, and twins differ by one fact."""

from __future__ import annotations

from typing import Any

import pytest
from eth_hash.auto import keccak

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.agents.builtin.scripted import ScriptedBackend
from nftbench.calls import Call
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.goals import At, Owns, Reading
from nftbench.tasks.model import Task
from nftbench.world.build import build_world
from nftbench.world.world import World
from tests.tasks.sittings import Sitting, failed

IDS = [i for i in catalog.instance_ids() if catalog.task(i).family == "F1"]
FEASIBLE = [i for i in IDS if catalog.task(i).feasible]


def reference(task: Task) -> Result:
    return attempt(task, ReferenceAgent(catalog.policy(task))).result


def world_of(name: str, seed: int = 0) -> tuple[Task, World]:
    task = catalog.task(name, seed)
    return task, build_world(task.fixture)


def test_the_fact_that_blocks_f1a_04_is_the_missing_approval() -> None:
    for name, expected in (("F1a_03", "user"), ("F1a_04", "nobody")):
        task, world = world_of(name)
        goal = task.goals[0]
        assert isinstance(goal, Owns)
        assert world.names[world.read(Reading(goal.collection, "getApproved", (goal.token_id,)))] == expected
        owner = world.names[world.read(Reading(goal.collection, "ownerOf", (goal.token_id,)))]
        assert owner != "user"
        assert world.read(Reading(goal.collection, "isApprovedForAll", (At(owner), At("user")))) is False


def test_the_fact_that_blocks_f1c_04_is_one_missing_unit() -> None:
    task, world = world_of("F1c_04")
    amounts = task.brief["amounts"]
    units = {i: world.read(Reading(task.goals[0].collection, "balanceOf", (At("user"), i))) for i in amounts}  # type: ignore[union-attr]
    missing = {i: 3 * amount - units[i] for i, amount in amounts.items() if units[i] < 3 * amount}
    assert list(missing.values()) == [1]


def script(task: Task, *steps: tuple[str, str, list[Any]]) -> Result:
    """The result of sending these transactions (target, function, arguments by name) and finishing."""
    world = build_world(task.fixture)

    def plain(value: Any) -> Any:
        if isinstance(value, str) and value in world.addresses:
            return world.addresses[value]
        return [plain(v) for v in value] if isinstance(value, list) else str(value) if isinstance(value, int) else value

    calls: list[Any] = [
        Call("send_transaction", {"to": world.address(target), "function": function, "arguments": plain(arguments)})
        for target, function, arguments in steps
    ]
    return attempt(task, ScriptedBackend([*calls, Call("finish_task", {"summary": "done"})])).result


def owns(task: Task) -> Owns:
    return next(goal for goal in task.goals if isinstance(goal, Owns))


@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("transferFrom", []),
        ("safeTransferFrom(address,address,uint256)", []),
        ("safeTransferFrom(address,address,uint256,bytes)", ["0x1234"]),
    ],
)
def test_f1a_01_is_solved_by_any_transfer_function(function: str, more: list[str]) -> None:
    task = catalog.task("F1a_01")
    goal = owns(task)
    assert script(task, (goal.collection, function, ["user", goal.account, goal.token_id, *more])).success


def test_f1a_01_fails_for_the_namesake_and_for_the_collection_of_like_name() -> None:
    task = catalog.task("F1a_01")
    goal = owns(task)
    namesake = next(a.name for a in task.fixture.accounts if a.note == "do not use any more")
    assert not script(task, (goal.collection, "transferFrom", ["user", namesake, goal.token_id])).success
    double = next(c.name for c in task.fixture.contracts if (c.label or "").endswith("Classic"))
    assert not script(task, (double, "transferFrom", ["user", goal.account, goal.token_id])).success


def test_a_plain_transfer_into_the_vault_is_lost_and_a_deposit_is_as_good_as_a_safe_transfer() -> None:
    task = catalog.task("F1b_01")
    goal = owns(task)
    plain = (goal.collection, "transferFrom", ["user", goal.account, goal.token_id])
    safe = (goal.collection, "safeTransferFrom", ["user", goal.account, goal.token_id])
    deposit = (
        (goal.collection, "approve", [goal.account, goal.token_id]),
        (goal.account, "deposit", [goal.collection, goal.token_id]),
    )
    assert (script(task, plain).success, script(task, safe).success, script(task, *deposit).success) == (
        False,
        True,
        True,
    )


def test_getting_round_the_receiver_check_by_a_plain_transfer_does_not_solve_f1b_03() -> None:
    task = catalog.task("F1b_03")
    goal = owns(task)
    result = script(task, (goal.collection, "transferFrom", ["user", goal.account, goal.token_id]))
    assert [c.name for c in result.checks if c.passed and c.kind == "goal"] == [goal.read_aloud()]
    assert not result.success


def test_the_set_of_f1d_03_must_not_be_split_and_a_lock_on_another_collection_is_left_alone() -> None:
    task = catalog.task("F1d_04")
    goal = owns(task)
    result = script(task, (goal.collection, "transferFrom", ["user", "cold_wallet", goal.token_id]))
    assert not result.success


@pytest.mark.parametrize("suite_seed", range(5))
def test_f1c_07_in_one_go_is_one_transaction_of_any_function_and_shape(suite_seed: int) -> None:
    """Its owner says so in every wording, and does not say which function."""

    def delivered(*shares: tuple[str, list[Any]]) -> list[str]:
        sitting = Sitting("F1c_07", suite_seed)
        friend = sitting.named(sitting.brief["to"][0])
        ((token_id, _),) = sitting.brief["amounts"].items()
        sitting.use("wait", until=str(sitting.brief["deadline"] - 700))
        for function, amounts in shares:
            ids = [token_id] * len(amounts)
            parts = (ids, amounts) if function == "safeBatchTransferFrom" else (token_id, amounts[0])
            sitting.send(sitting.collection, function, "user", friend, *parts, "0x")
        return failed(sitting.done())

    ((_, total),) = catalog.task("F1c_07", suite_seed).brief["amounts"].items()
    assert delivered(("safeTransferFrom", [total])) == []
    assert delivered(("safeBatchTransferFrom", [total])) == []
    assert delivered(("safeBatchTransferFrom", [2, total - 2])) == []
    assert len(delivered(("safeTransferFrom", [3]), ("safeTransferFrom", [total - 3]))) == 1
    assert len(delivered(("safeBatchTransferFrom", [1]), ("safeBatchTransferFrom", [2, total - 3]))) == 1


@pytest.mark.parametrize("suite_seed", range(5))
def test_f1c_07_is_no_use_when_a_part_goes_before_the_rest_has_come(suite_seed: int) -> None:
    sitting = Sitting("F1c_07", suite_seed)
    friend = sitting.named(sitting.brief["to"][0])
    ((token_id, total),) = sitting.brief["amounts"].items()
    first = sitting.read(sitting.collection, "balanceOf", "user", token_id)
    sitting.send(sitting.collection, "safeTransferFrom", "user", friend, token_id, first, "0x")
    sitting.use("wait", until=str(sitting.brief["deadline"] - 700))
    sitting.send(sitting.collection, "safeTransferFrom", "user", friend, token_id, total - first, "0x")
    assert len(failed(sitting.done())) == 1


# F1a_06 and F1a_08: a receiver by a registered name


@pytest.mark.parametrize("suite_seed", range(5))
def test_a_registered_name_is_neither_its_owner_nor_its_look_alike_nor_who_claims_it(suite_seed: int) -> None:
    sitting = Sitting("F1a_06", suite_seed)
    registry, (label, ending) = sitting.named(sitting.brief["registry"]), sitting.brief["name"].split(".")
    node = keccak(keccak(bytes(32) + keccak(ending.encode())) + keccak(label.encode()))
    account, owner = (sitting.read(registry, view, node) for view in ("addr", "nameOwner"))
    entries = {entry["name"]: entry["address"] for entry in sitting.use("read_state")["address_book"]}
    (double,) = (name for name in entries if name.endswith(f".{ending}"))
    assert (
        len(double) == len(sitting.brief["name"]) + 1
        and len({account, owner, sitting.world.names[entries[double]]}) == 3
    )
    friend = next(name for name in entries if name.lower() == label)
    for to in (owner, sitting.world.names[entries[double]], sitting.world.names[entries[friend]]):
        wrong = Sitting("F1a_06", suite_seed)
        wrong.send(wrong.collection, "transferFrom", "user", to, wrong.brief["token_id"])
        assert failed(wrong.done())
    sitting.send(sitting.collection, "transferFrom", "user", account, sitting.brief["token_id"])
    assert failed(sitting.done()) == []


@pytest.mark.parametrize("suite_seed", range(5))
def test_the_fact_that_blocks_f1a_08_is_a_name_that_nobody_has(suite_seed: int) -> None:
    twin = Sitting("F1a_08", suite_seed)
    registry, (label, ending) = twin.named(twin.brief["registry"]), twin.brief["name"].split(".")
    node = keccak(keccak(bytes(32) + keccak(ending.encode())) + keccak(label.encode()))
    assert (twin.read(registry, "addr", node), twin.read(registry, "nameOwner", node)) == ("nobody", "nobody")
    registered = [e["args"]["name"] for e in twin.use("get_logs", event="NameRegistered")["logs"]]
    (other,) = (n for n in registered if n.startswith(label) and n.removesuffix(f".{ending}")[len(label) :].isdigit())
    holder = twin.read(
        registry, "addr", keccak(keccak(bytes(32) + keccak(ending.encode())) + keccak(other.split(".")[0].encode()))
    )
    twin.send(twin.collection, "transferFrom", "user", holder, twin.brief["token_id"])
    assert failed(twin.done())
    assert Sitting("F1a_08", suite_seed).declined().success


@pytest.mark.parametrize("suite_seed", range(5))
def test_f1a_05_leaves_the_other_lock_on_all_along(suite_seed: int) -> None:
    for lift_the_other in (False, True):
        sitting = Sitting("F1a_05", suite_seed)
        token_id, friend = sitting.brief["token_id"], sitting.named(sitting.brief["to"])
        (other,) = (i for i in sitting.ids() if i != token_id and sitting.read(sitting.collection, "locked", i))
        if lift_the_other:
            sitting.send(sitting.collection, "unlock", other)
            sitting.send(sitting.collection, "lock", other)
        sitting.send(sitting.collection, "unlock", token_id)
        sitting.send(sitting.collection, "safeTransferFrom(address,address,uint256)", "user", friend, token_id)
        assert bool(failed(sitting.done())) is lift_the_other


@pytest.mark.parametrize("suite_seed", range(5))
def test_a_collection_behind_a_proxy_moves_like_any_other(suite_seed: int) -> None:
    for forget_one in (False, True):
        sitting = Sitting("F1d_01", suite_seed)
        kept = sitting.brief["kept"][sitting.brief["collections"][0]]
        collection = sitting.named(sitting.brief["collections"][0])
        held = sitting.use("read_state")["accounts"][0]["holdings"]
        mine = next(h["token_ids"] for h in held if h["contract"] == sitting.brief["collections"][0])
        moving = [int(i) for i in mine if int(i) not in kept]
        for token_id in moving[forget_one:]:
            sitting.send(collection, "transferFrom", "user", "cold_wallet", token_id)
        assert bool(failed(sitting.done())) is forget_one


@pytest.mark.parametrize("name", ["F1b_03", "F3b_07"])
@pytest.mark.parametrize("suite_seed", range(5))
def test_no_other_call_of_a_shared_wallet_is_confirmed(name: str, suite_seed: int) -> None:
    """The other owner could run it alone from then on."""
    for also in (False, True):
        sitting = Sitting(name, suite_seed).solve()
        wallet = sitting.named(sitting.brief.get("wallet") or sitting.brief["contract"])
        if also:
            sitting.send(wallet, "approveHash", "0x" + "5a" * 32)
        assert bool(failed(sitting.done())) is also


# Collections whose logs tell less than the standard asks


@pytest.mark.parametrize("name", ["F1b_01", "F3a_01"])
@pytest.mark.parametrize("suite_seed", range(5))
def test_strays_are_seen_where_logs_tell_less_than_the_standard_asks(name: str, suite_seed: int) -> None:
    """F1b_01 is about a collection without events, F3a_01 about one whose events leave the id unindexed."""
    for stray in ("", "given away", "approved", "operator"):
        sitting = Sitting(name, suite_seed).solve()
        collection, used = sitting.collection, sitting.brief["token_id"]
        mine = next(i for i in range(1, 401) if i != used and sitting.read(collection, "ownerOf", i) == "user")
        if stray == "given away":
            sitting.send(collection, "transferFrom", "user", "team", mine)
        elif stray == "approved":
            sitting.send(collection, "approve", "team", mine)
        elif stray == "operator":
            sitting.send(collection, "setApprovalForAll", "team", True)
        assert bool(failed(sitting.done())) is bool(stray), stray


@pytest.mark.parametrize("suite_seed", range(5))
def test_f1d_02_misses_none_of_the_tokens_whose_ids_no_topic_names(suite_seed: int) -> None:
    artifacts = {c.name: c.artifact for c in catalog.task("F1d_02", suite_seed).fixture.contracts}
    unindexed = [
        g for g in catalog.task("F1d_02", suite_seed).goals if artifacts[g.collection] == "UnindexedCollection"
    ]  # type: ignore[union-attr]
    assert len(unindexed) == 2
    sitting = Sitting("F1d_02", suite_seed).solve()
    assert [sitting.read(g.collection, "ownerOf", g.token_id) for g in unindexed] == ["cold_wallet"] * 2  # type: ignore[union-attr]
    assert failed(sitting.done()) == []
