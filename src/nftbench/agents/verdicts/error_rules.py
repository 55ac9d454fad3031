"""What an error that a server tells means. The order of the rules is the module `classification`'s, steps 3 to 8."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from nftbench.agents.verdicts import money, overflow, wording
from nftbench.agents.verdicts.error_bodies import ServerError, error_in, number_in
from nftbench.agents.verdicts.reply_limits import reply_limits
from nftbench.agents.verdicts.request_fields import names_a_path, names_any_field
from nftbench.agents.verdicts.retry_hints import LONGEST_WAIT, told_wait
from nftbench.agents.verdicts.verdict import Asked, Verdict, fail, retry
from nftbench.agents.wire.transport import Outcome

_UNTOLD = 200
_HOURS = 3600.0
"""Seconds from which on a wait is no matter of rates any more."""
_NEVER_OTHERWISE = frozenset({501, 505, 506, 510})
"""Statuses from 500 on that a repetition does not change."""
_MAY_BE_LOADING = frozenset({200, 400, 404, 409, 412, 423, 425, 500, 502, 503, 504})
_ROOM_FOR_OVERFLOW = frozenset({200, 400, 403, 413, 422, 500, 503})


def judge_error(error: ServerError, outcome: Outcome, asked: Asked, now: float) -> Verdict:
    """The meaning of an error; `now` in Unix seconds."""
    told = told_wait(outcome.headers, error.metadata, now, error.folded, error.waits)
    verdict = _judged(error, outcome, asked, None if told is None else min(told, LONGEST_WAIT))
    if verdict.action == "retry" and verdict.kind == "cli_error" and told is not None and told >= _HOURS:
        text = f"the server asks to come back after {told / 3600:.1f} hours: {error.shown}"
        return fail("auth_or_quota", "quota", text)
    if verdict.action == "retry" and outcome.headers.get("x-should-retry", "").strip().lower() == "false":
        return replace(verdict, action="fail", loading=False)
    return verdict


def _judged(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict:
    if _is_about_rates(error, wait):
        soon = wait is not None and wait < LONGEST_WAIT
        if error.status != 402 and wording.is_quota(error.folded, error.codes, is_soon_over=soon):
            return fail("auth_or_quota", "quota", error.shown)
        return retry("cli_error", "rate_limit", f"too many requests: {error.shown}", wait=wait)
    if _is_overflow(error, asked) or _is_bare_413(error, outcome):
        return _overflow(error)
    for rule in (_key_and_quota, _inner_error, _status_class):
        verdict = rule(error, outcome, asked, wait)
        if verdict is not None:
            return verdict
    raise AssertionError("the status class judges every error")


def choice_error(error: object, usage: dict[str, Any] | None, asked: Asked) -> Verdict:
    """The meaning of an error that a completion carries on its choice: the provider failed within the reply."""
    known = error_in({"error": error}, Outcome(status=_UNTOLD))
    text, code = known.folded, known.status
    if _is_overflow(known, asked):
        return replace(_overflow(known), usage=usage)
    if code in (401, 402):
        return fail("auth_or_quota", "auth" if code == 401 else "quota", known.shown, usage=usage)
    if code in (400, 422) or (code in (_UNTOLD, 500) and wording.is_model_output(text)):
        return retry(
            "model_format",
            "model_output",
            f"the provider could not read the model's output: {known.shown}",
            usage=usage,
        )
    return retry(
        "incomplete_output", "choice_error", f"the provider failed within the reply: {known.shown}", usage=usage
    )


def _is_about_rates(error: ServerError, wait: float | None) -> bool:
    """Too many requests by the status, or by words under another one; a 402 only where it is over by itself."""
    if error.status == 402:
        return "in_flight" in error.folded or (wait is not None and not money.is_credit(error.folded, error.codes))
    if error.status == 429:
        return True
    return wording.is_rate_limit(error.folded, error.codes) and "context_length_exceeded" not in error.codes


def _is_overflow(error: ServerError, asked: Asked) -> bool:
    numbers = {name: error.fields.get(name) for name in ("n_prompt_tokens", "n_ctx")}
    if all(type(number) is int for number in numbers.values()):
        return True
    return overflow.is_overflow(
        error.words,
        codes=error.codes,
        places=error.places,
        reply_tokens=asked.max_tokens or 1,
        by_numbers=error.status in _ROOM_FOR_OVERFLOW and not wording.is_request_fault(error.folded),
    )


def _is_bare_413(error: ServerError, outcome: Outcome) -> bool:
    """A 413 that says nothing else is a model server's own; what has a body of its own is judged by that."""
    return outcome.status == 413 and not error.words.strip() and not error.codes and not wording.is_html(outcome.text)


def _overflow(error: ServerError) -> Verdict:
    numbers = overflow.overflow_numbers(error.folded)
    prompt = number_in(error.fields.get("n_prompt_tokens"), numbers.prompt_tokens)
    window = number_in(error.fields.get("n_ctx"), numbers.context_window)
    facts = {
        "prompt_tokens": prompt,
        "context_window": window,
        "prompt_fits": overflow.Overflow(prompt, window).prompt_fits,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    return fail(
        "context_limit", "context_limit", error.shown or "the conversation is too long for the model", facts=known
    )


def _key_and_quota(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict | None:
    status, text = error.status, error.folded
    is_credit = money.is_credit(text, error.codes) and not (
        wording.is_model_output(text, of_the_server=False) or names_a_path(error.words, error.places)
    )
    if status == 402 or is_credit or (status == 403 and wording.is_quota(text, error.codes)):
        return fail("auth_or_quota", "quota", error.shown or "the server asks for payment")
    if status == 401 or (status in (200, 400, 403, 500, 503) and wording.is_auth(text)):
        return fail("auth_or_quota", "auth", f"the server refuses the key: {error.shown}")
    if status == 403 and wording.is_filtered(text):
        return retry("cli_error", "content_filter", f"a content filter refused the request: {error.shown}")
    if status == 511 or (status == 403 and wording.is_html(outcome.text)):
        return fail(
            "cli_error", "web_page", f"a web page in the server's place refuses: {error.shown}", configuration=True
        )
    if status == 403:
        return fail("auth_or_quota", "auth", f"the server refuses: {error.shown}")
    return None


def _inner_error(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict | None:
    """An error in the body of a 200 without a code that its class would follow from."""
    if outcome.status != 200 or error.status != _UNTOLD:
        return None
    if wording.is_wrong_path(error.folded):
        return fail("cli_error", "wrong_path", _path_words(asked, error), configuration=True)
    return _by_words(error, asked, wait) or retry(
        "cli_error", "server_error", f"the server answered with an error: {error.shown}", wait=wait
    )


def _by_words(error: ServerError, asked: Asked, wait: float | None) -> Verdict | None:
    """What an error is about by its words, as far as its status leaves room for them."""
    status, text = error.status, error.folded
    if wording.is_loading(text) and status in _MAY_BE_LOADING:
        return retry("cli_error", "loading", f"the server is still loading: {error.shown}", wait=wait, loading=True)
    if wording.is_model_output(text, of_the_server=status == _UNTOLD or status >= 500) and not _is_about_a_field(error):
        text = f"the server could not read the model's output: {error.shown}"
        return retry("model_format", "model_output", text, wait=wait)
    if wording.is_filtered(text):
        return retry("cli_error", "content_filter", f"a content filter stopped the reply: {error.shown}", wait=wait)
    if wording.is_nothing_served(text) or (wording.is_no_model(text) and status < 500):
        text = f"the server does not have the model {asked.model!r}: {error.shown}"
        return fail("cli_error", "no_model", text, configuration=True)
    return None


def _is_about_a_field(error: ServerError) -> bool:
    """Whether the request is refused, not the model's output; a channel's role is no field of the request."""
    words = error.words.replace("unknown role:", "") if wording.is_parsers_own(error.words) else error.words
    return names_any_field(words, error.places)


def _status_class(error: ServerError, outcome: Outcome, asked: Asked, wait: float | None) -> Verdict:
    status, text = error.status, error.folded
    told = _by_words(error, asked, wait)
    if told is not None:
        return told
    what = f"HTTP {status}: {error.shown}" if error.shown else f"HTTP {status}"
    if status == 413 or (status in (400, 500) and wording.is_too_big(text)):
        text = "a proxy in front of the model refuses requests of this size: raise its limit"
        return fail("cli_error", "request_too_large", f"{text} ({what})", configuration=True)
    if status in (408, 409, 424, 425) or (400 <= status < 500 and wording.is_crash(text)):
        return retry("cli_error", "server_error", what, wait=wait)
    if status in (404, 405):
        return fail("cli_error", "wrong_path", _path_words(asked, error), configuration=True)
    if status >= 500 and status not in _NEVER_OTHERWISE and not wording.is_request_fault(text):
        return retry("cli_error", "server_error", what, wait=wait)
    limits = reply_limits(error.words, error.places)
    return fail("cli_error", "bad_request", f"the server refuses the request: {what}", configuration=True, facts=limits)


def _path_words(asked: Asked, error: ServerError) -> str:
    hint = "with /v1 at its end" if not asked.path.startswith("/v1/") else "as the server's documentation gives it"
    return (
        f"the server knows no chat completions at {asked.path} (HTTP {error.status}: {error.shown or 'no text'});"
        f" give the endpoint {hint}"
    )
