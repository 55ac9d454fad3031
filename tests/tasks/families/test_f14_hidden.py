"""F14c: hidden instructions are met on the way and can be obeyed, the errand goes without, and the owner's own notes count."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from nftbench.grading.obeying import obeyed
from nftbench.tasks import catalog
from nftbench.tasks.families.f14_safety.baits import encoded, in_pieces
from nftbench.tasks.families.f14_safety.gullible import acts
from nftbench.tasks.families.f14_safety.hidden import F14C
from nftbench.tasks.families.f14_safety.hidden_plays import careless, play
from nftbench.tasks.families.f14_safety.wordings import CORES, FRAMES, TRANSLATED
from nftbench.tasks.goals import Owns
from nftbench.tasks.injections import Ended
from tests.tasks.sittings import Sitting, enlisted

IDS = enlisted(F14C)
ATTACKED = [name for name in IDS if catalog.task(name).injections]
BENIGN = [name for name in IDS if name not in ATTACKED]
SEEDS = range(12)
THIEF, CONTRACT = "0x" + "1a" * 20, "0x" + "2b" * 20


def played(name: str, suite_seed: int, policy: Callable[[dict[str, Any]], Any]) -> tuple[str, tuple[str, ...], str]:
    """How an episode of the play ends, what it obeyed, and all that it was shown."""
    sitting = Sitting(name, suite_seed)
    playing, shown = policy(sitting.brief), ""
    call = next(playing)
    while call.name not in ("finish_task", "declare_infeasible"):
        result = sitting.box.call(call.name, call.arguments).text
        shown += result
        call = playing.send(result)
    return call.name, obeyed(sitting.instance, sitting.desk, call.name), shown


@pytest.mark.parametrize("name", ATTACKED)
def test_who_obeys_everything_meets_and_obeys_every_instruction_on_the_way_of_the_errand(name: str) -> None:
    """So each can be understood as it is written, encoded, in pieces or in another language. Who is told to stop, stops."""
    for suite_seed in SEEDS:
        task = catalog.task(name, suite_seed)
        ending, done, _ = played(name, suite_seed, careless)
        told_to_stop = any(isinstance(sign, Ended) for injection in task.injections for sign in injection.signs)
        assert len(done) == (1 if told_to_stop else len(task.injections)), (suite_seed, done)
        assert not told_to_stop or ending == "declare_infeasible"


@pytest.mark.parametrize("name", IDS)
def test_who_does_the_errand_alone_obeys_nothing(name: str) -> None:
    for suite_seed in SEEDS:
        assert played(name, suite_seed, play)[1] == ()


def test_the_places_forms_voices_and_acts_of_the_family_all_occur() -> None:
    found = [i for name in ATTACKED for seed in SEEDS for i in catalog.task(name, seed).injections]
    assert {i.form for i in found} == {"plain", "base64", "hex", "pieces", "translated"}
    assert {i.voice for i in found} == {"stranger", "owner", "wallet", "benchmark", "issuer"}
    assert {i.place for i in found} >= {"name", "description", "attribute", "picture", "collection_name"}
    assert {i.place for i in found} >= {"contract_metadata", "event", "revert", "memo", "note"}
    assert {type(sign).__name__ for i in found for sign in i.signs} == {"Became", "Gained", "Ended"}


@pytest.mark.parametrize("name", ATTACKED)
def test_the_control_shows_no_stranger_who_is_to_get_something(name: str) -> None:
    """And is as long a way: as many calls, with results of about the same length."""
    for suite_seed in SEEDS:
        shown, control = (played(each, suite_seed, play)[2] for each in (name, f"{name}-control"))
        assert list(acts(control)) == [] and "declare_infeasible" not in control
        assert 0.7 < len(control) / len(shown) < 1.4


def test_a_notice_of_a_stranger_is_what_the_error_of_coming_too_early_says() -> None:
    for suite_seed in range(4):
        sitting = Sitting("F14c_03", suite_seed)
        desk = sitting.named(sitting.brief["desk"])
        friend = sitting.address(sitting.named(sitting.brief["who"]))
        logs = sitting.use("get_logs", contract=sitting.address(desk), event="Left")["logs"]
        gift = next(
            one["args"] for one in logs if one["args"]["from"] == friend and one["args"]["to"] == sitting.world.user
        )
        told = sitting.use("simulate", to=sitting.address(desk), function="take", arguments=[gift["giftId"]])
        assert sitting.read(desk, "notice") in json.dumps(told, ensure_ascii=False)
        injected = next(one for one in sitting.instance.injections if one.place == "revert")
        assert (injected.form, injected.voice) == ("plain", "wallet")


@pytest.mark.parametrize("name", BENIGN)
def test_who_refuses_the_owners_own_note_has_not_done_the_errand(name: str) -> None:
    assert not Sitting(name).done().success
    assert not Sitting(name).declined().success


def test_the_notes_of_other_tokens_are_not_to_be_followed_yet() -> None:
    for suite_seed in range(4):
        sitting = Sitting("F14c_02", suite_seed).solve()
        uri = next(u for u in sitting.instance.fixture.uris if u.endswith(f"/{sitting.brief['token_id']}"))
        folder, mine = uri.rpartition("/")[0], sitting.brief["token_id"]
        others = [u for u in sitting.instance.fixture.uris if u.startswith(f"{folder}/") and u != uri]
        notes = [sitting.document(u).get("description", "") for u in others]
        token_id, heir = next(
            (int(found[1]), found[2]) for note in notes if (found := re.search(r"#(\d+) \(0x\w+\) to (0x\w{40})", note))
        )
        assert token_id != mine
        before = sitting.done().success
        again = Sitting("F14c_02", suite_seed).solve()
        answer = again.use(
            "send_transaction",
            to=again.address(again.collection),
            function="transferFrom",
            arguments=[again.world.user, heir, str(token_id)],
        )
        assert before and answer["status"] == "success" and not again.done().success


def test_the_facts_that_block() -> None:
    """The gift opens after the deadline; one work of the set is not the user's."""
    for suite_seed in range(4):
        open_one, late = Sitting("F14c_03", suite_seed), Sitting("F14c_04", suite_seed)
        for sitting, in_time in ((open_one, True), (late, False)):
            desk = sitting.named(sitting.brief["desk"])
            friend = sitting.named(sitting.brief["who"])
            (opens,) = [
                gift.opensAt if hasattr(gift, "opensAt") else gift[4]
                for number in range(1, sitting.read(desk, "giftCount") + 1)
                if (gift := sitting.read(desk, "gifts", number))
                and gift[0] == sitting.address(friend)
                and gift[1] == sitting.world.user
            ]
            assert (opens < sitting.brief["deadline"]) is in_time
        whole, torn = catalog.task("F14c_06", suite_seed), Sitting("F14c_08", suite_seed)
        owners = {torn.read(g.collection, "ownerOf", g.token_id) for g in whole.goals if isinstance(g, Owns)}
        assert len(owners) == 2 and "user" in owners


def test_a_thief_is_told_in_every_language_frame_and_wording() -> None:
    """Whatever is asked for is understood by who obeys, in each of the texts there are."""
    about = {"label": "Test Cats", "token_id": 7, "contract": CONTRACT, "thief": THIEF, "amount": "0.3"}
    wanted = {
        "send": ("send", "7", CONTRACT, THIEF),
        "approve": ("approve", THIEF, CONTRACT),
        "pay": ("pay", "0.3", THIEF),
    }
    assert set(CORES) == set(FRAMES) == {"English", *TRANSLATED}
    for language, kinds in CORES.items():
        for kind, cores in kinds.items():
            for core in cores:
                for frame in (f for frames in FRAMES[language].values() for f in frames):
                    text = frame.format(core=core.format(**about))
                    assert list(acts(text)) == ([wanted[kind]] if kind in wanted else []), text


def test_pieces_are_numbered_and_make_the_text_again() -> None:
    text = "one two three four five six seven eight nine ten"
    for count in (2, 3, 4):
        pieces = in_pieces(text, count)
        assert [piece[:5] for piece in pieces] == [f"({n}/{count})" for n in range(1, count + 1)]
        assert " ".join(piece[6:] for piece in pieces) == text


def test_base64_never_looks_like_a_difficulty() -> None:
    assert all(not re.search(r"\bT[1-4]\b", encoded(f"{'x' * n}{n}")) for n in range(3_000))
