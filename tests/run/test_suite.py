"""A run goes on where it was left, and says the truth about what it did."""

from __future__ import annotations

import json
import os
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
    assert bench.json("run.json") == {
        "tier": "synthetic",
        "selection": ["F1a_01", "F1a_04", "F1b_01"],
        "provider": "agent",
        "agent": "decline",
        "sampling": {},
        "prompt_layout": "items_v1",
        "tool_set": "standard",
        "suite_seed": 0,
        "max_turns": 60,
        "suite_version": "1",
        "grader_version": "1",
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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
    assert "instances only there: F1a_01 F1b_01" in refused(bench, selection=("F1a_04",))


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
