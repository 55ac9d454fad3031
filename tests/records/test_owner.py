"""A result counts in the run that made it, as it was written, and nowhere else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.errors import CannotRead
from nftbench.records import codec
from nftbench.records.model import Check, Result
from nftbench.records.owner import Owner, Stray, judged
from nftbench.records.store import RunFolder

OWN, OTHER = Owner("a" * 32, False, "1", "1"), Owner("b" * 32, False, "1", "1")
OLD = Owner("a" * 32, True, "1", "1")


def result(**fields: Any) -> Result:
    base: dict[str, Any] = {
        "instance_id": "F1a_01",
        "trial": 1,
        "status": "scored",
        "success": True,
        "feasible": True,
        "family": "F1",
        "sub_family": "F1a",
        "difficulty": "T1",
        "twin": None,
        "ended_by": "finish_task",
        "checks": (Check("goal", "a owns b", True, "a", "a"),),
        "versions": {"suite": "1", "grader": "1"},
    }
    return Result(**(base | fields))


def look(raw: bytes, owner: Owner = OWN) -> Result | Stray:
    return judged(raw, "F1a_01/result.json", ("F1a_01", 1), owner)


def kind(found: Result | Stray) -> str:
    return found.kind if isinstance(found, Stray) else "own"


WRITTEN = codec.encode_result(result(reason="\ud800 é", answer={"x": [1.5, None]}), OWN.run_id)
FIELDS = json.loads(WRITTEN)
UNMARKED = {name: value for name, value in FIELDS.items() if name not in ("run_id", "digest")}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values that are no containers."""
    if isinstance(value, dict):
        return [leaf for name in value for leaf in leaves(value[name], (*path, name))]
    if isinstance(value, list):
        return [leaf for place, item in enumerate(value) for leaf in leaves(item, (*path, place))]
    return [path]


def test_the_run_s_own_result_counts_in_whatever_order_and_spacing_it_stands() -> None:
    assert look(WRITTEN) == look(json.dumps(dict(reversed(FIELDS.items()))).encode()) == codec.decode_result(WRITTEN)


@settings(max_examples=300)
@given(
    st.sampled_from(leaves(FIELDS)),
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["0", "ZZ", "F1a_02", "scored", "T4"]),
)
def test_a_result_changed_by_hand_in_any_value_does_not_count(path: tuple[Any, ...], value: Any) -> None:
    changed = json.loads(WRITTEN)
    there = changed
    for name in path[:-1]:
        there = there[name]
    is_same = there[path[-1]] == value and type(there[path[-1]]) is type(value)
    there[path[-1]] = value
    assert kind(look(json.dumps(changed).encode())) == ("own" if is_same else "damaged")


@given(st.sampled_from([*FIELDS]))
def test_a_result_that_lacks_a_field_does_not_count(name: str) -> None:
    left = {key: value for key, value in FIELDS.items() if key != name}
    assert kind(look(json.dumps(left).encode())) in ("damaged", "foreign")


@settings(max_examples=300)
@given(st.integers(0, len(WRITTEN) - 1), st.integers(1, 255))
def test_a_result_with_a_byte_changed_on_the_disk_counts_only_where_it_says_the_same(place: int, change: int) -> None:
    raw = bytearray(WRITTEN)
    raw[place] ^= change
    found = look(bytes(raw))
    assert isinstance(found, Stray) or json.loads(bytes(raw)) == FIELDS


@pytest.mark.parametrize("end", range(0, len(WRITTEN) - 1, 37))
def test_a_torn_result_does_not_count(end: int) -> None:
    assert kind(look(WRITTEN[:end])) == "damaged"


def test_a_result_of_another_run_is_foreign_and_one_of_another_attempt_too() -> None:
    assert kind(look(codec.encode_result(result(), OTHER.run_id))) == "foreign"
    assert kind(look(codec.encode_result(result(trial=2), OWN.run_id))) == "foreign"
    assert kind(look(codec.encode_result(result(instance_id="F1a_02"), OWN.run_id))) == "foreign"
    assert kind(look(codec.encode_result(result(), ""))) == "foreign"


def test_results_without_marks_count_only_in_a_run_of_before_there_were_marks() -> None:
    raw = json.dumps(UNMARKED).encode()
    assert kind(look(raw, OLD)) == "own"
    assert kind(look(raw, OWN)) == "foreign"


@pytest.mark.parametrize(
    "fields",
    [
        {"checks": []},
        {"versions": {"suite": "0", "grader": "1"}},
        {"versions": {}},
        {"family": "ZZ"},
        {"family": ""},
        {"sub_family": "F1b"},
        {"run_id": OTHER.run_id, "digest": "0" * 64},
    ],
)
def test_what_no_run_can_have_written_does_not_count_without_marks_either(fields: dict[str, Any]) -> None:
    assert kind(look(json.dumps(UNMARKED | fields).encode(), OLD)) != "own"


def test_what_is_in_an_attempt_s_place_but_can_t_be_read_is_not_taken_for_nothing(tmp_path: Path) -> None:
    """A loop of links and a folder in the file's place: errors that even root gets."""
    folder = RunFolder(tmp_path, OWN)
    folder.write_attempt(result(), {})
    (tmp_path / "F1a_01/result.json").unlink()
    assert folder.look("F1a_01", 1) is None
    (tmp_path / "F1a_01/result.json").symlink_to("result.json")
    with pytest.raises(CannotRead, match=r"result\.json"):
        folder.look("F1a_01", 1)
    (tmp_path / "F1a_01/result.json").unlink()
    (tmp_path / "F1a_01/result.json").mkdir()
    with pytest.raises(CannotRead):
        folder.look("F1a_01", 1)
    (tmp_path / "F1a_02").write_text("a file")
    with pytest.raises(CannotRead):
        folder.look("F1a_02", 1)


def test_a_stray_in_the_place_of_a_new_result_is_kept(tmp_path: Path) -> None:
    RunFolder(tmp_path, OTHER).write_attempt(result(reason="theirs"), {"of": "another"})
    theirs = (tmp_path / "F1a_01/result.json").read_bytes()
    folder = RunFolder(tmp_path, OWN)
    for number in (1, 2):
        folder.write_attempt(result(), {"of": "this"})
        (tmp_path / "F1a_01/result.json").write_bytes(theirs)
        assert len(list((tmp_path / "replaced").rglob("result.json"))) == number
    kept = tmp_path / "replaced/F1a_01/trial_1_1"
    assert (kept / "result.json").read_bytes() == theirs
    assert json.loads((kept / "trajectory.json").read_text())["of"] == "another"


def test_what_is_set_aside_is_whole_and_its_place_is_free(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, OWN)
    for trial in (1, 2):
        folder.write_attempt(result(trial=trial), {"trial": trial})
    before = (tmp_path / "F1a_01/result.json").read_bytes()
    assert folder.set_aside("F1a_01", 1) == tmp_path / "replaced/F1a_01/trial_1_1"
    assert folder.set_aside("F1a_01", 1) is None
    assert (tmp_path / "replaced/F1a_01/trial_1_1/result.json").read_bytes() == before
    assert sorted(os.listdir(tmp_path / "F1a_01")) == ["trial_2"]
    assert folder.count_replaced() == 1 and folder.read_result("F1a_01", 2) is not None


def test_results_that_are_of_no_task_of_the_run_are_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, OWN)
    folder.write_attempt(result(), {})
    folder.write_attempt(result(instance_id="F9z_09"), {})
    folder.write_attempt(result(trial=7), {})
    folder.set_aside("F1a_01", 1)
    found = folder.results_elsewhere([("F1a_01", 1)])
    assert [stray.file for stray in found] == ["F1a_01/trial_7/result.json", "F9z_09/result.json"]
