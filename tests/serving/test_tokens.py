"""Tokens: who is let in, and to what."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.errors import Refusal
from nftbench.run.plan import Job
from nftbench.serving.tokens import Access, Gate, given_token, tickets

VARIABLE = "SOME_TOKEN"
ONE, TWO = Job("F1a_01", 1), Job("F1a_01", 2)
GATE = Gate({"a" * 16: Access("one", ONE), "b" * 16: Access("two", TWO)})


def test_a_token_opens_its_own_attempt() -> None:
    assert GATE.admit("Bearer " + "a" * 16) == Access("one", ONE)
    assert GATE.admit("bearer  " + "b" * 16) == Access("two", TWO)


@given(st.one_of(st.none(), st.text(), st.text().map("Bearer {}".format), st.just("Basic " + "a" * 16)))
def test_nothing_else_opens_anything(header: str | None) -> None:
    assert GATE.admit(header) is None


@pytest.mark.parametrize(
    "header", ["a" * 16, "Bearer" + "a" * 16, "Bearer " + "a" * 15, "Bearer " + "a" * 17, "Bearer "]
)
def test_nothing_near_a_token_opens_anything(header: str) -> None:
    assert GATE.admit(header) is None


def test_a_gate_without_tokens_and_nobody_to_let_in_lets_nobody_in() -> None:
    assert Gate({}).admit("Bearer ") is None and Gate({}).admit(None) is None


def test_a_token_file_is_made_once_and_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    token = given_token({}, VARIABLE, file)
    assert token is not None and len(token) == 43 and given_token({VARIABLE: "x" * 20}, VARIABLE, file) == token
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600 and os.listdir(tmp_path) == ["token"]
    assert given_token({}, VARIABLE, tmp_path / "other") != token


def test_without_a_file_the_variable_counts() -> None:
    assert (
        given_token({VARIABLE: " " + "x" * 16 + "\n"}, VARIABLE, None) == "x" * 16
        and given_token({}, VARIABLE, None) is None
    )


@pytest.mark.parametrize("text", ["", "short", "x" * 15, "x" * 16 + " y", "é" * 16])
def test_what_is_no_token_is_refused_and_not_repeated(text: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(text)
    for variables, file in (({VARIABLE: text}, None), ({}, tmp_path / "token")):
        with pytest.raises(Refusal) as refusal:
            given_token(variables, VARIABLE, file)
        assert not text or text not in str(refusal.value)


def test_tickets_are_one_a_line_their_owners_alone_and_stay_when_they_are_written_again(tmp_path: Path) -> None:
    file = tmp_path / "tickets"
    first = tickets(file, [ONE], "http://127.0.0.1:1/mcp")
    both = tickets(file, [ONE, TWO], "http://127.0.0.1:2/mcp")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["instance_id"], row["trial"], row["url"]) for row in rows] == [
        ("F1a_01", 1, "http://127.0.0.1:2/mcp"),
        ("F1a_01", 2, "http://127.0.0.1:2/mcp"),
    ]
    assert set(first) < set(both) and [both[row["token"]].job for row in rows] == [ONE, TWO]
    assert len({access.holder for access in both.values()}) == 2
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


@pytest.mark.parametrize(
    "text", ["no tickets", "[]", '{"instance_id": "F1a_01"}', '{"instance_id": "x", "trial": 1, "token": 7}']
)
def test_a_file_of_something_else_is_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(Refusal, match="--tickets"):
        tickets(tmp_path / "file", [ONE], "")
    assert (tmp_path / "file").read_text() == text


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--tickets"):
        tickets(tmp_path / "no" / "folder", [ONE], "")
    with pytest.raises(Refusal, match="--token-file"):
        given_token({}, VARIABLE, tmp_path / "no" / "folder")
    with pytest.raises(Refusal, match="--token-file"):
        given_token({}, VARIABLE, tmp_path)
