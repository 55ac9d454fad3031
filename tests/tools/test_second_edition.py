"""What a modern wallet with an explorer spares its owner: many views at once, sources, histories, rows of transactions."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from nftbench.chain.artifacts import source_of
from nftbench.tasks.goals import At
from nftbench.tasks.model import Step, Trigger
from nftbench.tools.toolbox import RESULT_LIMIT
from nftbench.values import keccak256
from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def test_many_views_are_answered_in_order_at_one_block(stand: Stand) -> None:
    cats, block = stand.address(stand.cats), stand.use("read_state")["block"]
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    calls = [
        {"contract": cats, "function": "ownerOf", "arguments": ["2"]},
        {"contract": cats, "function": "ownerOf", "arguments": ["99"]},
        {"contract": cats, "function": "none"},
        {"contract": cats, "function": "balanceOf", "arguments": json.dumps([stand.address("user")])},
    ]
    then = stand.use("call_many", calls=calls, block=block)
    assert then["block"] == block
    first, second, third, fourth = then["results"]
    assert first == {"result": stand.address("user")} and fourth == {"result": "3"}
    assert "ERC721NonexistentToken" in second["reverted"] and "there is no function none" in third["error"]
    now = stand.use("call_many", calls=calls[:1])
    assert now["results"] == [{"result": stand.address(stand.mira)}]
    assert "at most 50" in stand.use("call_many", calls=calls[:1] * 51)["error"]


def test_results_that_do_not_fit_are_said_to_be_missing() -> None:
    stand = Stand()
    cards = stand.scene.contract("MetadataCollection", ("x" * 900, "M", At("team"), "", ""), label="Cards")
    stand.open()
    answer = stand.use("call_many", calls=[{"contract": stand.address(cards), "function": "name"}] * 50)
    count = len(answer["results"])
    assert 0 < count < 50 and f"calls[{count}] on" in answer["note"] and len(json.dumps(answer)) <= RESULT_LIMIT


def test_raw_call_data_does_what_its_function_does(stand: Stand) -> None:
    cats, mira = stand.address(stand.cats), stand.address(stand.mira)
    data = stand.use("hash_data", method="call_data", value="approve(address,uint256)", values=[mira, "1"])["encoded"]
    assert stand.use("simulate", to=cats, data=data)["status"] == "success"
    assert stand.use("send_transaction", to=cats, data=data)["status"] == "success"
    asked = stand.use("hash_data", method="call_data", value="getApproved(uint256)", values=["1"])["encoded"]
    assert stand.use("call", contract=cats, data=asked, returns=["address"]) == {"result": mira}
    assert stand.use("call", contract=cats, data=asked)["raw_result"].endswith(mira[2:].lower())
    assert "either" in stand.use("simulate", to=cats, data=data, function="burn")["error"]


def test_a_row_of_transactions_is_tried_without_a_trace(stand: Stand) -> None:
    """The second needs the first; the third fails and the others stand; nothing of it is left."""
    cats, mira, user = stand.address(stand.cats), stand.address(stand.mira), stand.address("user")
    before = (stand.world.engine.block, stand.world.surveyor.capture(), len(stand.world.engine.receipts()))
    answer = stand.use(
        "simulate",
        to=cats,
        function="safeTransferFrom",
        arguments=[user, stand.address(stand.mira), "1"],
        then=[
            {"to": stand.address(stand.gold), "function": "transfer", "arguments": [mira, "400"]},
            {"to": cats, "function": "burn", "arguments": ["1"]},
            {"to": mira, "value_wei": "5"},
            {"to": stand.address(stand.ore), "function": "safeTransferFrom", "arguments": [user, mira, "7", "4", "0x"]},
        ],
    )
    assert [o["status"] for o in answer["outcomes"]] == ["success", "success", "reverted", "success", "success"]
    changes = {(c["of"], c.get("contract"), c.get("token_id")): c["change"] for c in answer["changes"]}
    assert changes == {
        ("wei", None, None): "-5",
        ("token", cats, "1"): "-1",
        ("coins", stand.address(stand.gold), None): "-400",
        ("units", stand.address(stand.ore), "7"): "-4",
    }
    assert (stand.world.engine.block, stand.world.surveyor.capture(), len(stand.world.engine.receipts())) == before
    assert stand.desk.receipts == []
    assert (
        "at most 10"
        in stand.use("simulate", to=mira, value_wei="1", then=[{"to": mira, "value_wei": "1"}] * 10)["error"]
    )


def test_an_argument_error_in_a_row_leaves_no_trace_either(stand: Stand) -> None:
    before = stand.world.engine.block
    mira = stand.address(stand.mira)
    assert "error" in stand.use("simulate", to=mira, value_wei="1", then=[{"to": mira, "function": "x"}])
    assert stand.world.engine.block == before


def test_the_source_of_a_verified_contract_is_read_page_by_page(stand: Stand) -> None:
    first = stand.use("get_source", address=stand.address(stand.cats))
    assert first["contract"] == "OpenZeppelinCollection" and first["file"] == "src/OpenZeppelinCollection.sol"
    assert first["source"] == source_of(first["file"]) and "contract OpenZeppelinCollection" in first["source"]
    file = "@openzeppelin/contracts/token/ERC721/ERC721.sol"
    assert file in first["other_files"]
    text, cursor = "", "0"
    while cursor is not None:
        page = stand.use("get_source", address=stand.address(stand.cats), file=file, cursor=cursor)
        text, cursor = text + page["source"], page.get("next_cursor")
    assert text == source_of(file)
    assert "there is no file" in stand.use("get_source", address=stand.address(stand.cats), file="x.sol")["error"]


def test_an_unverified_contract_has_no_source_to_show() -> None:
    stand = Stand()
    hidden = stand.scene.contract("WrappedEther", (), label="Hidden", verified=False)
    stand.open()
    for name in (hidden, stand.mira):
        assert "no source is verified" in stand.use("get_source", address=stand.address(name))["error"]


def test_the_transactions_of_an_account_and_of_a_contract_are_listed(stand: Stand) -> None:
    sent = stand.send(stand.cats, "approve", stand.mira, 3)
    mine = stand.use("get_transactions", address=stand.address("user"))
    assert mine["total"] == "1"
    (row,) = mine["transactions"]
    assert (row["hash"], row["function"], row["to"]) == (sent["transaction"], "approve", stand.address(stand.cats))
    receipts = [r for r in stand.world.engine.receipts() if stand.address(stand.cats) in (r.to, r.contract_address)]
    theirs = stand.use("get_transactions", address=stand.address(stand.cats))
    assert [row["hash"] for row in theirs["transactions"]] == [r.transaction_hash for r in receipts]
    assert theirs["transactions"][0]["creates"] == stand.address(stand.cats)


def test_a_page_of_events_holds_the_forty_that_it_says_with_their_times() -> None:
    stand = Stand()
    for number in range(60):
        stand.scene.mint_units(stand.ore, stand.mira, {10**17 + number: 10**18})
    stand.open()
    page = stand.use("get_logs", event="TransferSingle")
    assert len(page["logs"]) == 40 and page["next_cursor"] == "40" and len(json.dumps(page)) <= RESULT_LIMIT
    for row in page["logs"]:
        assert row["time"] == str(stand.world.engine.block_at(int(row["block"])).timestamp)
    assert page["names"] == {stand.address(stand.ore): "Test Ore"}


def test_waiting_tells_what_passed_and_stops_at_an_event() -> None:
    stand = Stand()
    for after in (600, 900):
        step = Step(
            sender=stand.mira,
            target=stand.cats,
            function="transferFrom",
            args=(At(stand.mira), At("user"), 4 + (after > 600)),
        )
        stand.scene.actor(f"gift{after}", Trigger(after=after), step)
    stand.open()
    start = int(stand.use("read_state")["time"])
    stopped = stand.use("wait", seconds="1000", until_event_of=stand.address(stand.cats))
    assert stopped["event"]["args"]["tokenId"] == "4" and 600 <= int(stopped["time"]) - start < 700
    (row,) = stopped["transactions"]
    assert (row["from"], row["to"]) == (stand.address(stand.mira), stand.address(stand.cats))
    rest = stand.use("wait", seconds="1000", until_event_of=stand.address(stand.gold))
    assert rest["event"] is None and len(rest["transactions"]) == 1
    assert stand.use("wait", seconds="10")["transactions"] == "none"


def test_the_time_of_the_next_block_is_the_time_that_views_and_transactions_find(stand: Stand) -> None:
    told = stand.use("read_state")["next_block_time"]
    assert int(told) == stand.world.engine.pending_timestamp
    sent = stand.send(stand.cats, "approve", stand.mira, 1)
    assert stand.use("get_transaction", hash=sent["transaction"])["time"] == told


def test_an_on_chain_document_with_a_big_picture_is_readable() -> None:
    """A token whose URI holds its metadata, with a drawing of 9 kB inside."""
    stand = Stand()
    drawing = "data:image/svg+xml;base64," + base64.b64encode(b"<svg>" + b"<path/>" * 1300 + b"</svg>").decode()
    card = json.dumps(
        {"name": "One", "image": drawing, "image_data": "<svg>" + "x" * 9000 + "</svg>", "attributes": [1]}
    )
    uri = "data:application/json;base64," + base64.b64encode(card.encode()).decode()
    stand.scene.uris["ipfs://card"] = card
    stand.open()
    for source in (uri, "ipfs://card"):
        read = json.loads(stand.use("fetch_uri", uri=source)["content"])
        assert (read["name"], read["attributes"]) == ("One", [1])
        assert read["image"] == f"[left out: image/svg+xml, {len(drawing)} characters]"
        assert read["image_data"].startswith("[left out: image/svg+xml")


def test_a_long_text_behind_a_uri_is_read_page_by_page() -> None:
    stand = Stand()
    long = "".join(f"line {i} \u20ac\n" for i in range(6000))
    stand.scene.uris["ipfs://long"] = long
    stand.open()
    text, cursor = "", "0"
    while cursor is not None:
        page = stand.use("fetch_uri", uri="ipfs://long", cursor=cursor)
        text, cursor = text + page["content"], page.get("next_cursor")
    assert text == long


def test_an_error_repeats_the_uri_whole(stand: Stand) -> None:
    uri = "ipfs://" + "b" * 150 + "/1.json"
    assert uri in stand.use("fetch_uri", uri=uri)["error"]


def test_structs_are_hashed_and_called_by_their_fields(stand: Stand) -> None:
    """The encodings by hand: a static struct is its words; typed data's struct hash and domain are those of EIP-712."""
    user = stand.address("user")
    made = stand.use("hash_data", method="abi", types=["(address,uint256)"], values=[[user, "5"]])
    assert made["encoded"] == "0x" + "00" * 12 + user[2:].lower() + f"{5:064x}"
    listed = stand.use("hash_data", method="abi", types=["(uint256,bool)[]"], values=['[["1", true]]'])
    assert listed["encoded"] == "0x" + f"{32:064x}{1:064x}{1:064x}{1:064x}"
    call = stand.use("hash_data", method="call_data", value="f((address,uint256) part)", values=[[user, "5"]])
    selector = keccak256(b"f((address,uint256))")[:4].hex()
    assert call["encoded"] == "0x" + selector + made["encoded"][2:]
    typed = {
        "types": {"P": [{"name": "v", "type": "uint256"}]},
        "primaryType": "P",
        "domain": {"name": "D"},
        "message": {"v": "5"},
    }
    hashes = stand.use("hash_data", method="typed_data", value=json.dumps(typed))
    struct = keccak256(keccak256(b"P(uint256 v)") + (5).to_bytes(32, "big"))
    domain = keccak256(keccak256(b"EIP712Domain(string name)") + keccak256(b"D"))
    assert hashes["struct_hash"] == "0x" + struct.hex() and hashes["domain_separator"] == "0x" + domain.hex()
    assert hashes["digest"] == "0x" + keccak256(b"\x19\x01" + domain + struct).hex()


def test_rows_of_values_make_openzeppelins_standard_tree(stand: Stand) -> None:
    """Root, leaf and proof as StandardMerkleTree of @openzeppelin/merkle-tree 1.0.8 gives them."""
    rows: list[Any] = [["0x" + f"{i + 1:040x}", str(10 * i)] for i in range(5)]
    given = {"layout": "openzeppelin", "types": ["address", "uint256"], "leaves": rows, "leaf": json.dumps(rows[2])}
    made = stand.use("hash_data", method="merkle_proof", **given)
    assert made == {
        "root": "0xf6d10cbdbd32ac282e85fc53e602f718016d5c3bc4c2401198ef260b7c414214",
        "leaf": "0x31b1a60db2bbaef87194c373fe146a1f545384c0391461fc2279e25ce6fa123e",
        "proof": [
            "0x3f9553dc324cd1fd24b54243720c42e18e5c20165bc5e523e42b440a8654abd1",
            "0xd7772bedbd12e2894b543fbf5df2d72ac048c0055ae12db063dd0215f72f5493",
            "0xec5cfc45ec661fa22304c00c4726033d41d5dc73f2e049e30858688555a6b495",
        ],
    }
    assert "layout" in stand.use("hash_data", method="merkle_root", leaves=["0x" + "11" * 32])["error"]


def test_token_ids_make_the_tree_of_seaports_criteria(stand: Stand) -> None:
    """Each id is hashed once, as one word; leaves and pairs are sorted, and an odd one moves up."""
    low, middle, high = sorted(keccak256(token_id.to_bytes(32, "big")) for token_id in (7, 300, 11))
    given = {"layout": "seaport", "leaves": ["7", "300", "11"]}
    root = keccak256(keccak256(low + middle) + high), keccak256(high + keccak256(low + middle))
    made = stand.use("hash_data", method="merkle_root", **given)["root"]
    assert made == "0x" + root[keccak256(low + middle) > high].hex()
    last = next(i for i in (7, 300, 11) if keccak256(i.to_bytes(32, "big")) == high)
    proof = stand.use("hash_data", method="merkle_proof", leaf=str(last), **given)
    assert proof == {"root": made, "leaf": "0x" + high.hex(), "proof": ["0x" + keccak256(low + middle).hex()]}
    assert "leaf" in stand.use("hash_data", method="merkle_proof", leaf="12", **given)["error"]
    assert "leaves[0]" in stand.use("hash_data", method="merkle_root", layout="seaport", leaves=["Reef"])["error"]


def test_a_full_wallet_is_read_page_by_page() -> None:
    stand = Stand()
    for start in range(10**30, 10**30 + 300, 50):
        stand.scene.mint(stand.cats, "user", list(range(start, start + 50)))
    for number in range(90):
        stand.scene.person(f"Friend of the house number {number}")
    stand.open()
    first = stand.use("read_state")
    assert "next_cursor" in first and len(json.dumps(first)) <= RESULT_LIMIT
    ids, people, cursor = set(), set(), "0"
    while cursor is not None:
        page = stand.use("read_state", cursor=cursor)
        ids |= {i for slot in page["accounts"][0]["holdings"] for i in slot.get("token_ids", ())}
        people |= {entry["name"] for entry in page["address_book"]}
        cursor = page.get("next_cursor")
    assert len(ids) == 303 and len(people) == len([a for a in stand.scene.fixture().accounts if a.label])


def test_where_takes_pairs_objects_and_json_text(stand: Stand) -> None:
    for where in (
        [{"name": "tokenId", "value": "4"}],
        {"tokenId": "4"},
        '{"tokenId": "4"}',
        '[{"name":"tokenId","value":"4"}]',
    ):
        (row,) = stand.use("get_logs", contract=stand.address(stand.cats), where=where)["logs"]
        assert row["args"]["tokenId"] == "4"
    assert "name and value" in stand.use("get_logs", where="tokenId=4")["error"]


@pytest.mark.parametrize("text", ['["1"] ["2"]', '["1"', "1", '"1"', "['1']", '{"a": 1, "a": 2}'])
def test_text_that_is_not_exactly_one_list_is_no_list(stand: Stand, text: str) -> None:
    answer = stand.use("call", contract=stand.address(stand.cats), function="ownerOf", arguments=text)
    assert "expected a JSON array" in answer["error"]
