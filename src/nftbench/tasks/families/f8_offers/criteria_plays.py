"""F8c's plays: bids by criteria are accepted as others are, with a proof; one's own is made over what the chain says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nftbench.tasks.families.f8_offers.accepting_plays import accept, highest_shown
from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import own_order
from nftbench.tasks.playing import (
    Step,
    by_brief,
    contract,
    finish,
    give_up,
    minted_ids,
    send,
    use,
    view,
    without_looking,
)
from nftbench.values import UINT256_MAX, parse_units


def _with_trait(collection: str, brief: dict[str, Any]) -> Step:
    """The ids of the tokens that have the trait, by the collection itself."""
    ids = yield from minted_ids(collection)
    calls = [{"contract": collection, "function": "traitsOf", "arguments": [str(token_id)]} for token_id in ids]
    told = yield from use("call_many", calls=calls)
    wanted = {"kind": brief["kind"], "value": brief["value"]}
    return [str(i) for i, answer in zip(ids, told["results"], strict=True) if wanted in answer["result"]]


def _post(seen: dict[str, Any], collection: str, root: int, brief: dict[str, Any]) -> Step:
    """Sign a bid for any of the tokens under a root, from now on, and put it into the book."""
    exchange, price = contract(seen, brief["exchange"]), str(parse_units(brief["price"], 18))
    given = ("1", contract(seen, "Wrapped Ether"), "0", price, price)
    wanted = ("4", collection, str(root), "1", "1", seen["you"])
    counter = str((yield from view(exchange, "getCounter", seen["you"])))
    times = (seen["time"], str(brief["until"]))
    own, typed = own_order(seen, exchange, (given,), (wanted,), times=times, counter=counter)
    signed = yield from use("sign_typed_data", typed_data=typed)
    yield from use("post_order", order=own["components"], signature=signed["signature"])


def _bid(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    exchange, coin, price = contract(seen, brief["exchange"]), contract(seen, "Wrapped Ether"), brief["price"]
    ids: Sequence[str] = yield from _with_trait(collection, brief)
    if not ids:
        yield from give_up("no token has that trait", "no_genuine_asset")
        return
    made = yield from use("hash_data", method="merkle_root", layout="seaport", leaves=ids)
    much = parse_units(price, 18)
    lacking = much - int((yield from view(coin, "balanceOf", seen["you"])))
    if lacking > 0 and (yield from send(coin, "deposit", value=lacking)):
        yield from give_up("there is too little ether", "funds")
        return
    yield from send(coin, "approve", exchange, much)
    yield from _post(seen, collection, int(made["root"], 16), brief)
    yield from finish("The bid stands for every token with the trait.")


def _bid_by_the_list(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """For what the exchange's list says, with every permission."""
    exchange, coin = contract(seen, brief["exchange"]), contract(seen, "Wrapped Ether")
    lists = json.loads((yield from use("fetch_uri", uri=brief["lists"]))["content"])["lists"]
    ids = [str(i) for each in lists if each["value"] == brief["value"] for i in each["token_ids"]]
    made = yield from use("hash_data", method="merkle_root", layout="seaport", leaves=ids)
    yield from without_looking(coin, "deposit", value=parse_units(brief["price"], 18))
    yield from without_looking(coin, "approve", exchange, UINT256_MAX)
    yield from _post(seen, collection, int(made["root"], 16), brief)
    yield from finish("The bid is posted.")


play = by_brief("way", {"accept": accept, "bid": _bid})
"""Takes the best bid for which a dry run works, or makes one over the tokens that have the trait."""

careless = by_brief("way", {"accept": highest_shown, "bid": _bid_by_the_list})
"""Goes by the number that the book shows, with whatever proof; bids for what is on a list."""
