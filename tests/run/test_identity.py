"""Which runs are the same run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.errors import Refusal
from nftbench.run import identity

WANTED: dict[str, Any] = {
    "tier": "synthetic",
    "selection": ["F1a_01", "F1a_04"],
    "provider": "endpoint",
    "model": "M",
    "sampling": {"temperature": 0.6, "max_tokens": 32000},
    "prompt_layout": "items_v1",
    "tool_set": "standard",
    "suite_seed": 0,
    "max_turns": 60,
    "suite_version": "1",
    "grader_version": "1",
    "trials": 1,
}


def read(record: Any) -> dict[str, Any]:
    return identity.read(json.dumps(record).encode(), where="x/run.json")


def test_the_same_run_differs_in_nothing() -> None:
    assert identity.differences(read(WANTED), WANTED) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model": "N"}, 'model "N" there, "M" here'),
        ({"provider": "openrouter"}, 'provider "openrouter" there, "endpoint" here'),
        ({"suite_seed": 5}, "suite_seed 5 there, 0 here"),
        ({"max_turns": 6}, "max_turns 6 there, 60 here"),
        ({"suite_version": "0"}, 'suite_version "0" there, "1" here'),
        ({"prompt_layout": "native_v1"}, 'prompt_layout "native_v1" there, "items_v1" here'),
        ({"sampling": {"temperature": 0.7, "max_tokens": 32000}}, "temperature 0.7 there, 0.6 here"),
        ({"sampling": {"max_tokens": 32000}}, "temperature unset there, 0.6 here"),
        ({"sampling": WANTED["sampling"] | {"seed": 1}}, "seed 1 there, unset here"),
        ({"agent": "noop"}, 'agent "noop" there, unset here'),
    ],
)
def test_each_field_that_differs_is_named_with_both_values(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(Refusal) as refusal:
        identity.settled(read(WANTED | changed), WANTED, where="x/run.json")
    assert f"x/run.json belongs to another run ({words}); choose another --out" == str(refusal.value)


def test_true_is_not_one() -> None:
    there = WANTED | {"sampling": {"enable_thinking": 1}}
    here = WANTED | {"sampling": {"enable_thinking": True}}
    assert identity.differences(there, here) == ["enable_thinking 1 there, true here"]


def test_an_old_record_means_the_first_release_and_openrouter() -> None:
    old = {"tier": "synthetic", "selection": ["F1a_04"], "model": "M", "prompt_layout": "items_v1", "note": "mine"}
    assert read(old) == old | {
        "provider": "openrouter",
        "sampling": {"max_tokens": 32000},
        "tool_set": "standard",
        "suite_seed": 0,
        "max_turns": 60,
        "suite_version": "1",
        "grader_version": "1",
        "trials": 1,
    }


@pytest.mark.parametrize(("there", "here", "recorded"), [(1, 3, 3), (3, 1, 3), (2, 2, 2)])
def test_trials_extend_and_never_shrink(there: int, here: int, recorded: int) -> None:
    settled = identity.settled(read(WANTED | {"trials": there, "extra": 1}), WANTED | {"trials": here}, where="x")
    assert (settled["trials"], settled["extra"]) == (recorded, 1)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "can't be read"),
        (b'{"tier": "synth', "can't be read"),
        (b"\xff\xff", "can't be read"),
        (b"[" * 200_000, "can't be read"),
        (b"[]", "is no record of an nftbench run"),
        (b'{"name": "a package.json"}', "is no record of an nftbench run"),
        (json.dumps(WANTED | {"selection": "F1a_04"}).encode(), "its selection is unfit"),
        (json.dumps(WANTED | {"selection": [1]}).encode(), "unfit"),
        (json.dumps(WANTED | {"sampling": []}).encode(), "its sampling is unfit"),
        (json.dumps(WANTED | {"trials": 0}).encode(), "unfit"),
        (json.dumps(WANTED | {"trials": True}).encode(), "its trials is unfit"),
        (json.dumps({k: v for k, v in WANTED.items() if k != "prompt_layout"}).encode(), "has no prompt_layout"),
    ],
)
def test_what_is_cut_or_not_ours_is_refused_by_name(raw: bytes, words: str) -> None:
    with pytest.raises(Refusal, match=r"x/run\.json") as refusal:
        identity.read(raw, where="x/run.json")
    assert words in str(refusal.value)


@given(
    st.dictionaries(st.sampled_from([*WANTED, "other"]), st.none() | st.integers() | st.text() | st.lists(st.text()))
)
def test_any_record_is_read_or_refused(fields: dict[str, Any]) -> None:
    try:
        record = read(WANTED | fields)
    except Refusal:
        return
    assert identity.differences(record, record) == []


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_instances_are_added_in_the_catalogs_order_and_never_taken_away(there: list[str], here: list[str]) -> None:
    """`h` has left the catalog since."""
    order = list("abcdefg")
    settled = identity.settled(
        read(WANTED | {"selection": sorted(there)}), WANTED | {"selection": here}, where="x", order=order
    )
    assert settled["selection"] == sorted({*there, *here})


def test_a_run_draws_its_id_once() -> None:
    new = identity.settled(None, WANTED, where="x")
    assert identity.settled(new, WANTED, where="x") == new
    assert identity.settled(None, WANTED, where="x")["run_id"] != new["run_id"]
    assert "unmarked_results" not in new


def test_a_run_of_before_there_were_ids_draws_one_and_still_takes_its_results() -> None:
    settled = identity.settled(read(WANTED), WANTED, where="x")
    assert len(settled["run_id"]) == 32 and settled["unmarked_results"] is True
    assert identity.settled(settled, WANTED, where="x") == settled


def without_versions(bench: Any) -> None:
    """The folder's record as one of before versions were recorded."""
    record = bench.json("run.json")
    for name in ("run_id", "suite_version", "grader_version"):
        record.pop(name, None)
    (bench.out / "run.json").write_text(json.dumps(record))


def test_a_record_without_versions_is_of_the_present_ones_while_nothing_was_played(bench: Any) -> None:
    bench.run()
    for name in bench.config.selection:
        (bench.out / name / "result.json").unlink()
    without_versions(bench)
    assert (bench.run().code, len(bench.calls)) == (0, 3)
    versions = bench.json("F1a_01/result.json")["versions"]
    record = bench.json("run.json")
    assert (record["suite_version"], record["grader_version"]) == (versions["suite"], versions["grader"])


@pytest.mark.parametrize("place", ["F1a_04", "F1a_04/trial_2", "replaced/F1a_04/trial_1_1"])
def test_a_record_without_versions_is_of_the_first_ones_once_anything_was_played(bench: Any, place: str) -> None:
    """What an older suite has graded is never added up with what this one does."""
    bench.run()
    raw = (bench.out / "F1a_04/result.json").read_bytes()
    for name in bench.config.selection:
        (bench.out / name / "result.json").unlink()
    (bench.out / place).mkdir(parents=True, exist_ok=True)
    (bench.out / place / "result.json").write_bytes(raw)
    without_versions(bench)
    before = bench.tree()
    with pytest.raises(Refusal, match=r'suite_version "1" there'):
        bench.run()
    assert bench.calls == [] and bench.tree() == before
