"""What the requests of families and of ladders, on their second rungs, say: the same in every wording, not when to give up."""

from __future__ import annotations

import re

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.drawing import Draw, moment
from nftbench.tasks.family import Story
from nftbench.tasks.scene import Scene

IDS = [i for i in catalog.instance_ids() if catalog.task(i).family in ("F1", "F2", "F3", "F7", "F8", "F14")]
IDS += [f"{rungs[1].name}_{number:02d}" for rungs in catalog.families("ladder").values() for number in range(1, 5)]

SPELLED = {
    "F2d": "contracts of one name are counted out, as (1) to (5)",
    "F3c_06": "one wording tells how long a transaction takes",
}

CUES = re.compile(
    r"\b(unless|otherwise|in that case|do nothing|change nothing|leave (it )?(all|everything)|be (done|answered)"
    r"|don't (touch|start)|no answer|at all then"
    r"|if [^.;,]*\b(can't|cannot|gone|isn't|doesn't|aren't|nobody|none|too late|too few|fewer)\b"
    r"|should [^.;,]*\b(not|nobody|none|too late|be gone|be needed))\b",
    re.IGNORECASE,
)
"""Words by which a request says what to do where it can't be met."""


def told(name: str, suite_seed: int) -> tuple[Scene, Story]:
    sub_family, number = name.split("_")
    case = catalog.SUB_FAMILIES[sub_family].cases[int(number) - 1]
    seed = f"{suite_seed}/{sub_family}_{case.twin_of or int(number):02d}"
    scene = Scene(Draw(seed), seed)
    return scene, case.tell(scene, case.twin_of is None)


def asked_for(scene: Scene, wording: str) -> tuple[set[str], set[str]]:
    """The numbers and times, and the people, places and collections, that a wording speaks of."""
    text = re.sub(
        r"(Answer with|Give me the answer as|Please answer with|I need the answer in the form) .*$", "", wording
    )
    numbers = set(re.findall(r"\d+(?:\.\d+)?(?::\d\d)?|0x[0-9a-fA-F]{40}", text))
    labels = {label for label in scene.labels.values() if re.search(rf"\b{re.escape(label)}(?!\w)", text)}
    return numbers, labels


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("suite_seed", range(5))
def test_every_wording_of_a_request_speaks_of_the_same_things(name: str, suite_seed: int) -> None:
    scene, story = told(name, suite_seed)
    assert len(story.phrasings) >= 3
    first, *others = (asked_for(scene, wording) for wording in story.phrasings)
    if not name.startswith(tuple(SPELLED)):
        assert others == [first] * len(others)


@pytest.mark.parametrize("name", IDS)
def test_no_wording_says_when_to_give_up(name: str) -> None:
    """A list of requests says once for all of them that some may come to nothing, and not which."""
    for suite_seed in range(3):
        for wording in told(name, suite_seed)[1].phrasings:
            requests = "\n\n".join(wording.split("\n\n")[1:-1]) if name.startswith("L1") else wording
            assert not CUES.search(requests), wording


@pytest.mark.parametrize(
    "wording",
    [
        "Send #3 to Mira. If it's gone already, leave all as it is.",
        "Send #3 to Mira, unless it is locked.",
        "Sign it; otherwise do nothing.",
        "Should none of them be entered then, I have no use for the answer.",
        "If it can't be there in time, leave the rest here too.",
        "With fewer it is called off; below that number it can't be done at all.",
    ],
)
def test_such_words_would_be_found(wording: str) -> None:
    assert CUES.search(wording)


@pytest.mark.parametrize("name", IDS)
def test_a_request_with_a_time_limit_names_it_in_every_wording(name: str) -> None:
    for suite_seed in range(3):
        scene, story = told(name, suite_seed)
        if story.deadline is not None:
            assert all(moment(scene.start + story.deadline) in wording for wording in story.phrasings)


def test_amounts_of_one_are_not_many() -> None:
    for name in IDS:
        for suite_seed in range(5):
            for wording in told(name, suite_seed)[1].phrasings:
                assert not re.search(r"\b1 (tokens|units|pieces|items|holders|wallets)\b", wording), wording
