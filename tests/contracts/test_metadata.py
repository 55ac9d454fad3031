"""Collections as their creators tend them: traits, URIs, signals, freezes and reveals."""

from __future__ import annotations

import base64
import json

from eth_abi.packed import encode_packed
from eth_hash.auto import keccak

START = 1_700_000_000
ERC4906 = bytes.fromhex("49064906")


def parsed(uri):
    head, _, body = uri.partition(",")
    assert head == "data:application/json;base64"
    return json.loads(base64.b64decode(body))


def test_traits_become_json_that_parses_whatever_is_in_them(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("TraitCollection", 'La"rks', "LRK", owner, 'Birds\n\\ of "dawn"')
    tokens.send(owner, "mint", holder, 7, [("Sky", "dusk"), ("Mood", 'so-"so"')])
    assert tokens.call("traitsOf", 7) == (("Sky", "dusk"), ("Mood", 'so-"so"'))
    assert parsed(tokens.call("tokenURI", 7)) == {
        "name": 'La"rks #7',
        "description": 'Birds\n\\ of "dawn"',
        "attributes": [{"trait_type": "Sky", "value": "dusk"}, {"trait_type": "Mood", "value": 'so-"so"'}],
    }
    with bench.reverts("ERC721NonexistentToken", 8):
        tokens.call("tokenURI", 8)


def test_stored_json_is_read_back_word_for_word(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("OnchainJsonCollection", "Larks", "LRK", owner, '{"name":"Larks"}')
    tokens.send(owner, "mint", holder, 1, '{"name":"one"}')
    tokens.send(owner, "setTokenMetadata", 1, '{"name":"uno"}')
    assert bench.events(tokens) == [("MetadataUpdate", 1)]
    tokens.send(owner, "setContractMetadata", '{"name":"Alondras"}')
    assert bench.events(tokens) == [("ContractURIUpdated",)]
    assert [parsed(tokens.call("tokenURI", 1)), parsed(tokens.call("contractURI"))] == [
        {"name": "uno"},
        {"name": "Alondras"},
    ]
    assert tokens.call("supportsInterface", ERC4906)
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        tokens.send(holder, "setTokenMetadata", 1, "")


def test_setting_the_base_signals_nothing_until_the_creator_says_so(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("MetadataCollection", "Larks", "LRK", owner, "ipfs://veil/", "ipfs://contract")
    tokens.send(owner, "mintBatch", holder, [1, 2])
    tokens.send(owner, "setBaseURI", "ipfs://open/")
    assert bench.events(tokens) == []
    tokens.send(owner, "emitBatchMetadataUpdate", 1, 2)
    assert bench.events(tokens) == [("BatchMetadataUpdate", 1, 2)]
    tokens.send(owner, "setTokenURI", 2, "two")
    assert bench.events(tokens) == [("MetadataUpdate", 2)]
    assert [tokens.call("tokenURI", token) for token in (1, 2)] == ["ipfs://open/1", "ipfs://open/two"]
    tokens.send(owner, "setContractURI", "ipfs://new")
    assert bench.events(tokens) == [("ContractURIUpdated",)]
    with bench.reverts("InvalidRange", 2, 1):
        tokens.send(owner, "emitBatchMetadataUpdate", 2, 1)
    assert tokens.call("supportsInterface", ERC4906)


def test_frozen_metadata_stays(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("MetadataCollection", "Larks", "LRK", owner, "ipfs://open/", "")
    tokens.send(owner, "mint", holder, 1)
    tokens.send(owner, "freezeToken", 1)
    assert bench.events(tokens) == [("PermanentURI", "ipfs://open/1", 1)]
    with bench.reverts("TokenMetadataIsFrozen", 1):
        tokens.send(owner, "setTokenURI", 1, "x")
    tokens.send(owner, "freezeMetadata")
    with bench.reverts("MetadataIsFrozen"):
        tokens.send(owner, "setBaseURI", "ipfs://other/")
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        tokens.send(holder, "freezeMetadata")


def test_batch_is_revealed_in_time_and_as_it_was_promised(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("DelayedRevealCollection", "Larks", "LRK", owner, "ipfs://veil")
    salt = b"\x07" * 32
    commitment = keccak(encode_packed(["string", "bytes32"], ["ipfs://first/", salt]))
    tokens.send(owner, "mintBatch", holder, 3, commitment, START + 10)
    tokens.send(owner, "mintBatch", holder, 2, bytes(32), START)
    with bench.reverts("RevealTooEarly", START + 10):
        tokens.send(owner, "reveal", 0, "ipfs://first/", salt)
    bench.set_time(START + 10)
    with bench.reverts("CommitmentMismatch"):
        tokens.send(owner, "reveal", 0, "ipfs://other/", salt)
    tokens.send(owner, "reveal", 0, "ipfs://first/", salt)
    assert bench.events(tokens) == [("TokenURIRevealed", 0, "ipfs://first/")]
    assert [tokens.call("tokenURI", token) for token in (3, 4)] == ["ipfs://first/3", "ipfs://veil"]
    with bench.reverts("AlreadyRevealed", 0):
        tokens.send(owner, "reveal", 0, "ipfs://first/", salt)
    tokens.send(owner, "emitBatchMetadataUpdate", 1, 3)
    assert bench.events(tokens) == [("BatchMetadataUpdate", 1, 3)]
