"""What each tool of the standard set says, on a small known world."""

from __future__ import annotations

import base64

import pytest

from nftbench.values import keccak256
from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def test_read_state_shows_the_wallet_and_nothing_of_the_fixture(stand: Stand) -> None:
    state = stand.use("read_state")
    assert state["you"] == stand.address("user") and state["chain_id"] == "31337"
    assert state["address_book"] == [{"name": "Mira", "address": stand.address(stand.mira)}, *state["address_book"][1:]]
    assert stand.address(stand.thief) not in str(state)
    holdings = {h["contract"]: h for h in state["accounts"][0]["holdings"]}
    assert holdings["Test Cats"]["token_ids"] == ["1", "2", "3"]
    assert holdings["Test Ore"]["units"] == {"7": "10", "8": "1"}
    assert (holdings["Test Gold"]["amount"], holdings["Test Gold"]["smallest_units"]) == ("0.001", "1000")


def test_get_contract_lists_what_is_the_contracts_own_and_names_the_rest(stand: Stand) -> None:
    answer = stand.use("get_contract", address=stand.address(stand.cats))
    assert answer["name"] == "Test Cats" and answer["source_verified"] is True
    assert {"ERC721", "ERC721Enumerable", "ERC721Metadata"} <= set(answer["interfaces_claimed"])
    assert "burn(uint256 tokenId) nonpayable" in answer["functions"]
    assert not any("safeTransferFrom" in line for line in answer["functions"])
    assert set(answer["standard_functions"]["ERC721"].split()) == {
        "approve",
        "balanceOf",
        "getApproved",
        "isApprovedForAll",
        "ownerOf",
        "safeTransferFrom",
        "setApprovalForAll",
        "transferFrom",
    }
    assert answer["standard_functions"]["ERC721Metadata"].split() == ["name", "symbol", "tokenURI"]
    assert {"Transfer", "Approval", "ApprovalForAll"} <= set(answer["standard_events"].split())
    assert (answer["deployer"], answer["ether"]) == (stand.address("team"), "0")
    assert stand.use("get_contract", address=stand.address(stand.mira))["kind"] == "account without code"


def test_an_unverified_contract_shows_no_interface_and_is_called_by_signature() -> None:
    stand = Stand()
    hidden = stand.scene.contract("WrappedEther", (), label="Hidden", verified=False)
    stand.open()
    answer = stand.use("get_contract", address=stand.address(hidden))
    assert answer["source_verified"] is False and "functions" not in answer
    refused = stand.use("call", contract=stand.address(hidden), function="totalSupply")
    assert "source is not verified" in refused["error"]
    read = stand.use("call", contract=stand.address(hidden), function="totalSupply()", returns=["uint256"])
    assert read == {"result": "0"}


def test_an_overloaded_name_is_told_with_its_candidates(stand: Stand) -> None:
    parties = [stand.address("user"), stand.address(stand.mira)]
    by_count = stand.use(
        "simulate", to=stand.address(stand.cats), function="safeTransferFrom", arguments=[*parties, "1"]
    )
    assert by_count["status"] == "success"
    unclear = stand.use("simulate", to=stand.address(stand.cats), function="safeTransferFrom", arguments=[])
    assert "safeTransferFrom(address,address,uint256,bytes)" in unclear["error"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["1"], "takes 3 arguments"),
        (["Mira", "Mira", "1"], "names are in the address book"),
        (["0x52908400098527886E0F7030069857D2E4169Ee7", "0x" + "11" * 20, "1"], "EIP-55"),
        (["0x" + "11" * 20, "0x" + "22" * 20, 1.5], "a whole number as a decimal string"),
        (["0x" + "11" * 20, "0x" + "22" * 20, "-1"], "from 0 to"),
        (["0x" + "11" * 20, "0x" + "22" * 20, True], "a whole number as a decimal string"),
    ],
)
def test_a_bad_argument_is_named_with_what_was_expected(stand: Stand, arguments: list[object], expected: str) -> None:
    answer = stand.use("call", contract=stand.address(stand.cats), function="transferFrom", arguments=arguments)
    assert expected in answer["error"]


def test_a_revert_is_a_result_with_its_decoded_reason(stand: Stand) -> None:
    given = {"to": stand.address(stand.cats), "function": "burn", "arguments": ["4"]}
    user = stand.address("user")
    reason = f"ERC721InsufficientApproval(operator: {user}, tokenId: 4)"
    assert stand.use("simulate", **given)["reason"] == reason
    sent = stand.use("send_transaction", **given)
    assert (sent["status"], sent["reason"]) == ("reverted", reason)
    assert int(sent["fee_wei"]) > 0


def test_a_simulation_leaves_no_trace_and_shows_the_events(stand: Stand) -> None:
    given = {"to": stand.address(stand.cats), "function": "approve", "arguments": [stand.address(stand.mira), "1"]}
    dry = stand.use("simulate", **given)
    assert dry["events"][0]["args"] == {
        "owner": stand.address("user"),
        "approved": stand.address(stand.mira),
        "tokenId": "1",
    }
    assert stand.desk.receipts == []
    read = stand.use("call", contract=stand.address(stand.cats), function="getApproved", arguments=["1"])
    assert int(read["result"], 16) == 0


def test_more_ether_than_there_is_is_refused_without_a_transaction(stand: Stand) -> None:
    answer = stand.use("send_transaction", to=stand.address(stand.mira), value_wei=str(10**24))
    assert answer["status"] == "refused" and stand.desk.receipts == []


def test_nobody_elses_account_can_act(stand: Stand) -> None:
    given = {"to": stand.address(stand.thief), "value_wei": "1", "account": stand.address(stand.mira)}
    assert "is not yours" in stand.use("send_transaction", **given)["error"]


def test_past_state_is_read_at_its_block(stand: Stand) -> None:
    block = stand.use("read_state")["block"]
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    ask = {"contract": stand.address(stand.cats), "function": "ownerOf", "arguments": ["2"]}
    assert stand.use("call", **ask)["result"] == stand.address(stand.mira)
    assert stand.use("call", **ask, block=block)["result"] == stand.address("user")
    assert "the newest block is" in stand.use("call", **ask, block="999999")["error"]


def test_logs_are_filtered_and_paged(stand: Stand) -> None:
    mints = stand.use("get_logs", contract=stand.address(stand.cats), event="Transfer")
    total = int(mints["total"])
    assert total >= 5 and all(log["event"] == "Transfer" for log in mints["logs"])
    one = stand.use("get_logs", contract=stand.address(stand.cats), where={"tokenId": "4"})
    assert [log["args"]["to"] for log in one["logs"]] == [stand.address(stand.mira)]
    seen, cursor = [], "0"
    while cursor is not None:
        page = stand.use("get_logs", cursor=cursor)
        seen += page["logs"]
        cursor = page.get("next_cursor")
    assert len(seen) == int(page["total"]) == len(stand.world.engine.logs)


def test_a_transaction_is_shown_decoded(stand: Stand) -> None:
    sent = stand.send(stand.cats, "approve", stand.mira, 3)
    answer = stand.use("get_transaction", hash=sent["transaction"])
    assert answer["function"] == "approve(address,uint256)" and answer["arguments"] == [stand.address(stand.mira), "3"]
    assert "no transaction has the hash" in stand.use("get_transaction", hash="0x" + "00" * 32)["error"]


def test_uris_come_from_the_worlds_own_store_or_from_themselves() -> None:
    stand = Stand()
    stand.scene.uris["ipfs://cats/1"] = '{"name": "One"}'
    stand.open()
    assert stand.use("fetch_uri", uri="ipfs://cats/1")["content"] == '{"name": "One"}'
    encoded = base64.b64encode(b'{"a": 1}').decode()
    assert stand.use("fetch_uri", uri=f"data:application/json;base64,{encoded}")["content"] == '{"a": 1}'
    assert stand.use("fetch_uri", uri="data:,hello%20you")["content"] == "hello you"
    assert "nothing is found" in stand.use("fetch_uri", uri="https://elsewhere.example/1")["error"]


def test_hash_data_agrees_with_known_digests(stand: Stand) -> None:
    """Figures from the Keccak team's and the Solidity documentation's examples, and by hand for the trees."""
    empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert stand.use("hash_data", method="keccak256_text", value="")["keccak256"] == empty
    assert stand.use("hash_data", method="keccak256_bytes", value="0x")["keccak256"] == empty
    packed = stand.use(
        "hash_data",
        method="packed",
        types=["int16", "bytes1", "uint16", "string"],
        values=["-1", "0x42", "3", "Hello, world!"],
    )
    assert packed["encoded"] == "0xffff42000348656c6c6f2c20776f726c6421"
    encoded = stand.use("hash_data", method="call_data", value="baz(uint32,bool)", values=["69", True])
    assert encoded["encoded"] == "0xcdcd77c0" + f"{69:064x}" + f"{1:064x}"
    leaves = sorted(keccak256(bytes([i])) for i in range(3))
    pair = keccak256(leaves[0] + leaves[1])
    root = keccak256(min(pair, leaves[2]) + max(pair, leaves[2]))
    given = {"leaves": ["0x" + leaf.hex() for leaf in reversed(leaves)], "layout": "plain"}
    assert stand.use("hash_data", method="merkle_root", **given)["root"] == "0x" + root.hex()
    proof = stand.use("hash_data", method="merkle_proof", leaf="0x" + leaves[1].hex(), **given)
    assert proof["proof"] == ["0x" + leaves[0].hex(), "0x" + leaves[2].hex()]


def test_waiting_goes_forward_only(stand: Stand) -> None:
    now = int(stand.use("read_state")["time"])
    assert int(stand.use("wait", until=str(now + 500))["time"]) == now + 500
    assert "lies in the past" in stand.use("wait", until=str(now))["error"]
    assert "longest wait" in stand.use("wait", seconds=str(10**9))["error"]
    assert "either 'seconds' or 'until'" in stand.use("wait")["error"]


def test_a_runaway_call_ends_by_gas() -> None:
    """A thousand safe mints in one call would take more gas than a block has; the dry run says so instead of hanging."""
    stand = Stand().open()
    ids = [str(10_000 + i) for i in range(600)]
    result = stand.use(
        "call",
        contract=stand.address(stand.cats),
        function="mintBatch",
        arguments=[stand.address("user"), ids],
        account=stand.address("team"),
    )
    assert result == {"reverted": "OutOfGas"}
