"""Collections whose logs tell less than ERC-721 asks: what they do is the standard's all the same."""

from __future__ import annotations

import pytest

ZERO = "0x" + "00" * 20
SAFE_TRANSFER = "safeTransferFrom(address,address,uint256)"


def bare(bench, name):
    """Tokens 1 to 3 of accounts[1], 4 of accounts[2]."""
    owner, holder, other, *_ = bench.accounts
    if name == "EventlessCollection":
        return bench.deploy(name, "Larks", "LRK", owner, [holder, holder, holder, other], "ipfs://larks/")
    tokens = bench.deploy(name, "Larks", "LRK", owner, "ipfs://larks/")
    tokens.send(owner, "mintBatch", holder, [1, 2, 3])
    tokens.send(owner, "mint", other, 4)
    return tokens


@pytest.mark.parametrize("name", ["UnindexedCollection", "EventlessCollection"])
def test_a_bare_collection_moves_and_lends_as_the_standard_says(bench, name):
    _, holder, other, third, *_ = bench.accounts
    tokens = bare(bench, name)
    assert (tokens.call("name"), tokens.call("totalSupply"), tokens.call("tokenURI", 2)) == (
        "Larks",
        4,
        "ipfs://larks/2",
    )
    assert (tokens.call("balanceOf", holder), tokens.call("balanceOf", other)) == (3, 1)
    tokens.send(holder, "approve", other, 2)
    assert tokens.call("getApproved", 2) == other
    tokens.send(other, "transferFrom", holder, third, 2)
    assert (tokens.call("ownerOf", 2), tokens.call("getApproved", 2)) == (third, ZERO)
    tokens.send(holder, "setApprovalForAll", third, True)
    tokens.send(third, SAFE_TRANSFER, holder, other, 1)
    assert (tokens.call("balanceOf", holder), tokens.call("balanceOf", other)) == (1, 2)
    with bench.reverts("NotAllowed", other, 3):
        tokens.send(other, "transferFrom", holder, other, 3)
    with bench.reverts("WrongOwner", other, 3):
        tokens.send(holder, "transferFrom", other, third, 3)
    with bench.reverts("NoSuchToken", 5):
        tokens.call("ownerOf", 5)
    assert tokens.call("supportsInterface", bytes.fromhex("80ac58cd"))


@pytest.mark.parametrize("name", ["UnindexedCollection", "EventlessCollection"])
def test_a_bare_collection_asks_a_contract_whether_it_takes_the_token(bench, name):
    _, holder, *_ = bench.accounts
    tokens = bare(bench, name)
    wrong = bench.deploy("WrongMagicReceiver")
    with bench.reverts("InvalidReceiver", wrong.address):
        tokens.send(holder, SAFE_TRANSFER, holder, wrong.address, 1)


def test_what_the_one_leaves_unindexed_the_other_does_not_tell(bench):
    _, holder, other, *_ = bench.accounts
    for name, told in (("UnindexedCollection", [("Transfer", holder, other, 1)]), ("EventlessCollection", [])):
        tokens = bare(bench, name)
        tokens.send(holder, "transferFrom", holder, other, 1)
        assert bench.events(tokens) == told
