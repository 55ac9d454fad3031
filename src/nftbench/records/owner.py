"""Whose a result is: the run's own, or a stray that somebody copied here, changed by hand, or a disk has damaged.

A run draws an id when it begins. Every result carries it, with a digest over all that it says. A run that was begun before
there were ids (its run.json says `unmarked_results`) also takes results without marks, when their versions are the run's and
their family is that of their instance.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from nftbench.records import codec
from nftbench.records.model import Result

RUN_ID = "run_id"
UNMARKED = "unmarked_results"
"""The field of a run.json that was begun without an id."""


class Stray(Struct, frozen=True):
    """A result.json that does not count, by its path in the run's folder. It is never deleted."""

    file: str
    kind: Literal["foreign", "damaged"]
    why: str


class Owner(Struct, frozen=True):
    """The run that a folder belongs to. `takes_unmarked`: see the module."""

    run_id: str
    takes_unmarked: bool = False
    suite_version: str = ""
    grader_version: str = ""


def with_id(record: Mapping[str, Any], *, begun: bool) -> dict[str, Any]:
    """The record with the id of its run, drawn now if it has none; `begun` says that results without marks may be there."""
    if isinstance(record.get(RUN_ID), str) and record[RUN_ID]:
        return dict(record)
    return {**record, RUN_ID: secrets.token_hex(16), **({UNMARKED: True} if begun else {})}


def owner_of(record: Mapping[str, Any]) -> Owner:
    """The owner that a run.json names; a run without an id takes results without marks."""
    run_id = record.get(RUN_ID)
    return Owner(
        run_id if isinstance(run_id, str) else "",
        not run_id or record.get(UNMARKED) is True,
        record.get("suite_version", ""),
        record.get("grader_version", ""),
    )


def judged(raw: bytes, file: str, attempt: tuple[str, int], owner: Owner | None) -> Result | Stray:
    """The result in the text of a result.json that stands in the place of an attempt (instance and trial); owner None
    takes what any run has written."""
    try:
        fields = codec.decode(raw)
        result = codec.result_in(fields)
    except codec.Unreadable as problem:
        return Stray(file, "damaged", str(problem))
    if "digest" in fields and fields["digest"] != codec.digest(fields):
        return Stray(file, "damaged", "it has been changed since it was written")
    if (result.instance_id, result.trial) != attempt:
        return Stray(file, "foreign", f"it is of trial {result.trial} of {result.instance_id}")
    if owner is None or ("digest" in fields and fields.get(RUN_ID) == owner.run_id):
        return result
    if "digest" in fields:
        return Stray(file, "foreign", "it was made in another run")
    return result if owner.takes_unmarked and _fits(result, owner) else Stray(file, "foreign", "no run has signed it")


def _fits(result: Result, owner: Owner) -> bool:
    versions = (result.versions.get("suite"), result.versions.get("grader"))
    is_kin = result.sub_family.startswith(result.family) and result.instance_id.startswith(result.sub_family)
    return versions == (owner.suite_version, owner.grader_version) and bool(result.family) and is_kin
