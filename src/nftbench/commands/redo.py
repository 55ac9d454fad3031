"""`nftbench redo`: attempts of a run that is there, set aside and played again. Nothing is deleted: what was set aside stays
under `replaced/`, and the summary says how much that is.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nftbench import evaluate
from nftbench.errors import CannotRead, Refusal
from nftbench.records.owner import owner_of
from nftbench.records.store import RUN, RunFolder
from nftbench.report.screen import Screen, printable
from nftbench.report.summary import summarise
from nftbench.run import identity, place, plan
from nftbench.run.arguments import LAYOUTS, Parser, whole
from nftbench.run.near import quoted
from nftbench.run.plan import Job
from nftbench.run.reply_room import FIELD
from nftbench.run.selection import resolve

NEEDED = {
    "endpoint": ("--endpoint", "the server's address"),
    "openrouter": ("--max-usd", "what the run may spend in all"),
}
"""What a run's record does not hold, and playing takes."""


def main(argv: Sequence[str]) -> int:
    """Set aside what the arguments name, and play it again; the exit code of that, 0 with --later."""
    parser = redo_parser()
    flags = parser.read(argv)
    if flags is None:
        return 0
    path = Path(flags.run)
    record = _record(path)
    names = resolve(flags.instances, record["selection"], tier=record["tier"])
    again = [] if flags.later else _command(record, path, names, flags)
    jobs = _set_aside(path, record, names, flags.trial)
    err = Screen(sys.stderr)
    told = " ".join(job.instance_id if job.trial == 1 else f"{job.instance_id}/{job.trial}" for job in jobs[:5])
    more = f" and {len(jobs) - 5} more" if len(jobs) > 5 else ""
    err.line(printable(f"Set aside under {path}/replaced/: {f'{told}{more}' if jobs else 'nothing, none is finished'}"))
    if flags.later:
        err.line("The command that made the run plays them again")
        return 0
    return evaluate.main(again)


def _record(path: Path) -> dict[str, Any]:
    try:
        raw = RunFolder(path).read_record()
    except OSError as problem:
        raise Refusal(f"{path / RUN} can't be read ({problem.strerror})") from None
    if raw is None:
        raise Refusal(f"{path} is no folder of a run: it has no {RUN}")
    return identity.read(raw, where=str(path / RUN))


def _set_aside(path: Path, record: Mapping[str, Any], names: Sequence[str], trial: int | None) -> list[Job]:
    """Set the finished attempts aside; the summary no longer counts them before the first one is."""
    with place.held(path) as hold:
        folder = RunFolder(path, owner_of(record), hold.check)
        folder.sweep(record["selection"])
        chosen = [job for job in plan.jobs(names, record["trials"]) if trial in (None, job.trial)]
        try:
            there = plan.recorded(folder, record["selection"], record["trials"])
            finished = [job for job in chosen if folder.look(job.instance_id, job.trial) is not None]
        except CannotRead as problem:
            raise Refusal(f"{problem.filename} can't be read ({problem.strerror}), so nothing is set aside") from None
        gone = {(job.instance_id, job.trial) for job in finished}
        left = [result for result in there.results if (result.instance_id, result.trial) not in gone]
        planned = len(record["selection"]) * record["trials"]
        if finished:
            replaced = there.replaced + len(finished)
            folder.write_summary(summarise(left, planned=planned, strays=there.strays, replaced=replaced))
        for job in finished:
            folder.set_aside(job.instance_id, job.trial)
        return finished


def _command(record: Mapping[str, Any], path: Path, names: Sequence[str], flags: Any) -> list[str]:
    """The arguments of `evaluate` that play these instances of the run; Refusal where the record does not hold enough."""
    provider = record["provider"]
    flag, what = NEEDED.get(provider, ("", ""))
    if flag and getattr(flags, flag[2:].replace("-", "_")) is None:
        raise Refusal(f"the run's record does not hold {what}: give {flag}, or --later to set aside only")
    if provider not in ("endpoint", "openrouter", "cli", "agent"):
        raise Refusal(
            f"attempts of {provider} are played by the program that has the tools: give --later, to set aside only"
        )
    words = ["--tier", record["tier"], "--instances", ",".join(names), "--out", str(path)]
    for name in ("suite_seed", "max_turns", "max_seconds", "trials", "model", "agent", "cli"):
        if record.get(name) is not None:
            words += [f"--{name.replace('_', '-')}", str(record[name])]
    follows = FIELD in record
    for name, value in record["sampling"].items():
        if follows and name == "max_tokens":
            continue  # nobody gave it: it follows from what the server told
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    for name in record.get("served_names", ()):
        words += ["--served-name", name]
    if provider in NEEDED:
        words += ["--tool-calls", _layout_word(record["prompt_layout"])]
    if record.get("isolated") is True and provider == "cli":
        words.append("--isolated")
    for name in ("endpoint", "max_usd", "max_price_in", "max_price_out", "concurrency", "request_timeout"):
        if getattr(flags, name) is not None:
            words += [f"--{name.replace('_', '-')}", getattr(flags, name)]
    return words


def _layout_word(layout: str) -> str:
    word = next((word for word, name in LAYOUTS.items() if name == layout), None)
    if word is None:
        raise Refusal(
            f"the run's layout {quoted(layout)} is none that `evaluate` has; there are {shlex.join(LAYOUTS.values())}"
        )
    return word


def redo_parser() -> Parser:
    parser = Parser(
        prog="nftbench redo",
        description="Set finished attempts of a run aside (they stay under replaced/ in its folder, and are counted in the "
        "summary) and play them again as the run was played. Killed or stopped, the command it names goes on.",
        epilog="Exit code: as `nftbench evaluate`. Redoing until a result pleases is no measurement: report `replaced`.",
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    parser.add_argument("instances", metavar="IDS", nargs="+", help="ids and globs such as F1a_04 or 'F1*'")
    parser.add_argument("--trial", type=whole(1, 1000), metavar="K", help="only this attempt of each (default: all)")
    parser.add_argument("--later", action="store_true", help="set aside only; the run's own command plays them again")
    parser.add_argument("--endpoint", metavar="URL", help="for a run against a server: its address, kept in no file")
    parser.add_argument("--max-usd", metavar="X", help="for a run through OpenRouter: the limit over all its commands")
    for name in ("max-price-in", "max-price-out", "concurrency", "request-timeout"):
        parser.add_argument(f"--{name}", metavar="N", help="as for evaluate")
    return parser
