"""Secrets are found where they stand as words of their own."""

from __future__ import annotations

from nftbench.tasks import catalog
from nftbench.validation.leaks import leaks, secrets, survey
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn, trace_of
from nftbench.validation.scores import play

TASK = catalog.task("F1a_04")
GOAL = TASK.goals[0].read_aloud()
STEP = Turn("send_transaction", {"to": "0x1", "arguments": ["0x2", "0x3", "17"]}, "{}")
LAST = Turn("finish_task", {"summary": "The token is with its receiver."}, "{}")


def found(text: str) -> list[str]:
    return leaks(TASK, (STEP, LAST), [("a text", text)])


def test_each_kind_of_secret_is_found() -> None:
    assert found("see F1A_04") == ["a text says 'f1a_04', the id"]
    assert found("(f1a_03)") == ["a text says 'f1a_03', the twin's id"]
    assert found("tier: synthetic") == ["a text says 'synthetic', the tier"]
    assert f"a text says {GOAL!r}, a goal" in found(f"that {GOAL}, say")
    assert found('["0x2", "0x3", "17"]') == ['a text says \'["0x2", "0x3", "17"]\', a step of the reference']
    assert found("The token is with its receiver.")[0].endswith("the reference's last word")
    assert found("this is infeasible") == ["a text says 'infeasible'"]
    assert found("level T2") == ["a text says 'T2', a difficulty"]


def test_what_only_stands_inside_of_other_words_is_none() -> None:
    assert found("photosynthetic F1a_045 unfeasible CT2") == []


def test_names_inside_the_fixture_are_secret_and_what_the_wallet_shows_is_not() -> None:
    hidden = secrets(TASK, ())
    handles = {account.name for account in TASK.fixture.accounts} | {c.name for c in TASK.fixture.contracts}
    assert {name for name, what in hidden.items() if what == "a name inside the fixture"} == {
        h for h in handles if "_" in h
    }


def test_a_survey_reads_the_wallet_every_contract_every_log_and_errors() -> None:
    trace = trace_of(play(TASK, "reference").trajectory)
    texts = list(survey(Rehearsal(TASK, trace.turns)))
    said = "\n".join(texts)
    assert "address_book" in texts[0] and said.count('"source_verified"') == len(TASK.fixture.contracts)
    assert '"event": "Transfer"' in said and "there is no tool" in said and "expected an address" in said
