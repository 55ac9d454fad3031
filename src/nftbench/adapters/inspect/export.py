"""`nftbench export --format inspect`: a recorded run as a log that `inspect view` opens and `read_eval_log` reads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalSample,
    EvalSpec,
    EvalStats,
    recompute_metrics,
    write_eval_log,
)
from inspect_ai.log._log import EvalMetricDefinition, EvalScorer
from inspect_ai.model import GenerateConfig, ModelUsage

from nftbench import __version__
from nftbench.adapters.inspect import registry
from nftbench.adapters.inspect.recordings import RECORDED
from nftbench.adapters.inspect.samples import Played, sample
from nftbench.adapters.inspect.telling import writable
from nftbench.errors import Refusal
from nftbench.records.store import RESULT, RunFolder
from nftbench.report.runs import Damaged, Run
from nftbench.run.loading import load_trajectory
from nftbench.tasks import catalog

ENDING = ".eval"
METRICS = [
    EvalMetricDefinition(name="inspect_ai/accuracy", options={}),
    EvalMetricDefinition(name="inspect_ai/stderr", options={"cluster": "pair"}),
    EvalMetricDefinition(name="nftbench/feasible", options={}),
    EvalMetricDefinition(
        name="inspect_ai/grouped",
        options={
            "metric": {"type": "metric", "name": "accuracy", "params": {}},
            "group_key": "family",
            "all": False,
        },
    ),
    EvalMetricDefinition(name="nftbench/pairs", options={}),
]
"""The metrics of a sample's score, as the header of a log names them."""
_SAMPLING = ("temperature", "top_p", "seed", "max_tokens")


def write_log(run: Run, path: Path, folder: Path) -> tuple[Path, int, list[str]]:
    """Write the run at `path` as a log into a new folder: the file, how many samples it has, and what was left out, each with the
    reason. Attempts in error are samples in error."""
    samples, left_out = _samples(run, path)
    log = log_of(run, samples)
    try:
        folder.mkdir(parents=True)
        file = folder / f"{run.name.replace('/', '-')}{ENDING}"
        write_eval_log(log, str(file))
    except FileExistsError:
        raise Refusal(f"--out {folder} is there already: choose a new folder") from None
    except OSError as problem:
        raise Refusal(f"--out {folder} can't be written ({problem.strerror}): choose another folder") from None
    return file, len(samples), left_out


def log_of(run: Run, samples: Sequence[EvalSample]) -> EvalLog:
    """The log of a run that has these samples, with its figures."""
    record = run.record
    times = (
        sorted(each.started_at for each in samples if each.started_at),
        sorted(each.completed_at for each in samples if each.completed_at),
    )
    usage: dict[str, ModelUsage] = {}
    for each in samples:
        for model, used in each.model_usage.items():
            usage[model] = usage[model] + used if model in usage else used
    log = EvalLog(
        status="success" if len(run.results) >= run.planned else "cancelled",
        eval=_spec(run, times[0][0] if times[0] else datetime.now(UTC).isoformat()),
        plan=EvalPlan(steps=[EvalPlanStep(solver="nftbench/evaluate", params={"layout": record["prompt_layout"]})]),
        stats=EvalStats(
            started_at=times[0][0] if times[0] else "", completed_at=times[1][-1] if times[1] else "", model_usage=usage
        ),
        samples=list(samples),
    )
    recompute_metrics(log)
    return log


def _spec(run: Run, created: str) -> EvalSpec:
    record, tier = run.record, str(run.record["tier"])
    sampling = record.get("sampling") or {}
    seconds = record.get("max_seconds")
    return EvalSpec(
        run_id=str(record.get("run_id") or run.name),
        eval_id=str(record.get("run_id") or run.name),
        task_id=run.name,
        created=created,
        task=f"nftbench/{tier}",
        task_display_name=tier,
        task_registry_name=f"nftbench/{tier}" if tier in registry.TASKS else None,
        task_version=f"{record['suite_version']}.{record['grader_version']}",
        task_args={"instances": list(record["selection"]), "suite_seed": record["suite_seed"]},
        dataset=EvalDataset(
            name=f"{tier}, suite seed {record['suite_seed']}",
            samples=len(record["selection"]),
            sample_ids=list(record["selection"]),
        ),
        model=model_of(run),
        model_generate_config=GenerateConfig(**{name: sampling[name] for name in _SAMPLING if name in sampling}),
        config=EvalConfig(
            epochs=record["trials"],
            turn_limit=record["max_turns"],
            working_limit=None if seconds is None else int(seconds),
            fail_on_error=False,
        ),
        packages={"nftbench": str(record.get("nftbench_version") or __version__)},
        metadata=writable({"run": run.name, **record}),
        scorers=[EvalScorer(name="grade", options={}, metrics=list(METRICS), metadata={})],
    )


def model_of(run: Run) -> str:
    """Who played, and through which provider, as a model of recordings."""
    return f"{RECORDED}/{run.record.get('provider', 'unknown')}/{run.who}"


def _samples(run: Run, path: Path) -> tuple[list[EvalSample], list[str]]:
    """The attempts as samples, and those that can't be, each with the reason."""
    samples, left_out = [], []
    limits = _limits(run.record)
    for result in run.results:
        trajectory = load_trajectory(path, result.instance_id, result.trial)
        if isinstance(trajectory, Damaged):
            left_out.append(f"{result.instance_id}, trial {result.trial}: {trajectory.reason}")
            continue
        played = Played(
            task=catalog.task(result.instance_id, run.record["suite_seed"]),
            result=result,
            trajectory=trajectory,
            model=model_of(run),
            limits=limits,
            started=_written(path, result.instance_id, result.trial) - timedelta(seconds=result.counts.seconds),
        )
        samples.append(sample(played))
    return samples, left_out


def _limits(record: dict[str, Any]) -> dict[str, float]:
    given = {"turn_limit": record["max_turns"], "time_limit": record.get("max_seconds")}
    return {name: float(value) for name, value in given.items() if value is not None}


def _written(path: Path, instance_id: str, trial: int) -> datetime:
    """When an attempt's result was written."""
    file = RunFolder(path).attempt_folder(instance_id, trial) / RESULT
    return datetime.fromtimestamp(file.stat().st_mtime if file.exists() else 0.0, UTC)
