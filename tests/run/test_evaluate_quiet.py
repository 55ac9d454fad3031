"""What scripts get: silence, one JSON document, and a file that a watcher can follow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.run.progress import Silence
from nftbench.run.session import Standing


def evaluate(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nftbench", "evaluate", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


def test_a_quiet_run_with_json_is_one_document_and_silence(tmp_path: Path) -> None:
    """The document is the summary that is written."""
    flags = ["--agent", "decline", "--instances", "F1a*", "--out", "r"]
    done = evaluate(*flags, "--quiet", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "r/summary.json").read_text())
    assert (told["tasks_scored"], told["overall"]["success_count"]) == (8, 2)
    again = evaluate(*flags, "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == told and "0 to do, 8 kept from before" in again.stderr


def test_a_quiet_run_without_json_still_has_its_table(tmp_path: Path) -> None:
    done = evaluate("--agent", "decline", "--instances", "F1a_04", "--out", "r", "--quiet", cwd=tmp_path)
    assert done.stderr == "" and "overall           100.0 % (1 of 1)" in done.stdout


def test_a_refusal_is_told_and_leaves_the_output_empty(tmp_path: Path) -> None:
    done = evaluate("--agent", "nobody", "--quiet", "--json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and "nobody" in done.stderr


def failing(name: str, call: int) -> str:
    raise CLIFailure("incomplete_output", "no luck")


def test_quiet_keeps_the_last_sentence_where_not_all_is_done(bench: Any) -> None:
    ran = bench.run(failing, terminal={"quiet": True})
    assert ran.code == 1
    assert ran.err == "3 in error. Finished tasks are kept; to go on: nftbench evaluate --out 'x y'\n"


def test_a_stopped_run_has_its_document_too(bench: Any) -> None:
    def answer(name: str, call: int) -> str:
        raise CLIFailure("auth_or_quota", "no luck")

    ran = bench.run(answer, terminal={"quiet": True, "as_json": True})
    assert ran.code == 1 and ran.err.startswith("Stopped: the key") and ran.err.count("\n") == 1
    assert json.loads(ran.out) == bench.json("summary.json") and json.loads(ran.out)["complete"] is False


def test_silence_takes_all_that_a_display_is_told() -> None:
    silence = Silence()
    silence.show(Standing(left=1, running=0, right=0, wrong=0, errors=0, seconds=1.0, latest=()))
    silence.say("x")
    silence.close()


def lines(bench: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bench.out / "progress.jsonl").read_text().splitlines()]


def test_the_watched_file_tells_what_began_what_ended_and_how_much_is_done(bench: Any) -> None:
    """The decline agent is right at F1a_04 alone; every line has a time, and times only grow."""
    bench.run()
    told = lines(bench)
    assert [line["time"] for line in told] == sorted(line["time"] for line in told)
    assert (told[0]["event"], told[0]["pending"], told[0]["kept"]) == ("begun", 3, 0)
    assert told[1] == {"time": told[1]["time"], "event": "started", "instance_id": "F1a_01", "trial": 1}
    finished = [line for line in told if line["event"] == "finished"]
    assert [(line["instance_id"], line["success"], line["ended_by"], line["turns"]) for line in finished] == [
        ("F1a_01", False, "declare_infeasible", 1),
        ("F1a_04", True, "declare_infeasible", 1),
        ("F1b_01", False, "declare_infeasible", 1),
    ]
    assert [(line["right"], line["wrong"], line["errors"], line["left"]) for line in finished] == [
        (0, 1, 0, 2),
        (1, 1, 0, 1),
        (1, 2, 0, 0),
    ]
    end = {name: value for name, value in told[-1].items() if name != "time"}
    assert end == {"event": "ended", "reason": None, "right": 1, "wrong": 2, "errors": 0, "running": 0, "left": 0}


@pytest.mark.parametrize("kind", ["spend_limit", "auth_or_quota"])
def test_an_attempt_that_leaves_no_record_is_told_as_dropped_and_left_over(bench: Any, kind: Any) -> None:
    def answer(name: str, call: int) -> str:
        raise CLIFailure(kind, "no luck")

    bench.run(answer)
    told = lines(bench)
    assert [line["event"] for line in told] == ["begun", "started", "dropped", "ended"]
    assert (told[2]["instance_id"], told[2]["trial"]) == ("F1a_01", 1)
    assert told[3]["left"] == 2 and "no luck" in told[3]["reason"]
    bench.run()
    assert lines(bench)[4]["event"] == "begun" and lines(bench)[4]["pending"] == 3


def test_errors_are_told_as_such_and_earlier_results_as_kept(bench: Any) -> None:
    bench.run(lambda name, call: failing(name, call) if name == "F1b_01" else bench_declines())
    finished = [line for line in lines(bench) if line["event"] == "finished"]
    assert (finished[-1]["status"], finished[-1]["error"].partition(":")[0]) == ("error", "incomplete_output")
    bench.run()
    begun = [line for line in lines(bench) if line["event"] == "begun"]
    assert [(line["pending"], line["kept"]) for line in begun] == [(3, 0), (1, 2)]


def bench_declines() -> str:
    call = {"id": "1", "name": "declare_infeasible", "arguments": {"reason": "no"}}
    return json.dumps({"tool_calls": [call], "text": "", "usage": {}})
