"""A run in which no call was ever answered says nothing about its model: what would be the model's failure is then a matter
of set-up, and this says which."""

from __future__ import annotations

from nftbench.agents.failure import CLIFailure
from nftbench.agents.verdicts.reply_room import fitting_reply_tokens

_MORE_ROOM = "give replies more room with --max-tokens, or turn the model's thinking down"
_TO_SET: dict[str, str] = {
    "length": _MORE_ROOM,
    "reasoning_length": _MORE_ROOM,
    "reasoning_only": "set the server's reasoning parser and chat template right",
    "lost_markers": "set the server's parser for this model's channels right",
    "model_output": "set the server's tool call and reasoning parsers right",
    "empty": "look at the server's chat template",
    "repetition": "look at the sampling and the server's chat template",
}
"""What to set, by the cause of a failure."""


def unanswered_failure(failure: CLIFailure) -> CLIFailure:
    """The failure of a first call, unscored, with what to set; as it is where nothing is known that could be set."""
    if failure.kind == "model_format" and failure.cause not in _TO_SET:
        return failure
    return CLIFailure(
        "cli_error",
        f"{failure.detail.rstrip('.')}; no call was answered yet, so this is no failure of the model's: {_what_to_set(failure)}",
        cause=failure.cause,
        configuration=True,
        usage=failure.usage,
        facts=failure.facts,
    )


def _what_to_set(failure: CLIFailure) -> str:
    window = failure.facts.get("context_window")
    if failure.kind != "context_limit":
        return _TO_SET[failure.cause]
    if failure.facts.get("prompt_fits") and window:
        return f"give --max-tokens {fitting_reply_tokens(window)}, or a larger context window to the server"
    return "start the server with a larger context window"
