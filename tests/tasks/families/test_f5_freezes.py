"""F5c and F5d: what is frozen stays, and documents on the chain parse. Right routes pass, wrong final worlds fail."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from nftbench.tasks.families.f5_metadata.documents import F5D, SMALL_PURSE
from nftbench.tasks.families.f5_metadata.freezes import F5C
from tests.tasks.sittings import Sitting, enlisted, ether, failed

enlisted(F5C, F5D)

# F5c


def test_only_in_the_twin_of_f5c_03_the_token_with_the_mistake_is_frozen() -> None:
    frozen = []
    for name in ("F5c_03", "F5c_04"):
        sitting = Sitting(name)
        assert sitting.read(sitting.collection, "tokenURI", sitting.brief["token_id"]).endswith("-draft.json")
        frozen.append(sitting.read(sitting.collection, "tokenFrozen", sitting.brief["token_id"]))
    assert frozen == [False, True]


def test_only_in_the_twin_of_f5c_06_a_file_is_another_tokens() -> None:
    wrong = []
    for name in ("F5c_06", "F5c_07"):
        sitting = Sitting(name)
        label = sitting.brief["collection"]
        files = {i: sitting.document(sitting.read(sitting.collection, "tokenURI", i)) for i in sitting.ids()}
        wrong.append(sum(document["name"] != f"{label} #{i}" for i, document in files.items()))
    assert wrong == [0, 1]


def test_the_freeze_of_the_twin_of_f5c_06_counts_as_a_change() -> None:
    sitting = Sitting("F5c_07")
    sitting.send(sitting.collection, "freezeMetadata")
    assert not sitting.declined().success


@pytest.mark.parametrize("name", ["F5c_02", "F5c_05"])
def test_freezing_one_token_too_many_or_the_whole_collection_on_top_fails(name: str) -> None:
    more, whole = Sitting(name).solve(), Sitting(name).solve()
    open_one = next(i for i in more.ids() if not more.read(more.collection, "tokenFrozen", i))
    more.send(more.collection, "freezeToken", open_one)
    whole.send(whole.collection, "freezeMetadata")
    assert failed(more.done()) == [f"{more.collection}.tokenFrozen({open_one}) is left alone"]
    assert failed(whole.done()) == [f"{whole.collection}.metadataFrozen() is left alone"]


def test_frozen_are_the_tokens_that_others_hold_now() -> None:
    sitting = Sitting("F5c_05").solve()
    for token_id in sitting.ids():
        mine = sitting.read(sitting.collection, "ownerOf", token_id) == "user"
        assert sitting.read(sitting.collection, "tokenFrozen", token_id) is not mine


def test_a_frozen_collection_is_not_bought_from_in_f5c_08() -> None:
    sitting = Sitting("F5c_08")
    sitting.send(sitting.collection, "freezeMetadata")
    sitting.use("wait", until=str(sitting.brief["deadline"] - 60))
    assert sitting.read(sitting.collection, "ownerOf", sitting.brief["token_id"]) == "user"
    assert not sitting.done().success


@pytest.mark.parametrize("seed", range(5))
def test_a_token_given_to_the_buyer_for_nothing_or_for_less_is_not_sold_in_f5c_08(seed: int) -> None:
    given, cheap, sold = (Sitting("F5c_08", seed) for _ in range(3))
    token_id = given.brief["token_id"]
    market = next(c.name for c in given.instance.fixture.contracts if c.artifact == "SimpleMarket")
    buyer = next(a.steps[0].sender for a in given.instance.fixture.actors)
    given.send(given.collection, "transferFrom", "user", buyer, token_id)
    price = cheap.read(market, "getListing", 1)[4]
    cheap.send(market, "setPrice", 1, price // 2)
    sold.use("wait", until=str(sold.brief["expected"] + 3600))
    assert sold.read(sold.collection, "ownerOf", token_id) == buyer
    assert ether(sold, "user") == price - price * 250 // 10_000
    for sitting, right in ((given, False), (cheap, False), (sold, True)):
        sitting.send(sitting.collection, "freezeMetadata")
        assert sitting.done().success is right


@pytest.mark.parametrize("name", ["F5c_01", "F5c_03", "F5c_06"])
def test_tokens_frozen_singly_before_the_whole_collection_are_frozen_too(name: str) -> None:
    sitting = Sitting(name)
    if name == "F5c_03":
        part = sitting.brief["uri"].removeprefix(sitting.read(sitting.collection, "baseURI"))
        sitting.send(sitting.collection, "setTokenURI", sitting.brief["token_id"], part)
    for token_id in sitting.ids():
        sitting.send(sitting.collection, "freezeToken", token_id)
    sitting.send(sitting.collection, "freezeMetadata")
    assert sitting.done().success


# F5d


def stored(sitting: Sitting, token_id: int) -> str:
    return base64.b64decode(sitting.read(sitting.collection, "tokenURI", token_id).partition(",")[2]).decode()


def test_only_in_the_twin_of_f5d_01_the_contract_is_somebody_elses() -> None:
    owners = [Sitting(i).read(Sitting(i).collection, "owner") for i in ("F5d_01", "F5d_02")]
    assert owners[0] == "user" and owners[1] != "user"


def test_the_purse_of_f5d_07_cannot_pay_for_storing_the_card() -> None:
    """The cheapest document that says it all costs more than twice the gas that the purse buys at the least price."""
    sitting = Sitting("F5d_06")
    people = [sitting.address(sitting.named(name)) for name in sitting.brief["collaborators"]]
    document = sitting.brief["document"] | {"collaborators": people}
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    answer = sitting.send(sitting.collection, "setContractMetadata", text)
    assert int(answer["gas_used"]) > 2 * SMALL_PURSE // 10**9
    assert sitting.done().success
    poor = Sitting("F5d_07")
    assert poor.world.engine.balance(poor.world.user) == SMALL_PURSE
    assert poor.try_to(poor.collection, "setContractMetadata", text) != "success"


@pytest.mark.parametrize("spell", [json.dumps, lambda d: json.dumps(d, indent=2, sort_keys=True, ensure_ascii=False)])
def test_any_spelling_of_the_document_passes_f5d_03(spell: Callable[[Any], str]) -> None:
    sitting = Sitting("F5d_03")
    sitting.send(sitting.collection, "setTokenMetadata", sitting.brief["token_id"], spell(sitting.brief["document"]))
    assert sitting.done().success


@pytest.mark.parametrize("field", ["name", "description", "image"])
def test_a_field_that_differs_by_a_space_fails_f5d_03(field: str) -> None:
    sitting = Sitting("F5d_03")
    document = sitting.brief["document"] | {field: sitting.brief["document"][field] + " "}
    sitting.send(sitting.collection, "setTokenMetadata", sitting.brief["token_id"], json.dumps(document))
    assert not sitting.done().success


def test_a_new_attribute_may_stand_anywhere_in_the_list() -> None:
    sitting = Sitting("F5d_04")
    token_id = sitting.brief["token_id"]
    document = json.loads(stored(sitting, token_id))
    document["image"] = sitting.brief["image"]
    document["attributes"].insert(0, {"value": sitting.brief["state"], "trait_type": "State"})
    sitting.send(sitting.collection, "setTokenMetadata", token_id, json.dumps(document))
    assert sitting.done().success


def parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_three_documents_of_f5d_05_are_broken_and_rewriting_a_sound_one_fails() -> None:
    sitting = Sitting("F5d_05")
    broken = [i for i in sitting.ids() if not parses(stored(sitting, i))]
    assert len(broken) == 3
    sitting.solve()
    assert all(parses(stored(sitting, i)) for i in sitting.ids())
    sound = next(i for i in sitting.ids() if i not in broken)
    text = json.dumps(json.loads(stored(sitting, sound)), indent=1)
    sitting.send(sitting.collection, "setTokenMetadata", sound, text)
    assert not sitting.done().success


def test_the_partners_last_edits_are_in_what_f5d_08_ends_with() -> None:
    sitting = Sitting("F5d_08")
    before = json.loads(base64.b64decode(sitting.read(sitting.collection, "contractURI").partition(",")[2]))
    sitting.solve()
    after = json.loads(base64.b64decode(sitting.read(sitting.collection, "contractURI").partition(",")[2]))
    assert after["external_link"] == sitting.brief["link"] and "banner_image" in after and "banner_image" not in before
    assert sitting.read(sitting.collection, "owner") == "user" and sitting.done().success
