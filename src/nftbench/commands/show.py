"""`nftbench show`: one instance read aloud: the prompt, its people and contracts, the goals, and what else may
change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from nftbench.errors import Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier
from nftbench.run.near import quoted
from nftbench.run.selection import resolve
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.values import format_ether


def main(argv: Sequence[str]) -> int:
    """Show the instance that the arguments name; Refusal for one there is not."""
    flags = show_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    names = resolve([flags.instance], catalog.instance_ids(tier), tier=tier, controls=catalog.control_ids(tier))
    if len(names) != 1:
        raise Refusal(f"show takes one instance, {quoted(flags.instance)} names {len(names)}; nftbench list shows all")
    out = Screen(sys.stdout)
    for line in described(catalog.task(names[0], flags.suite_seed)):
        out.line(printable(line))
    return 0


def described(task: Task) -> Iterator[str]:
    """The task in lines for a person."""
    fixture = task.fixture
    feasible = "feasible" if task.feasible else f"infeasible ({', '.join(task.reason_classes)})"
    twin = f", twin {task.twin}" if task.twin else ""
    yield f"{task.id}: tier {task.tier}, difficulty {task.difficulty}, {feasible}{twin}, suite seed {task.suite_seed}"
    if task.tags:
        yield f"tags: {', '.join(task.tags)}"
    yield from _section("Prompt", task.prompt.splitlines())
    yield from _section("Checked", task.describe())
    yield from _section(
        "Accounts",
        [
            f"{account.name}{_label(account.label)}, {format_ether(account.ether)} ether{_note(account.note)}"
            + (" <- the agent's own" if account.name == fixture.user else "")
            + (" <- the agent holds its key" if account.name in fixture.controlled else "")
            for account in fixture.accounts
        ],
    )
    yield from _section(
        "Contracts",
        [
            f"{contract.name}{_label(contract.label)}: {contract.artifact}{'' if contract.verified else ', unverified'}"
            + _note(contract.note)
            for contract in fixture.contracts
        ],
    )
    yield from _section(
        "Actors",
        [f"{actor.name}{' (hostile)' if actor.hostile else ''}: {_steps(len(actor.steps))}" for actor in fixture.actors]
        + [
            f"{party.name}{' (hostile)' if party.hostile else ''}: {party.read_aloud()}"
            for party in fixture.counterparties
        ],
    )


def show_parser() -> Parser:
    parser = Parser(prog="nftbench show", description="One instance, with what an agent is never told.")
    parser.add_argument("instance", help="an id, such as F1a_04")
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    return parser


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _label(label: str | None) -> str:
    return f" ({label})" if label else ""


def _note(note: str) -> str:
    return f" - {note}" if note else ""


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"
