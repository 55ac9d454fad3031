"""Interfaces: finding functions, decoding calls, logs and reverts. Selectors and topics are the well-known ones."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.chain import artifacts
from nftbench.chain.abi import (
    Interface,
    UnknownFunction,
    decode_revert,
    named,
    plain,
)
from nftbench.chain.codec import DecodingError, EncodingError
from nftbench.chain.engine import Log
from nftbench.chain.selectors import normalise_signature, selector
from tests.chain.sequence import ALICE, BOB, word

TRANSFER = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
SAFE_TRANSFERS = (
    "safeTransferFrom(address,address,uint256)",
    "safeTransferFrom(address,address,uint256,bytes)",
)


def parameter(kind: str, name: str = "", **more: Any) -> dict[str, Any]:
    return {"type": kind, "name": name} | more


def event(*inputs: dict[str, Any], name: str = "Transfer", anonymous: bool = False) -> dict[str, Any]:
    return {"type": "event", "name": name, "inputs": list(inputs), "anonymous": anonymous}


def indexed(kind: str, name: str) -> dict[str, Any]:
    return parameter(kind, name, indexed=True)


def log(*topics: bytes, data: bytes = b"") -> Log:
    return Log(ALICE, topics, data, 1, "0x", 0)


ERC20 = Interface.from_abi([event(indexed("address", "from"), indexed("address", "to"), parameter("uint256", "value"))])
ERC721 = Interface.from_abi(
    [event(indexed("address", "from"), indexed("address", "to"), indexed("uint256", "tokenId"))]
)
LEGACY = Interface.from_abi(
    [event(parameter("address", "from"), parameter("address", "to"), parameter("uint256", "id"))]
)


@pytest.fixture(scope="module")
def collection() -> Interface:
    return artifacts.load("OpenZeppelinCollection").interface


def test_selectors_are_the_ones_everybody_knows() -> None:
    assert selector("transfer(address,uint256)").hex() == "a9059cbb"
    assert selector("ownerOf(uint256)").hex() == "6352211e"
    assert ERC721.event("Transfer").topic == TRANSFER


def test_a_function_is_found_by_name_and_by_signature(collection: Interface) -> None:
    assert collection.function("ownerOf").signature == "ownerOf(uint256)"
    for spelling in (
        "transferFrom(address,address,uint256)",
        "transferFrom(address, address, uint256)",
        "transferFrom(address from, address to, uint tokenId)",
        "function transferFrom(address from, address to, uint256 tokenId) external",
    ):
        assert collection.function(spelling).selector.hex() == "23b872dd"


def test_an_overloaded_name_reports_its_candidates(collection: Interface) -> None:
    with pytest.raises(UnknownFunction) as caught:
        collection.function("safeTransferFrom")
    assert caught.value.ambiguous
    assert caught.value.candidates == SAFE_TRANSFERS
    assert tuple(f.signature for f in collection.overloads("safeTransferFrom")) == SAFE_TRANSFERS
    with pytest.raises(UnknownFunction) as caught:
        collection.function("safeTransferFrom(address)")
    assert not caught.value.ambiguous
    assert caught.value.candidates == SAFE_TRANSFERS


@pytest.mark.parametrize("name", ["ownerof", "OwnerOf", "owner_of"])
def test_a_mistyped_name_reports_near_ones(collection: Interface, name: str) -> None:
    with pytest.raises(UnknownFunction) as caught:
        collection.function(name)
    assert "ownerOf(uint256)" in caught.value.candidates
    assert "ownerOf(uint256)" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["", "(", ")", "f(", "f(uint", "ownerOf(uint256))", "ownerOf((uint256)", "zzzzzzzzzzzz"]
)
def test_malformed_names_are_unknown_functions(collection: Interface, name: str) -> None:
    with pytest.raises(UnknownFunction):
        collection.function(name)


def test_signatures_are_brought_into_canonical_form() -> None:
    assert normalise_signature(" f( uint , int8[] x,bytes  memory b )") == "f(uint256,int8[],bytes)"
    assert (
        normalise_signature("f(tuple(address a, (bool,uint)[2] b)[] calldata c)") == "f((address,(bool,uint256)[2])[])"
    )
    assert normalise_signature("f()") == "f()"
    assert normalise_signature("f") == "f"


def test_structs_have_their_members_in_the_signature() -> None:
    parts = [parameter("address", "token"), parameter("uint256[]", "ids")]
    entry = {"type": "function", "name": "f", "inputs": [parameter("tuple[2]", "p", components=parts)], "outputs": []}
    function = Interface.from_abi([entry]).function("f")
    assert function.signature == "f((address,uint256[])[2])"
    assert function.inputs[0].type == "tuple[2]"
    assert [(c.name, c.canonical) for c in function.inputs[0].components] == [
        ("token", "address"),
        ("ids", "uint256[]"),
    ]
    assert function.decode_input(function.encode([((ALICE, (1, 2)), (BOB, ()))])) == (((ALICE, (1, 2)), (BOB, ())),)


def test_calls_encode_and_decode(collection: Interface) -> None:
    data = collection.function("transferFrom").encode([ALICE, BOB, 7])
    assert data.hex() == "23b872dd" + word(ALICE).hex() + word(BOB).hex() + f"{7:064x}"
    call = collection.decode_call(data)
    assert call is not None
    assert (call.function.name, call.arguments) == ("transferFrom", (ALICE, BOB, 7))
    assert collection.decode_call(data[:-1]) is None
    assert collection.decode_call(b"\0\0\0\0") is None
    assert collection.decode_call(b"") is None
    with pytest.raises(EncodingError, match="3 arguments"):
        collection.function("transferFrom").encode([ALICE, BOB])


def test_outputs_decode_with_checksummed_addresses(collection: Interface) -> None:
    owner_of = collection.function("ownerOf")
    assert owner_of.decode_output(word(ALICE)) == (ALICE,)
    assert collection.function("approve").decode_output(b"") == ()
    with pytest.raises(DecodingError):
        owner_of.decode_output(b"")


def test_mutability_is_read_from_old_and_new_abis() -> None:
    def function(**fields: Any) -> Any:
        return Interface.from_abi([{"type": "function", "name": "f", "inputs": [], "outputs": []} | fields]).function(
            "f"
        )

    assert function(stateMutability="view").read_only
    assert function(constant=True).read_only
    assert function(payable=True).payable
    assert not function().read_only
    assert not function().payable


def test_transfers_of_every_standard_are_told_apart() -> None:
    """One topic, and three ways to index: the count of topics decides."""
    erc20 = log(TRANSFER, word(ALICE), word(BOB), data=word(5))
    erc721 = log(TRANSFER, word(ALICE), word(BOB), word(5))
    legacy = log(TRANSFER, data=word(ALICE) + word(BOB) + word(5))
    for interface, good, name in ((ERC20, erc20, "value"), (ERC721, erc721, "tokenId"), (LEGACY, legacy, "id")):
        for given in (erc20, erc721, legacy):
            decoded = interface.decode_log(given)
            if given is good:
                assert decoded is not None
                assert decoded.arguments == {"from": ALICE, "to": BOB, name: 5}
                assert decoded.signature == "Transfer(address,address,uint256)"
            else:
                assert decoded is None


def test_an_interface_with_several_transfers_takes_the_one_that_fits() -> None:
    both = Interface(events=(*ERC20.events, *ERC721.events, *LEGACY.events))
    decoded = both.decode_log(log(TRANSFER, word(ALICE), word(BOB), word(5)))
    assert decoded is not None
    assert "tokenId" in decoded.arguments


@pytest.mark.parametrize(
    "bad",
    [
        log(),
        log(bytes(32)),
        log(TRANSFER),
        log(TRANSFER, word(ALICE), word(BOB), data=b"short"),
        log(TRANSFER, b"\xff" * 32, word(BOB), data=word(5)),
    ],
)
def test_logs_that_fit_no_event_are_not_decoded(bad: Log) -> None:
    assert ERC20.decode_log(bad) is None


def test_indexed_strings_arrays_and_structs_are_only_their_hashes() -> None:
    inputs = [indexed("string", "s"), indexed("uint256[]", "a"), indexed("bytes4", "b"), parameter("string", "t")]
    interface = Interface.from_abi([event(*inputs, name="E")])
    data = word(32) + word(2) + b"hi".ljust(32, b"\0")
    topics = (interface.event("E").topic, b"\x01" * 32, b"\x02" * 32, b"abcd".ljust(32, b"\0"))
    decoded = interface.decode_log(log(*topics, data=data))
    assert decoded is not None
    assert decoded.arguments == {"s": b"\x01" * 32, "a": b"\x02" * 32, "b": b"abcd", "t": "hi"}


def test_anonymous_events_have_no_first_topic() -> None:
    interface = Interface.from_abi(
        [event(indexed("uint256", "x"), parameter("uint256", "y"), name="A", anonymous=True)]
    )
    decoded = interface.decode_log(log(word(1), data=word(2)))
    assert decoded is not None
    assert decoded.arguments == {"x": 1, "y": 2}
    assert interface.decode_log(log(interface.event("A").topic, word(1), data=word(2))) is None


def test_unnamed_and_repeated_parameters_go_by_position() -> None:
    parameters = Interface.from_abi(
        [event(parameter("bool"), parameter("bool", "a"), parameter("bool", "a"), parameter("bool", "arg0"), name="E")]
    ).events[0]
    assert named(parameters.inputs, (1, 2, 3, 4)) == {"arg0": 1, "a": 2, "arg2": 3, "arg3": 4}


def test_reverts_are_named(collection: Interface) -> None:
    def text(data: str) -> tuple[str, str]:
        revert = decode_revert(bytes.fromhex(data), [ERC20, collection])
        return revert.kind, revert.text

    stop = "08c379a0" + word(32).hex() + word(4).hex() + b"stop".hex().ljust(64, "0")
    assert text("") == ("empty", "no reason was given")
    assert text(stop) == ("message", "stop")
    assert text("4e487b71" + f"{0x11:064x}")[0] == "panic"
    assert "overflow" in text("4e487b71" + f"{0x11:064x}")[1]
    assert "does not define" in text("4e487b71" + f"{0x99:064x}")[1]
    assert text("7e273289" + f"{99:064x}") == ("custom", "ERC721NonexistentToken(tokenId: 99)")
    assert text("7e273289") == ("raw", "unknown error 0x7e273289")
    assert text("08c379a0" + "ff" * 40)[0] == "raw"
    assert text("010203") == ("raw", "unknown error 0x010203")


@pytest.mark.parametrize("code", [0x00, 0x01, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51])
def test_every_panic_that_solidity_defines_has_its_meaning(code: int) -> None:
    assert "does not define" not in decode_revert(bytes.fromhex(f"4e487b71{code:064x}")).text


def test_values_are_written_as_people_write_them() -> None:
    assert plain((1, True, b"\x01", (ALICE, "x"))) == f"[1, true, 0x01, [{ALICE}, x]]"


def test_constructors_and_special_functions_are_known() -> None:
    entries: list[dict[str, Any]] = [
        {"type": "constructor", "inputs": [parameter("uint256", "x")]},
        {"type": "receive", "stateMutability": "payable"},
    ]
    interface = Interface.from_abi(entries)
    assert interface.encode_constructor([5]) == word(5)
    assert interface.has_receive
    assert not interface.has_fallback
    with pytest.raises(EncodingError):
        interface.encode_constructor()


def test_every_shipped_abi_is_understood() -> None:
    for name in artifacts.names():
        artifact = artifacts.load(name)
        assert artifact.creation_code
        assert len(artifact.interface.functions) == sum(entry["type"] == "function" for entry in artifact.abi)


def test_an_unknown_artifact_names_near_ones() -> None:
    with pytest.raises(artifacts.UnknownArtifact, match="OpenZeppelinCollection"):
        artifacts.load("OpenZepelinCollection")
