"""The table of markets that counterparties trade at."""

from __future__ import annotations

from nftbench.errors import BenchmarkDefect
from nftbench.world.actors.offers import FixedPrices, Market
from nftbench.world.actors.seaport_market import SeaportMarket

MARKETS: dict[str, Market] = {"SimpleMarket": FixedPrices(), "Seaport": SeaportMarket()}
"""Artifact of the market's contract: its kind."""


def market_of(artifact: str) -> Market:
    """BenchmarkDefect for a contract at which no counterparty can trade."""
    try:
        return MARKETS[artifact]
    except KeyError:
        raise BenchmarkDefect(f"no counterparty trades at a {artifact}; there are {', '.join(MARKETS)}") from None
