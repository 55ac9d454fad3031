"""What the body of a 200 without an error means: its choice, its message and why that ended."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from nftbench.agents.failure import FailureKind
from nftbench.agents.replies.message import Malformed, Reply, is_cut, read_message
from nftbench.agents.verdicts import wording
from nftbench.agents.verdicts.error_rules import choice_error
from nftbench.agents.verdicts.served_names import same_model
from nftbench.agents.verdicts.verdict import Asked, Verdict, fail, retry
from nftbench.agents.wire.transport import Outcome

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "max_new_tokens", "max_length", "model_length"})
_OVERFLOW = frozenset(
    {"model_context_window_exceeded", "context_length_exceeded", "context_window_exceeded", "error_limit"}
)
_FILTERED = frozenset(
    {
        *(
            "content_filter",
            "content_filtered",
            "content-filter",
            "safety",
            "image_safety",
            "prohibited_content",
            "spii",
        ),
        *("blocklist", "recitation", "refusal_filter", "sensitive", "guardrail_intervened", "error_toxic"),
    }
)
_BROKEN = frozenset(
    {
        *("error", "abort", "aborted", "cancelled", "canceled", "timeout", "network_error", "engine_error"),
        *("insufficient_system_resource", "load", "unload"),
    }
)
_MALFORMED = ("malformed_function_call", "malformed_tool_call", "unexpected_tool_call")
_ALMOST_ALL = 0.99
"""Of the window: a server that cut the prompt to fill it and wrote nothing had no room left."""
_OTHER_FORMS = ("output", "content", "message", "candidates", "generations", "results")
"""Fields that hold the reply in the forms of other APIs."""


def judge_completion(body: object, outcome: Outcome, asked: Asked) -> Verdict:
    """The meaning of a body that tells no error of its own."""
    if type(body) is not dict:
        return _no_completion(outcome)
    choices = body.get("choices")
    usage = usage_of(body)
    if type(choices) is not list or not choices or type(choices[0]) is not dict:
        return _no_choices(body, usage)
    choice = choices[0]
    if choice.get("error"):
        return choice_error(choice["error"], usage, asked)
    served = body.get("model") if type(body.get("model")) is str else None
    if served and not same_model(asked.model, served, asked.aliases):
        text = f"asked for {asked.model!r}, answered by {served!r}; --served-name declares a name right"
        return fail("model_mismatch", "model_mismatch", text, usage=usage, configuration=True)
    finish = choice.get("finish_reason") if type(choice.get("finish_reason")) is str else None
    message = choice.get("message")
    reply = read_message({} if message is None and _stopped(finish, usage) else message)
    if isinstance(reply, Malformed):
        return fail("incomplete_output", "malformed", reply.text, usage=usage)
    native = choice.get("native_finish_reason") if not _is_spoken(reply) else None
    stopped = _stopped(finish, usage) or _stopped(native, usage)
    if stopped is not None:
        return stopped
    if not _counts_tokens(usage):
        text = "the reply does not count its prompt_tokens and completion_tokens: have the server report usage"
        return fail("incomplete_output", "no_usage", text, usage=usage, configuration=True)
    assert usage is not None
    notes = reply.notes if finish else (*reply.notes, "finish_reason_missing")
    return _judge_reply(replace(reply, finish_reason=finish, served_model=served, usage=usage, notes=notes), asked)


def usage_of(body: object) -> dict[str, Any] | None:
    """The token counts of a completion: at the top, or inside the first choice as some servers have it; counts under the
    names of another API get the usual ones too."""
    if type(body) is not dict:
        return None
    if type(body.get("usage")) is dict:
        return _with_usual_names(body["usage"])
    choices = body.get("choices")
    first = choices[0] if type(choices) is list and choices else None
    inner = first.get("usage") if type(first) is dict else None
    return _with_usual_names(inner) if type(inner) is dict else None


def _with_usual_names(usage: dict[str, Any]) -> dict[str, Any]:
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    if "prompt_tokens" in usage or "completion_tokens" in usage or type(read) is not int or type(written) is not int:
        return usage
    cached = (usage.get(name) for name in ("cache_read_input_tokens", "cache_creation_input_tokens"))
    return {
        **usage,
        "prompt_tokens": read + sum(count for count in cached if type(count) is int),
        "completion_tokens": written,
    }


def _is_spoken(reply: Reply) -> bool:
    return bool(reply.text.strip() or reply.calls)


def _stopped(reason: object, usage: dict[str, Any] | None) -> Verdict | None:
    """What a reason means that leaves no reply, whatever else is there; None for every other one."""
    told = reason.strip().lower() if type(reason) is str else ""
    if told in _OVERFLOW:
        return fail("context_limit", "context_limit", f"the server ended the reply with {reason}", usage=usage)
    if told in _FILTERED:
        return retry("incomplete_output", "content_filter", "a content filter cut the reply", usage=usage)
    if told in _BROKEN:
        return retry("incomplete_output", "aborted", f"the server ended the reply with {told!r}", usage=usage)
    if any(word in told for word in _MALFORMED):
        text = f"the server could not read the model's call: {told}"
        return retry("model_format", "model_output", text, usage=usage)
    return None


def _judge_reply(reply: Reply, asked: Asked) -> Verdict:
    """The finish reason against what is there; the first rule that holds decides."""
    finish, prompt, written = (reply.finish_reason or "").strip().lower(), *_counts(reply)
    spoken, window = _is_spoken(reply), asked.context_window
    if window is not None and (
        prompt > window or (finish in _CUT and written == 0 and prompt >= window * _ALMOST_ALL and not spoken)
    ):
        text = f"the prompt had {prompt} tokens, as many as the window of {window} holds or more"
        return fail("context_limit", "context_limit", text, usage=reply.usage)
    rules: tuple[tuple[bool, FailureKind, str, str], ...] = (
        (finish in _CUT, "model_format", "length", "the reply was cut at the token limit"),
        (_has_cut_call(reply), "incomplete_output", "cut_arguments", "a tool call was cut off"),
        (
            not spoken and finish in ("tool_calls", "tool_use", "function_call"),
            "incomplete_output",
            "no_calls",
            "the tool calls are missing",
        ),
        (not spoken and written == 0, "incomplete_output", "empty", "the server generated nothing"),
        (
            not spoken and bool(reply.reasoning),
            "model_format",
            "reasoning_only",
            "the model thought but did not answer",
        ),
        (not spoken, "model_format", "empty", "the model's reply is empty"),
        (
            reply.lost_markers,
            "model_format",
            "lost_markers",
            "channel marks of the reply were lost: set the server's parser right",
        ),
        (
            not finish and not _is_whole(reply),
            "incomplete_output",
            "no_finish_reason",
            "the reply has no finish reason and no end",
        ),
    )
    for holds, kind, cause, text in rules:
        if holds:
            return retry(kind, cause, text, usage=reply.usage)
    return Verdict(action="reply", reply=reply, usage=reply.usage)


def _counts(reply: Reply) -> tuple[int, int]:
    return reply.usage["prompt_tokens"], reply.usage["completion_tokens"]


def _has_cut_call(reply: Reply) -> bool:
    return any(is_cut(call.arguments) for call in reply.calls)


def _is_whole(reply: Reply) -> bool:
    text = reply.text.strip()
    if reply.calls or not text.startswith("{"):
        return bool(reply.calls)
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _no_choices(body: dict[str, Any], usage: dict[str, Any] | None) -> Verdict:
    """An empty list comes and goes; a body in the form of another API stays."""
    choices = body.get("choices")
    if "choices" in body and not choices and type(choices) in (list, type(None)):
        return retry("incomplete_output", "malformed", "the reply's list of choices is empty", usage=usage)
    if any(name in body for name in _OTHER_FORMS):
        text = "the reply has the form of another API: give the address of the chat completions as the endpoint"
        return fail("incomplete_output", "malformed", text, usage=usage, configuration=True)
    return fail("incomplete_output", "malformed", "the reply holds no choices", usage=usage)


def _no_completion(outcome: Outcome) -> Verdict:
    if wording.is_html(outcome.text):
        text = (
            "a web page came in place of a reply: is this the API's address, and is there a login or proxy before it?"
        )
        return fail("cli_error", "web_page", f"{text} ({wording.shown(outcome.text, 120)})", configuration=True)
    if outcome.status != 200:
        return retry("incomplete_output", "not_json", f"HTTP {outcome.status} without a reply")
    if outcome.text.lstrip().startswith("data:"):
        return retry("incomplete_output", "not_json", "the server streams its reply, which it was not asked to")
    return retry(
        "incomplete_output", "not_json", f"the reply is not JSON: {wording.shown(outcome.text, 120) or 'empty'}"
    )


def _counts_tokens(usage: dict[str, Any] | None) -> bool:
    return usage is not None and all(
        type(usage.get(name)) is int and usage[name] >= 0 for name in ("prompt_tokens", "completion_tokens")
    )
