"""A registry of names, and one collection's code behind proxies and clones."""

from __future__ import annotations

from eth_hash.auto import keccak

from tests.contracts.conftest import Deployed

ZERO = "0x" + "00" * 20
# ERC-1967: where a proxy keeps the address of its code.
IMPLEMENTATION_SLOT = int.from_bytes(keccak(b"eip1967.proxy.implementation"), "big") - 1


def namehash(name: str) -> bytes:
    """EIP-137, from its text."""
    node = bytes(32)
    for label in reversed(name.split(".")):
        node = keccak(node + keccak(label.encode()))
    return node


def test_a_names_node_is_its_namehash_and_its_owner_decides_what_it_stands_for(bench):
    registrar, owner, account, other, _ = bench.accounts
    names = bench.deploy("NameRegistry", registrar, "quay")
    with bench.reverts("OwnableUnauthorizedAccount", owner):
        names.send(owner, "register", "mira", owner, account)
    names.send(registrar, "register", "mira", owner, account)
    node = names.call("nodeOf", "mira")
    assert node == namehash("mira.quay")
    assert (names.call("nameOwner", node), names.call("addr", node)) == (owner, account)
    with bench.reverts("AlreadyRegistered", "mira.quay"):
        names.send(registrar, "register", "mira", other, other)
    with bench.reverts("NotTheOwner", node, registrar):
        names.send(registrar, "setAddr", node, other)
    names.send(owner, "setAddr", node, other)
    assert names.call("addr", node) == other
    names.send(owner, "transferName", node, other)
    with bench.reverts("NotTheOwner", node, owner):
        names.send(owner, "setAddr", node, owner)


def test_an_unknown_name_stands_for_nobody_and_a_claim_makes_nobody_anything(bench):
    registrar, owner, stranger, *_ = bench.accounts
    names = bench.deploy("NameRegistry", registrar, "quay")
    names.send(registrar, "register", "mira", owner, owner)
    names.send(stranger, "claimName", "mira.quay")
    assert names.call("claimedName", stranger) == "mira.quay"
    assert names.call("addr", names.call("nodeOf", "mira")) == owner
    for label in ("miira", "Mira", "mira "):
        assert names.call("addr", names.call("nodeOf", label)) == ZERO


def test_a_proxy_answers_as_the_collection_and_keeps_its_code_where_erc_1967_says(bench):
    team, holder, *_ = bench.accounts
    code = bench.deploy("UpgradeableCollection")
    start = code.data("initialize", "Larks", "LRK", team, "ipfs://larks/")
    proxy = bench.deploy("CollectionProxy", code.address, start)
    larks = Deployed(bench, "UpgradeableCollection", proxy.address, code.abi)
    larks.send(team, "mintBatch", holder, [4, 9])
    assert (larks.call("name"), larks.call("symbol"), larks.call("tokenURI", 9)) == ("Larks", "LRK", "ipfs://larks/9")
    assert larks.call("tokenOfOwnerByIndex", holder, 1) == 9
    assert int(bench.evm.storage(proxy.address, IMPLEMENTATION_SLOT)) == int(code.address, 16)
    with bench.reverts("InvalidInitialization"):
        larks.send(team, "initialize", "Other", "O", holder, "")
    with bench.reverts("InvalidInitialization"):
        code.send(team, "initialize", "Other", "O", holder, "")
    other = bench.deploy("UpgradeableCollection")
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        larks.send(holder, "upgradeToAndCall", other.address, b"")
    larks.send(team, "upgradeToAndCall", other.address, b"")
    assert larks.call("ownerOf", 4) == holder


def test_clones_of_a_factory_are_small_alike_and_apart(bench):
    team, holder, other, *_ = bench.accounts
    code = bench.deploy("UpgradeableCollection")
    factory = bench.deploy("CollectionFactory", code.address)
    made = [
        Deployed(bench, "UpgradeableCollection", factory.send(holder, "create", name, "L", team, ""), code.abi)
        for name in ("Larks", "Larks II")
    ]
    for clone in made:
        # EIP-1167, from its text.
        runtime = bytes.fromhex(f"363d3d373d3d3d363d73{code.address[2:].lower()}5af43d82803e903d91602b57fd5bf3")
        assert bytes(bench.evm.get_code(clone.address)).rstrip(b"\0") == runtime
    made[0].send(team, "mint", other, 1)
    assert [clone.call("balanceOf", other) for clone in made] == [1, 0]
    assert [clone.call("name") for clone in made] == ["Larks", "Larks II"]
