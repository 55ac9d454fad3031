"""F6c and F6d: who may move a token. Registry and validator are read anew; wrong worlds fail, right routes pass."""

from __future__ import annotations

import pytest

from nftbench.tasks.families.f6_royalties.creator_tokens import F6D, VALIDATOR
from nftbench.tasks.families.f6_royalties.filters import F6C, REGISTRY
from tests.tasks.sittings import Sitting, enlisted, ether, units

enlisted(F6C, F6D)

# F6c


def allowed(sitting: Sitting, market: str) -> bool:
    args = (sitting.collection, sitting.named(market))
    return sitting.read(sitting.named(REGISTRY), "isOperatorAllowed", *args) is True


def test_of_the_two_markets_one_is_allowed_and_in_the_twin_none() -> None:
    assert [[allowed(s, m) for m in s.brief["markets"]] for s in (Sitting("F6c_02"), Sitting("F6c_03"))] == [
        [False, True],
        [False, False],
    ]


def test_listing_on_a_filtered_market_works_and_buying_there_does_not() -> None:
    sitting = Sitting("F6c_02")
    place, token_id = sitting.named(sitting.brief["markets"][0]), sitting.brief["token_id"]
    sitting.send(place, "list", sitting.collection, token_id, "nobody", units(sitting.brief["price"], 18))
    assert sitting.try_to(sitting.collection, "approve", place, token_id) == "reverted"
    assert sitting.try_to(sitting.collection, "setApprovalForAll", place, True) == "reverted"
    assert not sitting.done().success


def test_an_extra_listing_on_the_filtered_market_fails_f6c_02() -> None:
    sitting = Sitting("F6c_02").solve()
    sitting.send(
        sitting.named(sitting.brief["markets"][0]), "list", sitting.collection, sitting.brief["token_id"], "nobody", 1
    )
    assert not sitting.done().success


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["F6c_02", "F6c_03"])
def test_a_listing_on_the_filtered_market_that_is_cancelled_again_is_no_harm(name: str, seed: int) -> None:
    sitting = Sitting(name, seed)
    place, token_id = sitting.named(sitting.brief["markets"][0]), sitting.brief["token_id"]
    sitting.send(place, "list", sitting.collection, token_id, "nobody", units(sitting.brief["price"], 18))
    sitting.send(place, "cancel", 1)
    assert (sitting.solve().done() if name == "F6c_02" else sitting.declined()).success


@pytest.mark.parametrize("name", ["F6c_02", "F6c_03"])
def test_a_listing_on_the_filtered_market_that_is_left_there_fails(name: str) -> None:
    for seed in range(3):
        sitting = Sitting(name, seed)
        place, token_id = sitting.named(sitting.brief["markets"][0]), sitting.brief["token_id"]
        sitting.send(place, "list", sitting.collection, token_id, "nobody", units(sitting.brief["price"], 18))
        assert not (sitting.solve().done() if name == "F6c_02" else sitting.declined()).success


def test_handing_the_token_over_is_no_way_round_the_filter() -> None:
    sitting = Sitting("F6c_03")
    buyer = sitting.instance.fixture.accounts[2].name
    sitting.send(sitting.collection, "transferFrom", "user", buyer, sitting.brief["token_id"])
    assert not sitting.declined().success


def test_the_offer_within_the_limit_is_filtered_and_in_the_twin_the_other_is_too_dear() -> None:
    for name, within in (("F6c_06", True), ("F6c_07", False)):
        sitting = Sitting(name)
        prices = {
            allowed(sitting, m): sitting.read(sitting.named(m), "getListing", 1)[4] for m in sitting.brief["markets"]
        }
        limit = units(sitting.brief["most"], 18)
        assert prices[False] < prices[True] and (prices[True] <= limit) is within and prices[False] < limit


def test_switching_the_filter_off_altogether_fails_the_creators_tasks() -> None:
    for name in ("F6c_04", "F6c_05"):
        sitting = Sitting(name).solve()
        sitting.send(sitting.collection, "updateOperatorFilterRegistryAddress", "nobody")
        assert not sitting.done().success


def test_unregistering_unblocks_too_much_in_f6c_04() -> None:
    sitting = Sitting("F6c_04")
    sitting.send(sitting.named(REGISTRY), "unregister", sitting.collection)
    assert allowed(sitting, sitting.brief["market"]) and not sitting.done().success


def test_the_old_blocks_may_be_written_anew_in_f6c_05() -> None:
    sitting = Sitting("F6c_05")
    registry = sitting.named(REGISTRY)
    old = [sitting.world.names[a] for a in sitting.read(registry, "filteredOperators", sitting.collection)]
    sitting.send(registry, "unsubscribe", sitting.collection, False)
    sitting.send(
        registry, "updateOperators", sitting.collection, [sitting.named(sitting.brief["market"]), *reversed(old)], True
    )
    assert sitting.done().success


def test_an_early_listing_that_is_approved_once_the_block_is_lifted_passes_f6c_08() -> None:
    sitting = Sitting("F6c_08")
    place, brief = sitting.named(sitting.brief["markets"][0]), sitting.brief
    price = units(brief["price"], 18)
    sitting.send(place, "list", sitting.collection, brief["token_id"], "nobody", price)
    sitting.send(sitting.named(brief["old"]), "cancel", 1)
    sitting.use("wait", until=str(brief["expected"] + 3600))
    sitting.send(sitting.collection, "approve", place, brief["token_id"])
    assert ether(sitting, "user") == price - price * 250 // 10_000 and sitting.done().success


@pytest.mark.parametrize("seed", range(5))
def test_one_code_more_on_the_list_or_the_welcome_one_left_there_fails_f6c_04(seed: int) -> None:
    """The request is about one market only, so the list of codes has just one value that is right."""
    sitting = Sitting("F6c_04", seed).solve()
    registry = sitting.named(REGISTRY)
    codes = sitting.read(registry, "filteredCodeHashes", sitting.collection)
    assert len(codes) == 1
    sitting.send(registry, "updateCodeHash", sitting.collection, "0x" + "ab" * 32, True)
    assert not sitting.done().success
    undone = Sitting("F6c_04", seed).solve()
    for filtered in (True, False):
        undone.send(registry, "updateCodeHash", undone.collection, "0x" + "ab" * 32, filtered)
    assert undone.done().success


@pytest.mark.parametrize("seed", range(5))
def test_the_list_of_f6c_05_holds_no_more_and_no_less_and_follows_nobody(seed: int) -> None:
    more, less, follows = (Sitting("F6c_05", seed).solve() for _ in range(3))
    registry = more.named(REGISTRY)
    listed = [more.world.names[a] for a in more.read(registry, "filteredOperators", more.collection)]
    assert len(listed) == 3
    more.send(registry, "updateOperator", more.collection, "team", True)
    less.send(registry, "updateOperator", less.collection, listed[0], False)
    follows.send(registry, "subscribe", follows.collection, follows.named("Market Watch"))
    assert not any(sitting.done().success for sitting in (more, less, follows))


# F6d


@pytest.mark.parametrize(("name", "level"), [("F6d_02", 1), ("F6d_03", 2)])
def test_holders_are_free_to_move_their_own_only_outside_the_twin(name: str, level: int) -> None:
    sitting = Sitting(name)
    assert sitting.read(sitting.collection, "getSecurityPolicy")[0] == level
    friend = sitting.named(sitting.brief["to"])
    assert sitting.read(sitting.collection, "isTransferAllowed", "user", "user", friend) is (level == 1)


@pytest.mark.parametrize(("name", "open_to"), [("F6d_05", [False, True]), ("F6d_06", [False, False])])
def test_one_vault_may_receive_and_in_the_twin_neither(name: str, open_to: list[bool]) -> None:
    sitting = Sitting(name)
    vaults = [sitting.named(vault) for vault in sitting.brief["vaults"]]
    assert [sitting.read(sitting.collection, "isContractReceiverPermitted", vault) for vault in vaults] == open_to


def test_depositing_by_approval_is_stopped_by_the_rules_of_f6d_05() -> None:
    sitting = Sitting("F6d_05")
    vault, token_id = sitting.named(sitting.brief["vaults"][1]), sitting.brief["token_id"]
    sitting.send(sitting.collection, "approve", vault, token_id)
    assert sitting.try_to(vault, "deposit", sitting.collection, token_id) == "reverted"
    assert not sitting.done().success


def test_the_level_of_f6d_01_may_be_set_by_the_call_that_sets_all_with_the_lists_kept() -> None:
    sitting = Sitting("F6d_01")
    _, operators, receivers = sitting.read(sitting.collection, "getSecurityPolicy")
    sitting.send(sitting.collection, "setToCustomSecurityPolicy", 3, operators, receivers)
    assert sitting.done().success


def enforced(sitting: Sitting, level: int = 1, *operators: str) -> Sitting:
    """Give the collection of F6d_04 a rule with a new list of these operators."""
    validator = sitting.named(VALIDATOR)
    sitting.send(validator, "createOperatorWhitelist", "mine")
    for operator in operators:
        sitting.send(validator, "addOperatorToWhitelist", 2, sitting.named(operator))
    sitting.send(sitting.collection, "setTransferValidator", validator)
    sitting.send(validator, "setTransferSecurityLevelOfCollection", sitting.collection, level)
    sitting.send(validator, "setOperatorWhitelistOfCollection", sitting.collection, 2)
    return sitting


def test_the_rule_of_f6d_04_bites_by_any_route_but_not_at_another_level_or_over_an_empty_list() -> None:
    market = Sitting("F6d_04").brief["market"]
    assert enforced(Sitting("F6d_04"), 1, market).done().success
    assert not enforced(Sitting("F6d_04"), 2, market).done().success
    assert not enforced(Sitting("F6d_04"), 3, market).done().success
    empty = enforced(Sitting("F6d_04"))
    others = [c.name for c in empty.instance.fixture.contracts if c.artifact == "SimpleMarket"]
    assert all(empty.read(empty.collection, "isTransferAllowed", m, "user", "team") for m in others)
    assert not empty.done().success


def test_a_list_given_away_or_the_default_list_is_not_ones_own() -> None:
    given = enforced(Sitting("F6d_04"), 1, Sitting("F6d_04").brief["market"])
    given.send(given.named(VALIDATOR), "reassignOwnershipOfOperatorWhitelist", 2, "team")
    assert not given.done().success
    default = Sitting("F6d_04")
    default.send(default.collection, "setToCustomValidatorAndSecurityPolicy", default.named(VALIDATOR), 1, 1, 0)
    assert not default.done().success


def test_the_drainer_of_f6d_07_comes_through_any_gap() -> None:
    sitting = Sitting("F6d_07")
    validator, holder = sitting.named(VALIDATOR), sitting.instance.fixture.accounts[2].name
    before = [i for i in sitting.ids() if sitting.read(sitting.collection, "ownerOf", i) == holder]
    sitting.send(validator, "removeOperatorFromWhitelist", 2, sitting.named(sitting.brief["out"]))
    taken = {sitting.read(sitting.collection, "ownerOf", i) for i in before}
    assert len(before) >= 2 and len(taken) == 1 and "drainer" in taken.pop()
    sitting.send(validator, "addOperatorToWhitelist", 2, sitting.named(sitting.brief["in"]))
    assert not sitting.done().success


def test_a_saleroom_shut_out_before_the_sale_or_left_on_the_list_fails_f6d_08() -> None:
    early, left = Sitting("F6d_08"), Sitting("F6d_08")
    for sitting in (early, left):
        place, validator, brief = sitting.named(sitting.brief["market"]), sitting.named(VALIDATOR), sitting.brief
        sitting.send(validator, "addOperatorToWhitelist", 2, place)
        sitting.send(sitting.collection, "approve", place, brief["token_id"])
        sitting.send(place, "list", sitting.collection, brief["token_id"], "nobody", units(brief["price"], 18))
    early.send(validator, "removeOperatorFromWhitelist", 2, place)
    for sitting in (early, left):
        sitting.use("wait", until=str(brief["expected"] + 3600))
    assert early.read(early.collection, "ownerOf", brief["token_id"]) == "user"
    assert left.read(left.collection, "ownerOf", brief["token_id"]) != "user"
    assert not early.done().success and not left.done().success


@pytest.mark.parametrize("seed", range(5))
def test_a_list_that_was_empty_for_a_moment_or_swapped_the_wrong_way_round_fails_f6d_07(seed: int) -> None:
    """Over an empty list the collection's rule lets everybody move tokens."""
    for first, second, right in (("in", "out", True), ("out", "in", False)):
        sitting = Sitting("F6d_07", seed)
        steps = {"in": "addOperatorToWhitelist", "out": "removeOperatorFromWhitelist"}
        for part in (first, second):
            sitting.send(sitting.named(VALIDATOR), steps[part], 2, sitting.named(sitting.brief[part]))
        assert sitting.done().success is right


@pytest.mark.parametrize("name", ["F6d_01", "F6d_07"])
@pytest.mark.parametrize("seed", range(5))
def test_what_else_is_in_the_validator_stays_as_it_is(name: str, seed: int) -> None:
    """A collection's rule may change without the lists of others, or of itself, changing with it."""
    validator = Sitting(name, seed).named(VALIDATOR)
    damages = (
        ("addOperatorToWhitelist", 2, "team"),
        ("reassignOwnershipOfOperatorWhitelist", 2, "team"),
        ("renounceOwnershipOfOperatorWhitelist", 2),
    )
    for damage in damages:
        sitting = Sitting(name, seed).solve()
        sitting.send(validator, *damage)
        assert not sitting.done().success, damage
