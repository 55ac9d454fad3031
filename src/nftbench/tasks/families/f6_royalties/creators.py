"""What the families of creators share: a collection of the user's own, folders for its files, and signals for its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.tasks.drawing import Draw
from nftbench.tasks.goals import At, Change, Goal, MetadataSignalled, Reading, ViewEquals
from nftbench.tasks.playing import Step, events, plain, send, use
from nftbench.tasks.scene import Scene
from nftbench.values import ZERO_ADDRESS

BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
CID_LETTERS = 52
DOLLAR_DECIMALS = 6
BASIS_POINTS = 10_000

SET_TOKEN_URI = "setTokenURI"
SIGNAL_RANGE = "emitBatchMetadataUpdate"


def folder(draw: Draw) -> str:
    """The URI of a folder on IPFS, as long as they are (a version 1 content identifier in base 32)."""
    return "ipfs://bafybei" + "".join(draw.choice(BASE32) for _ in range(CID_LETTERS)) + "/"


def symbol_of(label: str) -> str:
    return "".join(word[0] for word in label.split()).upper() + label[-2].upper()


def metadata_collection(scene: Scene, base: str, *, ids: Sequence[int], label: str | None = None) -> str:
    """A MetadataCollection with these tokens spread over the user and two others. The team owns it until handed over."""
    label = label or scene.draw.collection()
    args = (label, symbol_of(label), At("team"), base, f"{base}collection.json")
    collection = scene.contract("MetadataCollection", args, label=label)
    holders = ["user", *scene.others(2)]
    for holder in holders:
        share = [i for i in ids if holders[i % len(holders)] == holder]
        if share:
            scene.mint(collection, holder, share)
    return collection


def market(scene: Scene, fee: int = 250, kind: str = "Market") -> str:
    """A fixed-price market of the team's; `fee` is its share of a price in basis points."""
    return scene.contract("SimpleMarket", (At("team"), fee), label=f"{scene.draw.collection().split()[0]} {kind}")


def dollars(scene: Scene) -> str:
    """An ERC-20 currency with 6 decimals."""
    label = f"{scene.draw.choice(('Harbour', 'Meridian', 'Civic', 'Ledger'))} Dollar"
    return scene.contract("PaymentToken", (label, f"{label[0]}USD", At("team"), DOLLAR_DECIMALS), label=label)


def listing_of(market_: str, collection: str, token_id: int) -> Reading:
    """The number of a token's standing listing, for goals that don't know it beforehand."""
    return Reading(market_, "listingOf", (At(collection), token_id))


def listed_at(market_: str, collection: str, token_id: int, price: int, currency: str = "nobody") -> ViewEquals:
    """Goal: the user's token stands on the market at this price; the currency is ether where it is nobody's contract."""
    wanted = (At("user"), At(collection), token_id, At(currency), price)
    return ViewEquals(Reading(market_, "getListing", (listing_of(market_, collection, token_id),)), wanted)


def new_listing(market_: str, collection: str, token_id: int) -> tuple[Change, ...]:
    """What a listing changes on the market, besides the listing itself."""
    return (
        Change(kind="view", contract=market_, subject="listingCount()"),
        Change(kind="view", contract=market_, subject="listingOf(address,uint256)", detail=(At(collection), token_id)),
    )


def hand_over(scene: Scene, collection: str, owner: str = "user") -> None:
    """Make the account the owner of a contract that the team has set up."""
    scene.step("team", collection, "transferOwnership", At(owner))


def watch_uris(scene: Scene, collection: str, ids: Sequence[int]) -> None:
    scene.watch(*(Reading(collection, "tokenURI", (i,)) for i in ids))


def uris_are(collection: str, uris: dict[int, str]) -> list[Goal]:
    """Goals: these tokens have these URIs, and exactly they were signalled (ERC-4906)."""
    goals: list[Goal] = [ViewEquals(Reading(collection, "tokenURI", (i,)), uri) for i, uri in uris.items()]
    return [*goals, MetadataSignalled(collection, tuple(uris))]


def uri_change(collection: str, token_id: int) -> Change:
    """Leave for a token's URI to change; what it must become is a goal's matter."""
    return Change(kind="view", contract=collection, subject="tokenURI(uint256)", detail=(token_id,))


def without_looking(address: str, function: str, *arguments: Any, value: int = 0) -> Step:
    """Send a transaction just like that, as a careless agent does; gives its outcome."""
    given: dict[str, Any] = {"to": address, "function": function, "arguments": [plain(a) for a in arguments]}
    if value:
        given["value_wei"] = str(value)
    return (yield from use("send_transaction", **given))


def ranges(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending ids as the fewest ranges, both ends included."""
    found: list[tuple[int, int]] = []
    for token_id in sorted(ids):
        if found and found[-1][1] == token_id - 1:
            found[-1] = (found[-1][0], token_id)
        else:
            found.append((token_id, token_id))
    return found


def minted_ids(address: str) -> Step:
    """Every id that was minted, ascending, from the events."""
    logs = yield from events(address, event="Transfer", where={"from": ZERO_ADDRESS})
    return sorted(int(log["args"]["tokenId"]) for log in logs)


def signal(address: str, ids: Sequence[int]) -> Step:
    """Signal exactly these tokens; gives None, or why it fails."""
    problem: Any = None
    for first, last in ranges(ids):
        problem = problem or (yield from send(address, SIGNAL_RANGE, first, last))
    return problem
