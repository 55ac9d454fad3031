"""What an HTTP outcome means: a reply, a retry, or a failure of a named kind. One pure function, in one order.

1. no response, 2. a redirect, 3. too many requests, 4. overflow wording, whatever the remaining status, 5. key and quota,
6. an error code inside a 200, 7. the status class, 8. an error on the choice, 9. the message and its finish reason.
A phrasing that nobody knows yet falls to the class of its status. Steps 3 to 8 are in `error_rules`, step 9 in `completions`.
"""

from __future__ import annotations

from msgspec.structs import replace

from nftbench.agents.verdicts import wording
from nftbench.agents.verdicts.completions import judge_completion, usage_of
from nftbench.agents.verdicts.error_bodies import NO_ERROR, error_in
from nftbench.agents.verdicts.error_rules import judge_error
from nftbench.agents.verdicts.frames import json_of
from nftbench.agents.verdicts.verdict import Action, Asked, Verdict, fail, retry
from nftbench.agents.wire.transport import Outcome

__all__ = ["Action", "Asked", "Verdict", "classify", "usage_of"]


def classify(outcome: Outcome, asked: Asked, now: float) -> Verdict:
    """The meaning of an outcome; `now` in Unix seconds, for dates in Retry-After."""
    if outcome.status is None or (outcome.fault and outcome.fault.kind == "redirected"):
        return _no_response(outcome)
    if 300 <= outcome.status < 400:
        return fail("cli_error", "redirect", _redirect_words(outcome), configuration=True)
    body = json_of(outcome.text) if outcome.fault is None or outcome.status >= 400 else None
    error = error_in(body, outcome)
    if error is not NO_ERROR:
        verdict = judge_error(error, outcome, asked, now)
        return replace(verdict, usage=usage_of(body))
    if outcome.fault is not None:
        return _broken_reply(outcome)
    return judge_completion(body, outcome, asked)


def _no_response(outcome: Outcome) -> Verdict:
    fault = outcome.fault
    if fault is None:
        return retry("cli_error", "no_response", "no response")
    if fault.kind == "redirected":
        return fail("cli_error", "redirect", fault.text, configuration=True)
    if fault.kind == "certificate":
        text = f"the server's certificate is not trusted: {fault.text}"
        return fail("cli_error", "certificate", text, configuration=True, reached=False)
    if fault.kind == "unsendable":
        return fail(
            "cli_error", "unsendable", f"the request cannot be sent: {fault.text}", configuration=True, reached=False
        )
    return retry("cli_error", fault.kind, f"no response: {fault.text}", reached=fault.reached)


def _broken_reply(outcome: Outcome) -> Verdict:
    fault = outcome.fault
    assert fault is not None
    if fault.kind == "too_large":
        return fail("incomplete_output", "too_large", fault.text)
    return retry("incomplete_output", fault.kind, fault.text)


def _redirect_words(outcome: Outcome) -> str:
    target = outcome.headers.get("location", "")
    scheme, found, rest = target.partition("://")
    if found:
        target = f"{scheme}://(host)/{rest.partition('/')[2]}"
    return (
        f"the server answered with a redirect (HTTP {outcome.status}) to {wording.shown(target, 200) or 'nowhere'}, which is not"
        " followed: give the address that it leads to (https or http, with or without /v1) as the endpoint"
    )
