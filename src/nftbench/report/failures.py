"""Failures by kind: how an episode ended and which kinds of checks failed, each kind with one example."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from nftbench.records.model import Check, Result
from nftbench.values import in_order


class FailureKind(Struct, frozen=True, kw_only=True):
    """Attempts that failed alike. `failed` names the kinds of checks that failed ("goal", "frame", "probe", "ending"; empty for
    an attempt in error, which was not graded); the example is the first such attempt in the order of the run."""

    ended_by: str
    failed: tuple[str, ...]
    cause: str
    count: int
    sub_families: tuple[str, ...]
    example: str
    trial: int
    says: str


def failure_kinds(results: Iterable[Result]) -> list[FailureKind]:
    """The kinds of failure among the results, the commonest first."""
    groups: dict[tuple[str, tuple[str, ...], str], list[Result]] = {}
    for result in results:
        if not result.success:
            groups.setdefault(_kind(result), []).append(result)
    found = [_described(kind, members) for kind, members in groups.items()]
    return sorted(found, key=lambda each: (-each.count, each.ended_by, each.failed, each.cause))


def _kind(result: Result) -> tuple[str, tuple[str, ...], str]:
    kinds = {check.kind for check in result.checks if not check.passed}
    cause = (result.error or "").partition(":")[0]
    return result.ended_by, tuple(sorted(kinds)), cause


def _described(kind: tuple[str, tuple[str, ...], str], members: list[Result]) -> FailureKind:
    ended_by, failed, cause = kind
    first = members[0]
    return FailureKind(
        ended_by=ended_by,
        failed=failed,
        cause=cause,
        count=len(members),
        sub_families=tuple(sorted({result.sub_family for result in members}, key=in_order)),
        example=first.instance_id,
        trial=first.trial,
        says=_said(first),
    )


def _said(result: Result) -> str:
    """What one failed attempt has to show: its first failed check that is not the way of ending, if there is one."""
    failed = [check for check in result.checks if not check.passed]
    if not failed:
        return result.error or "not graded"
    return said(min(failed, key=lambda check: check.kind == "ending"))


def said(check: Check) -> str:
    """A failed check in one line."""
    if check.expected == check.name:
        return f"{check.name}: found {check.actual}"
    return f"{check.name}: expected {check.expected}, found {check.actual}"
