"""Lines of `events.jsonl` are whole, whoever writes and whatever was killed."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from nftbench.agents.wire.events import Event, event_log
from nftbench.agents.wire.line_log import append_line


def event(instance: str, text: str = "x") -> Event:
    return Event(returncode=0, stdout=text, stderr="", instance_id=instance, t_start=1.0, t_end=2.0)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_has_exactly_the_six_keys(tmp_path: Path) -> None:
    event_log(tmp_path / "events.jsonl").append(event("F1a_01"))
    assert lines(tmp_path / "events.jsonl") == [
        {"returncode": 0, "stdout": "x", "stderr": "", "instance_id": "F1a_01", "t_start": 1.0, "t_end": 2.0}
    ]


def test_a_path_has_one_log_however_it_is_spelled(tmp_path: Path) -> None:
    log = event_log(tmp_path / "events.jsonl")
    assert event_log(str(tmp_path / "." / "events.jsonl")) is log


def test_threads_do_not_mix_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"

    def write(name: str) -> None:
        for _ in range(20):
            event_log(path).append(event(name, name * 20_000))

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(path)) == 120


def test_a_line_that_a_kill_left_torn_is_closed_first(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    event_log(path).append(event("F1a_01"))
    with path.open("a") as file:
        file.write('{"returncode": 0, "std')
    event_log(path).append(event("F1a_02"))
    whole = path.read_text().splitlines()
    assert whole[1] == '{"returncode": 0, "std' and json.loads(whole[2])["instance_id"] == "F1a_02"


def test_texts_that_are_no_unicode_are_kept_escaped(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    event_log(path).append(event("F1a_01", "half \ud835 nul \x00"))
    assert path.read_bytes().isascii() and lines(path)[0]["stdout"] == "half \ud835 nul \x00"


def test_a_line_is_added_to_whatever_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append_line(path, b"one")
    append_line(path, b"two")
    assert path.read_bytes() == b"one\ntwo\n"
