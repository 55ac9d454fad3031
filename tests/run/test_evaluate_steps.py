"""Kill -9 at every single step of a run's work with files, then the same command: nothing lost, nothing doubled, nothing
falsely done, and no dollar spent that the journal does not know of."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.run.stepwise import Child, Killer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, and looks files up in /proc"),
]

TURNS = 2
"""Replies to an attempt: it reads first, then declines."""
ATTEMPTS = 2
LIMIT, CEILING, COST = 0.1, 1.0, 0.001
"""Dollars: of the run, of a million tokens, of a reply of a thousand tokens."""


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    running = Killer()
    yield running
    running.close()


@pytest.fixture
def reading_first(server: Any) -> Any:
    server.reply = lambda asked: (
        '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
        if len(asked["messages"]) > TURNS
        else '{"name": "read_state", "arguments": {}}'
    )
    return server


def child(server: Any, out: Path, key: str, *, paid: bool, limit: float = LIMIT) -> Child:
    """The run of two trials of one instance; its requests are known by their key."""
    source = ["--max-usd", str(limit), "--max-price-in", str(CEILING), "--max-price-out", str(CEILING)]
    return Child(
        argv=[
            *("--model", "test/model", "--instances", "F1a_01", "--trials", "2", "--concurrency", "2"),
            *("--max-tokens", "100", *(source if paid else ["--endpoint", server.url])),
        ],
        out=str(out),
        told=str(out.with_name("told.txt")),
        environment={"OPENROUTER_API_KEY" if paid else "NFTB_ENDPOINT_TOKEN": key},
        openrouter=server.url if paid else None,
    )


def requests_with(server: Any, key: str) -> int:
    return sum(headers.get("Authorization") == f"Bearer {key}" for headers in server.headers)


def told(out: Path) -> str:
    return out.with_name("told.txt").read_text()


def results(out: Path) -> dict[str, bytes]:
    """The results in the places of the run's attempts."""
    return {str(path.relative_to(out)): path.read_bytes() for path in out.glob("F1a_01/**/result.json")}


def outcomes(out: Path) -> dict[str, Any]:
    """What the results say, apart from the run that they are of and how long things took."""
    found = {}
    for name, raw in results(out).items():
        fields = json.loads(raw)
        fields["counts"] = {what: much for what, much in fields["counts"].items() if "seconds" not in what}
        found[name] = {key: value for key, value in fields.items() if key not in ("run_id", "digest")}
    return found


def sound(out: Path) -> None:
    """Whatever the moment: whole files are whole, a result has its trajectory and its run, no summary claims too much."""
    for path in out.rglob("*.json"):
        json.loads(path.read_text())
    there = results(out)
    for name in there:
        assert (out / name).with_name("trajectory.json").exists()
    summary = out / "summary.json"
    if summary.exists() and json.loads(summary.read_text())["complete"]:
        assert json.loads(summary.read_text())["tasks_scored"] == len(there) == ATTEMPTS


def own(out: Path) -> dict[str, bytes]:
    """The results that the folder's own run has made."""
    record = out / "run.json"
    run_id = json.loads(record.read_text())["run_id"] if record.exists() else None
    return {name: raw for name, raw in results(out).items() if json.loads(raw)["run_id"] == run_id}


def copied(found: dict[str, bytes], out: Path) -> None:
    """Lay the results of another run into the folder, with trajectories."""
    for name, raw in found.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(raw)
        (out / name).with_name("trajectory.json").write_text('{"of": "another run"}')


def kept_strays(out: Path, found: dict[str, bytes]) -> None:
    """Each foreign result is in its place or set aside, whole, once, and with its trajectory."""
    for raw in found.values():
        places = [path for path in out.rglob("result.json") if path.read_bytes() == raw]
        assert len(places) == 1
        assert json.loads(places[0].with_name("trajectory.json").read_text()) == {"of": "another run"}


@pytest.mark.parametrize("strays", [False, True], ids=["a new folder", "over results of another run"])
def test_killed_at_any_step_the_same_command_ends_as_if_nothing_had_happened(
    killer: Killer, reading_first: Any, tmp_path: Path, strays: bool
) -> None:
    server, whole, begun = reading_first, tmp_path / "whole", tmp_path / "begun"
    assert killer.run(child(server, whole, "whole", paid=False)) == 0, told(whole)
    theirs = results(whole) if strays else {}
    if strays:
        assert killer.run(child(server, begun, "begun", paid=False)) == 0
        shutil.rmtree(begun / "F1a_01")
        copied(theirs, begun)
    for step in count():
        out, keys = tmp_path / f"out{step}", (f"killed{step}", f"again{step}")
        if strays:
            shutil.copytree(begun, out)
        code = killer.run(replace(child(server, out, keys[0], paid=False), kill_at=step))
        if code == 0:
            break
        assert code == -signal.SIGKILL, (step, told(out))
        kept = {}
        if out.exists():
            sound(out)
            kept_strays(out, theirs)
            kept = own(out)
        assert killer.run(child(server, out, keys[1], paid=False)) == 0, (step, told(out))
        assert "Traceback" not in told(out)
        assert kept.items() <= own(out).items()
        assert requests_with(server, keys[1]) == TURNS * (ATTEMPTS - len(kept)), step
        assert outcomes(out) == outcomes(whole) and len(own(out)) == ATTEMPTS
        summary = json.loads((out / "summary.json").read_text())
        assert (summary["complete"], summary["tasks_scored"], summary["not_counted"]) == (True, ATTEMPTS, [])
        assert summary["replaced"] == len(theirs)
        kept_strays(out, theirs)
        assert list(out.rglob("*.partial")) == []
        shutil.rmtree(out)
    assert step > 50


def booked(out: Path) -> float:
    """What the journal says was spent, or may have been: by its lines alone."""
    spent, under_way = 0.0, {}
    path = out / "spending.jsonl"
    for raw in path.read_bytes().split(b"\n") if path.exists() else ():
        try:
            entry = json.loads(raw)
        except ValueError:
            continue
        if "tokens" in entry:
            under_way[entry["call"]] = entry["at_most_usd"]
        elif "usd" in entry:
            spent += entry["usd"]
            del under_way[entry["call"]]
    return float(spent + sum(under_way.values()))


def charged(server: Any, *keys: str) -> float:
    return COST * sum(requests_with(server, key) for key in keys)


@pytest.mark.parametrize("limit", [LIMIT, 0.022], ids=["room for all", "room for little"])
def test_killed_at_any_step_no_dollar_is_forgotten_or_spent_beyond_the_limit(
    killer: Killer, reading_first: Any, tmp_path: Path, limit: float
) -> None:
    server = reading_first
    server.usage = {"prompt_tokens": 900, "completion_tokens": 100, "cost": COST}
    whole = tmp_path / "whole"
    assert killer.run(child(server, whole, "whole", paid=True)) == 0, told(whole)
    assert booked(whole) == pytest.approx(charged(server, "whole")) == pytest.approx(TURNS * ATTEMPTS * COST)
    unkilled = killer.run(child(server, tmp_path / "unkilled", "unkilled", paid=True, limit=limit))
    for step in count():
        out, keys = tmp_path / f"out{step}", (f"killed{step}", f"again{step}", f"more{step}")
        code = killer.run(replace(child(server, out, keys[0], paid=True, limit=limit), kill_at=step))
        if code >= 0:
            assert code == unkilled
            break
        kept = own(out) if out.exists() else {}
        code = killer.run(child(server, out, keys[1], paid=True, limit=limit))
        assert code == 0 or ("Stopped: " in told(out) and "--max-usd" in told(out)), (step, told(out))
        assert "Traceback" not in told(out)
        assert charged(server, *keys) <= booked(out) + 1e-9 and charged(server, *keys) <= limit, step
        assert kept.items() <= own(out).items()
        if code:
            kept = own(out)
            assert killer.run(child(server, out, keys[2], paid=True)) == 0, (step, told(out))
        asked = requests_with(server, keys[2] if code else keys[1])
        assert asked == TURNS * (ATTEMPTS - len(kept)), step
        assert charged(server, *keys) <= booked(out) + 1e-9 and charged(server, *keys) <= LIMIT
        assert outcomes(out) == outcomes(whole)
        shutil.rmtree(out)
    assert step > 50
