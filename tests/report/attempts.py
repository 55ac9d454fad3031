"""Hand-made results for tests of figures."""

from __future__ import annotations

from typing import Any

from nftbench.records.model import Result


def result(name: str, success: bool = False, **fields: Any) -> Result:
    """`F1a_02-` is infeasible; its twin is the same name without the dash."""
    feasible = not name.endswith("-")
    base: dict[str, Any] = {
        "instance_id": name,
        "trial": 1,
        "status": "scored",
        "success": success,
        "feasible": feasible,
        "family": name.partition("_")[0][:-1],
        "sub_family": name.partition("_")[0],
        "difficulty": "T1",
        "twin": name.rstrip("-") if not feasible else name + "-",
        "ended_by": "finish_task" if feasible == success else "declare_infeasible",
    }
    return Result(**(base | fields))


def error(name: str, kind: str = "cli_error", **fields: Any) -> Result:
    return result(name, status="error", ended_by="error", error=f"{kind}: no luck", **fields)
