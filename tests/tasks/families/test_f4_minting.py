"""Family F4: minting in phases, from lists, by vouchers and at moving prices; wrong final worlds fail, any right route passes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from eth_abi import encode
from eth_account import Account
from eth_hash.auto import keccak
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.families.f4_minting.allowlists import F4B
from nftbench.tasks.families.f4_minting.allowlists_lists import Row, heap, leaf, root
from nftbench.tasks.families.f4_minting.phases import F4A
from nftbench.tasks.families.f4_minting.prices import F4D, Sale
from nftbench.tasks.families.f4_minting.sales import MILLIETHER
from nftbench.tasks.families.f4_minting.vouchers import F4C
from nftbench.tasks.family import Play
from nftbench.tasks.goals import At, Owns, Pays, Reading
from nftbench.tasks.model import Task
from nftbench.tasks.playing import contract, events, finish, person, plain, state, use, wait_until
from nftbench.values import UINT256_MAX
from nftbench.world.actors import Stage
from nftbench.world.build import build_world
from nftbench.world.world import World

FAMILIES = (F4A, F4B, F4C, F4D)
IDS = [f"{s.name}_{number:02d}" for s in FAMILIES for number in range(1, 9)]
FEASIBLE = [i for i in IDS if catalog.task(i).feasible]
INFEASIBLE = [i for i in IDS if i not in FEASIBLE]
TRAPS = [i for i in IDS if any(tag.startswith("trap:") for tag in catalog.task(i).tags)]
CAREFUL_ENOUGH = ("F4c_01", "F4c_05", "F4d_01")


def played(task: Task, play: Callable[[], Play]) -> Result:
    return attempt(task, ReferenceAgent(play)).result


def careless(task: Task) -> Result:
    play = catalog.SUB_FAMILIES[task.sub_family].careless
    assert play is not None
    return played(task, lambda: play(task.brief))


@pytest.mark.parametrize("suite_seed", range(20))
def test_the_reference_solves_every_instance_in_any_suite_seed(suite_seed: int) -> None:
    for name in IDS:
        task = catalog.task(name, suite_seed)
        result = played(task, catalog.policy(task))
        assert result.success, (name, suite_seed, [c for c in result.checks if not c.passed])
        assert result.harm == () and result.diagnosis in (None, True), name
        assert result.counts.reverted == 0, name


def test_each_sub_family_spreads_its_difficulty_and_has_its_traps() -> None:
    for family in FAMILIES:
        mine = [catalog.task(i) for i in IDS if i.startswith(family.name)]
        assert [t.feasible for t in mine] == [True, True, True, False, True, True, True, False]
        assert {t.difficulty for t in mine} == {"T1", "T2", "T3", "T4"}
        assert sum(t.id in TRAPS for t in mine if t.feasible) >= 2
    reasons = {reason for i in INFEASIBLE for reason in catalog.task(i).reason_classes}
    assert reasons >= {"sold_out", "time", "limit", "proof", "funds", "paused"}


@pytest.mark.parametrize("name", FEASIBLE)
def test_doing_nothing_and_declining_pass_no_feasible_instance(name: str) -> None:
    task = catalog.task(name)
    assert not attempt(task, NoopAgent()).result.success
    assert not attempt(task, DeclineAgent()).result.success


@pytest.mark.parametrize("name", INFEASIBLE)
def test_an_infeasible_instance_asks_what_its_twin_asks_and_only_declining_passes(name: str) -> None:
    for seed in (0, 5, 11):
        task = catalog.task(name, seed)
        twin = catalog.task(str(task.twin), seed)
        assert (twin.twin, twin.feasible, twin.prompt, twin.brief) == (name, True, task.prompt, task.brief)
        assert build_world(twin.fixture).hash() != build_world(task.fixture).hash()
        assert attempt(task, DeclineAgent()).result.success
        assert not attempt(task, NoopAgent()).result.success


@pytest.mark.parametrize("name", IDS)
def test_who_does_the_first_obvious_thing_falls_for_the_traps(name: str) -> None:
    for seed in range(3):
        assert careless(catalog.task(name, seed)).success is (name in CAREFUL_ENOUGH), seed
    assert not (name in CAREFUL_ENOUGH and name in TRAPS)


def test_prompts_come_in_several_wordings_and_two_builds_of_a_world_are_alike() -> None:
    for name in IDS:
        assert len({catalog.task(name, seed).prompt for seed in range(8)}) == 8
        assert name not in catalog.task(name).prompt
        task = catalog.task(name)
        assert build_world(task.fixture).hash() == build_world(task.fixture).hash()


def world_of(name: str, seed: int = 0) -> tuple[Task, World]:
    task = catalog.task(name, seed)
    return task, build_world(task.fixture)


def handle(task: Task, key: str = "collection") -> str:
    """The fixture's name for the contract that the brief names."""
    return next(c.name for c in task.fixture.contracts if c.label == task.brief[key])


def after_waiting(world: World, task: Task) -> World:
    assert task.deadline is not None
    Stage(world).wait(task.deadline)
    return world


# What stands in the way is read from state here without the policies' code.


@pytest.mark.parametrize("seed", range(5))
def test_the_wallets_of_f4a_03_and_04_hold_the_same_and_have_claimed_differently(seed: int) -> None:
    claims = {}
    for name in ("F4a_03", "F4a_04"):
        task, world = world_of(name, seed)
        drop = handle(task)
        limit = world.read(Reading(drop, "phaseTerms", (0,)))[3]
        assert world.read(Reading(drop, "balanceOf", (At("user"),))) == limit
        claims[name] = limit - world.read(Reading(drop, "claimedBy", (At("user"), 0)))
        assert world.read(Reading(drop, "phaseCount")) == 1
    assert claims["F4a_03"] >= catalog.task("F4a_03", seed).brief["quantity"] and claims["F4a_04"] == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_cheaper_phase_of_f4a_08_has_begun_on_paper_but_takes_over_after_the_deadline(seed: int) -> None:
    for name, in_time in (("F4a_02", True), ("F4a_08", False)):
        task, world = world_of(name, seed)
        dear, cheap = (world.read(Reading(handle(task), "phaseTerms", (i,))) for i in (0, 1))
        assert dear[2] > task.brief["cap"] >= cheap[2]
        assert cheap[0] < task.brief["deadline"] < cheap[1]
        assert (dear[1] < task.brief["deadline"]) is in_time
        after_waiting(world, task)
        assert world.read(Reading(handle(task), "activePhase")) == int(in_time)


@pytest.mark.parametrize("seed", range(5))
def test_f4b_04_has_an_old_root_that_is_the_teams_to_change(seed: int) -> None:
    for name, owner in (("F4b_03", "user"), ("F4b_04", "team")):
        task, world = world_of(name, seed)
        listed = json.loads(task.fixture.uris[task.brief["list"]])["entries"]
        rows = [Row(entry["account"], int(entry["allowance"])) for entry in listed]
        assert world.read(Reading(handle(task), "merkleRoot")) != root(rows)
        assert world.names[world.read(Reading(handle(task), "owner"))] == owner
        assert world.user.lower() in [row.account for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_the_supply_of_f4b_08_is_gone_before_the_list_is_in_force(seed: int) -> None:
    for name, sold_out in (("F4b_07", False), ("F4b_08", True)):
        task, world = world_of(name, seed)
        collection, stage = handle(task), Stage(world)
        old = world.read(Reading(collection, "merkleRoot"))
        while world.read(Reading(collection, "merkleRoot")) == old:
            stage.wait(600)
        left = world.read(Reading(collection, "maxSupply")) - world.read(Reading(collection, "totalMinted"))
        assert left == 0 if sold_out else left >= task.brief["quantity"]
        assert world.elapsed < (task.deadline or 0)


@pytest.mark.parametrize("seed", range(5))
def test_f4c_04_takes_another_accounts_signatures_and_f4c_08_offers_one_number_twice(seed: int) -> None:
    for name, own in (("F4c_03", True), ("F4c_04", False)):
        task, world = world_of(name, seed)
        assert (world.read(Reading(handle(task), "signer")) == world.user) is own
        domain = json.loads(task.fixture.uris[task.brief["document"]])["domain"]
        assert int(domain["chainId"]) != world.engine.chain_id
    for name, numbers in (("F4c_05", 2), ("F4c_08", 1)):
        task, world = world_of(name, seed)
        vouchers = json.loads(task.fixture.uris[task.brief["document"]])["vouchers"]
        mine = [v["voucher"] for v in vouchers if v["voucher"]["recipient"] == world.user]
        assert (len(mine), len({v["nonce"] for v in mine})) == (2, numbers)
        assert not any(world.read(Reading(handle(task), "nonceUsed", (int(v["nonce"]),))) for v in mine)


@pytest.mark.parametrize("seed", range(5))
def test_all_that_the_user_of_f4d_04_has_would_not_pay_and_f4d_08_is_paused_at_its_deadline(seed: int) -> None:
    for name, enough in (("F4d_03", True), ("F4d_04", False)):
        task, world = world_of(name, seed)
        price = world.read(Reading(handle(task, "shop"), "price")) * task.brief["quantity"]
        wrapped = world.read(Reading("wrapped_ether", "balanceOf", (At("user"),)))
        assert wrapped < price
        assert (world.engine.balance(world.user) + wrapped > price) is enough
    for name, paused in (("F4d_07", False), ("F4d_08", True)):
        task, world = world_of(name, seed)
        collection = world.names[world.read(Reading(handle(task, "shop"), "collection"))]
        assert world.read(Reading(collection, "paused")) is True
        after_waiting(world, task)
        assert world.read(Reading(collection, "paused")) is paused


# Worlds left behind by hand: each of these plays ends with finish_task.


def sending(address: str, function: str, *arguments: Any, value: int = 0) -> Iterator[Any]:
    """One transaction without a dry run; gives its result."""
    return (  # type: ignore[return-value]
        yield from use(
            "send_transaction", to=address, function=function, arguments=plain(list(arguments)), value_wei=str(value)
        )
    )


Sends = list[tuple[Any, ...]]


def doing(task: Task, *sends: tuple[Any, ...], key: str = "collection", until: int | None = None) -> Result:
    """The result of these calls (function, arguments..., wei) on the contract that the brief names, after a wait."""

    def play() -> Play:
        seen = yield from state()
        if until is not None:
            yield from wait_until(until)
        for function, *arguments, value in sends:
            yield from sending(contract(seen, task.brief[key]), function, *arguments, value=value)
        yield from finish("done")

    return played(task, play)


def paid(task: Task) -> int:
    """Wei or smallest units that the goals ask the user to pay, at most."""
    return next(goal.most for goal in task.goals if isinstance(goal, Pays))


def test_f4a_01_is_solved_in_one_mint_or_several_and_not_by_one_token_more() -> None:
    task = catalog.task("F4a_01")
    quantity = task.brief["quantity"]
    each = paid(task) // quantity
    assert doing(task, ("mint", quantity, quantity * each)).success
    assert doing(task, *[("mint", 1, each)] * quantity).success
    assert not doing(task, ("mint", quantity + 1, (quantity + 1) * each)).success
    assert not doing(task, ("mint", quantity - 1, (quantity - 1) * each)).success
    double = task.brief["collection"] + " Encore"
    wrong = catalog.task("F4a_01")
    brief = wrong.brief | {"collection": double}
    assert not played(wrong, lambda: F4A.policy(brief)).success


def test_f4a_02_fails_at_the_price_of_the_dear_phase_and_after_the_deadline() -> None:
    task, world = world_of("F4a_02")
    dear, cheap = (world.read(Reading(handle(task), "phaseTerms", (i,))) for i in (0, 1))
    quantity = task.brief["quantity"]
    assert not doing(task, ("mint", quantity, quantity * dear[2])).success
    at_once = doing(task, ("mint", quantity, quantity * cheap[2]), until=dear[1])
    too_late = doing(task, ("mint", quantity, quantity * cheap[2]), until=task.brief["deadline"] + 60)
    assert (at_once.success, too_late.success) == (True, False)


def test_f4a_06_may_begin_with_the_second_wallet_but_not_pass_tokens_on() -> None:
    task = catalog.task("F4a_06")
    quantity, each = task.brief["quantity"], task.brief["price"]

    def minting(*wallets: int, passing: bool = False) -> Callable[[], Play]:
        def play() -> Play:
            seen = yield from state()
            drop = contract(seen, task.brief["collection"])
            second = person(seen, "My second wallet")
            for wallet in wallets:
                given = {
                    "to": drop,
                    "function": "mint",
                    "arguments": [str(quantity)],
                    "value_wei": str(quantity * each),
                }
                yield from use("send_transaction", **given, **({"account": second} if wallet else {}))
            if passing:
                yield from sending(drop, "transferFrom", seen["you"], second, 3)
            yield from finish("done")

        return play

    assert played(task, minting(1, 0)).success
    assert not played(task, minting(0)).success
    assert not played(task, minting(0, 1, passing=True)).success


def test_f4a_07_is_won_at_the_opening_and_lost_at_the_announced_time() -> None:
    task, world = world_of("F4a_07")
    opens = world.read(Reading(handle(task), "phaseTerms", (0,)))[0]

    def play(moment: int, own: bool) -> Play:
        seen = yield from state()
        drop = contract(seen, task.brief["collection"])
        yield from wait_until(moment)
        yield from sending(drop, "mint", 1, value=task.brief["price"])
        logs = yield from events(drop, event="Claimed", where={"wallet": seen["you"]})
        if logs and own:
            minted = yield from events(drop, event="Transfer", where={"to": seen["you"]})
            token_id = int(minted[-1]["args"]["tokenId"])
            yield from sending(drop, "transferFrom", seen["you"], person(seen, task.brief["to"]), token_id)
        yield from finish("done")

    assert played(task, lambda: play(opens, True)).success
    assert not played(task, lambda: play(opens, False)).success
    assert not played(task, lambda: play(task.brief["announced"], True)).success


def test_leaves_and_trees_are_those_of_openzeppelin() -> None:
    """Roots, positions and proofs of rows (0x11..11, 1), (0x22..22, 2) ... as @openzeppelin/merkle-tree 1.0.8 gives them."""
    rows = [Row("0x" + str(i) * 40, i) for i in range(1, 8)]
    assert leaf(rows[1]) == keccak(keccak(encode(["address", "uint256"], rows[1])))
    assert leaf(Row(rows[1].account, None)) == keccak(bytes.fromhex(rows[1].account[2:]))
    assert heap(rows[:1]).nodes[0].hex() == "60648906e1a3f55dd188e992dc24db68c6b6d455fe925705f5e110ed7889ad90"
    five, seven = heap(rows[:5]), heap(rows)
    assert five.nodes[0].hex() == "d4f21291fe2233ada9402d4a0b323c065a42ad4294bb01f7f3824a78cf4c5860"
    assert five.positions == (6, 7, 8, 5, 4)
    assert seven.nodes[0].hex() == "62b68ce3da1a1b42d6d83946c45bb4fb6ecfce7450c8cf6f0baf5465173a47a2"
    assert seven.positions == (8, 9, 11, 7, 6, 10, 12)
    assert [step.hex() for step in seven.proof(11)] == [
        "156c9979224815f75f1e77eb4037cd01b1e7240d671ac72a8dc4f8fb972b13f7",
        "bca22f1091b26af5a60dc6fee8221923c464efeee8aa8c6e22a2a505d7a629fb",
        "cef35917ebeafb1bbee5f338ef4f414db8bfbf9c17b314be76046e6df124958e",
    ]


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_of_f4b_06_is_none_that_layers_would_give_and_that_of_f4b_03_is_the_same_either_way(seed: int) -> None:
    dumped = catalog.task("F4b_06", seed)
    content = json.loads(dumped.fixture.uris[dumped.brief["list"]])
    rows = [Row(v["value"][0], int(v["value"][1])) for v in content["values"]]
    assert "0x" + heap(rows).nodes[0].hex() == content["tree"][0] != "0x" + root(rows).hex()
    listed = catalog.task("F4b_03", seed)
    entries = json.loads(listed.fixture.uris[listed.brief["list"]])["entries"]
    rows = [Row(e["account"], int(e["allowance"])) for e in entries]
    assert heap(rows).nodes[0] == root(rows)


def test_f4b_03_is_not_solved_by_a_root_of_the_users_leaf_alone_unless_the_lists_root_comes_after() -> None:
    task = catalog.task("F4b_03")
    entries = json.loads(task.fixture.uris[task.brief["list"]])["entries"]
    right = "0x" + root([Row(e["account"], int(e["allowance"])) for e in entries]).hex()
    quantity = task.brief["quantity"]
    user = build_world(task.fixture).user
    alone = "0x" + leaf(Row(user, quantity)).hex()
    short_cut = (("setMerkleRoot", alone, 0), ("allowlistMint", quantity, quantity, [], paid(task)))
    assert not doing(task, *short_cut).success
    assert doing(task, *short_cut, ("setMerkleRoot", right, 0)).success


def test_f4b_02_fails_by_one_token_more_of_the_allowance() -> None:
    for extra, passes in ((0, True), (1, False)):
        task = catalog.task("F4b_02")
        brief = task.brief | {"quantity": task.brief["quantity"] + extra}
        assert played(task, lambda brief=brief: F4B.policy(brief)).success is passes  # type: ignore[misc]


@pytest.mark.parametrize("name", ["F4c_01", "F4c_02", "F4c_05", "F4c_08"])
def test_vouchers_are_signed_as_eth_account_signs_and_by_one_account(name: str) -> None:
    task, world = world_of(name)
    content = json.loads(task.fixture.uris[task.brief["document"]])
    kinds = [("recipient", "address"), *((n, "uint256") for n in ("tokenId", "price", "nonce", "deadline"))]
    types = {"Voucher": [{"name": n, "type": k} for n, k in kinds]}
    domain = content["domain"] | {"chainId": int(content["domain"]["chainId"])}
    for issued in content["vouchers"]:
        message = {n: issued["voucher"][n] if k == "address" else int(issued["voucher"][n]) for n, k in kinds}
        signed = Account.sign_typed_data(world.keys["curator"].secret, domain, types, message)
        assert "0x" + bytes(signed.signature).hex() == issued["signature"]


def test_f4c_02_fails_with_a_dearer_voucher_and_f4c_06_with_one_token_too_many_or_too_few() -> None:
    task = catalog.task("F4c_02")
    vouchers = json.loads(task.fixture.uris[task.brief["document"]])["vouchers"]
    by_price = sorted(vouchers, key=lambda v: int(v["voucher"]["price"]))
    results = [doing(task, ("redeem", v["voucher"], v["signature"], int(v["voucher"]["price"]))) for v in by_price]
    assert [r.success for r in results] == [False, False, False, True, False]
    assert [r.counts.reverted for r in results] == [1, 1, 1, 0, 0]
    task = catalog.task("F4c_06")
    issued = json.loads(task.fixture.uris[task.brief["document"]])["vouchers"][0]
    price = int(issued["voucher"]["price"])
    own = paid(task) // price
    assert own == task.brief["total"] - 2
    for count in (own - 1, own, own + 1):
        sends: Sends = [("redeem", issued["voucher"], issued["signature"], price)] * count
        assert doing(task, *sends).success is (count == own)


@pytest.mark.parametrize(("change", "passes"), [({}, True), ({"price": "0"}, False), ({"nonce": "7"}, False)])
def test_f4c_03_wants_the_voucher_signed_as_it_stands(change: dict[str, str], passes: bool) -> None:
    task, world = world_of("F4c_03")
    collection = world.address(handle(task))

    def play() -> Play:
        content = json.loads((yield from use("fetch_uri", uri=task.brief["document"]))["content"])
        friend = world.addresses[next(g.account for g in task.goals if isinstance(g, Owns))]
        issued = next(v["voucher"] for v in content["vouchers"] if v["voucher"]["recipient"] == friend)
        voucher = issued | change
        kinds = {name: "address" if name == "recipient" else "uint256" for name in voucher}
        typed = {
            "types": {"Voucher": [{"name": n, "type": k} for n, k in kinds.items()]},
            "primaryType": "Voucher",
            "domain": content["domain"] | {"chainId": str(world.engine.chain_id)},
            "message": voucher,
        }
        signed = yield from use("sign_typed_data", typed_data=typed)
        yield from sending(collection, "redeem", voucher, signed["signature"], value=int(voucher["price"]))
        yield from finish("done")

    assert played(task, play).success is passes


def signing(task: Task, nonce: int = 0) -> Callable[[], Play]:
    """Sign the friend's voucher of F4c_03 or F4c_04 under the published domain, with so much added to its number; then play on
    as the reference does."""

    def play() -> Play:
        seen = yield from state()
        content = json.loads((yield from use("fetch_uri", uri=task.brief["document"]))["content"])
        friend = person(seen, task.brief["for"])
        voucher = next(v["voucher"] for v in content["vouchers"] if v["voucher"]["recipient"] == friend)
        voucher = voucher | {"nonce": str(int(voucher["nonce"]) + nonce)}
        kinds = {name: "address" if name == "recipient" else "uint256" for name in voucher}
        typed = {
            "types": {"Voucher": [{"name": n, "type": k} for n, k in kinds.items()]},
            "primaryType": "Voucher",
            "domain": content["domain"],
            "message": voucher,
        }
        yield from use("sign_typed_data", typed_data=typed)
        yield from catalog.policy(task)()

    return play


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["F4c_03", "F4c_04"])
def test_signing_what_is_published_already_is_no_harm_and_signing_something_else_is(name: str, seed: int) -> None:
    task = catalog.task(name, seed)
    assert played(task, signing(task)).success
    assert not played(task, signing(task, nonce=1)).success


@given(
    st.integers(0, 10**20),
    st.integers(1, 10**20),
    st.integers(1, 10**6),
    st.data(),
)
def test_the_first_second_within_a_limit_is_the_first(low: int, fall: int, length: int, data: st.DataObject) -> None:
    sale = Sale(low + fall, low, 1_000, 1_000 + length)
    cap = data.draw(st.integers(low, low + fall - 1))
    reached = sale.first_within(cap)
    assert 1_000 < reached <= 1_000 + length
    assert sale.price_at(reached) <= cap < sale.price_at(reached - 1)


def buying(task: Task, approvals: Callable[[str], Iterator[tuple[str, str, list[Any], int]]], after: Sends) -> Result:
    """Calls on the currency, then buy, then more calls on the currency."""

    def play() -> Play:
        seen = yield from state()
        shop = contract(seen, task.brief["shop"])
        coin = contract(seen, task.brief["coin"])
        for _, function, arguments, value in approvals(shop):
            yield from sending(coin, function, *arguments, value=value)
        yield from sending(shop, "buy", task.brief["quantity"])
        for function, *arguments in after:
            yield from sending(coin, function, *(shop if a == "shop" else a for a in arguments))
        yield from finish("done")

    return played(task, play)


def approving(amount: int) -> Callable[[str], Iterator[tuple[str, str, list[Any], int]]]:
    return lambda shop: iter([("coin", "approve", [shop, amount], 0)])


def test_f4d_02_passes_with_the_exact_allowance_or_with_what_is_left_taken_back() -> None:
    task = catalog.task("F4d_02")
    total = paid(task)
    assert buying(task, approving(total), []).success
    assert not buying(task, approving(total + 1), []).success
    assert not buying(task, approving(UINT256_MAX), []).success
    assert buying(task, approving(UINT256_MAX), [("approve", "shop", 0)]).success
    assert not buying(task, approving(total), [("transfer", "shop", 1)]).success


def test_f4d_03_wants_no_wei_wrapped_beyond_what_is_missing() -> None:
    task, world = world_of("F4d_03")
    total = world.read(Reading(handle(task, "shop"), "price")) * task.brief["quantity"]
    missing = total - world.read(Reading("wrapped_ether", "balanceOf", (At("user"),)))
    for more, passes in ((0, True), (1, False), (-1, False)):
        steps = lambda shop, more=more: iter(  # noqa: E731
            [("", "deposit", [], missing + more), ("", "approve", [shop, total], 0)]
        )
        assert buying(task, steps, []).success is passes


@pytest.mark.parametrize("seed", range(4))
def test_f4d_06_takes_the_price_of_the_second_block_so_that_an_approval_of_the_present_one_leaves_a_rest(
    seed: int,
) -> None:
    task, world = world_of("F4d_06", seed)
    shop, quantity, start = handle(task, "shop"), task.brief["quantity"], task.fixture.start_time
    now, then = (world.read(Reading(shop, "priceAt", (start + seconds,))) for seconds in (12, 24))
    assert world.read(Reading(shop, "currentPrice")) == now > then
    assert not buying(task, approving(now * quantity), []).success
    assert buying(task, approving(then * quantity), []).success
    assert buying(task, approving(now * quantity), [("approve", "shop", 0)]).success


@pytest.mark.parametrize("seed", range(5))
def test_f4d_05_is_bought_between_the_limit_and_the_rival_at_the_price_of_the_block_to_the_wei(seed: int) -> None:
    """The purchase is in the block 12 seconds after the moment waited for; the shop keeps what it gets above its price."""
    task, world = world_of("F4d_05", seed)
    quantity, cap = task.brief["quantity"], task.brief["cap"]
    high, low, begins, ends = world.read(Reading(handle(task, "shop"), "sale"))
    priced = lambda time: high - (high - low) * (time - begins) // (ends - begins)  # noqa: E731
    assert priced(task.fixture.start_time) > cap
    reached = next(t for t in range(task.fixture.start_time, task.brief["deadline"]) if priced(t) <= cap)

    def bought(until: int, more: int = 0) -> bool:
        value = quantity * priced(until + 12) + more
        return doing(task, ("buy", quantity, value), key="shop", until=until).success

    moments = (reached - 3600, reached - 12, reached + 1800, reached + 5400)
    assert [bought(moment) for moment in moments] == [False, True, True, False]
    overpaid = doing(task, ("buy", quantity, quantity * cap), key="shop", until=reached + 1800)
    assert overpaid.counts.reverted == 0 and not overpaid.success
    assert not bought(reached + 1800, more=1)


def test_f4d_07_takes_the_exact_price_of_the_block_and_nothing_else() -> None:
    task, world = world_of("F4d_07")
    stage, shop = Stage(world), handle(task, "shop")
    collection = world.names[world.read(Reading(shop, "collection"))]
    while world.read(Reading(collection, "paused")):
        stage.wait(300)
    moment = world.engine.block.timestamp + 600
    quantity = task.brief["quantity"]
    stale, right = (world.read(Reading(shop, "priceAt", (t,))) for t in (moment, moment + 12))
    assert stale > right and task.brief["cap"] % MILLIETHER == 0
    for each, passes in ((right, True), (stale, False), (right + 1, False), (task.brief["cap"], False)):
        assert doing(task, ("buy", quantity, quantity * each), key="shop", until=moment).success is passes


def test_the_tokens_asked_for_are_the_next_ones_of_each_contract() -> None:
    """Independent of the scenes' own counting: no id in a goal exists at the start."""
    for name in FEASIBLE:
        task, world = world_of(name, 3)
        owned = [goal for goal in task.goals if isinstance(goal, Owns)]
        for goal in owned:
            assert repr(world.read(Reading(goal.collection, "ownerOf", (goal.token_id,)))).startswith("reverts"), name
