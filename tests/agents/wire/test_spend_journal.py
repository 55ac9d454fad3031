"""What was spent can't be unsaid: a journal that was changed is refused, and one that was torn counts in full."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nftbench.agents.spend import Charge, SpendGuard, Tokens
from nftbench.agents.wire.spend_journal import Journal, tokens_of
from nftbench.errors import FolderLost, Refusal

CALL = Tokens(1000, 100)
SPENT = 4 * 0.002 + 0.02
"""Four calls at their cost, and one that a kill cut short at its ceiling."""


def charge() -> Charge:
    return Charge(0.002, CALL, 0.001, 0.001)


def guard(journal: Path) -> SpendGuard:
    return SpendGuard(1, journal=journal, max_price_in=10, max_price_out=100)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Of four calls that ended and one that did not."""
    path = tmp_path_factory.mktemp("money") / "spending.jsonl"
    spending = guard(path)
    for _ in range(4):
        spending.settle(spending.reserve(CALL), charge())
    spending.reserve(CALL)
    assert guard(path).spent == pytest.approx(SPENT)
    return path.read_bytes()


def spent_by(path: Path, raw: bytes) -> float | None:
    """What a later guard takes for spent; None where it refuses the file in one sentence that names it."""
    path.write_bytes(raw)
    try:
        return guard(path).spent
    except Refusal as refusal:
        assert str(path) in str(refusal) and "choose another --out" in str(refusal) and "\n" not in str(refusal)
        return None


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_byte_can_be_changed_but_in_a_last_line_that_then_counts_in_full(
    data: st.DataObject, written: bytes, tmp_path: Path
) -> None:
    place = data.draw(st.integers(0, len(written) - 1))
    raw = bytearray(written)
    raw[place] = data.draw(st.integers(0, 255).filter(lambda byte: byte != written[place]))
    found = spent_by(tmp_path / "j.jsonl", bytes(raw))
    in_last = place >= written[:-1].rindex(b"\n")
    assert found is None or found >= SPENT - 1e-9 or in_last


MUTATIONS = {
    "a line is gone": lambda lines: lines[:3] + lines[4:],
    "the first line is gone": lambda lines: lines[1:],
    "a line stands twice": lambda lines: [*lines[:4], lines[3], *lines[4:]],
    "two lines have changed places": lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
    "a cost is less": lambda lines: [line.replace(b'"usd": 0.002', b'"usd": 0.001') for line in lines],
    "a cost is a word": lambda lines: [line.replace(b'"usd": 0.002', b'"usd": "0.002"') for line in lines],
    "a cost is less than nothing": lambda lines: [line.replace(b'"usd": 0.002', b'"usd": -5') for line in lines],
    "a cost is no number": lambda lines: [line.replace(b'"usd": 0.002', b'"usd": NaN') for line in lines],
    "a cost is a list": lambda lines: [line.replace(b'"usd": 0.002', b'"usd": [1]') for line in lines],
    "tokens are gone": lambda lines: [line.replace(b'"tokens": [1000, 100], ', b"") for line in lines],
    "tokens are words": lambda lines: [line.replace(b"[1000, 100]", b'["a", "b"]') for line in lines],
    "tokens are three": lambda lines: [line.replace(b"[1000, 100]", b"[1, 2, 3]") for line in lines],
    "a call is a list": lambda lines: [b'{"n": 1, "call": [1], "usd": 1}', *lines[1:]],
    "prices are none": lambda lines: [b'{"n": 1, "prices": 7}', *lines[1:]],
    "a line is an empty object": lambda lines: [b"{}", *lines[1:]],
    "all sums are gone": lambda lines: [json.dumps(json.loads(line) | {"sum": ""}).encode() for line in lines],
    "a line of before sums follows": lambda lines: [*lines, b'{"call": "x", "usd": 1}'],
    "a line in the middle is garbage": lambda lines: [*lines[:3], b"\xff\xfe", *lines[4:]],
    "a line in the middle is torn": lambda lines: [*lines[:3], lines[3][:20], *lines[4:]],
    "a number beyond all numbers": lambda lines: [line.replace(b"0.002", b"1" + b"0" * 5000) for line in lines],
}


@pytest.mark.parametrize("mutate", MUTATIONS.values(), ids=MUTATIONS.keys())
def test_a_changed_journal_is_refused(mutate: object, written: bytes, tmp_path: Path) -> None:
    raw = b"\n".join(mutate(written.splitlines())) + b"\n"  # type: ignore[operator]
    assert spent_by(tmp_path / "j.jsonl", raw) is None


@pytest.mark.parametrize("cut", range(1, 110, 7))
def test_a_torn_last_line_is_no_line_and_the_next_one_is_whole(cut: int, written: bytes, tmp_path: Path) -> None:
    """The last line is a reservation: what a kill has torn was not sent."""
    path = tmp_path / "j.jsonl"
    torn = written[: written[:-1].rindex(b"\n") + cut]
    assert spent_by(path, torn) == pytest.approx(SPENT - 0.02)
    spending = guard(path)
    spending.settle(spending.reserve(CALL), charge())
    assert guard(path).spent == pytest.approx(SPENT - 0.02 + 0.002)


def test_a_torn_booking_counts_at_what_was_reserved(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    spending = guard(path)
    spending.settle(spending.reserve(CALL), charge())
    assert spent_by(path, path.read_bytes()[:-10]) == pytest.approx(0.02)


def test_a_journal_of_before_sums_is_taken_up_and_goes_on_with_them(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    old = [
        {"call": "a", "tokens": [1000, 100], "at_most_usd": None},
        {"prices": [1e-6, 1e-5]},
        {"call": "a", "usd": 0.002},
        {"call": "b", "tokens": [1000, 100], "at_most_usd": 0.002},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in old))
    later = SpendGuard(1, journal=path)
    assert later.spent == pytest.approx(0.004)
    later.settle(later.reserve(CALL), charge())
    assert SpendGuard(1, journal=path).spent == pytest.approx(0.006)
    for wrong in (b'{"call": "b", "usd": "x"}', b'{"call": "c", "usd": 1}', b'{"call": "d", "tokens": 3}', b'{"x": 1}'):
        assert spent_by(path, b"\n".join([*(json.dumps(line).encode() for line in old), wrong])) is None


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to(path.name)])
def test_a_journal_that_can_t_be_read_is_refused(make: object, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    make(path)  # type: ignore[operator]
    if path.is_symlink():
        with pytest.raises((Refusal, OSError)):
            guard(path).reserve(CALL)
    else:
        with pytest.raises(Refusal, match="can't be read"):
            guard(path)


def test_an_entry_is_on_the_disk_before_the_call_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    really = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(handle), really(handle)))
    spending = guard(tmp_path / "j.jsonl")
    ticket = spending.reserve(CALL)
    assert len(synced) == 2, "the file and its folder"
    spending.settle(ticket, charge())
    assert len(synced) == 4, "the prices learned, and the cost"


def test_nothing_is_reserved_where_the_folder_is_no_longer_the_run_s(tmp_path: Path) -> None:
    def lost() -> None:
        raise FolderLost("gone")

    spending = SpendGuard(1, journal=tmp_path / "j.jsonl", check=lost)
    with pytest.raises(FolderLost):
        spending.reserve(CALL)
    assert not (tmp_path / "j.jsonl").exists()


@given(st.lists(st.integers(-5, 10**14) | st.booleans() | st.floats() | st.none(), max_size=3))
def test_only_two_whole_counts_are_tokens(pair: list[object]) -> None:
    is_count = len(pair) == 2 and all(type(count) is int and 0 <= count <= 10**12 for count in pair)
    assert (tokens_of(pair) is not None) == is_count
    assert tokens_of((10**1300, 1)) is None and tokens_of(7) is None


def test_numbers_go_on_over_journals(tmp_path: Path) -> None:
    for number in range(1, 4):
        Journal(tmp_path / "j.jsonl").append({"prices": [None, None]})
        assert json.loads((tmp_path / "j.jsonl").read_text().splitlines()[-1])["n"] == number
