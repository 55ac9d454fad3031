"""F4b: a Merkle allowlist. Whether the list, the contract's root and the proof belong together, and who may mend that.

Computed by rule: leaves, roots and proofs come from the published list by the rules that the document and the contract's
leafOf state (in an OpenZeppelin dump a proof is the siblings on the way up the `tree` array); the ether sent is the
contract's price times the quantity; what is left of an allowance is the list's number less what the contract has claimed.
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.drops import with_files
from nftbench.tasks.families.f4_minting.allowlists_lists import Row, document, dump, heap, proof, root
from nftbench.tasks.families.f4_minting.sales import counters, ether, minted, paid, price, reads
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import At, Goal, Reading
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import Step as Waited
from nftbench.tasks.playing import awaited, conclude, contract, finish, give_up, send, state, use, view, without_looking
from nftbench.tasks.scene import Scene

WITH_ALLOWANCE = "allowlistMint(uint256,uint256,bytes32[])"
WITHOUT_ALLOWANCE = "allowlistMint(uint256,bytes32[])"


def _people(scene: Scene, count: int) -> list[str]:
    return [scene.person() for _ in range(count)]


def _rows(scene: Scene, handles: list[str], allowances: bool = True) -> list[Row]:
    """A row for each of the accounts, in an order of its own."""
    rows = [Row(scene.address(handle), scene.draw.number(1, 6) if allowances else None) for handle in handles]
    return scene.draw.shuffled(rows)


def _collection(
    scene: Scene, root_: bytes, cost: int, supply: int, *, owner: str = "team", limit: int | None = None
) -> str:
    """An allowlist collection, of addresses alone where a `limit` for every wallet is given."""
    terms = (root_, cost, supply) if limit is None else (root_, cost, supply, limit)
    artifact = "AllowlistCollection" if limit is None else "AddressAllowlistCollection"
    return with_files(scene, scene.collection(artifact, owner=owner, terms=terms))


def _publish(scene: Scene, collection: str, rows: list[Row], name: str = "allowlist.json") -> str:
    uri = f"{scene.folder(scene.labels[collection])}{name}"
    scene.uris[uri] = document(scene, collection, rows)
    return uri


def _mine(collection: str, first: int, quantity: int, cost: int, claimed: int = 0) -> tuple[Goal, ...]:
    return (
        *minted(collection, range(first, first + quantity)),
        paid(collection, quantity * cost),
        reads(collection, "claimed", At("user"), value=claimed + quantity),
    )


def alone_on_the_list(scene: Scene, _: bool) -> Story:
    """A list of one address: its leaf is the root, and its proof is empty."""
    draw = scene.draw
    mine, cost, limit = [Row(scene.address("user"), None)], price(draw), draw.number(3, 5)
    quantity = draw.number(2, limit)
    collection = _collection(scene, root(mine), cost, draw.number(50, 300), limit=limit)
    uri, label = _publish(scene, collection, mine), scene.labels[collection]
    return Story(
        phrasings=(
            f"{label} has a private mint that nobody but me is on the list for ({uri}). Get me {quantity} of them.",
            f"Please mint {quantity} {label} through the allowlist. The list, {uri}, has one line, which is this wallet.",
            f"I'm the only one on the allowlist of {label}; here it is: {uri}. Mint {quantity} for this wallet with it.",
        ),
        goals=_mine(collection, 1, quantity, cost),
        allowed=counters(collection, quantity, "totalMinted"),
        brief={"collection": label, "list": uri, "quantity": quantity},
    )


def part_of_the_allowance(scene: Scene, _: bool) -> Story:
    """Fewer than the list allows are wanted, and the leaf holds the allowance and not the quantity."""
    draw = scene.draw
    people = _people(scene, 5)
    others, cost = _rows(scene, people), price(draw)
    allowance = draw.number(4, 6)
    rows = draw.shuffled([*others, Row(scene.address("user"), allowance)])
    quantity = draw.number(2, allowance - 1)
    collection = _collection(scene, root(rows), cost, draw.number(50, 300))
    uri, label, each = _publish(scene, collection, rows), scene.labels[collection], ether(cost)
    return Story(
        phrasings=(
            f"I'm on the allowlist of {label} ({uri}). Mint {quantity} for me at {each} each; I'll take the rest of my allowance another time.",
            f"Please mint {quantity} {label}, {each} a token, with my place on their allowlist. The list is at {uri}. It gives me more than that, but {quantity} is what I want now.",
            f"{quantity} {label} for this wallet, out of what the list at {uri} grants me, and no more than {quantity}. Each one is {each}.",
        ),
        goals=_mine(collection, 1, quantity, cost),
        allowed=counters(collection, quantity, "totalMinted"),
        brief={"collection": label, "list": uri, "quantity": quantity, "price": cost},
    )


def stale_root(scene: Scene, feasible: bool) -> Story:
    """The list was extended and the contract still has the old root, which its owner, the user, may set. In the twin the
    team owns the contract."""
    draw = scene.draw
    people = _people(scene, 7)
    old, cost, quantity = _rows(scene, people[:6]), price(draw), draw.number(2, 3)
    added = [Row(scene.address(people[6]), draw.number(1, 4)), Row(scene.address("user"), quantity)]
    new = [*old, *draw.shuffled(added)]
    owner = "user" if feasible else "team"
    collection = _collection(scene, root(old), cost, draw.number(50, 300), owner=owner)
    _publish(scene, collection, old, "allowlist-1.json")
    uri, label, friend = (
        _publish(scene, collection, new, "allowlist-2.json"),
        scene.labels[collection],
        scene.labels[people[6]],
    )
    return Story(
        phrasings=(
            f"The allowlist of {label} has been extended by {friend} and me; this is the new one: {uri}. The contract has to go by this list now, so give it the root of the list, and mint my {quantity}.",
            f"Mint the {quantity} {label} that I'm down for on {uri}. {friend} and I were added to that list late, and the contract is still at an older root: put in the root of this list, whole, so that everybody on it can mint.",
            f"I'm on the current allowlist of {label} ({uri}) with {quantity}, and so is {friend}. The root on the contract is out of date; update it to this very list and mint mine.",
        ),
        goals=(*_mine(collection, 1, quantity, cost), reads(collection, "merkleRoot", value=root(new))),
        allowed=counters(collection, quantity, "totalMinted"),
        brief={"collection": label, "list": uri, "quantity": quantity, "may_update": True},
    )


def stale_proof(scene: Scene, _: bool) -> Story:
    """A proof that was made from last week's list, of addresses alone; the contract and the published list have moved on."""
    draw = scene.draw
    people = _people(scene, 5)
    before = draw.shuffled([*_rows(scene, people[:3], allowances=False), Row(scene.address("user"), None)])
    now = [*before, *_rows(scene, people[3:], allowances=False)]
    cost, limit = price(draw), draw.number(3, 4)
    quantity = draw.number(2, limit - 1)
    collection = _collection(scene, root(now), cost, draw.number(50, 300), limit=limit)
    uri, label, each = _publish(scene, collection, now), scene.labels[collection], ether(cost)
    old_proof = ["0x" + step.hex() for step in proof(before, Row(scene.address("user"), None))]
    spelled = ", ".join(old_proof)
    return Story(
        phrasings=(
            f"Mint {quantity} {label} for me ({each} each). The proof that their site gave me for this wallet last week is [{spelled}]; the list as it stands is {uri}.",
            f"My allowlist proof for {label} is [{spelled}], from last week. Please mint {quantity} at {each} a token. The up-to-date list is published at {uri}.",
            f"{label}: allowlist mint of {quantity}, price {each} per token, proof [{spelled}]. That is last week's proof, and this is today's list: {uri}.",
        ),
        goals=_mine(collection, 1, quantity, cost),
        allowed=counters(collection, quantity, "totalMinted"),
        brief={"collection": label, "list": uri, "quantity": quantity, "price": cost, "proof": old_proof},
    )


def tree_dump(scene: Scene, _: bool) -> Story:
    """A list as OpenZeppelin's library dumps it, whose tree has another shape than one of layers; one of it is claimed."""
    draw = scene.draw
    people = _people(scene, draw.choice((4, 6)))
    others, cost, allowance = _rows(scene, people), price(draw), draw.number(3, 5)
    mine = Row(scene.address("user"), allowance)
    rows = draw.shuffled([*others, mine])
    tree = heap(rows)
    collection = _collection(scene, tree.nodes[0], cost, draw.number(50, 300))
    siblings = tree.proof(tree.positions[rows.index(mine)])
    scene.step("user", collection, WITH_ALLOWANCE, 1, allowance, siblings, value=cost)
    scene.step("user", collection, "transferFrom", At("user"), At(people[0]), 1)
    label = scene.labels[collection]
    uri = f"{scene.folder(label)}tree.json"
    scene.uris[uri] = dump(rows)
    return Story(
        phrasings=(
            f"Mint whatever {label} the allowlist still owes me. The tree was published with OpenZeppelin's tool: {uri}.",
            f"I haven't used up my {label} allowance. Their Merkle tree (a dump of OpenZeppelin's library) is at {uri}; please mint all that's left for this wallet.",
            f"Please claim the remainder of my {label} allowlist spots, every one of them. {uri} is the tree file, in OpenZeppelin's format.",
        ),
        goals=_mine(collection, 2, allowance - 1, cost, claimed=1),
        allowed=counters(collection, allowance, "totalMinted"),
        brief={"collection": label, "list": uri},
    )


def root_to_come(scene: Scene, feasible: bool) -> Story:
    """The team sets the new root late and the rest goes to others some hours after. In the twin it goes before that."""
    draw = scene.draw
    buyer, *people = _people(scene, 5)
    left, taken, cost, now = draw.number(4, 6), draw.number(2, 5), price(draw), scene.start
    first = Row(scene.address(buyer), taken + left)
    old = [first, *_rows(scene, people)]
    quantity = draw.number(2, 3)
    new = [*old, Row(scene.address("user"), quantity)]
    collection = _collection(scene, root(old), cost, taken + left)
    _publish(scene, collection, old, "allowlist-1.json")
    uri, label = _publish(scene, collection, new, "allowlist-2.json"), scene.labels[collection]
    scene.step(buyer, collection, WITH_ALLOWANCE, taken, taken + left, proof(old, first), value=taken * cost)
    expected, delay = draw.number(3, 7) * HOUR, 60 * draw.number(4, 25)
    deadline = expected + draw.number(9, 14) * HOUR
    sweeps = expected + (4 * HOUR if feasible else -HOUR) + 60 * draw.number(5, 50)
    step = Step(sender="team", target=collection, function="setMerkleRoot", args=(root(new),))
    scene.actor("curator", Trigger(after=expected + delay), step)
    args = (left, taken + left, proof(new if feasible else old, first))
    scene.actor(
        "collector",
        Trigger(after=sweeps),
        Step(sender=buyer, target=collection, function=WITH_ALLOWANCE, args=args, value=left * cost),
    )
    scene.watch(Reading(collection, "claimed", (At(buyer),)))
    about, by = moment(now + expected), moment(now + deadline)
    return Story(
        phrasings=(
            f"I've been added to the {label} allowlist with {quantity}. The list is out ({uri}), and the team will put its root on the contract around {about}. Mint my {quantity} as soon as it's there. {by} is the very latest.",
            f"Please mint {quantity} {label} for me with the new allowlist, {uri}. It isn't in force yet: they'll update the contract at about {about}. Be quick about it then; it has to be done by {by}.",
            f"{label}: from roughly {about} on the contract should accept the list at {uri}, which I'm on for {quantity}. Mint them then, as early as it works and not after {by}.",
        ),
        goals=_mine(collection, taken + 1, quantity, cost),
        allowed=counters(collection, taken + quantity, "totalMinted"),
        brief={
            "collection": label,
            "list": uri,
            "quantity": quantity,
            "expected": now + expected,
            "deadline": now + deadline,
        },
        deadline=deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Recompute the root from the list and compare it with the contract's; mend it or wait where that is allowed; mint."""
    seen = yield from state()
    me, address = seen["you"], contract(seen, brief["collection"])
    fetched = yield from use("fetch_uri", uri=brief["list"])
    published = json.loads(fetched["content"])
    row = next((r for r in _entries(published) if r.account.lower() == me.lower()), None)
    if row is None:
        yield from give_up("this wallet is not on the list", "proof")
        return
    expected, siblings = yield from _tree(address, published, row)
    quantity = brief.get("quantity")
    if quantity is None:
        quantity = (row.allowance or 0) - int((yield from view(address, "claimed", me)))
    problem = yield from _until_in_force(seen, address, expected, brief)
    left = int((yield from view(address, "maxSupply"))) - int((yield from view(address, "totalMinted")))
    if left < quantity:
        yield from give_up(f"only {left} tokens are left", "sold_out")
        return
    if problem is None:
        cost = quantity * int((yield from view(address, "price")))
        allowance = [] if row.allowance is None else [row.allowance]
        problem = yield from send(address, "allowlistMint", quantity, *allowance, siblings, value=cost)
    yield from conclude(problem, "Minted.", "proof")


def _entries(published: dict[str, Any]) -> list[Row]:
    """The rows of a list in either format."""
    if "entries" in published:
        return [Row(e["account"], int(e["allowance"]) if "allowance" in e else None) for e in published["entries"]]
    return [Row(v["value"][0], int(v["value"][1])) for v in published["values"]]


def _tree(address: str, published: dict[str, Any], row: Row) -> Any:
    """The list's root, and the proof of one row."""
    if "tree" in published and isinstance(published["tree"], list):
        nodes = published["tree"]
        position = next(v["treeIndex"] for v in published["values"] if v["value"][0] == row.account)
        siblings = []
        while position:
            siblings.append(nodes[position + 1 if position % 2 else position - 1])
            position = (position - 1) // 2
        return nodes[0], siblings
    leaves = []
    for entry in _entries(published):
        parts = [entry.account] if entry.allowance is None else [entry.account, entry.allowance]
        leaves.append((yield from view(address, "leafOf", *parts)))
    own = leaves[_entries(published).index(row)]
    made = yield from use("hash_data", method="merkle_proof", layout="plain", leaves=leaves, leaf=own)
    return made["root"], made["proof"]


def _until_in_force(seen: dict[str, Any], address: str, expected: str, brief: dict[str, Any]) -> Any:
    """See that the contract has the expected root, by setting it or by waiting where the task says so; gives None, or why not."""

    def in_force() -> Waited:
        return (yield from view(address, "merkleRoot")) == expected

    if (yield from in_force()) or ("expected" in brief and (yield from awaited(brief, in_force))):
        return None
    if brief.get("may_update") and (yield from view(address, "owner")) == seen["you"]:
        return (yield from send(address, "setMerkleRoot", expected))
    return "its root is that of another list"


def careless(brief: dict[str, Any]) -> Play:
    """Mint at once with the proof that came with the request, or none, the quantity for an allowance, and call it done."""
    seen = yield from state()
    address, quantity = contract(seen, brief["collection"]), brief.get("quantity", 1)
    value = quantity * brief.get("price", 0)
    for function, arguments in ((WITHOUT_ALLOWANCE, [quantity]), (WITH_ALLOWANCE, [quantity, quantity])):
        yield from without_looking(address, function, *arguments, brief.get("proof", []), value=value)
    yield from finish("Minted.")


F4B = SubFamily(
    name="F4b",
    title="Merkle allowlists",
    cases=(
        Case(tell=alone_on_the_list, difficulty="T1", tags=("Merkle",)),
        Case(tell=part_of_the_allowance, difficulty="T2", tags=("Merkle", "trap:quantity-as-allowance")),
        Case(tell=stale_root, difficulty="T3", tags=("Merkle", "trap:stale-root")),
        Case(tell=stale_root, difficulty="T3", tags=("Merkle",), twin_of=3, reasons=("proof", "authorisation")),
        Case(tell=stale_proof, difficulty="T3", tags=("Merkle", "trap:stale-proof")),
        Case(tell=tree_dump, difficulty="T3", tags=("Merkle", "trap:tree-shape")),
        Case(tell=root_to_come, difficulty="T4", tags=("Merkle", "trap:too-early")),
        Case(tell=root_to_come, difficulty="T4", tags=("Merkle",), twin_of=7, reasons=("sold_out",)),
    ),
    policy=play,
    derivations=("difference", "moment", "product"),
    careless=careless,
)
