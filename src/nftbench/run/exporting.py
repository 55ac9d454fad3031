"""Runs and tasks as data: rows that load with `datasets`, as JSON lines or Parquet, with a card that says what they are.

A row's columns have one type each, whatever the task: what is free in form (a call's arguments, the tools, an answer) travels
as JSON text, as OpenAI's API has it for arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from nftbench.agents.layouts.native import NativeRenderer
from nftbench.episode.prompt import system_text
from nftbench.errors import Refusal
from nftbench.records.model import Result
from nftbench.report.failures import said
from nftbench.report.runs import Damaged, Run
from nftbench.run.loading import load_trajectory
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.tools.standard import chat_tools, tools_for

Row = dict[str, Any]
FORMATS = ("jsonl", "parquet")
PARQUET_MISSING = (
    "parquet needs pyarrow, which is not installed: pip install 'nftbench[parquet]', or take --format jsonl"
)


def tools_text(task: Task) -> str:
    """The tools of a task's requests as OpenAI's API takes them, as JSON text."""
    return json.dumps(chat_tools(tools_for(task.fixture)))


def run_rows(run: Run, path: Path) -> Iterator[Row]:
    """A row an attempt that was scored: OpenAI messages with their tool calls, and how it was graded."""
    for result in run.results:
        trajectory = load_trajectory(path, result.instance_id, result.trial)
        if result.status == "scored" and not isinstance(trajectory, Damaged):
            task = catalog.task(result.instance_id, int(run.record["suite_seed"]))
            yield _run_row(run, result, trajectory, tools_text(task))


def left_out(run: Run, path: Path) -> list[str]:
    """The attempts that are no rows, each with the reason."""
    reasons = []
    for result in run.results:
        name = result.instance_id if result.trial == 1 else f"{result.instance_id}, trial {result.trial}"
        trajectory = load_trajectory(path, result.instance_id, result.trial)
        if result.status != "scored":
            reasons.append(f"{name}: {result.error}")
        elif isinstance(trajectory, Damaged):
            reasons.append(f"{name}: {trajectory.reason}")
    return reasons


def messages_of(trajectory: dict[str, Any]) -> list[dict[str, Any]]:
    """An episode's messages as OpenAI's chat completions has them: calls with ids, arguments as JSON text."""
    request = json.dumps({"tools": [], "messages": trajectory["messages"]})
    laid = NativeRenderer().render(request)
    messages: list[dict[str, Any]] = json.loads(b"{" + laid.members + b"}")["messages"]
    return [_uniform(message) for message in messages]


def _uniform(message: dict[str, Any]) -> dict[str, Any]:
    """The same fields in every message, so that columns have one type."""
    return {
        "role": message["role"],
        "content": message.get("content") or "",
        "tool_calls": message.get("tool_calls") or [],
        "tool_call_id": message.get("tool_call_id") or "",
    }


def _run_row(run: Run, result: Result, trajectory: dict[str, Any], tools: str) -> Row:
    return {
        "run": run.name,
        "model": run.who,
        "instance_id": result.instance_id,
        "trial": result.trial,
        "suite_seed": run.record["suite_seed"],
        "suite_version": str(run.record["suite_version"]),
        "grader_version": result.versions.get("grader", str(run.record["grader_version"])),
        "family": result.family,
        "sub_family": result.sub_family,
        "difficulty": result.difficulty,
        "feasible": result.feasible,
        "messages": messages_of(trajectory),
        "tools": tools,
        "success": result.success,
        "reward": float(result.success),
        "ended_by": result.ended_by,
        "failed_checks": [said(check) for check in result.checks if not check.passed],
        "harm": list(result.harm),
        "obeyed": list(result.obeyed),
        "isolated": result.isolated,
        "turns": result.counts.turns,
        "prompt_tokens": result.counts.prompt_tokens,
        "completion_tokens": result.counts.completion_tokens,
        "cost_usd": result.counts.cost_usd,
        "seconds": result.counts.seconds,
    }


def task_rows(tasks: Sequence[Task], *, answers: bool) -> Iterator[Row]:
    """A row a task: the messages that an agent is shown first, the tools, and what may be known beforehand.

    With `answers`, also whether it can be done, its twin, why not, its goals and its tags: what gives the answers away.
    """
    for task in tasks:
        row: Row = {
            "instance_id": task.id,
            "tier": task.tier,
            "family": task.family,
            "sub_family": task.sub_family,
            "suite_seed": task.suite_seed,
            "suite_version": catalog.SUITE_VERSION,
            "prompt": task.prompt,
            "messages": [
                {"role": "system", "content": system_text(task.turns)},
                {"role": "user", "content": task.prompt},
            ],
            "tools": tools_text(task),
        }
        if answers:
            row |= {
                "difficulty": task.difficulty,
                "feasible": task.feasible,
                "twin": task.twin or "",
                "reason_classes": list(task.reason_classes),
                "goals": list(task.describe()),
                "tags": list(task.tags),
            }
        yield row


def write(rows: Sequence[Row], folder: Path, form: str, card: str) -> Path:
    """Write the rows and their card into a new folder; the file of the rows. Refusal where it is there, or can't be written."""
    parquet = _parquet() if form == "parquet" else None
    try:
        folder.mkdir(parents=True)
        file = folder / f"data.{form}"
        if parquet is not None:
            parquet.write_rows(rows, file)
        else:
            with file.open("w", encoding="ascii") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in rows)
        (folder / "README.md").write_text(card, encoding="utf-8")
    except FileExistsError:
        raise Refusal(f"--out {folder} is there already: choose a new folder") from None
    except OSError as problem:
        raise Refusal(f"--out {folder} can't be written ({problem.strerror}): choose another folder") from None
    return file


def _parquet() -> ModuleType:
    """The module that writes Parquet, imported only now: its package is optional."""
    try:
        return import_module("nftbench.run.parquet")
    except ModuleNotFoundError:
        raise Refusal(PARQUET_MISSING) from None


def card(*, title: str, about: str, form: str, rows: int, gives_away: bool) -> str:
    """The dataset card: how it loads, what it holds, and what it must not be trained on for."""
    warning = (
        "`feasible`, goals and solved trajectories give answers away. Suite seed 0 is what people report: train on other suite "
        "seeds, keep 0 for evaluation, and say which seeds a model has seen."
        if gives_away
        else "Suite seed 0 is what people report: train on other suite seeds, and keep 0 for evaluation."
    )
    return f"""---
pretty_name: {json.dumps(title)}
license: apache-2.0
language: [en]
tags: [nft, ethereum, agents, tool-use, benchmark]
configs:
- config_name: default
  data_files: data.{form}
---

# {title}

{about}

{rows} rows. Load them with `datasets.load_dataset("{"json" if form == "jsonl" else "parquet"}", data_files="data.{form}")`.
`messages` are OpenAI chat messages; a call's `arguments`, and `tools`, are JSON text.

{warning}
"""
