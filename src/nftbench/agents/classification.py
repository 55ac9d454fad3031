"""What an HTTP outcome means: a reply, a retry, or a failure of a named kind. One pure function, in one order.

1. no response, 2. a redirect, 3. too many requests, 4. overflow wording, whatever the remaining status, 5. key and quota,
6. an error code inside a 200, 7. the status class, 8. an error on the choice, 9. the message and its finish reason.
A phrasing that nobody knows yet falls to the class of its status.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents import wording
from nftbench.agents.error_bodies import NO_ERROR, ServerError, error_in, number_in
from nftbench.agents.failure import FailureKind
from nftbench.agents.replies import Malformed, Reply, is_cut, read_message
from nftbench.agents.retry_hints import retry_hint
from nftbench.agents.served_names import same_model
from nftbench.agents.transport import Outcome

Action = Literal["reply", "retry", "fail"]
_UNTOLD = 200
_CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTER_REASONS = frozenset(
    {"content_filter", "safety", "prohibited_content", "blocklist", "recitation", "refusal_filter"}
)
_BROKEN_REASONS = frozenset({"error", "abort", "aborted", "network_error", "engine_error"})
_OVERFLOW_REASONS = frozenset({"model_context_window_exceeded", "context_length_exceeded", "context_window_exceeded"})


class Asked(Struct, frozen=True):
    """What was asked: needed to judge what came back. `context_window` in tokens, None where nobody declared it."""

    model: str
    path: str = "/v1/chat/completions"
    aliases: tuple[str, ...] = ()
    max_tokens: int | None = None
    context_window: int | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """`kind` is the failure, at once or once the retries are used up; None with a reply. `wait` is the server's own hint in
    seconds. `loading` says that the server is still starting. `usage` is set whenever the body tells it, reply or not."""

    action: Action
    kind: FailureKind | None = None
    cause: str = ""
    detail: str = ""
    wait: float | None = None
    loading: bool = False
    configuration: bool = False
    facts: dict[str, Any] = {}
    usage: dict[str, Any] | None = None
    reply: Reply | None = None
    reached: bool = True


def classify(outcome: Outcome, asked: Asked, now: float) -> Verdict:
    """The meaning of an outcome; `now` in Unix seconds, for dates in Retry-After."""
    if outcome.status is None or (outcome.fault and outcome.fault.kind == "redirected"):
        return _no_response(outcome)
    if 300 <= outcome.status < 400:
        return _fail("cli_error", "redirect", _redirect_words(outcome), configuration=True)
    body = _json_of(outcome) if outcome.fault is None or outcome.status >= 400 else None
    error = error_in(body, outcome)
    if error is not NO_ERROR:
        verdict = _judge_error(error, outcome, asked, now)
        usage = usage_of(body)
        return replace(verdict, usage=usage)
    if outcome.fault is not None:
        return _broken_reply(outcome)
    return _judge_body(body, outcome, asked)


def usage_of(body: object) -> dict[str, Any] | None:
    """The token counts of a completion: at the top, or inside the first choice as some servers have it."""
    if type(body) is not dict:
        return None
    if type(body.get("usage")) is dict:
        return body["usage"]  # type: ignore[no-any-return]
    choices = body.get("choices")
    first = choices[0] if type(choices) is list and choices else None
    inner = first.get("usage") if type(first) is dict else None
    return inner if type(inner) is dict else None


def _no_response(outcome: Outcome) -> Verdict:
    fault = outcome.fault
    if fault is None:
        return _retry("cli_error", "no_response", "no response")
    if fault.kind == "redirected":
        return _fail("cli_error", "redirect", fault.text, configuration=True)
    if fault.kind == "certificate":
        text = f"the server's certificate is not trusted: {fault.text}"
        return _fail("cli_error", "certificate", text, configuration=True, reached=False)
    if fault.kind == "unsendable":
        return _fail(
            "cli_error", "unsendable", f"the request cannot be sent: {fault.text}", configuration=True, reached=False
        )
    return _retry("cli_error", fault.kind, f"no response: {fault.text}", reached=fault.reached)


def _broken_reply(outcome: Outcome) -> Verdict:
    fault = outcome.fault
    assert fault is not None
    if fault.kind == "too_large":
        return _fail("incomplete_output", "too_large", fault.text)
    return _retry("incomplete_output", fault.kind, fault.text)


def _redirect_words(outcome: Outcome) -> str:
    target = outcome.headers.get("location", "")
    scheme, found, rest = target.partition("://")
    if found:
        target = f"{scheme}://(host)/{rest.partition('/')[2]}"
    return (
        f"the server answered with a redirect (HTTP {outcome.status}) to {wording.shown(target, 200) or 'nowhere'}, which is not"
        " followed: give the address that it leads to (https or http, with or without /v1) as the endpoint"
    )


def _judge_error(error: ServerError, outcome: Outcome, asked: Asked, now: float) -> Verdict:
    text, status = error.folded, error.status
    wait = retry_hint(outcome.headers, error.metadata, now)
    if status == 429:
        if wording.is_quota(text, error.codes):
            return _fail("auth_or_quota", "quota", error.shown)
        return _retry("cli_error", "rate_limit", f"too many requests: {error.shown}", wait=wait)
    if wording.is_overflow(text, in_general=status in _ROOM_FOR_OVERFLOW) or _is_bare_413(error, outcome):
        return _overflow(error)
    for rule in (_key_and_quota, _inner_error, _status_class):
        verdict = rule(error, outcome, asked, wait)
        if verdict is not None:
            return verdict
    raise AssertionError("the status class judges every error")


_ROOM_FOR_OVERFLOW = frozenset({200, 400, 413, 422, 500})


def _is_bare_413(error: ServerError, outcome: Outcome) -> bool:
    return outcome.status == 413 and not wording.is_html(outcome.text) and "body" not in error.folded


def _overflow(error: ServerError) -> Verdict:
    numbers = wording.overflow_numbers(error.folded)
    prompt = number_in(error.fields.get("n_prompt_tokens"), numbers.prompt_tokens)
    window = number_in(error.fields.get("n_ctx"), numbers.context_window)
    facts = {
        "prompt_tokens": prompt,
        "context_window": window,
        "prompt_fits": wording.Overflow(prompt, window).prompt_fits,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    return _fail(
        "context_limit", "context_limit", error.shown or "the conversation is too long for the model", facts=known
    )


def _key_and_quota(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict | None:
    status, text = error.status, error.folded
    if status == 402 or (status in (400, 403, 500) and wording.is_credit(text, error.codes)):
        return _fail("auth_or_quota", "quota", error.shown or "the server asks for payment")
    if status == 401 or (status in (400, 403, 500, 503) and (wording.is_auth(text) or _names_auth(error))):
        return _fail("auth_or_quota", "auth", f"the server refuses the key: {error.shown}")
    if status == 403 and wording.is_filtered(text):
        return _retry("cli_error", "content_filter", f"a content filter refused the request: {error.shown}")
    if status == 403 and wording.is_html(outcome.text):
        return _fail(
            "cli_error", "web_page", f"a web page in the server's place refuses: {error.shown}", configuration=True
        )
    if status == 403:
        return _fail("auth_or_quota", "auth", f"the server refuses: {error.shown}")
    return None


def _names_auth(error: ServerError) -> bool:
    return bool(error.codes & {"invalid_api_key", "authentication_error", "auth_error", "invalid_authentication"})


def _inner_error(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict | None:
    """An error in the body of a 200 without a code that its class would follow from."""
    if outcome.status != 200 or error.status != 200:
        return None
    if wording.is_wrong_path(error.folded):
        return _fail("cli_error", "wrong_path", _path_words(asked, error), configuration=True)
    if wording.is_auth(error.folded):
        return _fail("auth_or_quota", "auth", f"the server refuses the key: {error.shown}")
    if wording.is_loading(error.folded):
        return _retry("cli_error", "loading", f"the server is still loading: {error.shown}", wait=wait, loading=True)
    if wording.is_no_model(error.folded):
        return _no_model(asked, error)
    return _retry("cli_error", "server_error", f"the server answered with an error: {error.shown}", wait=wait)


def _status_class(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict:
    status, text = error.status, error.folded
    what = f"HTTP {status}: {error.shown}" if error.shown else f"HTTP {status}"
    if wording.is_loading(text) and status in (404, 409, 425, 500, 502, 503, 504):
        return _retry("cli_error", "loading", f"the server is still loading: {error.shown}", wait=wait, loading=True)
    if wording.is_model_output(text):
        return _retry(
            "model_format", "model_output", f"the server could not read the model's output: {error.shown}", wait=wait
        )
    if wording.is_filtered(text):
        return _retry("cli_error", "content_filter", f"a content filter stopped the reply: {error.shown}", wait=wait)
    if wording.is_no_model(text) and 400 <= status < 500:
        return _no_model(asked, error)
    if status == 413:
        text = "a proxy in front of the model refuses requests of this size: raise its limit"
        return _fail("cli_error", "request_too_large", f"{text} ({what})", configuration=True)
    if status in (404, 405):
        return _fail("cli_error", "wrong_path", _path_words(asked, error), configuration=True)
    if status in (408, 409, 425) or (status >= 500 and status != 501 and not wording.is_request_fault(text)):
        return _retry("cli_error", "server_error", what, wait=wait)
    return _fail("cli_error", "bad_request", f"the server refuses the request: {what}", configuration=True)


def _no_model(asked: Asked, error: ServerError) -> Verdict:
    text = f"the server does not have the model {asked.model!r}: {error.shown}"
    return _fail("cli_error", "no_model", text, configuration=True)


def _path_words(asked: Asked, error: ServerError) -> str:
    hint = "with /v1 at its end" if not asked.path.startswith("/v1/") else "as the server's documentation gives it"
    return (
        f"the server knows no chat completions at {asked.path} (HTTP {error.status}: {error.shown or 'no text'});"
        f" give the endpoint {hint}"
    )


def _judge_body(body: object, outcome: Outcome, asked: Asked) -> Verdict:
    if type(body) is not dict:
        return _no_completion(outcome)
    choices = body.get("choices")
    usage = usage_of(body)
    if type(choices) is not list or not choices or type(choices[0]) is not dict:
        return _fail("incomplete_output", "malformed", "the reply holds no choices", usage=usage)
    choice = choices[0]
    if choice.get("error"):
        return _choice_error(choice["error"], usage)
    served = body.get("model") if type(body.get("model")) is str else None
    if served and not same_model(asked.model, served, asked.aliases):
        text = f"asked for {asked.model!r}, answered by {served!r}; --served-name declares a name right"
        return _fail("model_mismatch", "model_mismatch", text, usage=usage, configuration=True)
    finish = choice.get("finish_reason") if type(choice.get("finish_reason")) is str else None
    if (finish or "").lower() in _OVERFLOW_REASONS:
        return _fail("context_limit", "context_limit", f"the server ended the reply with {finish}", usage=usage)
    reply = read_message(choice.get("message"))
    if isinstance(reply, Malformed):
        return _fail("incomplete_output", "malformed", reply.text, usage=usage)
    if not _counts_tokens(usage):
        text = "the reply does not count its prompt_tokens and completion_tokens: have the server report usage"
        return _fail("incomplete_output", "no_usage", text, usage=usage, configuration=True)
    assert usage is not None
    notes = reply.notes if finish else (*reply.notes, "finish_reason_missing")
    return _judge_reply(replace(reply, finish_reason=finish, served_model=served, usage=usage, notes=notes), asked)


def _judge_reply(reply: Reply, asked: Asked) -> Verdict:
    """The finish reason against what is there; the first rule that holds decides."""
    finish = (reply.finish_reason or "").lower()
    window, spoken = asked.context_window, bool(reply.text.strip() or reply.calls)
    if window is not None and reply.usage["prompt_tokens"] > window:
        text = f"the prompt had {reply.usage['prompt_tokens']} tokens, more than the window of {window}"
        return _fail("context_limit", "context_limit", text, usage=reply.usage)
    rules: tuple[tuple[bool, FailureKind, str, str], ...] = (
        (finish in _CUT_REASONS, "model_format", "length", "the reply was cut at the token limit"),
        (finish in _FILTER_REASONS, "incomplete_output", "content_filter", "a content filter cut the reply"),
        (finish in _BROKEN_REASONS, "incomplete_output", "aborted", f"the server ended the reply with {finish!r}"),
        (
            any(is_cut(call.arguments) for call in reply.calls),
            "incomplete_output",
            "cut_arguments",
            "a tool call was cut off",
        ),
        (
            not spoken and finish in ("tool_calls", "function_call"),
            "incomplete_output",
            "no_calls",
            "the tool calls are missing",
        ),
        (
            not spoken and reply.usage["completion_tokens"] == 0,
            "incomplete_output",
            "empty",
            "the server generated nothing",
        ),
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
            return _retry(kind, cause, text, usage=reply.usage)
    return Verdict(action="reply", reply=reply, usage=reply.usage)


def _is_whole(reply: Reply) -> bool:
    text = reply.text.strip()
    if reply.calls or not text.startswith("{"):
        return bool(reply.calls)
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _choice_error(error: object, usage: dict[str, Any] | None) -> Verdict:
    known = error_in({"error": error}, Outcome(status=_UNTOLD))
    text, code = known.folded, known.status
    if wording.is_overflow(text, in_general=code in (400, 413, 422)):
        return replace(_overflow(known), usage=usage)
    if code in (401, 402):
        return _fail("auth_or_quota", "auth" if code == 401 else "quota", known.shown, usage=usage)
    if code in (400, 422) or (code == _UNTOLD and wording.is_model_output(text)):
        return _retry(
            "model_format",
            "model_output",
            f"the provider could not read the model's output: {known.shown}",
            usage=usage,
        )
    return _retry(
        "incomplete_output", "choice_error", f"the provider failed within the reply: {known.shown}", usage=usage
    )


def _no_completion(outcome: Outcome) -> Verdict:
    if wording.is_html(outcome.text):
        text = (
            "a web page came in place of a reply: is this the API's address, and is there a login or proxy before it?"
        )
        return _fail("cli_error", "web_page", f"{text} ({wording.shown(outcome.text, 120)})", configuration=True)
    if outcome.status != 200:
        return _retry("incomplete_output", "not_json", f"HTTP {outcome.status} without a reply")
    return _retry(
        "incomplete_output", "not_json", f"the reply is not JSON: {wording.shown(outcome.text, 120) or 'empty'}"
    )


def _counts_tokens(usage: dict[str, Any] | None) -> bool:
    return usage is not None and all(
        type(usage.get(name)) is int and usage[name] >= 0 for name in ("prompt_tokens", "completion_tokens")
    )


def _json_of(outcome: Outcome) -> object:
    try:
        return json.loads(outcome.text)
    except (ValueError, RecursionError):
        return None


def _fail(kind: FailureKind, cause: str, detail: str, **more: Any) -> Verdict:
    return Verdict(action="fail", kind=kind, cause=cause, detail=detail, **more)


def _retry(kind: FailureKind, cause: str, detail: str, **more: Any) -> Verdict:
    return Verdict(action="retry", kind=kind, cause=cause, detail=detail, **more)
