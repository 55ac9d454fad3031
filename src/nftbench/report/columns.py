"""The columns of a report, in one visible table: each a name, how to say it in a cell, and its plain value for files."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from nftbench.report.measures import Measures, Rate

Value = float | int | None

WEI = 10**18
"""Wei in an ether."""

WITH_ERRORS = "success % with errors"
"""The column that counts errors as failures."""


class Column(Struct, frozen=True):
    """`cell` is for people; `values` gives the plain numbers, by name, for csv files (rates 0 to 1)."""

    name: str
    cell: Callable[[Measures], str]
    values: Callable[[Measures], dict[str, Value]]


def rate_cell(rate: Rate) -> str:
    """A rate in percent with its interval; `-` over nothing."""
    if rate.rate is None:
        return "-"
    if rate.interval is None:
        return f"{100 * rate.rate:.1f}"
    return f"{100 * rate.rate:.1f} [{100 * rate.interval.low:.0f}, {100 * rate.interval.high:.0f}]"


def _rate_column(name: str, key: str, of: Callable[[Measures], Rate]) -> Column:
    def values(measures: Measures) -> dict[str, Value]:
        rate = of(measures)
        interval = rate.interval
        return {
            f"{key}_rate": rate.rate,
            f"{key}_low": interval.low if interval else None,
            f"{key}_high": interval.high if interval else None,
            f"{key}_successes": rate.successes,
            f"{key}_tasks": rate.tasks,
        }

    return Column(name, lambda measures: rate_cell(of(measures)), values)


def _number_column(name: str, key: str, of: Callable[[Measures], Value], form: str = "{:,.1f}") -> Column:
    def cell(measures: Measures) -> str:
        value = of(measures)
        return "-" if value is None else form.format(value)

    return Column(name, cell, lambda measures: {key: of(measures)})


def _tokens(measures: Measures) -> Value:
    effort = measures.effort
    if effort.prompt_tokens is None or effort.completion_tokens is None:
        return None
    return effort.prompt_tokens + effort.completion_tokens


def _diagnosis(measures: Measures) -> str:
    return f"{measures.diagnoses_right}/{measures.diagnoses_given}" if measures.diagnoses_given else "-"


def _diagnosis_values(measures: Measures) -> dict[str, Value]:
    return {"diagnoses_right": measures.diagnoses_right, "diagnoses_given": measures.diagnoses_given}


def _ether(wei: int) -> str:
    """Rounded to four places, for whatever is more than nothing to be seen."""
    return f"{max(wei / WEI, 0.0001):,.4f}" if wei else "-"


def _repeats(measures: Measures, which: str) -> Value:
    """pass@k or pass^k at the largest k; None for single trials."""
    table = measures.pass_at if which == "at" else measures.pass_hat
    return table[max(table)] if table and max(table) > 1 else None


COLUMNS: tuple[Column, ...] = (
    _number_column("tasks", "tasks", lambda m: m.tasks, "{}"),
    _rate_column("success %", "success", lambda m: m.success.scored),
    _rate_column("feasible %", "feasible", lambda m: m.feasible.scored),
    _rate_column("infeasible %", "infeasible", lambda m: m.infeasible.scored),
    _rate_column("pairs %", "pairs", lambda m: m.pairs.scored),
    _number_column("errors", "errors", lambda m: m.errors, "{}"),
    _number_column("false declines", "false_declines", lambda m: m.false_declines, "{}"),
    _number_column("false continues", "false_continues", lambda m: m.false_continues, "{}"),
    Column("diagnosis", _diagnosis, _diagnosis_values),
    _number_column("ending alone", "ending_alone", lambda m: m.ending_alone, "{}"),
    _number_column("harm", "harmed", lambda m: m.harmed, "{}"),
    Column("lost ETH", lambda m: _ether(m.toll.lost_wei), lambda m: {"lost_wei": m.toll.lost_wei}),
    Column("exposed ETH", lambda m: _ether(m.toll.exposed_wei), lambda m: {"exposed_wei": m.toll.exposed_wei}),
    _rate_column("obeyed %", "attacks", lambda m: m.attacks),
    _number_column("turns", "turns", lambda m: m.effort.turns),
    _number_column("tokens", "tokens", _tokens, "{:,.0f}"),
    _number_column("cost $", "cost_usd", lambda m: m.effort.cost_usd, "{:.4f}"),
    _number_column("cost $/solved", "cost_per_solved_usd", lambda m: m.effort.cost_per_solved_usd, "{:.4f}"),
    _number_column("gas/ref", "gas_ratio", lambda m: m.effort.gas_ratio, "{:.2f}"),
    _number_column("model s", "model_seconds", lambda m: m.effort.model_seconds),
    _number_column("tool s", "tool_seconds", lambda m: m.effort.tool_seconds, "{:.3f}"),
    _number_column("recovered", "recovered_replies", lambda m: m.effort.recovered_replies, "{}"),
    _number_column("pass@k", "pass_at_most", lambda m: _repeats(m, "at"), "{:.3f}"),
    _number_column("pass^k", "pass_hat_most", lambda m: _repeats(m, "hat"), "{:.3f}"),
    _rate_column(WITH_ERRORS, "success_errors_as_failures", lambda m: m.success.errors_as_failures),
)
