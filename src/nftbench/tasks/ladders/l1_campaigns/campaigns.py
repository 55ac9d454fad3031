"""L1: to-do lists over one world: every part is right or wrong for itself, and the answer names those that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from nftbench.tasks.family import Case, Story, SubFamily, able
from nftbench.tasks.ladders.l1_campaigns.composing import Offer, compose
from nftbench.tasks.ladders.l1_campaigns.plays import composed
from nftbench.tasks.ladders.l1_campaigns.requests import PARTS, offered
from nftbench.tasks.ladders.rungs import ladder
from nftbench.tasks.model import Difficulty
from nftbench.tasks.scene import Scene

SIZES = ((1, 6), (2, 70), (4, 110), (8, 150), (16, 230), (32, 330), (64, 620))
"""Parts, and calls that the reference makes at most."""
UNDONE = 25
"""How many parts in a hundred can't be done."""
SMALL = ("F1a_01", "F1a_02", "F1a_04", "F1c_01", "F3a_01", "F6a_02", "F6c_01")
"""What a campaign of one part may ask for."""
_WORDS = {1: "one thing", 2: "two things", 4: "four things", 8: "eight things", 16: "sixteen things"}


def campaigns(sub_families: Mapping[str, SubFamily]) -> tuple[SubFamily, ...]:
    """The ladder over the cases of these sub-families."""
    can, can_not = (list(offered(sub_families, feasible=feasible)) for feasible in (True, False))

    def cases(size: int) -> tuple[Case, ...]:
        offers = [[one for one in some if size > 1 or one[0] in SMALL] for some in (can, can_not)]
        difficulty: Difficulty = "T2" if size < 4 else "T3"
        return tuple(
            able(partial(_tell, size, offers, last=number == 4), difficulty, "campaign") for number in range(1, 5)
        )

    return ladder(
        "L1",
        "requests in one message",
        SIZES,
        cases,
        lambda brief: composed(brief, lambda name: sub_families[name].policy),
        careless=lambda brief: composed(brief, lambda name: sub_families[name].careless),
        derivations=tuple(dict.fromkeys(rule for name in PARTS for rule in sub_families[name].derivations)),
    )


def _tell(size: int, offers: Sequence[Sequence[Offer]], scene: Scene, _: bool, *, last: bool) -> Story:
    """A campaign of so many parts; of one part it can't be done in the last variant alone."""
    can, can_not = offers
    undone = int(last) if size == 1 else sum(scene.draw.number(1, 100) <= UNDONE for _ in range(size))
    places = scene.draw.shuffled([*[can_not] * undone, *[can] * (size - undone)])
    campaign = compose(scene, places)
    many = _WORDS.get(size, f"{size} things")
    listing = "\n\n".join(f"{number}. {request}" for number, request in enumerate(campaign.requests, 1))
    return campaign.story(
        (
            f"I have {many} for you today, in whichever order suits you.\n\n{listing}\n\nEach counts for itself, and what can't "
            "be done as I ask is to be left alone. When you're through, give me as the answer the list of the numbers that came "
            "to nothing; an empty list if all of them worked out.",
            f"Here's my list for today ({many}); do them in any order you like.\n\n{listing}\n\nLeave alone whatever can't be "
            "done as it's asked for, and go on with the rest. At the end the answer should be the list of the numbers for which "
            "nothing could be done, empty if there's none.",
            f"Please see to {many} for me, one independent of the other and in no special order.\n\n{listing}\n\nIf any can't "
            "be carried out as written, don't do anything about it. Answer with the list of those numbers in the end, or with "
            "an empty list where everything was done.",
        )
    )
