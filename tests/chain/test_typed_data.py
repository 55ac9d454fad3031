"""EIP-712 hashes against the EIP's example and eth-account, and every mistake in the data against a plain sentence."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from eth_account.messages import _hash_eip191_message, encode_typed_data
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.typed_data import typed_data_hash, typed_data_hashes
from tests.chain.test_codec import addresses


def fields(*pairs: str) -> list[dict[str, str]]:
    return [{"type": kind, "name": name} for kind, name in (pair.split() for pair in pairs)]


MAIL: dict[str, Any] = {
    "types": {
        "EIP712Domain": fields("string name", "string version", "uint256 chainId", "address verifyingContract"),
        "Person": fields("string name", "address wallet"),
        "Mail": fields("Person from", "Person to", "string contents"),
    },
    "primaryType": "Mail",
    "domain": {
        "name": "Ether Mail",
        "version": "1",
        "chainId": 1,
        "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
    },
    "message": {
        "from": {"name": "Cow", "wallet": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},
        "to": {"name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},
        "contents": "Hello, Bob!",
    },
}
ORDER: dict[str, Any] = {
    "types": {
        "Order": fields("Item[] items", "uint8[2][] pairs", "bytes data", "bytes4 tag", "bool open", "int64 delta"),
        "Item": fields("address token", "uint256 id", "Part[1] parts"),
        "Part": fields("string name"),
    },
    "primaryType": "Order",
    "domain": {"name": "Market", "salt": "0x" + "ab" * 32},
    "message": {
        "items": [
            {
                "token": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826",
                "id": "12345678901234567890",
                "parts": [{"name": "x"}],
            },
            {"token": "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826", "id": "0xff", "parts": [{"name": ""}]},
        ],
        "pairs": [[1, 2], [3, 255]],
        "data": "0x0102",
        "tag": "0xdeadbeef",
        "open": False,
        "delta": -5,
    },
}


def theirs(data: dict[str, Any]) -> bytes:
    return bytes(_hash_eip191_message(encode_typed_data(full_message=data)))


def test_the_example_of_the_eip_has_the_hashes_of_the_eip() -> None:
    hashes = typed_data_hashes(MAIL)
    assert hashes.digest.hex() == "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"
    assert hashes.domain.hex() == "f2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f"
    assert hashes.message.hex() == "c52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e"


def test_a_domain_alone_is_nothing_to_sign() -> None:
    with pytest.raises(ValueError, match="primaryType must name one of the types"):
        typed_data_hash(MAIL | {"primaryType": "EIP712Domain"})


def test_the_types_of_the_domain_may_be_left_out() -> None:
    data = copy.deepcopy(MAIL)
    del data["types"]["EIP712Domain"]
    assert typed_data_hash(data) == typed_data_hash(MAIL)


def test_arrays_nested_structs_and_numbers_as_text_hash_as_elsewhere() -> None:
    same = copy.deepcopy(ORDER)
    same["message"]["items"][0]["id"] = 12345678901234567890
    same["message"]["items"][1]["id"] = 255
    same["types"]["EIP712Domain"] = fields("string name", "bytes32 salt")
    assert typed_data_hash(ORDER) == typed_data_hash(same) == theirs(same)


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
parts = st.fixed_dictionaries({"name": texts})
items = st.fixed_dictionaries(
    {"token": addresses, "id": st.integers(0, 2**256 - 1), "parts": st.lists(parts, min_size=1, max_size=1)}
)
messages = st.fixed_dictionaries(
    {
        "items": st.lists(items, max_size=3),
        "pairs": st.lists(st.lists(st.integers(0, 255), min_size=2, max_size=2), max_size=3),
        "data": st.binary(max_size=50).map(lambda raw: "0x" + raw.hex()),
        "tag": st.binary(min_size=4, max_size=4).map(lambda raw: "0x" + raw.hex()),
        "open": st.booleans(),
        "delta": st.integers(-(2**63), 2**63 - 1),
    }
)


@given(messages)
def test_any_good_message_hashes_as_elsewhere(message: dict[str, Any]) -> None:
    data = ORDER | {"message": message}
    data["types"] = data["types"] | {"EIP712Domain": fields("string name", "bytes32 salt")}
    assert typed_data_hash(data) == theirs(data)


def damage(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Put a value at a path such as `message.items.0.id`; Ellipsis takes away what is there."""

    def apply(data: Any) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in way:
            data = data[step]
        if value is ...:
            del data[last]
        else:
            data[last] = value

    return apply


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("message", ..., "typed data lacks 'message'"),
        ("extra", 1, "unknown field 'extra'"),
        ("types", [], "types must be an object"),
        ("types.Part", "x", "types.Part must be a list"),
        ("types.Part", [1], "types.Part[0] must be an object"),
        ("types.Part", [{"name": "a"}], "types.Part[0] lacks 'type'"),
        ("types.Part", [{"name": "a b", "type": "bool"}], "can't be the name of a field"),
        ("types.Part", [{"name": "a", "type": 5}], "the type must be text"),
        ("types.Part", fields("bool a", "bool a"), "two fields named a"),
        ("types.Part", fields("Missing a"), "neither a Solidity type nor one of the types given"),
        ("types.Part", fields("uint a"), "neither a Solidity type"),
        ("types.Part", fields("uint7 a"), "neither a Solidity type"),
        ("types.Part", fields("bytes33[] a"), "neither a Solidity type"),
        ("types.uint8", fields("bool a"), "can't be the name of a type"),
        ("types.a-b", fields("bool a"), "can't be the name of a type"),
        ("primaryType", "Nothing", "primaryType must name one of the types (Order, Item, Part)"),
        ("primaryType", None, "primaryType must name one of the types"),
        ("primaryType", "EIP712Domain", "primaryType must name one of the types"),
        ("domain", {}, "domain has no fields"),
        ("domain", 5, "domain must be an object"),
        ("domain.nonce", 5, "domain has an unknown field 'nonce'"),
        ("domain.chainId", True, "domain.chainId must be a whole number"),
        ("types.EIP712Domain", fields("string name"), "domain has an unknown field 'salt'"),
        ("types.EIP712Domain", fields("bytes32 name", "bytes32 salt"), "bytes32 name is no field of a domain"),
        ("types.EIP712Domain", fields("string name", "bytes32 salt", "string version"), "domain lacks 'version'"),
        ("message", [], "message must be an object of type Order"),
        ("message.items", {}, "message.items must be a list"),
        ("message.items.0", None, "message.items[0] must be an object of type Item"),
        ("message.items.0.id", ..., "message.items[0] lacks 'id'"),
        ("message.items.0.ID", 1, "message.items[0] has an unknown field 'ID'"),
        ("message.items.0.id", -1, "message.items[0].id: -1 is out of the range of uint256"),
        ("message.items.0.id", 2**256, "out of the range of uint256"),
        ("message.items.0.id", 1.0, "message.items[0].id must be a whole number"),
        ("message.items.0.id", "1e5", "must be a whole number"),
        ("message.items.0.id", " 1", "must be a whole number"),
        ("message.items.0.id", "9" * 5000, "must be a whole number"),
        ("message.items.0.id", None, "must be a whole number"),
        ("message.items.0.parts", [], "message.items[0].parts must have 1 elements"),
        ("message.items.0.token", "0x12", "is no address"),
        ("message.items.0.token", 5, "must be an address as text"),
        ("message.items.0.token", "0xcD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", "don't fit its checksum"),
        ("message.pairs.0.1", 256, "message.pairs[0][1]: 256 is out of the range of uint8"),
        ("message.tag", "0xdeadbe", "message.tag: bytes4 needs 4 bytes"),
        ("message.tag", "deadbeef", "message.tag must be 0x and pairs of hexadecimal digits"),
        ("message.data", "0x123", "message.data must be 0x and pairs"),
        ("message.data", 5, "message.data must be 0x and pairs"),
        ("message.open", 1, "message.open must be true or false"),
        ("message.open", "true", "message.open must be true or false"),
        ("message.items.0.parts.0.name", 5, "name must be text"),
        ("message.items.0.parts.0.name", "\ud800", "half of a character pair"),
    ],
)
def test_every_mistake_is_named_with_its_place(path: str, value: Any, says: str) -> None:
    data = copy.deepcopy(ORDER)
    damage(path, value)(data)
    with pytest.raises(ValueError) as caught:
        typed_data_hash(data)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_data_that_is_no_object_is_refused() -> None:
    for data in (None, 5, "{}", []):
        with pytest.raises(ValueError, match="typed data is an object"):
            typed_data_hash(data)


def test_the_types_a_struct_refers_to_are_hashed_in_the_order_of_their_names() -> None:
    names = ["Zebra", "apple", "Mango", "Berry", "Y2", "Y10", "kiwi", "_x"]
    types = {name: fields("bool ripe") for name in names}
    types |= {
        "Basket": fields(*(f"{name} f{i}" for i, name in enumerate(names))),
        "EIP712Domain": fields("string name"),
    }
    message = {f"f{i}": {"ripe": True} for i in range(len(names))}
    data: dict[str, Any] = {"types": types, "primaryType": "Basket", "domain": {"name": "x"}, "message": message}
    assert typed_data_hash(data) == theirs(data)


def test_types_that_contain_themselves_hash_to_a_limited_depth() -> None:
    def tree(depth: int) -> dict[str, Any]:
        node: dict[str, Any] = {"children": []}
        for _ in range(depth):
            node = {"children": [node]}
        return {
            "types": {"Node": fields("Node[] children")},
            "primaryType": "Node",
            "domain": {"name": "x"},
            "message": node,
        }

    data = tree(3)
    data["types"]["EIP712Domain"] = fields("string name")
    assert typed_data_hash(tree(3)) == theirs(data)
    with pytest.raises(ValueError, match="nested"):
        typed_data_hash(tree(500))
