"""A validation as text for people: a row a sub-family, what was done to it, and the table of baselines."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from nftbench.tasks import catalog
from nftbench.validation.harmless import HARMLESS
from nftbench.validation.instance import Examination
from nftbench.validation.scores import BASELINES

WIDTH = 128
_HEADS = (
    "sub-family",
    "solved",
    "noop",
    "decline",
    "careless",
    "traps",
    "random",
    "replays",
    "damages",
    "allowed",
    "search",
)
_WIDTHS = (38, 6, 5, 7, 8, 5, 6, 7, 7, 7, 22)


def head() -> str:
    """The line over the rows."""
    return _line(_HEADS)


def rows(of: Sequence[Examination]) -> list[str]:
    """One sub-family: its row, the damages and variations by name, the blocking facts."""
    sub_family = catalog.SUB_FAMILIES[of[0].instance_id.partition("_")[0]]
    damages, variations = _summed(e.damages for e in of), _summed(e.variations for e in of)
    traps = [e for e in of if e.trap]
    cells = (
        f"{sub_family.name} {sub_family.title}"[: _WIDTHS[0]],
        _share(e.solved for e in of),
        *(_share(agent in e.scores.passed for e in of) for agent in BASELINES[:3]),
        _share("careless" not in e.scores.passed for e in traps),
        _share("random" in e.scores.passed for e in of),
        f"{sum(e.scores.replays_solved for e in of if e.feasible)}/{sum(e.scores.replays for e in of if e.feasible)}",
        str(damages.total()),
        str(variations.total()),
        _searches(of),
    )
    lines = [_line(cells), *_named("damages", damages), *_named("allowed", variations)]
    if any(e.ways for e in of):
        lines += _wrapped(f"ways to the goals: {', '.join(f'{e.instance_id} {e.ways}' for e in of if e.ways)}")
    lines += [
        line for e in of for sentence in e.review for line in _wrapped(f"for review: {e.instance_id}: {sentence}")
    ]
    for line, count in _summed(e.harmless for e in of).items():
        lines += _wrapped(f"passes all the same: {line} {count} ({HARMLESS[line].reason})")
    for one in of:
        if one.fact:
            lines += _wrapped(f"{one.instance_id} is blocked: {one.fact}")
    return lines


def without_damages(of: Sequence[Examination]) -> str | None:
    """The sentence about a sub-family whose worlds could not be damaged at all."""
    if any(e.damages for e in of) or not any(e.solved for e in of):
        return None
    return f"{of[0].instance_id}: no damage applies to any world of its sub-family"


def baseline_table(examinations: Sequence[Examination]) -> list[str]:
    """The agents' scores in Markdown, in percent: feasible, infeasible, pairs (an instance and its twin both right), all."""
    agents: dict[str, Callable[[Examination], float]] = {"reference": lambda e: float(e.solved)}
    for name in BASELINES:
        agents[name] = lambda e, name=name: float(name in e.scores.passed)  # type: ignore[misc]
    agents["reference of another seed, by position"] = lambda e: e.scores.replays_solved / max(e.scores.replays, 1)
    lines = ["| agent | feasible | infeasible | pairs | all |", "|---|---|---|---|---|"]
    for name, score in agents.items():
        values = {e.instance_id: score(e) for e in examinations}
        groups = (
            [values[e.instance_id] for e in examinations if e.feasible],
            [values[e.instance_id] for e in examinations if not e.feasible],
            [
                values[e.instance_id] * values[twin]
                for e in examinations
                if not e.feasible and (twin := _twin(e)) in values
            ],
            list(values.values()),
        )
        lines.append(f"| {name} | {' | '.join(map(_percent, groups))} |")
    return lines


def _twin(one: Examination) -> str:
    return catalog.task(one.instance_id, one.suite_seed).twin or ""


def _percent(values: Sequence[float]) -> str:
    return f"{100 * sum(values) / len(values):.1f} %" if values else "-"


def _summed(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in counts:
        total.update(part)
    return total


def _share(values: Iterable[bool]) -> str:
    found = list(values)
    return f"{sum(found)}/{len(found)}"


def _searches(of: Sequence[Examination]) -> str:
    """How many feasible goals were reached of those looked for, and how many infeasible ones were not."""
    parts = []
    for feasible, right, word in ((True, "reached", "found"), (False, "blocked", "blocked")):
        ends = [e.search for e in of if e.search and e.feasible is feasible]
        if ends:
            parts.append(f"{ends.count(right)}/{len(ends)} {word}")
    return ", ".join(parts) or "-"


def _line(cells: Sequence[str]) -> str:
    first, *others = zip(cells, _WIDTHS, strict=True)
    return " ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])


def _named(what: str, counts: Counter[str]) -> list[str]:
    return _wrapped(f"{what}: {', '.join(f'{name} {count}' for name, count in counts.items()) or 'none'}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="        ")
