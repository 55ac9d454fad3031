"""What the ladder's requests say, as text and as values."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import listed
from nftbench.tasks.ladders.l3_budget.drafts import KINDS, Shape

Names = tuple[str, str, str, str]
"""The labels of the collection, the register of traits and the two markets."""


def _spoken(wanted: dict[str, int]) -> str:
    """What is wanted, as `one with the Background Dawn and two with the Fur Tabby`."""
    kinds = {value: kind for kind, values in KINDS.items() for value in values}
    return listed([f"{('one', 'two')[count - 1]} with the {kinds[name]} {name}" for name, count in wanted.items()])


def phrasings(names: Names, shape: Shape, budget: str) -> tuple[str, ...]:
    collection, register, one, other = names
    wanted = _spoken(shape.wanted)
    lots = "Some of the lots there hold several tokens and are sold whole. " if shape.bundles else ""
    return (
        f"I'd like to have these traits of {collection} in my wallet: at least {wanted}. A token that has several of them counts for each. Buy what it takes at {one} and {other}; each adds its own fee to the price. {lots}You may spend at most {budget} ether in all, the markets' fees included. Which traits a token has stands in {register}. Not everything that was listed can still be bought.",
        f"Please go shopping for me at {one} and {other}, for tokens of {collection}. When you're done I want to own at least {wanted}; one token may serve for several of these. {lots}My limit is {budget} ether altogether, with the fees that the two markets put on top of their prices. {register} tells the traits of each token. Mind that some of the listings are dead.",
        f"My budget is {budget} ether, everything included, also the fees that {one} and {other} charge on top of a price. For that I want tokens of {collection} from these two markets, so that I own at least {wanted}. It's fine if a token counts for more than one of them. {lots}Look the traits up in {register}, and expect some listings that nobody can buy any more.",
    )


def brief(names: Names, wanted: dict[str, int], budget: int) -> dict[str, Any]:
    collection, register, one, other = names
    return {
        "way": "buy",
        "collection": collection,
        "register": register,
        "markets": [one, other],
        "wanted": wanted,
        "budget": budget,
    }
