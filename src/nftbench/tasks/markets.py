"""Fixed-price markets and currencies in a scene, and what goals say of listings."""

from __future__ import annotations

from nftbench.tasks.goals import At, Change, Reading, ViewEquals
from nftbench.tasks.scene import Scene

BASIS_POINTS = 10_000
DOLLAR_DECIMALS = 6


def market(scene: Scene, fee: int = 250, kind: str = "Market") -> str:
    """A fixed-price market of the team's; `fee` is its share of a price in basis points."""
    return scene.contract("SimpleMarket", (At("team"), fee), label=f"{scene.draw.collection().split()[0]} {kind}")


def coin(scene: Scene, label: str) -> str:
    """An ERC-20 currency of the team's, with 6 decimals."""
    symbol = f"{label[0]}{label.rsplit(maxsplit=1)[-1][:3].upper()}"
    return scene.contract("PaymentToken", (label, symbol, At("team"), DOLLAR_DECIMALS), label=label)


def dollars(scene: Scene) -> str:
    return coin(scene, f"{scene.draw.choice(('Harbour', 'Meridian', 'Civic', 'Ledger'))} Dollar")


def listing_of(market_: str, collection: str, token_id: int) -> Reading:
    """The number of a token's standing listing, for goals that don't know it beforehand."""
    return Reading(market_, "listingOf", (At(collection), token_id))


def listed_at(market_: str, collection: str, token_id: int, price: int, currency: str = "nobody") -> ViewEquals:
    """Goal: the user's token stands on the market at this price; the currency is ether where it is nobody's contract."""
    wanted = (At("user"), At(collection), token_id, At(currency), price)
    return ViewEquals(Reading(market_, "getListing", (listing_of(market_, collection, token_id),)), wanted)


def new_listing(market_: str, collection: str, token_id: int) -> tuple[Change, ...]:
    """What a listing changes on the market, besides the listing itself and the count of listings."""
    which = (At(collection), token_id)
    return (Change(kind="view", contract=market_, subject="listingOf(address,uint256)", detail=which),)
