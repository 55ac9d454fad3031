"""Whatever an agent does, the grade is told: plays drawn by lot over all families, with answers and documents that nobody in
their right mind gives."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec import to_builtins

from benchmarks.strangers import WORDS, Stranger
from nftbench.chain.abi import Parameter
from nftbench.grading.answers import judge
from nftbench.grading.grade import grade
from nftbench.records.codec import encode
from nftbench.records.model import EndedBy
from nftbench.tasks import catalog
from nftbench.tasks.goals import Answer
from tests.tasks.sittings import Sitting

ENDINGS: tuple[EndedBy, ...] = ("finish_task", "declare_infeasible", "turn_limit")
PIECES, PLAYS = 5, 60

Z = "\ud800"
DOCUMENTS = (
    *("", " ", "null", "0", "-0", "1e999", "-1e-999", "NaN", "Infinity", "[]", "{}", '""', "\x00", "\ufeff{}"),
    *("1" * 4_299, "1" * 6_000),
    *("[" * n + "]" * n for n in (99, 100, 101, 2_000)),
    *('{"a":' * n + "1" + "}" * n for n in (99, 101, 2_000)),
    *("[" * 3_000, '{"a":1,"a":2}', '{"a":[1,"1",true,null,1.0,{"b":[]}]}', '{"\\ud800":"\\udfff"}', '"\\u0000"'),
    *('{"name":' + "9" * 400 + "}", '{"name":1e308}', '{"attributes":[' + '{"value":[[]]},' * 200 + "{}]}"),
    *("data:", "data:,", "data:application/json,%", "data:application/json,%FF", "data:;base64,////", "data:;base64,W1tb"),
    *("data:application/json;base64,e30=", "data:application/json;charset=utf-7,{}", "data:application/json,[[[[", "ipfs://"),
)  # fmt: skip
"""What may stand in a contract as text, on the chain."""

Deep = list[Any] | dict[str, Any]


def deep(levels: int) -> Deep:
    value: Deep = []
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


ANSWERS: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**256, 10**4_000, 10**5_000, 0.5, 1e308, float("inf"), float("nan")),
    *("", Z, "x" + Z, "\x00", "1" * 5_000, "9" * 80, "٣", "1_000", "０", "0x" + "f" * 40, "0x" + Z * 40, "[" * 5_000),
    *([], {}, [[]], [Z], {Z: Z}, {"a": None}, [None] * 2_000, [0.1, "0x", 3, True], deep(50), deep(64), deep(5_000)),
    *([10**5_000], {"a": 10**5_000}, '{"a":1,"a":2}', "[" * 90 + "]" * 90, "[1,NaN]", "[1e999]"),
)


def documents_set(sitting: Sitting, draw: random.Random) -> int:
    """Write texts into contracts wherever some function takes one; how many were taken."""
    takers = [
        (contract, function)
        for contract, interface in sitting.world.interfaces.items()
        for function in interface.functions
        if not function.read_only and any(part.canonical == "string" for part in function.inputs)
    ]
    taken = 0
    for contract, function in draw.sample(takers, min(len(takers), 12)):
        ids = [str(i) for i in sitting.world.surveyor.token_ids(contract)] or ["1"]

        def given(part: Parameter, ids: list[str] = ids) -> Any:
            if part.canonical == "string":
                return draw.choice(DOCUMENTS)
            if part.canonical == "address":
                return draw.choice(list(sitting.world.addresses.values()))
            if part.canonical.endswith("]"):
                return []
            if part.components or part.canonical.startswith("bytes"):
                return "0x" + "00" * 32
            return draw.choice([*ids, str(draw.randrange(5))])

        sent = sitting.use(
            "send_transaction",
            to=contract,
            function=function.signature,
            arguments=[given(part) for part in function.inputs],
        )
        taken += sent.get("status") == "success"
    return taken


def played(draw: random.Random, name: str) -> tuple[Sitting, int]:
    """The reference up to some step, a stranger's calls and documents among its steps."""
    sitting = Sitting(name, draw.randrange(1_000))
    stranger = Stranger(draw, sitting.box)
    play = catalog.policy(sitting.instance)()
    call, steps, taken = next(play), draw.choice([0, 2, 5, 1_000]), 0
    for _ in range(steps):
        if call.name in ENDINGS:
            break
        if draw.random() < 0.15:
            sitting.box.call(*stranger.call())
            sitting.desk.ending = None
        if draw.random() < 0.05:
            taken += documents_set(sitting, draw)
        try:
            call = play.send(sitting.box.call(call.name, call.arguments).text)
        except Exception:  # the reference may lose its way where a stranger has been
            break
    taken += documents_set(sitting, draw)
    sitting.desk.ending = None
    return sitting, taken


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_every_play_gets_a_grade_that_can_be_written_down(piece: int) -> None:
    draw = random.Random(f"any play {piece}")
    names = catalog.instance_ids()
    shown, passed, texts = 0, 0, 0
    for number in range(PLAYS):
        name = names[(piece * PLAYS + number) * 7 % len(names)]
        sitting, taken = played(draw, name)
        ending = draw.choice(ENDINGS)
        answer = draw.choice(ANSWERS)
        for _ in range(2):  # a wrong form is told once
            if ending == "finish_task":
                sitting.box.call(ending, {"summary": draw.choice(WORDS), "answer": answer})
            elif ending == "declare_infeasible":
                sitting.box.call(
                    ending, {"reason": draw.choice(WORDS), "reason_class": draw.choice(["locked", Z, "x"])}
                )
        verdict = grade(sitting.instance, sitting.desk, ending)
        written = encode(to_builtins(verdict))
        assert verdict.success == all(check.passed for check in verdict.checks) and verdict.checks, name
        shown += len(written)
        passed += any(check.passed for check in verdict.checks if check.kind == "goal")
        texts += taken
    assert shown and passed and texts >= 3


FORMS: dict[str, tuple[Answer, Any]] = {
    "integer": (Answer("integer", 7), 7),
    "text": (Answer("text", "seven"), "seven"),
    "address": (Answer("address", "0x" + "11" * 20), "0x" + "11" * 20),
    "address_set": (Answer("address_set", ()), ()),
    "integer_set": (Answer("integer_set", (7, 8)), (7, 8)),
    "record": (Answer("record", {"a": 7}, {"a": "integer"}), {"a": 7}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_answer_is_judged_in_every_form(form: str) -> None:
    goal, expected = FORMS[form]
    assert judge(goal, expected, expected)[0]
    for answer in ANSWERS:
        right, said = judge(goal, expected, answer)
        assert right is (form == "address_set" and answer == []), (form, said)
        assert len(said) <= 600 and encode(said)
