"""A run goes on where it was left, and says the truth about what it did."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.errors import BenchmarkDefect, Refusal
from nftbench.records.lock import locked

DECLINED = json.dumps(
    {"tool_calls": [{"id": "1", "name": "declare_infeasible", "arguments": {"reason": "no"}}], "text": "", "usage": {}}
)


def failing(kind: Any, **options: Any) -> Any:
    def answer(name: str, call: int) -> str:
        raise CLIFailure(kind, "no luck", **options)

    return answer


def test_a_run_leaves_its_files_and_figures(bench: Any) -> None:
    ran = bench.run()
    assert ran.code == 0
    record = bench.json("run.json")
    assert len(record.pop("run_id")) == 32
    assert record == {
        "tier": "synthetic",
        "selection": ["F1a_01", "F1a_04", "F1b_01"],
        "provider": "agent",
        "agent": "decline",
        "sampling": {},
        "prompt_layout": "items_v1",
        "tool_set": "standard",
        "suite_seed": 0,
        "max_turns": 60,
        "suite_version": "2",
        "grader_version": "2",
        "trials": 1,
        "nftbench_version": "0",
    }
    summary = bench.json("summary.json")
    assert (summary["complete"], summary["tasks_scored"], summary["overall"]["success_count"]) == (True, 3, 1)
    assert bench.json("F1a_04/result.json")["success"] is True
    assert bench.json("F1a_01/trajectory.json")["messages"]
    assert [json.loads(line)["event"] for line in (bench.out / "progress.jsonl").read_text().splitlines()] == [
        "begun",
        *["started", "finished"] * 3,
        "ended",
    ]
    assert "F1b_01 wrong (declare_infeasible, 1 turn" in ran.err and "3/3: 1 right, 2 wrong" in ran.err
    assert "overall           33.3 % (1 of 3)" in ran.out and str(bench.out) in ran.out


def test_the_same_command_again_asks_nobody_anything(bench: Any) -> None:
    bench.run()
    before = bench.tree()
    again = bench.run()
    assert (again.code, bench.calls) == (0, [])
    assert "0 to do, 3 kept from before" in again.err
    assert bench.tree() == before


@pytest.mark.parametrize("damage", [b"", b"not json", b"null", b'{"instance_id": "F1a_04", "status": "scored"}'])
def test_a_result_that_cannot_be_trusted_is_made_again(bench: Any, damage: bytes) -> None:
    bench.run()
    (bench.out / "F1a_04/result.json").write_bytes(damage)
    assert (bench.run().code, bench.calls) == (0, ["F1a_04"])
    assert bench.json("F1a_04/result.json")["status"] == "scored"


def test_tasks_in_error_fail_the_run_and_are_made_again(bench: Any) -> None:
    ran = bench.run(failing("incomplete_output"))
    assert ran.code == 1
    assert bench.json("F1a_04/result.json")["error"] == "incomplete_output: no luck"
    assert "3 in error. Finished tasks are kept; to go on: nftbench evaluate --out 'x y'" in ran.err
    assert "in error          3 of 3 (3 incomplete_output)" in ran.out
    assert bench.run().code == 0
    assert bench.json("summary.json")["tasks_error"] == 0


def test_a_model_s_own_failure_is_scored(bench: Any) -> None:
    assert bench.run(failing("model_format")).code == 0
    assert bench.json("summary.json")["ended_by"] == {"model_format": 3}


def test_more_trials_extend_and_fewer_keep(bench: Any) -> None:
    bench.run()
    first = (bench.out / "F1a_04/result.json").read_bytes()
    assert bench.run(trials=3).code == 0
    assert bench.calls == ["F1a_01", "F1a_04", "F1b_01"] * 2
    assert (bench.out / "F1a_04/result.json").read_bytes() == first
    assert bench.json("F1a_04/trial_3/result.json")["trial"] == 3
    assert (bench.json("run.json")["trials"], bench.json("summary.json")["tasks_scored"]) == (3, 9)
    assert (bench.run(trials=1).code, bench.calls) == (0, [])
    assert (bench.json("run.json")["trials"], bench.json("summary.json")["tasks_scored"]) == (3, 9)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (failing("auth_or_quota"), "the key or the account's credit was refused (no luck)"),
        (failing("spend_limit"), "the spend limit is reached (no luck)"),
        (failing("cli_error", configuration=True), "the first call failed, and every other would: no luck"),
    ],
)
def test_a_run_that_cannot_go_on_stops_at_once_and_says_how_to_go_on(bench: Any, answer: Any, words: str) -> None:
    ran = bench.run(answer)
    assert (ran.code, bench.calls) == (1, ["F1a_01"])
    assert f"Stopped: {words}. Finished tasks are kept; to go on: nftbench evaluate --out 'x y'" in ran.err
    assert bench.json("summary.json")["complete"] is False
    assert bench.run().code == 0


def test_a_stopped_run_keeps_what_it_has_and_records_no_half_task(bench: Any) -> None:
    def answer(name: str, call: int) -> str:
        if name == "F1a_04":
            raise CLIFailure("spend_limit", "spent")
        return DECLINED

    assert bench.run(answer).code == 1
    assert [name for name in bench.config.selection if (bench.out / name / "result.json").exists()] == ["F1a_01"]
    assert (bench.run().code, bench.calls) == (0, ["F1a_04", "F1b_01"])


def test_a_fault_of_the_benchmark_names_the_instance(bench: Any) -> None:
    def answer(name: str, call: int) -> str:
        raise BenchmarkDefect("the fixture reverts")

    ran = bench.run(answer)
    assert ran.code == 1
    assert "a fault of nftbench itself at F1a_01: the fixture reverts" in ran.err and "Traceback" in ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(bench: Any, number: signal.Signals) -> None:
    def answer(name: str, call: int) -> str:
        if name == "F1a_04":
            os.kill(os.getpid(), number)
            time.sleep(0.5)
        return DECLINED

    before = signal.getsignal(number)
    ran = bench.run(answer)
    assert ran.code == 130
    assert "Stopped: interrupted. Finished tasks are kept; to go on: nftbench evaluate --out 'x y'" in ran.err
    assert "F1b_01" not in bench.calls and signal.getsignal(number) is before
    assert bench.json("F1a_01/result.json")["status"] == "scored"
    assert bench.run().code == 0


def test_a_second_interrupt_leaves_a_hanging_call_behind_and_its_late_answer_is_dropped(bench: Any) -> None:
    hanging, released = threading.Event(), threading.Event()

    def answer(name: str, call: int) -> str:
        hanging.set()
        released.wait(20)
        return DECLINED

    def interrupt() -> None:
        hanging.wait(10)
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    threading.Thread(target=interrupt).start()
    began = time.monotonic()
    assert bench.run(answer).code == 130
    assert time.monotonic() - began < 5
    released.set()
    time.sleep(0.3)
    assert not (bench.out / "F1a_01").exists()


def test_an_ignored_interrupt_stays_ignored(bench: Any) -> None:
    """As under nohup."""

    def interrupting(name: str, call: int) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return DECLINED

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ran = bench.run(interrupting)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ran.code == 0


def refused(bench: Any, **changed: Any) -> str:
    before = bench.tree()
    with pytest.raises(Refusal) as refusal:
        bench.run(**changed)
    assert bench.tree() == before and bench.calls == []
    return str(refusal.value)


def test_another_run_s_folder_is_refused_untouched(bench: Any) -> None:
    bench.run()
    assert "suite_seed 0 there, 7 here" in refused(bench, suite_seed=7)


def test_a_run_grows_by_instances_in_the_catalogs_order_and_says_so(bench: Any) -> None:
    bench.run()
    run_id = bench.json("run.json")["run_id"]
    first = (bench.out / "F1a_04/result.json").read_bytes()
    ran = bench.run(selection=("F1a_02", "F1a_04"))
    assert (ran.code, bench.calls) == (0, ["F1a_02"])
    assert "The run grows by 1 instances: F1a_02" in ran.err and "1 to do, 1 kept from before" in ran.err
    record = bench.json("run.json")
    assert (record["selection"], record["run_id"]) == (["F1a_01", "F1a_02", "F1a_04", "F1b_01"], run_id)
    assert bench.json("summary.json")["tasks_scored"] == 4 and bench.json("summary.json")["complete"]
    assert (bench.out / "F1a_04/result.json").read_bytes() == first


def test_fewer_instances_keep_what_is_there(bench: Any) -> None:
    bench.run()
    ran = bench.run(selection=("F1a_04",), trials=2)
    assert (ran.code, bench.calls) == (0, ["F1a_04"])
    assert bench.json("run.json")["selection"] == ["F1a_01", "F1a_04", "F1b_01"]
    summary = bench.json("summary.json")
    assert (summary["tasks_scored"], summary["tasks_planned"], summary["complete"]) == (4, 6, False)


def test_a_folder_in_use_is_refused_untouched(bench: Any) -> None:
    bench.run()
    with locked(bench.out):
        assert "is in use by another process" in refused(bench)


def test_a_file_in_the_place_of_the_folder_is_refused(bench: Any) -> None:
    bench.out.write_text("mine")
    assert "is a file" in refused(bench)
    assert "can't be read" in refused(bench, out=bench.out / "below")


def test_results_without_a_record_are_nobody_s(bench: Any) -> None:
    bench.run()
    (bench.out / "run.json").unlink()
    assert "holds files of a run but no run.json" in refused(bench)


@pytest.mark.parametrize("content", [b"", b'{"tier": "syn', b"[1, 2]"])
def test_a_damaged_record_is_refused_untouched(bench: Any, content: bytes) -> None:
    bench.run()
    (bench.out / "run.json").write_bytes(content)
    assert "run.json" in refused(bench)


@pytest.mark.parametrize("below", ["new", "new/deeper"])
def test_where_nothing_can_be_written_nothing_is_left_behind(bench: Any, below: str) -> None:
    name = "n" * 300
    assert "can't be" in refused(bench, out=bench.out.parent / below / name)
    assert not (bench.out.parent / "new").exists()


def test_a_folder_with_other_files_is_taken(bench: Any) -> None:
    """A log that the user's own shell writes there is no obstacle."""
    bench.out.mkdir()
    (bench.out / "run.log").write_text("starting")
    assert bench.run().code == 0


def test_without_out_the_same_command_finds_its_folder_and_another_gets_another(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bench.run(out=None).code == 0
    assert (bench.run(out=None).code, bench.calls) == (0, [])
    bench.run(out=None, trials=2)
    bench.run(out=None, suite_seed=1)
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert len(names) == 2 and all(name.startswith("decline-") for name in names)


def test_a_stale_summary_does_not_outlive_the_beginning_of_an_extension(bench: Any) -> None:
    bench.run()
    seen: list[Any] = []

    def answer(name: str, call: int) -> str:
        seen.append(bench.json("summary.json"))
        return DECLINED

    bench.run(answer, trials=2)
    assert (seen[0]["complete"], seen[0]["tasks_unfinished"]) == (False, 3)
    assert bench.json("summary.json")["complete"] is True


def test_many_at_once_score_each_task_once(bench: Any) -> None:
    bench.run(selection=tuple(f"F1{sub}_{n:02d}" for sub in "abcd" for n in range(1, 9)), concurrency=8, trials=2)
    assert len(bench.calls) == 64
    assert bench.json("summary.json")["tasks_scored"] == 64


def foreign_result(bench: Any, instance_id: str) -> bytes:
    """A result of the same attempt in a run of another agent and seed."""
    other = type(bench)(bench.out.with_name("other"))
    other.run(suite_seed=3)
    return bytes((other.out / instance_id / "result.json").read_bytes())


def edited(bench: Any, **fields: Any) -> bytes:
    return json.dumps(bench.json("F1a_04/result.json") | fields).encode()


STRAYS: dict[str, Any] = {
    "of another run": (lambda bench: foreign_result(bench, "F1a_04"), "foreign"),
    "of another attempt": (lambda bench: (bench.out / "F1a_01/result.json").read_bytes(), "foreign"),
    "with success and no checks": (lambda bench: edited(bench, checks=[]), "damaged"),
    "of another version": (lambda bench: edited(bench, versions={"suite": "0", "grader": "0"}), "damaged"),
    "of a family that is none": (lambda bench: edited(bench, family="ZZ\x1b[2J"), "damaged"),
    "without marks": (
        lambda bench: json.dumps(
            {
                name: value
                for name, value in bench.json("F1a_04/result.json").items()
                if name not in ("run_id", "digest")
            }
        ).encode(),
        "foreign",
    ),
    "torn": (lambda bench: (bench.out / "F1a_04/result.json").read_bytes()[:-9], "damaged"),
    "empty": (lambda bench: b"", "damaged"),
}


@pytest.mark.parametrize(("make", "kind"), STRAYS.values(), ids=STRAYS.keys())
def test_what_is_no_result_of_the_run_is_named_not_counted_and_kept(bench: Any, make: Any, kind: str) -> None:
    bench.run()
    stray = make(bench)
    (bench.out / "F1a_04/result.json").write_bytes(stray)
    seen: list[Any] = []

    def answer(name: str, call: int) -> str:
        seen.append(bench.json("summary.json"))
        return DECLINED

    ran = bench.run(answer)
    assert (ran.code, bench.calls) == (0, ["F1a_04"])
    assert f"F1a_04/result.json does not count ({kind}: " in ran.err and "\x1b" not in ran.err + ran.out
    assert [(each["file"], each["kind"]) for each in seen[0]["not_counted"]] == [("F1a_04/result.json", kind)]
    assert seen[0]["tasks_scored"] == 2
    assert (bench.out / "replaced/F1a_04/trial_1_1/result.json").read_bytes() == stray
    summary = bench.json("summary.json")
    assert (summary["tasks_scored"], summary["replaced"], summary["not_counted"]) == (3, 1, [])


def test_a_result_of_no_task_of_the_run_is_listed_and_left_alone(bench: Any) -> None:
    bench.run()
    (bench.out / "F9z_01").mkdir()
    raw = foreign_result(bench, "F1a_04")
    (bench.out / "F9z_01/result.json").write_bytes(raw)
    ran = bench.run()
    assert (ran.code, bench.calls) == (0, [])
    assert "not counted       1 files that are no results of this run: F9z_01/result.json" in ran.out
    assert bench.json("summary.json")["not_counted"][0]["file"] == "F9z_01/result.json"
    assert (bench.out / "F9z_01/result.json").read_bytes() == raw


def test_a_result_that_cannot_be_read_for_a_moment_is_neither_played_again_nor_overwritten(bench: Any) -> None:
    bench.run()
    result, aside = bench.out / "F1a_04/result.json", bench.out / "F1a_04/aside"
    result.rename(aside)
    result.symlink_to("result.json")
    record = (bench.out / "run.json").read_bytes()
    with pytest.raises(Refusal, match=r"can't be read .* and may hold a result, so nothing is played"):
        bench.run()
    assert bench.calls == [] and result.is_symlink() and (bench.out / "run.json").read_bytes() == record
    result.unlink()
    aside.rename(result)
    assert (bench.run().code, bench.calls) == (0, [])


def test_a_run_of_before_there_were_ids_goes_on_with_its_results(bench: Any) -> None:
    bench.run()
    record = bench.json("run.json")
    del record["run_id"]
    (bench.out / "run.json").write_text(json.dumps(record))
    for name in bench.config.selection:
        result = bench.json(f"{name}/result.json")
        del result["run_id"], result["digest"]
        (bench.out / name / "result.json").write_text(json.dumps(result))
    (bench.out / "F1b_01/result.json").unlink()
    assert (bench.run().code, bench.calls) == (0, ["F1b_01"])
    assert bench.json("summary.json")["tasks_scored"] == 3 and "digest" in bench.json("F1b_01/result.json")
    assert (bench.run().code, bench.calls) == (0, [])


@pytest.mark.parametrize("how", ["folder removed", "lock removed", "folder replaced", "lock replaced"])
def test_a_run_whose_folder_is_taken_away_writes_nothing_more(bench: Any, how: str) -> None:
    """Another run takes the same name while this one works."""
    others: dict[str, bytes] = {}

    def answer(name: str, call: int) -> str:
        if name == "F1a_04":
            (bench.out / "run.lock").unlink()
            if how.startswith("folder"):
                shutil.rmtree(bench.out)
            if how == "folder replaced":
                type(bench)(bench.out).run(suite_seed=5)
            if how == "lock replaced":
                type(bench)(bench.out).run(selection=("F1c_01",))
            others.update(bench.tree())
        return DECLINED

    ran = bench.run(answer)
    assert ran.code == 1 and "Traceback" not in ran.err and "F1b_01" not in bench.calls
    assert "Stopped: " in ran.err and "was taken away while this run worked in it" in ran.err
    assert bench.tree() == others
