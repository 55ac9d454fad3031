"""F8c: an oracle that fills every bid of the book with what it may take finds the best one, by a tree of its own; what the book
shows as the highest is not it; a bid for a trait takes just the tokens that have it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.families.f8_offers.criteria import F8C
from nftbench.values import keccak256
from tests.tasks.families.f8_books import bids, holdings
from tests.tasks.sittings import Sitting, careless, enlisted, failed, is_trap, reference

KEYLESS, NOBODY = "0x" + "00" * 32, "0x" + "00" * 20
WETH = "Wrapped Ether"


@pytest.mark.parametrize("name", enlisted(F8C))
def test_the_reference_solves_it_and_what_is_done_first_is_a_trap(name: str) -> None:
    task = catalog.task(name, 3)
    result = reference(task)
    assert result.success
    assert result.counts.turns <= 57
    assert not (is_trap(task) and careless(task).success)


def pair(one: bytes, other: bytes) -> bytes:
    return keccak256(min(one, other) + max(one, other))


def tree(ids: Sequence[int], wanted: int | None = None) -> tuple[bytes, list[bytes]]:
    """Seaport's root over ids, as seaport-js has it, and the proof of one: leaves sorted, pairs sorted, an odd one moves up."""
    at = None if wanted is None else keccak256(wanted.to_bytes(32, "big"))
    layer, proof = sorted(keccak256(i.to_bytes(32, "big")) for i in ids), list[bytes]()
    while len(layer) > 1:
        above = []
        for couple in (layer[i : i + 2] for i in range(0, len(layer), 2)):
            node = pair(*couple) if len(couple) == 2 else couple[0]
            if at in couple:
                proof += [leaf for leaf in couple if leaf != at]
                at = node
            above.append(node)
        layer = above
    return layer[0], proof


def published(sitting: Sitting) -> list[list[int]]:
    return [listed["token_ids"] for listed in sitting.document(sitting.brief["lists"])["lists"]]


def resolvers(sitting: Sitting, order: dict[str, Any], token_id: int) -> list[Any] | None:
    """What says that an order's token is this one; empty where it names one itself, None where this one won't do."""
    item = next(i for i in order["components"]["consideration"] if i["itemType"] in ("2", "4"))
    root = int(item["identifierOrCriteria"])
    if item["itemType"] == "2":
        return [] if root == token_id else None
    proof: list[bytes] | None = [] if root == 0 else None
    for ids in published(sitting) if root else ():
        made, steps = tree(ids, token_id)
        if token_id in ids and int.from_bytes(made, "big") == root:
            proof = steps
    place = str(order["components"]["consideration"].index(item))
    resolver = {"orderIndex": "0", "side": "1", "index": place, "identifier": str(token_id)}
    return None if proof is None else [resolver | {"criteriaProof": ["0x" + step.hex() for step in proof]}]


def parameters(order: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in order["components"].items() if key != "counter"}
    return kept | {"totalOriginalConsiderationItems": str(len(kept["consideration"]))}


def advanced(order: dict[str, Any], parts: int) -> dict[str, Any]:
    part = {"numerator": "1", "denominator": str(parts), "extraData": "0x"}
    return {"parameters": parameters(order), "signature": order["signature"], **part}


class Way(NamedTuple):
    """How a bid is filled: who moves the user's things, by their name in the fixture, and the key that stands for them."""

    mover: str
    key: str


def by_exchange(sitting: Sitting) -> Way:
    return Way(sitting.named(sitting.brief["exchange"]), KEYLESS)


def by_conduit(sitting: Sitting) -> Way:
    conduit = sitting.named(sitting.brief["exchange"] + " conduit")
    key = sitting.read(sitting.named("Conduit Controller"), "getKey", conduit)
    return Way(conduit, "0x" + key.hex())


def take(
    sitting: Sitting,
    order: dict[str, Any],
    ids: Sequence[int],
    way: Callable[[Sitting], Way] = by_exchange,
) -> bool:
    """Permit what a bid asks for, fill equal parts of it with these tokens, and take back what is left of the permissions."""
    exchange, (mover, key) = sitting.named(sitting.brief["exchange"]), way(sitting)
    coins = {sitting.world.names[i["token"]] for i in order["components"]["consideration"] if i["itemType"] == "1"}
    for item in order["components"]["consideration"]:
        if item["itemType"] == "2":
            sitting.try_to(sitting.world.names[item["token"]], "approve", mover, int(item["identifierOrCriteria"]))
    for token_id in ids:
        sitting.try_to(sitting.collection, "approve", mover, token_id)
    for coin in coins:
        sitting.try_to(coin, "approve", mover, 2**200)
    found = [resolvers(sitting, order, token_id) for token_id in ids]
    made = [
        sitting.use(
            "send_transaction",
            to=sitting.address(exchange),
            function="fulfillAdvancedOrder",
            arguments=[advanced(order, len(ids)), found, key, NOBODY],
        )
        for found in found
        if found is not None
    ]
    for coin in coins:
        sitting.try_to(coin, "approve", mover, 0)
    return len(made) == len(ids) and all(one.get("status") == "success" for one in made)


def match(sitting: Sitting, order: dict[str, Any], token_id: int) -> bool:
    """Meet a bid with an order of the user's own, which gives the token and takes what the fees leave; only the token needs a
    permission, and no signature is made."""
    exchange, terms = sitting.named(sitting.brief["exchange"]), order["components"]
    sitting.try_to(sitting.collection, "approve", exchange, token_id)
    given, fees = terms["offer"][0], [i for i in terms["consideration"] if i["itemType"] == "1"]
    left = str(int(given["startAmount"]) - sum(int(i["startAmount"]) for i in fees))
    user = sitting.world.user
    wanted = given | {"startAmount": left, "endAmount": left, "recipient": user}
    offered = {"itemType": "2", "token": sitting.address(sitting.collection), "identifierOrCriteria": str(token_id)}
    mine = parameters(order) | {
        "offerer": user,
        "offer": [offered | {"startAmount": "1", "endAmount": "1"}],
        "consideration": [wanted],
        "conduitKey": KEYLESS,
        "totalOriginalConsiderationItems": "1",
    }
    own = {"parameters": mine, "signature": "0x", "numerator": "1", "denominator": "1", "extraData": "0x"}

    def component(at: int, item: int) -> list[dict[str, str]]:
        return [{"orderIndex": str(at), "itemIndex": str(item)}]

    pairs = [((1, 0), (0, 0)), *(((0, 0), (0, 1 + i)) for i in range(len(fees))), ((0, 0), (1, 0))]
    fulfillments = [{"offerComponents": component(*a), "considerationComponents": component(*b)} for a, b in pairs]
    arguments = [[advanced(order, 1), own], resolvers(sitting, order, token_id), fulfillments, user]
    done = sitting.use(
        "send_transaction", to=sitting.address(exchange), function="matchAdvancedOrders", arguments=arguments
    )
    return bool(done.get("status") == "success")


class Taken(NamedTuple):
    """What taking a bid has come to for the user, in a world of its own: wei of WETH gained, and the tokens gone."""

    order_hash: str
    gained: int
    gone: frozenset[tuple[str, int]]


def tried(name: str, suite_seed: int, index: int) -> Taken | None:
    """What the bid at this place in the book comes to with the tokens of the request; None where it can't be filled so."""
    sitting = Sitting(name, suite_seed)
    order, weth = bids(sitting)[index], sitting.named(WETH)
    before, had = holdings(sitting), sitting.read(weth, "balanceOf", "user")
    if not take(sitting, order, sitting.brief["tokens"]):
        return None
    gone = frozenset(before - holdings(sitting))
    return Taken(order["order_hash"], sitting.read(weth, "balanceOf", "user") - had, gone)


@cache
def the_best(name: str, suite_seed: int) -> list[Taken]:
    """The bids that take just the tokens of the request, by what they leave, the best first; each is filled in a fresh world."""
    sitting = Sitting(name, suite_seed)
    wanted = {(sitting.address(sitting.collection), token_id) for token_id in sitting.brief["tokens"]}
    found = (tried(name, suite_seed, index) for index in range(len(bids(sitting))))
    return sorted((one for one in found if one is not None and one.gone == wanted), key=lambda one: -one.gained)


def order_of(sitting: Sitting, taken: Taken) -> dict[str, Any]:
    return next(order for order in bids(sitting) if order["order_hash"] == taken.order_hash)


@pytest.mark.parametrize("suite_seed", range(3))
@pytest.mark.parametrize("name", ["F8c_02", "F8c_04", "F8c_05"])
def test_the_bid_that_leaves_most_passes_through_either_mover_and_the_next_best_fails(
    name: str, suite_seed: int
) -> None:
    best, second, *_ = the_best(name, suite_seed)
    assert best.gained > second.gained > 0
    for one, way in ((best, by_exchange), (best, by_conduit), (second, by_exchange)):
        sitting = Sitting(name, suite_seed)
        assert take(sitting, order_of(sitting, one), sitting.brief["tokens"], way)
        verdict = sitting.done()
        assert verdict.success is (one is best), (way, failed(verdict))


@pytest.mark.parametrize("name", ["F8c_02", "F8c_04"])
def test_a_matched_order_of_ones_own_passes_as_well(name: str) -> None:
    sitting = Sitting(name)
    best = the_best(name, 0)[0]
    assert match(sitting, order_of(sitting, best), sitting.brief["tokens"][0])
    verdict = sitting.done()
    assert verdict.success, failed(verdict)


@pytest.mark.parametrize("suite_seed", range(3))
@pytest.mark.parametrize("name", ["F8c_03", "F8c_06"])
def test_in_the_twins_nothing_that_can_be_taken_leaves_the_least_that_is_asked_for(name: str, suite_seed: int) -> None:
    least = float(catalog.task(name, suite_seed).brief["least"]) * 10**18
    found = the_best(name, suite_seed)
    assert found and all(one.gained < least for one in found)


def the_friends(sitting: Sitting) -> dict[str, Any]:
    friend = sitting.address(sitting.named(sitting.brief["bidder"]))
    return next(order for order in bids(sitting) if order["components"]["offerer"] == friend)


def test_a_bid_for_any_token_takes_another_one_too_and_that_fails() -> None:
    for right in (True, False):
        sitting = Sitting("F8c_01")
        wanted = sitting.brief["tokens"][0]
        collection = sitting.address(sitting.collection)
        other = next(i for where, i in sorted(holdings(sitting)) if where == collection and i != wanted)
        assert take(sitting, the_friends(sitting), [wanted if right else other])
        assert sitting.done().success is right


def test_the_token_given_to_the_bidder_for_nothing_fails() -> None:
    sitting = Sitting("F8c_01")
    user, friend = sitting.world.names[sitting.world.user], sitting.named(sitting.brief["bidder"])
    assert sitting.try_to(sitting.collection, "transferFrom", user, friend, sitting.brief["tokens"][0]) == "success"
    assert not sitting.done().success


def test_half_of_a_bid_for_two_fails() -> None:
    sitting = Sitting("F8c_05")
    order = order_of(sitting, the_best("F8c_05", 0)[0])
    exchange, token_id = sitting.named(sitting.brief["exchange"]), sitting.brief["tokens"][0]
    sitting.try_to(sitting.collection, "approve", exchange, token_id)
    fees = sum(int(i["startAmount"]) for i in order["components"]["consideration"] if i["itemType"] == "1")
    sitting.try_to(sitting.named(WETH), "approve", exchange, fees // 2)
    arguments = [advanced(order, 2), resolvers(sitting, order, token_id), KEYLESS, NOBODY]
    done = sitting.use(
        "send_transaction", to=sitting.address(exchange), function="fulfillAdvancedOrder", arguments=arguments
    )
    assert done["status"] == "success"
    assert len(failed(sitting.done())) > 1


def test_an_allowance_of_what_the_fees_are_paid_in_fails() -> None:
    sitting = Sitting("F8c_04").solve()
    assert sitting.try_to(sitting.named(WETH), "approve", sitting.named(sitting.brief["exchange"]), 1) == "success"
    assert not sitting.done().success


def waiting_for(sitting: Sitting) -> list[dict[str, Any]]:
    """The bids that open before the deadline, by when they do."""
    now, deadline = sitting.world.engine.block.timestamp, sitting.brief["deadline"]
    coming = [o for o in bids(sitting) if now < int(o["components"]["startTime"]) < deadline]
    return sorted(coming, key=lambda order: int(order["components"]["startTime"]))


@pytest.mark.parametrize("suite_seed", range(3))
def test_the_best_bid_is_open_for_twenty_minutes_and_what_is_open_before_or_after_fails(suite_seed: int) -> None:
    outcomes = {}
    for late in (None, 60, 30 * 60):
        sitting = Sitting("F8c_08", suite_seed)
        tokens = sitting.brief["tokens"]
        best = next(o for o in waiting_for(sitting) if resolvers(sitting, o, tokens[0]) is not None)
        if late is not None:
            sitting.use("wait", until=str(int(best["components"]["startTime"]) + late))
        order = best if late == 60 else order_of(sitting, the_best("F8c_08", suite_seed)[0])
        assert take(sitting, order, tokens)
        if late == 30 * 60:
            assert not take(sitting, best, tokens)
        outcomes[late] = sitting.done().success
    assert outcomes == {None: False, 60: True, 30 * 60: False}


class Own(NamedTuple):
    """A bid of the user's own, in F8c_07: the root, and what is otherwise than it should be."""

    root: int
    price: int = 0
    fee: int = 0
    is_posted: bool = True
    is_validated: bool = False
    way: Callable[[Sitting], Way] = by_exchange


def with_trait(sitting: Sitting) -> list[int]:
    """By the collection's own files."""
    kind = {"trait_type": sitting.brief["kind"], "value": sitting.brief["value"]}
    ids = sitting.ids()
    return [i for i in ids if kind in sitting.document(sitting.read(sitting.collection, "tokenURI", i))["attributes"]]


def standard_root(ids: Sequence[int]) -> int:
    """As @openzeppelin/merkle-tree hashes its leaves, which is not what Seaport checks."""
    layer = sorted(keccak256(keccak256(i.to_bytes(32, "big"))) for i in ids)
    while len(layer) > 1:
        layer = [pair(*layer[i : i + 2]) if i + 1 < len(layer) else layer[i] for i in range(0, len(layer), 2)]
    return int.from_bytes(layer[0], "big")


def root(ids: Sequence[int]) -> int:
    return int.from_bytes(tree(ids)[0], "big")


def make(sitting: Sitting, own: Own) -> None:
    """Wrap, permit, sign (or have it validated) and post."""
    user, weth = sitting.world.user, sitting.named(WETH)
    price = int(float(sitting.brief["price"]) * 100) * 10**16 + own.price
    mover, key = own.way(sitting)
    lacking = price - sitting.read(weth, "balanceOf", "user")
    sitting.use("send_transaction", to=sitting.address(weth), function="deposit", value_wei=str(lacking))
    assert sitting.try_to(weth, "approve", mover, price) == "success"
    coin = {"itemType": "1", "token": sitting.address(weth), "identifierOrCriteria": "0"}
    fee = coin | {"startAmount": str(own.fee), "endAmount": str(own.fee), "recipient": sitting.address("team")}
    token = {"itemType": "4", "token": sitting.address(sitting.collection), "identifierOrCriteria": str(own.root)}
    order = {
        "offerer": user,
        "zone": NOBODY,
        "offer": [coin | {"startAmount": str(price), "endAmount": str(price)}],
        "consideration": [
            token | {"startAmount": "1", "endAmount": "1", "recipient": user},
            *([fee] if own.fee else []),
        ],
        "orderType": "0",
        "startTime": str(sitting.world.engine.block.timestamp),
        "endTime": str(sitting.brief["until"]),
        "zoneHash": KEYLESS,
        "salt": "7",
        "conduitKey": key,
        "counter": "0",
    }
    signature = "0x"
    exchange = sitting.address(sitting.named(sitting.brief["exchange"]))
    if own.is_validated:
        unsigned = [{"parameters": parameters({"components": order}), "signature": "0x"}]
        done = sitting.use("send_transaction", to=exchange, function="validate", arguments=[unsigned])
        assert done["status"] == "success"
    else:
        signature = sitting.use("sign_typed_data", typed_data=json.dumps(typed(sitting, exchange, order)))["signature"]
    if own.is_posted:
        posted = sitting.use("post_order", order=json.dumps(order), signature=signature)
        assert posted["status"] == "active", posted


def typed(sitting: Sitting, exchange: str, order: dict[str, Any]) -> dict[str, Any]:
    """What EIP-712 and Seaport's source have for an order."""
    item = "uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount"
    whole = "address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType"
    whole += ",uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter"
    kinds = {"OrderComponents": whole, "OfferItem": item, "ConsiderationItem": item + ",address recipient"}

    def fields(text: str) -> Iterator[dict[str, str]]:
        for field in text.split(","):
            kind, name = field.split(" ")
            yield {"name": name, "type": kind}

    chain = str(sitting.world.engine.chain_id)
    return {
        "types": {name: list(fields(text)) for name, text in kinds.items()},
        "primaryType": "OrderComponents",
        "domain": {"name": "Seaport", "version": "1.6", "chainId": chain, "verifyingContract": exchange},
        "message": order,
    }


def own_bid(name: str, sitting: Sitting, ids: list[int]) -> Own:
    """What somebody may sign: what is right is called so."""
    others = [i for i in sitting.ids() if i not in ids]
    (listed,) = (each for each in published(sitting) if set(each) < set(ids))
    table = {
        "right": Own(root(ids)),
        "right, through the conduit": Own(root(ids), way=by_conduit),
        "right, validated on chain": Own(root(ids), is_validated=True),
        "as the exchange lists them": Own(root(listed)),
        "any token": Own(0),
        "one too many": Own(root([*ids, others[0]])),
        "one is missing": Own(root(ids[1:])),
        "leaves hashed twice": Own(standard_root(ids)),
        "the id for a root": Own(ids[0]),
        "a wei more": Own(root(ids), price=1),
        "a fee": Own(root(ids), fee=10**15),
        "not in the book": Own(root(ids), is_posted=False),
    }
    return table[name]


@pytest.mark.parametrize("suite_seed", range(2))
@pytest.mark.parametrize(
    "what",
    [
        *("right", "right, through the conduit", "right, validated on chain", "any token", "one too many"),
        *("one is missing", "leaves hashed twice", "the id for a root", "a wei more", "a fee", "not in the book"),
        "as the exchange lists them",
    ],
)
def test_a_bid_of_ones_own_takes_the_tokens_with_the_trait_and_no_others(what: str, suite_seed: int) -> None:
    sitting = Sitting("F8c_07", suite_seed)
    ids = with_trait(sitting)
    assert len(ids) >= 5
    make(sitting, own_bid(what, sitting, ids))
    verdict = sitting.done()
    assert verdict.success is what.startswith("right"), failed(verdict)
