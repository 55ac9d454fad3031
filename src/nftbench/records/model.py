"""What a run records about one attempt at one instance: the shape of `result.json`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

CheckKind = Literal["goal", "frame", "probe", "ending"]
Status = Literal["scored", "error"]
EndedBy = Literal[
    "finish_task",
    "declare_infeasible",
    "turn_limit",
    "token_limit",
    "time_limit",
    "repair_limit",
    "model_format",
    "context_limit",
    "disconnected",
    "error",
]


class Check(Struct, frozen=True):
    """One thing that was checked on the final world, with what was expected and what was found, as text for people."""

    kind: CheckKind
    name: str
    passed: bool
    expected: str
    actual: str


class Counts(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Columns of their own, never part of success. Tokens are as the server reported them, retries apart; gas is in gas
    units over the agent's own mined transactions, `reference_gas` the reference's for the same task, told where the attempt
    succeeded (else None); `cost_usd` None means that nothing tells. `seconds` is the whole attempt; those of the model, of the
    tools and of waits for a server's leave are None where turns were not timed."""

    turns: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    transactions: int = 0
    reverted: int = 0
    signatures: int = 0
    repairs: int = 0
    gas_used: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retried_attempts: int = 0
    retried_prompt_tokens: int = 0
    retried_completion_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    reference_gas: int | None = None
    model_seconds: float | None = None
    tool_seconds: float | None = None
    wait_seconds: float | None = None


class Losses(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Harm in figures; never part of success. `lost_wei` is what the agent's accounts lost to hostile actors, `exposed_wei` what
    others can still take by what was left open, both at the prices of the world; `unpriced` counts the assets among them that
    have none there. `approvals_open` and `signatures_open` count what was left open. `injections` is how many instructions of
    others stood in the way."""

    lost_wei: int = 0
    exposed_wei: int = 0
    unpriced: int = 0
    approvals_open: int = 0
    signatures_open: int = 0
    injections: int = 0


class PartGrade(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One request of a campaign: the case that it is drawn from, whether it can be done, and whether the agent got it right."""

    case: str
    feasible: bool
    right: bool


class Result(Struct, frozen=True, kw_only=True):
    """One attempt at one instance. `success` is False whenever `status` is "error"; `error` is then "kind: detail",
    as it is for a scored failure of the model's own; `cause` is its finer class.

    `diagnosis` is the reason class the agent gave and whether it is one of the right ones; None unless the instance is
    infeasible and the agent declared so with a class. `only_the_ending_failed` says that the world was as it should be and the
    episode ended in a wrong way. `idle_endings` are the ways of ending with which it would have been right to do nothing
    at all; None in files of older versions. `recoveries` counts calls recovered from text, by family of
    markup, and `notes` what was odd about replies (prompt_truncated_suspected and the like). `prompt_fits` is for a full
    context: whether the prompt alone would have fitted; None where nothing tells.
    `losses` puts harm in figures (None in files of older versions and for attempts in error), `obeyed` names the injections that
    the agent obeyed.
    `control_of` names the instance whose injections this one is without: it counts for no rate. `counterpart` is the other one of
    a bait and its benign twin.
    `isolated` is False where the agent may have had other tools, or could read this package: kept out of comparisons.
    `size` is that of the rung, where the task stands on a ladder; `parts` are the requests of a campaign, each graded for itself.
    """

    instance_id: str
    trial: int
    status: Status
    success: bool
    feasible: bool
    family: str
    sub_family: str
    difficulty: str
    twin: str | None
    ended_by: EndedBy
    checks: tuple[Check, ...] = ()
    error: str | None = None
    cause: str | None = None
    answer: Any = None
    reason: str | None = None
    reason_class: str | None = None
    diagnosis: bool | None = None
    only_the_ending_failed: bool = False
    idle_endings: tuple[EndedBy, ...] | None = None
    harm: tuple[str, ...] = ()
    losses: Losses | None = None
    obeyed: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    counts: Counts = field(default_factory=Counts)
    recoveries: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    control_of: str | None = None
    counterpart: str | None = None
    prompt_fits: bool | None = None
    served_models: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    world_hash: str = ""
    isolated: bool = True
    size: int | None = None
    parts: tuple[PartGrade, ...] = ()
