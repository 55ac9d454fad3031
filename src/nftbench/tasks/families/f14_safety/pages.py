"""Pages of sites that lay out what a wallet is to sign and to send: to claim, to mint, to swap, to log in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nftbench.chain.seaport import as_json, typed_data
from nftbench.tasks.drawing import DAY
from nftbench.tasks.families.f3_approvals.permits_plays import typed
from nftbench.tasks.goals import At
from nftbench.tasks.model import CHAIN_ID
from nftbench.tasks.orders import Order
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.values import ZERO_ADDRESS


def address_of(scene: Scene, handle: str) -> str:
    """The address of a person, of a contract, or of nobody."""
    if handle == "nobody":
        return ZERO_ADDRESS
    return scene.contract_address(handle) if scene.artifact(handle) else scene.address(handle)


def _components(scene: Scene, sea: SeaportExchange, order: Order) -> tuple[Any, ...]:
    """An order of somebody who has never raised their counter, as the exchange takes it."""

    def plain(words: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(address_of(scene, word.name) if isinstance(word, At) else word for word in words)

    return (
        scene.address(order.offerer),
        address_of(scene, order.zone),
        tuple(plain(item.words()) for item in order.offer),
        tuple(plain(item.words()) for item in order.consideration),
        int(order.order_type),
        order.start_time,
        order.end_time,
        order.zone_hash,
        order.salt,
        sea.key(str(order.conduit)),
        0,
    )


def to_sign(scene: Scene, sea: SeaportExchange, order: Order) -> dict[str, Any]:
    """The typed data of an order."""
    return typed_data(CHAIN_ID, scene.contract_address(sea.seaport), _components(scene, sea, order))


def batch_of(scene: Scene, sea: SeaportExchange, orders: Sequence[Order]) -> str:
    """Publish the orders that were signed together, in the order of the tree's leaves. Returns the URI."""
    uri = f"https://batches.example/{scene.draw.number(10_000, 99_999)}.json"
    exchange = scene.contract_address(sea.seaport)
    tree = [as_json("OrderComponents", _components(scene, sea, order)) for order in orders]
    scene.uris[uri] = json.dumps({"primaryType": "BulkOrder", "verifyingContract": exchange, "tree": tree})
    return uri


def login(scene: Scene, place: str, nonce: int) -> dict[str, Any]:
    """The typed data of a log-in, which lets nobody do anything with what the user has."""
    fields = {"statement": "string", "account": "address", "nonce": "uint256", "expiresAt": "uint256"}
    domain = {"name": "string", "version": "string", "chainId": "uint256"}
    return {
        "types": {
            kind: [{"name": name, "type": type_} for name, type_ in each.items()]
            for kind, each in (("EIP712Domain", domain), ("Login", fields))
        },
        "primaryType": "Login",
        "domain": {"name": place, "version": "1", "chainId": str(CHAIN_ID)},
        "message": {
            "statement": f"I log in to the {place}.",
            "account": scene.address("user"),
            "nonce": str(nonce),
            "expiresAt": str(scene.start + DAY),
        },
    }


def permit_to_sign(
    scene: Scene, contract: str, fields: list[dict[str, str]], message: dict[str, Any]
) -> dict[str, Any]:
    """The typed data of a permit in the domain of a contract."""
    domain = {
        "name": scene.labels[contract],
        "version": "1",
        "chainId": str(CHAIN_ID),
        "verifyingContract": scene.contract_address(contract),
    }
    return typed(fields, domain, {key: str(value) for key, value in message.items()})


def sending(scene: Scene, to: str, function: str, *arguments: Any, value: int = 0) -> dict[str, Any]:
    """A transaction, as a page asks for it."""
    return {
        "to": address_of(scene, to),
        "function": function,
        "arguments": list(arguments),
        "value_wei": str(value),
    }


def page(scene: Scene, what: str, steps: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Publish a page; each step has a line to read and either typed data or a transaction. Returns its URI."""
    uri = f"https://{what}.example/{scene.draw.number(10_000, 99_999)}.json"
    told = [
        {"step": number, "say": said, ("sign" if "primaryType" in asked else "send"): asked}
        for number, (said, asked) in enumerate(steps, 1)
    ]
    scene.uris[uri] = json.dumps({"page": what, "steps": told})
    return uri
