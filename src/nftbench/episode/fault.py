"""A fault of nftbench itself that an attempt met: it costs that attempt, unscored, and never the run."""

from __future__ import annotations

import traceback
from typing import Literal

from msgspec import Struct

TRACE_KEPT = 8_000
"""Characters of a traceback that are kept, its end: there is where it happened."""
SAID_KEPT = 300


class Fault(Struct, frozen=True):
    """`kind` says which part broke, `where` what it was doing (the tool's name, the instance), `trace` is the traceback."""

    kind: Literal["tool_fault", "grader_fault"]
    where: str
    said: str
    trace: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where} broke: {self.said}"


def is_fault(problem: BaseException) -> bool:
    """Whether what was raised is a fault, and not somebody who wants to leave. The EVM's panics are no Exceptions."""
    return not isinstance(problem, KeyboardInterrupt | SystemExit | GeneratorExit)


def fault_of(kind: Literal["tool_fault", "grader_fault"], where: str, problem: BaseException) -> Fault:
    """What was raised, as it is recorded."""
    said = f"{type(problem).__name__}: {problem}"
    trace = "".join(traceback.format_exception(problem))
    return Fault(kind, where, said[:SAID_KEPT], trace[-TRACE_KEPT:])
