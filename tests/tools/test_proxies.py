"""Contracts that run another one's code: what is behind them is told, and they are read and called as what they are."""

from __future__ import annotations

import pytest

from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    stand = Stand()
    stand.larks = stand.scene.proxied("Larks")  # type: ignore[attr-defined]
    stand.maker = stand.scene.factory()  # type: ignore[attr-defined]
    stand.wrens = stand.scene.cloned(stand.maker, "Wrens")  # type: ignore[attr-defined]
    stand.hidden = stand.scene.contract("WrappedEther", (), label="Hidden", verified=False)  # type: ignore[attr-defined]
    return stand.open()


def test_a_proxy_tells_its_standard_its_code_and_the_functions_of_it(stand: Stand) -> None:
    about = stand.use("get_contract", address=stand.address(stand.larks))
    assert about["proxy"]["standard"] == "ERC-1967"
    code = stand.use("get_contract", address=about["proxy"]["implementation"])
    assert code["source_verified"] and "proxy" not in code
    assert about["functions"] == code["functions"] and "ERC721" in about["standard_functions"]
    own = stand.use("get_source", address=stand.address(stand.larks))
    behind = stand.use("get_source", address=about["proxy"]["implementation"])
    assert (own["contract"], behind["contract"]) == ("CollectionProxy", "UpgradeableCollection")


def test_what_a_factory_made_names_it_and_who_sent_for_it(stand: Stand) -> None:
    about = stand.use("get_contract", address=stand.address(stand.wrens))
    assert about["proxy"]["standard"] == "ERC-1167"
    assert about["factory"] == stand.address(stand.maker) and about["deployer"] == stand.address("team")


def test_a_clone_made_meanwhile_is_read_by_its_code(stand: Stand) -> None:
    """Nobody has verified it: minimal proxies show whose code they run."""
    maker = stand.address(stand.maker)
    given = ["Larks II", "L", stand.address("user"), ""]
    made = stand.use("call", contract=maker, function="create", arguments=given)["result"]
    stand.send(stand.maker, "create", *given)
    about = stand.use("get_contract", address=made)
    assert about["source_verified"] is False and about["proxy"]["standard"] == "ERC-1167"
    assert stand.use("call", contract=made, function="name") == {"result": "Larks II"}
    assert stand.use("send_transaction", to=made, function="mint", arguments=[given[2], "1"])["status"] == "success"
    (row,) = stand.use("get_logs", contract=made, event="Transfer")["logs"]
    assert row["args"]["tokenId"] == "1"


def test_an_unverified_contract_is_called_by_a_signature_with_structs(stand: Stand) -> None:
    """The contract answers nothing to it: what counts is that it was asked, with the right selector and words."""
    hidden, user = stand.address(stand.hidden), stand.address("user")
    answer = stand.use(
        "call", contract=hidden, function="fill((address,uint256)[],bytes)", arguments=[[[user, "1"]], "0x"]
    )
    assert "reverted" in answer
    refused = stand.use(
        "call", contract=hidden, function="fill((address,uint256)[],bytes)", arguments=[[["x", "1"]], "0x"]
    )
    assert "expected an address" in refused["error"]


def test_a_deployer_is_whoever_sent_the_creation(stand: Stand) -> None:
    assert stand.use("get_contract", address=stand.address(stand.cats))["deployer"] == stand.address("team")
