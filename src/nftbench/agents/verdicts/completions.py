"""What the body of a 200 without an error means: its choice, its message and why that ended."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from nftbench.agents.failure import FailureKind
from nftbench.agents.replies.message import Malformed, Reply, is_cut, read_message
from nftbench.agents.replies.recovery import FAMILIES, recover
from nftbench.agents.verdicts import wording
from nftbench.agents.verdicts.error_bodies import wrapped_completion
from nftbench.agents.verdicts.error_rules import choice_error
from nftbench.agents.verdicts.finish_reasons import ending_of
from nftbench.agents.verdicts.frames import is_chunk, is_stream, json_of
from nftbench.agents.verdicts.served_names import is_dated_release, same_model
from nftbench.agents.verdicts.verdict import Asked, Verdict, fail, retry
from nftbench.agents.wire.transport import Outcome
from nftbench.calls import Found

_ALMOST_ALL = 0.99
"""Of the window: a server that cut the prompt to fill it and wrote nothing had no room left."""
_OTHER_FORMS = ("output", "content", "message", "candidates", "generations", "results")
"""Fields that hold the reply in the forms of other APIs."""
_WITH_A_REPLY = frozenset({200, 201, 203})
"""The statuses that a reply may come with; the others say that there is none, whatever their body is."""


def judge_completion(body: object, outcome: Outcome, asked: Asked) -> Verdict:
    """The meaning of a body that tells no error of its own."""
    if type(body) is not dict or outcome.status not in _WITH_A_REPLY:
        return _no_completion(outcome)
    choices = body.get("choices")
    usage = usage_of(body)
    if is_chunk(body):
        return _streamed()
    if type(choices) is not list or not choices or type(choices[0]) is not dict:
        return _no_choices(body, usage)
    choice = choices[0]
    if choice.get("error"):
        return choice_error(choice["error"], usage, asked)
    served = body.get("model") if type(body.get("model")) is str else None
    if served and not same_model(asked.model, served, asked.aliases):
        text = f"asked for {asked.model!r}, answered by {served!r}{_dated_words(asked.model, served)}"
        return fail("model_mismatch", "model_mismatch", text, usage=usage, configuration=True)
    return _judge_choice(choice, outcome, asked, usage, served)


def _dated_words(asked: str, served: str) -> str:
    if is_dated_release(asked, served):
        return ": a short date may be another release; --served-name declares it the same"
    return "; --served-name declares a name right"


def _judge_choice(
    choice: dict[str, Any], outcome: Outcome, asked: Asked, usage: dict[str, Any] | None, served: str | None
) -> Verdict:
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
    noted = {"missing": ("finish_reason_missing",), "unknown": ("finish_reason_unknown",)}.get(ending_of(finish), ())
    notes = (*reply.notes, *outcome.notes, *noted)
    reply = replace(reply, finish_reason=finish, served_model=served, usage=usage, notes=notes)
    if not reply.calls and _calls_elsewhere(outcome, reply):
        text = "the server put the tool calls into another choice than the first: set its parser right"
        return retry("incomplete_output", "no_calls", text, usage=usage)
    return _judge_reply(reply, asked)


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
    ending, told = ending_of(reason), f"{reason}"[:60].strip().lower()
    if ending == "overflow":
        return fail("context_limit", "context_limit", f"the server ended the reply with {told!r}", usage=usage)
    if ending == "filtered":
        return retry("incomplete_output", "content_filter", f"a content filter cut the reply ({told!r})", usage=usage)
    if ending == "broken":
        return retry("incomplete_output", "aborted", f"the server ended the reply with {told!r}", usage=usage)
    if ending == "malformed_call":
        text = f"the server could not read the model's call: {told}"
        return retry("model_format", "model_output", text, usage=usage)
    return None


def _judge_reply(reply: Reply, asked: Asked) -> Verdict:
    """The finish reason against what is there; the first rule that holds decides."""
    ending, prompt, written = ending_of(reply.finish_reason), *_counts(reply)
    told, spoken, window = f"{reply.finish_reason}"[:60], _is_spoken(reply), asked.context_window
    is_cut_off = ending in ("cut", "repetition")
    thought = bool(reply.reasoning) or _reasoning_tokens(reply.usage) > 0
    if window is not None and (
        prompt > window or (is_cut_off and written == 0 and prompt >= window * _ALMOST_ALL and not spoken)
    ):
        text = f"the prompt had {prompt} tokens, as many as the window of {window} holds or more"
        return fail("context_limit", "context_limit", text, usage=reply.usage)
    rules: tuple[tuple[bool, FailureKind, str, str], ...] = (
        (
            is_cut_off and thought and not spoken,
            "model_format",
            "reasoning_length",
            f"thinking took all the room for the reply ({written} tokens), so that nothing was answered",
        ),
        (ending == "cut", "model_format", "length", "the reply was cut at the token limit"),
        (
            ending == "repetition",
            "model_format",
            "repetition",
            f"the server ended a reply that repeats itself ({told})",
        ),
        (_has_cut_call(reply), "incomplete_output", "cut_arguments", "a tool call was cut off"),
        (
            ending == "calls" and not reply.calls and not _holds_a_call(reply.text),
            "incomplete_output",
            "no_calls",
            "the server says that there are tool calls, and sends none",
        ),
        (not spoken and written == 0, "incomplete_output", "empty", "the server generated nothing"),
        (not spoken and thought, "model_format", "reasoning_only", "the model thought but did not answer"),
        (not spoken, "model_format", "empty", "the model's reply is empty"),
        (
            reply.lost_markers,
            "model_format",
            "lost_markers",
            "channel marks of the reply were lost: set the server's parser right",
        ),
        (
            ending in ("missing", "unknown") and not _is_whole(reply),
            "incomplete_output",
            "no_finish_reason" if ending == "missing" else "unknown_finish_reason",
            f"the reply has {'no finish reason' if ending == 'missing' else f'the finish reason {told!r}'} and no end",
        ),
    )
    for holds, kind, cause, text in rules:
        if holds:
            return retry(kind, cause, text, usage=reply.usage)
    return Verdict(action="reply", reply=reply, usage=reply.usage)


def _reasoning_tokens(usage: dict[str, Any]) -> int:
    details = usage.get("completion_tokens_details")
    count = details.get("reasoning_tokens") if type(details) is dict else None
    return count if type(count) is int else 0


def _calls_elsewhere(outcome: Outcome, reply: Reply) -> bool:
    """Whether a choice after the first has calls where the first one's text makes none: one reply, torn apart."""
    if outcome.text.count('"message"') < 2:
        return False
    body = json_of(outcome.text)
    others = body["choices"][1:] if type(body) is dict else []
    messages = [other.get("message") for other in others if type(other) is dict]
    has_calls = any(
        type(message) is dict and (message.get("tool_calls") or message.get("function_call")) for message in messages
    )
    return has_calls and not _holds_a_call(reply.text)


def _holds_a_call(text: str) -> bool:
    """Whether a text makes a call, or tries to, in whatever notation: then the model is told, or the call recovered."""
    if not text.strip():
        return False
    found = recover(text, {})
    return isinstance(found, Found) or any(family.sign.search(text) for family in FAMILIES)


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
    if wrapped_completion(body) or any(name in body for name in _OTHER_FORMS):
        text = "the reply has the form of another API: give the address of the chat completions as the endpoint"
        return fail("incomplete_output", "malformed", text, usage=usage, configuration=True)
    return fail("incomplete_output", "malformed", "the reply holds no choices", usage=usage)


def _streamed() -> Verdict:
    text = (
        "the server streams its reply, which it was not asked to: turn streaming off in it, or in the proxy before it"
    )
    return fail("incomplete_output", "streamed", text, configuration=True)


def _no_completion(outcome: Outcome) -> Verdict:
    if wording.is_html(outcome.text):
        text = (
            "a web page came in place of a reply: is this the API's address, and is there a login or proxy before it?"
        )
        return fail("cli_error", "web_page", f"{text} ({wording.shown(outcome.text, 120)})", configuration=True)
    if outcome.status not in _WITH_A_REPLY:
        return retry("incomplete_output", "not_json", f"HTTP {outcome.status} without a reply")
    if is_stream(outcome.text):
        return _streamed()
    return retry(
        "incomplete_output", "not_json", f"the reply is not JSON: {wording.shown(outcome.text, 120) or 'empty'}"
    )


def _counts_tokens(usage: dict[str, Any] | None) -> bool:
    return usage is not None and all(
        type(usage.get(name)) is int and usage[name] >= 0 for name in ("prompt_tokens", "completion_tokens")
    )
