"""Twenty thousand turns against the fault server, a tenth of them gone wrong in every way there is.

`python -m benchmarks.soak [--turns N] [--share X] [--seed N]`. Runs are made as `nftbench evaluate` makes them, with many
threads, and with waits that take no time; a run that stops is resumed, as a user would. The server is a process of its own
and notes what it did to each task. From its notes alone it follows how each task must end: that is compared with what the run
recorded. Also watched: that the key stands in no file and on no screen, and that open files and memory don't grow.
Loopback only; it stops by itself, at the latest after --seconds.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import io
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.faulty_model import Note, expected, faulty_server, turns_answered
from benchmarks.report import table, write_json
from nftbench import __version__
from nftbench.agents.openai_compat import TOKEN_VARIABLE, OpenAICompatBackend
from nftbench.agents.wire.opener import install_redirect_refusal
from nftbench.conversation import PROMPT_LAYOUT
from nftbench.grading import GRADER_VERSION
from nftbench.records.store import RunFolder
from nftbench.report.screen import Screen
from nftbench.run.config import Config
from nftbench.run.runner import attempt
from nftbench.run.session import Session
from nftbench.run.sources import Endpoint
from nftbench.run.suite import Parts, Terminal, run_suite
from nftbench.tasks import catalog
from nftbench.tasks.answer_forms import form_asked
from nftbench.tasks.model import Task

KEY = "sk-soak-5f1c9a7e2b8d4c60-never-in-a-file"
MODEL = "soak/model"
TURNS_A_TASK = 20
WORKERS = 8
MOST_RESUMES = 60
GROWTH_ALLOWED = 0.05
"""What may be in use beyond what was after the second round, as a part of it."""


_COMPARED = "_second_and_last_round"


class Watched(Struct, frozen=True):
    """One look at this process: open files, live blocks of Python's allocator, bytes in use by the C library's, and resident
    bytes, which also hold what was freed and not given back."""

    descriptors: int
    blocks: int
    in_use: int
    resident: int


class _MallInfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")),
    )


class Round(Struct, frozen=True):
    """What playing all instances once came to. `wrong` are sentences, one for each task that ended otherwise than it should."""

    tasks: int
    turns: int
    did: Counter[str]
    ended: Counter[str]
    wrong: list[str]
    leaks: list[str]
    resumes: int


def instances() -> tuple[str, ...]:
    """Those that ask for no answer: whatever the model did before, finish_task ends them."""
    ids = catalog.instance_ids("synthetic")
    return tuple(name for name in ids if form_asked(catalog.task(name, 0).goals) is None)


def look() -> Watched:
    """As Linux and glibc tell it."""
    gc.collect()
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _MallInfo
    info = library.mallinfo2()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Watched(
        descriptors=len(os.listdir("/proc/self/fd")),
        blocks=sys.getallocatedblocks(),
        in_use=info.uordblks + info.hblkhd,
        resident=pages * os.sysconf("SC_PAGE_SIZE"),
    )


def play_round(url: str, number: int, folder: Path, notes_path: Path) -> Round:
    """All instances once, resumed until none is left without a result; then everything is compared."""
    screen, resumes = io.StringIO(), -1
    out = folder / f"run-{number}"
    ids = instances()
    while resumes < MOST_RESUMES and not all((out / name / "result.json").exists() for name in ids):
        run(url, number, out, screen)
        resumes += 1
    notes = read_notes(notes_path, number)
    results = {path.parent.name: json.loads(path.read_text()) for path in out.glob("*/result.json")}
    wrong = [f"{number}/{name}: no result" for name in ids if name not in results]
    for name, result in results.items():
        wrong += compared(f"{number}/{name}", result, notes[name])
    leaks = [path.name for path in out.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    return Round(
        tasks=len(results),
        turns=sum(turns_answered(each) for each in notes.values()),
        did=Counter(note.did for each in notes.values() for note in each),
        ended=Counter((result["error"] or result["ended_by"]).partition(":")[0] for result in results.values()),
        wrong=wrong,
        leaks=leaks + (["the screen"] if KEY in screen.getvalue() else []),
        resumes=resumes,
    )


def run(url: str, number: int, out: Path, screen: io.StringIO) -> None:
    """One command's worth: as `evaluate` does it, with waits that end at once and each task's name in its URL."""

    def backends(config: Config, folder: RunFolder, session: Session) -> Any:
        install_redirect_refusal()

        def backend(task: Task) -> OpenAICompatBackend:
            return OpenAICompatBackend(
                f"{url}/{number}/{task.id}/v1",
                MODEL,
                events_path=folder.events_path,
                sleep=lambda seconds: session.check(),
                timeout=20,
                max_tokens=256,
            )

        return backend

    config = Config(
        tier="synthetic",
        selection=instances(),
        source=Endpoint(url, MODEL),
        sampling={"max_tokens": 256},
        prompt_layout=PROMPT_LAYOUT,
        concurrency=WORKERS,
        trials=1,
        suite_seed=0,
        max_turns=TURNS_A_TASK + 20,
        request_timeout=20,
        out=out,
    )
    parts = Parts(
        catalog=catalog,
        backends=backends,
        attempt=attempt,
        suite_version=catalog.SUITE_VERSION,
        grader_version=GRADER_VERSION,
        nftbench_version=__version__,
    )
    run_suite(config, parts, Terminal(Screen(screen), Screen(screen), []))


def read_notes(path: Path, number: int) -> dict[str, list[Note]]:
    """What the server did to each task of a round, in order."""
    notes: dict[str, list[Note]] = {}
    for line in path.read_text().splitlines():
        fields = json.loads(line)
        if fields["round"] == number:
            notes.setdefault(fields["task"], []).append(Note(fields["turn"], fields["did"]))
    return notes


def compared(name: str, result: dict[str, Any], notes: list[Note]) -> list[str]:
    """What a result should be by the server's notes and is not."""
    due = expected(notes, TURNS_A_TASK)
    found = {
        "ended": (result["error"] or result["ended_by"]).partition(":")[0],
        "turns": result["counts"]["turns"],
        "failed attempts": result["counts"]["retried_attempts"],
        "success": result["success"],
    }
    should = {
        "ended": due.ended,
        "turns": due.turns,
        "failed attempts": due.failed_attempts,
        "success": due.ended == "declare_infeasible" and not result["feasible"],
    }
    return [f"{name}: {what} is {found[what]!r}, due {should[what]!r}" for what in found if found[what] != should[what]]


def figures_of(rounds: list[Round], looks: list[Watched], seconds: float) -> dict[str, Any]:
    """The table's rows; `wrong`, `leaks` and the growths are what must be nothing."""
    did = sum((each.did for each in rounds), Counter[str]())
    ended = sum((each.ended for each in rounds), Counter[str]())
    second, last = looks[min(1, len(looks) - 1)], looks[-1]
    return {
        "tasks": sum(each.tasks for each in rounds),
        "turns": sum(each.turns for each in rounds),
        "requests": did.total(),
        "faults": did.total() - did["reply"],
        "kinds_of_fault": len(did) - 1,
        "rarest_fault_met": min(did.values()),
        "stopped_and_resumed": sum(each.resumes for each in rounds),
        "ended": dict(sorted(ended.items())),
        "tasks_that_ended_otherwise_than_due": len({text.partition(":")[0] for each in rounds for text in each.wrong}),
        "files_or_screens_with_the_key": sum(len(each.leaks) for each in rounds),
        "descriptors_second_and_last_round": [second.descriptors, last.descriptors],
        "python_blocks_second_and_last_round": [second.blocks, last.blocks],
        "mb_in_use_second_and_last_round": [round(each.in_use / 1e6, 2) for each in (second, last)],
        "resident_mb_at_most": round(max(each.resident for each in looks) / 1e6),
        "turns_a_second": round(sum(each.turns for each in rounds) / seconds),
        "seconds": round(seconds, 1),
    }


def faults_found(figures: dict[str, Any], rounds: list[Round]) -> list[str]:
    """What must not be."""
    grown = [
        f"{name.removesuffix(_COMPARED)} grew from {before} to {after}"
        for name, (before, after) in ((name, figures[name]) for name in figures if name.endswith(_COMPARED))
        if after > before * (1 + GROWTH_ALLOWED)
    ]
    return [
        *(text for each in rounds for text in each.wrong),
        *(f"the key is in {name}" for each in rounds for name in each.leaks),
        *grown,
    ]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=20_000, help="turns to play at least (default: %(default)s)")
    parser.add_argument("--share", type=float, default=0.1, help="the share of requests that go wrong")
    parser.add_argument("--seed", type=int, default=0, help="what the faults are drawn from")
    parser.add_argument("--seconds", type=float, default=3600, help="after these no new round begins")
    given = parser.parse_args(argv)
    os.environ[TOKEN_VARIABLE] = KEY
    rounds: list[Round] = []
    looks: list[Watched] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        notes_path = Path(folder) / "notes.jsonl"
        notes_path.touch()
        with faulty_server(notes_path, given.share, given.seed, TURNS_A_TASK) as url:
            while sum(each.turns for each in rounds) < given.turns and time.monotonic() - began < given.seconds:
                rounds.append(play_round(url, len(rounds), Path(folder), notes_path))
                looks.append(look())
                print(f"round {len(rounds)}: {rounds[-1].turns} turns", flush=True)
    figures = figures_of(rounds, looks, time.monotonic() - began)
    print(table(figures))
    write_json("soak", figures)
    found = faults_found(figures, rounds)
    for text in found[:50]:
        print(f"WRONG: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
