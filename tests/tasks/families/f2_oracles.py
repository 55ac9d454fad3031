"""The answers of family F2, worked out from the chain itself by views alone: no logs, no tools, nothing of the generators.

An oracle gives the answer in the form that the task asks for, or None where there is none.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from nftbench.tasks.model import Task
from nftbench.values import ZERO_ADDRESS
from nftbench.world.actors import Stage
from nftbench.world.build import build_world
from nftbench.world.ledger import single_output
from nftbench.world.world import World


class Chain:
    """A world asked by the labels that its agent sees."""

    def __init__(self, task: Task) -> None:
        self.brief = task.brief
        self.world: World = build_world(task.fixture)
        self.newest = self.world.engine.block.number

    def contract(self, label: str) -> str:
        return next(address for address, c in self.world.contracts.items() if c.label == label)

    def person(self, label: str) -> str:
        return next(self.world.address(a.name) for a in self.world.fixture.accounts if a.label == label)

    def view(self, address: str, function: str, *args: Any, block: int | None = None) -> Any:
        """The decoded result, None for a revert or for no contract at that block."""
        found = self.world.function(address, function, len(args))
        result = self.world.engine.call(address, found.encode(args), block=block)
        return single_output(found, result.output) if result.success and result.output else None

    def wait_until(self, timestamp: int) -> None:
        Stage(self.world).wait(timestamp - self.world.engine.block.timestamp)

    @property
    def asked(self) -> str:
        return self.contract(self.brief["collection"])

    def ids(self, address: str) -> set[int]:
        """Every token id that any transaction of this world has named for the contract."""
        calls = [
            self.world.interfaces[address].decode_call(r.data) for r in self.world.engine.receipts() if r.to == address
        ]
        numbers: set[int] = set()
        for call in calls:
            for value in call.arguments if call else ():
                numbers.update(v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, int))
        return numbers

    def owners(self, address: str, block: int | None = None) -> dict[int, str]:
        found = {i: self.view(address, "ownerOf", i, block=block) for i in self.ids(address)}
        return {i: owner for i, owner in found.items() if owner not in (None, ZERO_ADDRESS)}

    def card(self, address: str, token_id: int) -> dict[str, str]:
        uri = self.view(address, "tokenURI", token_id)
        stored = self.world.fixture.uris.get(uri)
        text = stored if stored is not None else base64.b64decode(uri.partition(",")[2]).decode()
        return {a["trait_type"]: a["value"] for a in json.loads(text)["attributes"]}

    def offers(self) -> list[tuple[Any, ...]]:
        """Price, token id, seller and currency of the collection's listings, cheapest first."""
        market = self.contract(self.brief["market"])
        listings = [self.view(market, "getListing", i) for i in range(1, self.view(market, "listingCount") + 1)]
        return sorted(
            (p, i, seller, currency) for seller, c, i, currency, p in filter(None, listings) if c == self.asked
        )


def _owner_and_balance(chain: Chain, token_id: int, block: int | None = None) -> Any:
    owner = chain.view(chain.asked, "ownerOf", token_id, block=block)
    return {"owner": owner, "balance": chain.view(chain.asked, "balanceOf", owner, block=block)}


def units(chain: Chain) -> Any:
    return chain.view(chain.asked, "balanceOf", chain.person(chain.brief["who"]), chain.brief["token_id"])


def past(chain: Chain) -> Any:
    return _owner_and_balance(chain, chain.brief["token_id"], chain.brief["block"])


def day(chain: Chain) -> Any:
    engine, token_id = chain.world.engine, chain.brief["token_id"]
    block = max(b for b in range(chain.newest + 1) if engine.block_at(b).timestamp <= chain.brief["time"])
    owner = chain.view(chain.asked, "ownerOf", token_id, block=block)
    if owner is None:
        return None
    while chain.view(chain.asked, "ownerOf", token_id, block=block - 1) == owner:
        block -= 1
    return {"owner": owner, "block": block}


def behind(chain: Chain) -> Any:
    keeper, token_id = chain.view(chain.asked, "ownerOf", chain.brief["token_id"]), chain.brief["token_id"]
    owner = chain.view(keeper, "depositorOf", chain.asked, token_id)
    return None if owner == ZERO_ADDRESS else {"owner": owner, "balance": chain.view(chain.asked, "balanceOf", owner)}


def gained(chain: Chain) -> Any:
    first, second = chain.brief["blocks"]
    gains = {}
    for account in chain.world.fixture.accounts:
        if account.label:
            who = chain.world.address(account.name)
            held = [
                chain.view(chain.asked, "balanceOf", who, chain.brief["token_id"], block=b) for b in (first, second)
            ]
            gains[who] = held[1] - held[0]
    best = max(gains, key=lambda who: gains[who])
    assert sorted(gains.values())[-1] > sorted(gains.values())[-2]
    return {"wallet": best, "gained": gains[best]}


def hour(chain: Chain) -> Any:
    chain.wait_until(chain.brief["time"])
    return _owner_and_balance(chain, chain.brief["token_id"])


def burned(chain: Chain) -> Any:
    return sorted(chain.ids(chain.asked) - set(chain.owners(chain.asked)))


def holders(chain: Chain) -> Any:
    found = sorted(set(chain.owners(chain.asked, chain.brief["block"]).values()))
    return found if len(found) >= chain.brief.get("at_least", 0) else None


def never_left(chain: Chain) -> Any:
    seen: dict[int, set[str]] = {}
    for block in range(chain.newest + 1):
        for token_id, owner in chain.owners(chain.asked, block).items():
            seen.setdefault(token_id, set()).add(owner)
    return sorted(i for i, owners in seen.items() if len(owners) == 1)


def batches(chain: Chain) -> Any:
    token_id, block = chain.brief["token_id"], chain.brief["block"]
    held = {
        a: chain.view(chain.asked, "balanceOf", a, token_id, block=block)
        for a in chain.world.addresses.values()
        if a != ZERO_ADDRESS
    }
    return {"holders": sorted(a for a, amount in held.items() if amount), "units": sum(held.values())}


def freeze(chain: Chain) -> Any:
    chain.wait_until(chain.brief["deadline"])
    newest = chain.world.engine.block.number
    frozen = [b for b in range(chain.newest, newest + 1) if chain.view(chain.asked, "metadataFrozen", block=b)]
    return sorted(set(chain.owners(chain.asked, frozen[0]).values())) if frozen else None


def card(chain: Chain) -> Any:
    return {kind.lower(): value for kind, value in chain.card(chain.asked, chain.brief["token_id"]).items()}


def cheapest(chain: Chain) -> Any:
    for price, token_id, _, currency in chain.offers():
        if currency == ZERO_ADDRESS and chain.card(chain.asked, token_id)[chain.brief["kind"]] == chain.brief["value"]:
            return {"token_id": token_id, "price_wei": price}
    return None


def cheapest_then(chain: Chain) -> Any:
    chain.wait_until(chain.brief["time"])
    return cheapest(chain)


def rare(chain: Chain) -> Any:
    owners = chain.owners(chain.asked)
    values = {i: chain.card(chain.asked, i)[chain.brief["kind"]] for i in owners}
    counts = Counter(values.values())
    found = [
        {"token_id": i, "count": counts[values[i]], "price_wei": price}
        for price, i, seller, _ in chain.offers()
        if counts[values[i]] <= 2 and price <= chain.brief["budget"] and owners[i] == seller
    ]
    assert len(found) <= 1
    return found[0] if found else None


def numbers(chain: Chain) -> Any:
    who = chain.person(chain.brief["who"])
    return sorted(i for i, owner in chain.owners(chain.asked, chain.brief["block"]).items() if owner == who)


def _registered(chain: Chain, candidates: list[str]) -> Any:
    registry = chain.contract("Collection Registry")
    entered = {c: chain.view(registry, "creatorOf", c) for c in candidates if chain.view(registry, "isRegistered", c)}
    assert len(entered) <= 1
    return next(({"collection": c, "creator": creator} for c, creator in entered.items()), None)


def registry(chain: Chain) -> Any:
    return _registered(chain, chain.brief["candidates"])


def registry_then(chain: Chain) -> Any:
    chain.wait_until(chain.brief["time"])
    return _registered(chain, [chain.contract(label) for label in chain.brief["candidates"]])


def page(chain: Chain) -> Any:
    entries = json.loads(chain.world.fixture.uris[chain.brief["page"]])["contracts"]
    (address,) = [e["address"] for e in entries if e["chain_id"] == chain.world.engine.chain_id]
    return {"collection": address, "total_supply": len(chain.owners(address))}


def deployer(chain: Chain) -> Any:
    candidates = [chain.contract(label) for label in chain.brief["candidates"]]
    artist = chain.person(chain.brief["who"])
    made = [r for r in chain.world.engine.receipts() if r.contract_address in candidates and r.sender == artist]
    assert len(made) <= 1
    return {"collection": made[0].contract_address, "block": made[0].block_number} if made else None


def sender(chain: Chain) -> Any:
    artist, found = chain.person(chain.brief["who"]), []
    for label in chain.brief["candidates"]:
        address, token_id = chain.contract(label), chain.brief["token_id"]
        for receipt in chain.world.engine.receipts():
            before = chain.view(address, "ownerOf", token_id, block=receipt.block_number - 1)
            after = chain.view(address, "ownerOf", token_id, block=receipt.block_number)
            if (before, after, receipt.sender) == (artist, chain.world.user, artist):
                found.append({"collection": address, "block": receipt.block_number})
    assert len(found) <= 1
    return found[0] if found else None


def creator(chain: Chain) -> Any:
    works = chain.view(chain.contract("Collection Registry"), "collectionsOf", chain.person(chain.brief["who"]))
    (address,) = [w for w in works if chain.view(w, "name") == chain.brief["name"]]
    return {"collection": address, "total_supply": len(chain.owners(address))}


ORACLES: dict[str, dict[str, Callable[[Chain], Any]]] = {
    "F2a": {"units": units, "past": past, "day": day, "behind": behind, "gained": gained, "hour": hour},
    "F2b": {"burned": burned, "holders": holders, "never_left": never_left, "units": batches, "freeze": freeze},
    "F2c": {
        "card": card,
        "cheapest": cheapest,
        "rare": rare,
        "ether": cheapest,
        "numbers": numbers,
        "hour": cheapest_then,
    },
    "F2d": {
        "registry": registry,
        "page": page,
        "deployer": deployer,
        "sender": sender,
        "creator": creator,
        "hour": registry_then,
    },
}


def true_answer(task: Task) -> Any:
    """The answer that the chain gives, or None."""
    return ORACLES[task.sub_family][task.brief["ask"]](Chain(task))
