"""What a look at an endpoint means, in plain sentences: pure, from what was seen to what a person should know and do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal
from urllib.parse import urljoin, urlsplit, urlunsplit

from msgspec import Struct

from nftbench.agents.check.advice import FITTING_REPLIES, Scene, remedy, window_flag
from nftbench.agents.check.model_lists import Listed, near_names
from nftbench.agents.check.preflight import Answered, Probe, Seen
from nftbench.agents.verdicts.classification import Verdict
from nftbench.agents.verdicts.reply_room import fitting_reply_tokens
from nftbench.agents.wire.proxies import Way
from nftbench.agents.wire.transport import Outcome

COMFORTABLE_WINDOW = 16384
"""Tokens of context that nearly every whole task fits into."""
BYTES_A_TOKEN = 3
"""Bytes of a conversation that a token stands for, at the least: tokenizers of models make longer ones of such text."""
_SHOWN_MODELS = 8
_TRUNCATED_BELOW = 10
"""Bytes a token from which on a server can't have read the whole prompt."""
_CREDENTIALS = re.compile(r"^([^/@]*//)[^/]*@")

Level = Literal["ok", "note", "trouble"]


class Finding(Struct, frozen=True):
    """One sentence or two. A `trouble` is in the way of a run, and says what to do about it."""

    level: Level
    text: str


def findings(probe: Probe, seen: Seen, scene: Scene, way: Way) -> tuple[Finding, ...]:
    """All there is to say, in the order in which a person would ask."""
    return tuple(
        chain(
            _way(way),
            _reached(seen, scene),
            _name(probe, seen),
            _answer(probe, seen, scene),
            _window(probe, seen, scene),
            _seed(probe, seen),
            _thinking(probe, seen),
            _tools(probe, seen),
        )
    )


def _ok(text: str) -> Finding:
    return Finding("ok", text)


def _note(text: str) -> Finding:
    return Finding("note", text)


def _trouble(text: str) -> Finding:
    return Finding("trouble", text)


def _way(way: Way) -> Iterator[Finding]:
    if way.proxy:
        yield _note(f"Requests go through the proxy {way.proxy} of {way.variable}.")
    for name in way.unused:
        why = (
            "nftbench knows http_proxy and https_proxy"
            if name.lower() == "all_proxy"
            else "this machine is asked directly"
        )
        yield _note(f"The proxy of {name} is not used: {why}.")


def _reached(seen: Seen, scene: Scene) -> Iterator[Finding]:
    listing = seen.listing
    if listing.models is not None:
        yield _ok(f"The server answers at {scene.endpoint} and {_served(listing.models)}.")
        return
    if listing.outcome.status is None or not seen.calls:
        yield _unanswered(seen, scene)
        return
    yield _ok(f"Something answers at {scene.endpoint} (HTTP {listing.outcome.status}).")
    if seen.calls[0].spoke:
        yield _note(f"It gives no list of its models (HTTP {listing.outcome.status}), so that names can't be compared.")


def _unanswered(seen: Seen, scene: Scene) -> Finding:
    verdict, outcome = seen.listing.verdict, seen.listing.outcome
    assert verdict is not None
    if verdict.cause == "redirect":
        target = redirect_target(outcome, scene.endpoint)
        return _trouble(
            f"The server at {scene.endpoint} redirects (HTTP {outcome.status}) to {target}: {remedy(verdict, scene)}."
        )
    detail = verdict.detail.removeprefix("no response: ")
    return _trouble(f"No answer from {scene.endpoint}: {detail}. {_sentence(remedy(verdict, scene))}.")


def redirect_target(outcome: Outcome, endpoint: str) -> str:
    """Where a redirect leads, as a base that could be given: without credentials, query and the path that was asked for."""
    location = _CREDENTIALS.sub(r"\1", outcome.headers.get("location", "").partition("?")[0])
    if not location:
        return "nowhere"
    try:
        parts = urlsplit(urljoin(f"{endpoint}/models", location))
    except ValueError:
        return "an address that can't be read"
    path = parts.path.removesuffix("/").removesuffix("/models").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _served(models: Sequence[Listed]) -> str:
    if not models:
        return "serves no model yet"
    names = [f"{entry.name} (an adapter on {entry.parent})" if entry.parent else entry.name for entry in models]
    more = f" and {len(names) - _SHOWN_MODELS} more" if len(names) > _SHOWN_MODELS else ""
    return f"serves {', '.join(names[:_SHOWN_MODELS])}{more}"


def _name(probe: Probe, seen: Seen) -> Iterator[Finding]:
    models, entry, asked = seen.listing.models, seen.match.entry, repr(probe.model)
    if not models:
        return
    if entry is not None:
        yield from _known_name(asked, seen, entry)
        return
    near = near_names(probe.model, models)
    hint = f"near names: {', '.join(near)}" if near else "give --model a name that it lists"
    if _is_unknown(seen):
        yield _trouble(f"{asked} is not among its models ({hint}).")
    elif seen.calls[0].spoke and len(models) == 1:
        yield _trouble(
            f"{asked} is not what it serves, and it answers all the same, with {models[0].name}: give --model"
            f" {models[0].name}, so that the run is recorded under the right name."
        )
    else:
        also = ", and it answers all the same" if seen.calls[0].spoke else ""
        yield _note(f"{asked} is not among its models{also} ({hint}).")


def _known_name(asked: str, seen: Seen, entry: Listed) -> Iterator[Finding]:
    relation = seen.match.relation
    if relation in ("path", "variant"):
        if _is_unknown(seen):
            yield _trouble(f"It knows {asked} as {entry.name} only: give --model {entry.name}.")
        elif relation == "path":
            yield _note(f"{asked} is where the model's files are; its name is {entry.name}: give --model {entry.name}.")
        else:
            yield _note(f"It lists {asked} as {entry.name}, which counts as the same name.")
    elif entry.parent:
        yield _ok(f"{asked} is an adapter on {entry.parent}.")


def _is_unknown(seen: Seen) -> bool:
    """Whether the server refused the name, and its list tells why."""
    verdict = seen.calls[0].verdict
    return (
        verdict.cause == "no_model" and bool(seen.listing.models) and seen.match.relation not in ("listed", "pattern")
    )


def _answer(probe: Probe, seen: Seen, scene: Scene) -> Iterator[Finding]:
    if not seen.calls:
        return
    first = seen.calls[0]
    if seen.wants_field:
        yield _trouble(
            f"It refuses {probe.max_tokens_field} and takes {seen.wants_field}: give --max-tokens-field {seen.wants_field}."
        )
    if first.spoke:
        usage = first.verdict.usage or {}
        yield _ok(
            f"It answers as {_served_as(first) or 'a model without a name'} and counts tokens:"
            f" {usage.get('prompt_tokens')} of the prompt, {usage.get('completion_tokens')} of the reply."
        )
        return
    verdict, fix = first.verdict, remedy(first.verdict, scene)
    if verdict.cause == "rate_limit":
        yield _note(f"It is there, and limits requests: {verdict.detail}. A run waits and asks again; {fix}.")
    elif verdict.kind == "model_format" and verdict.cause == "empty":
        yield _note(f"{_sentence(verdict.detail)}. {_sentence(fix)}.")
    elif verdict.cause == "model_mismatch":
        yield _mismatch(first, seen, scene)
    elif seen.plain is not None and seen.plain.spoke:
        yield _trouble(
            f"It refuses a request with {_flags(probe)}, and takes one without: {verdict.detail}. {_sentence(fix)}."
        )
    elif not _is_unknown(seen) and not (verdict.kind == "context_limit" and "context_window" in verdict.facts):
        yield _trouble(f"{_sentence(_without_hint(verdict))}. {_sentence(fix)}.")


def _without_hint(verdict: Verdict) -> str:
    """The detail of a verdict, less the advice at its end that knows less than a check does."""
    return verdict.detail.partition(";")[0] if verdict.cause == "wrong_path" else verdict.detail


def _mismatch(first: Answered, seen: Seen, scene: Scene) -> Finding:
    served, entry = _served_as(first), seen.match.entry
    if entry is not None and entry.parent and served in (entry.parent, entry.root):
        return _trouble(
            f"Asked for the adapter {scene.model!r}, it answers under its base's name {served!r}: update the server, or"
            f" declare it with --served-name {served}."
        )
    return _trouble(f"Asked for {scene.model!r}, {served!r} answers: {remedy(first.verdict, scene)}.")


def _served_as(answered: Answered) -> str:
    try:
        body = json.loads(answered.outcome.text)
    except (ValueError, RecursionError):
        return ""
    model = body.get("model") if type(body) is dict else None
    return model if type(model) is str else ""


def _flags(probe: Probe) -> str:
    names = {"chat_template_kwargs": "--enable-thinking"}
    return ", ".join(names.get(name, f"--{name.replace('_', '-')}") for name in probe.fields)


def _window(probe: Probe, seen: Seen, scene: Scene) -> Iterator[Finding]:
    entry, first = seen.match.entry, seen.calls[0] if seen.calls else None
    opening = len(probe.opening) // BYTES_A_TOKEN
    window = entry.window if entry else None
    if window is None and first is not None:
        window = first.verdict.facts.get("context_window")
    more = f"start it with a larger one ({window_flag(scene.owner, scene.window)})"
    if window is not None:
        yield from _known_window(window, opening, probe, scene, more)
        return
    if first is None or not first.spoke:
        return
    counted = first.prompt_tokens or 0
    trained = f", and the model was trained for {entry.trained}" if entry and entry.trained else ""
    if not seen.was_brief and counted * _TRUNCATED_BELOW < len(probe.opening):
        yield _trouble(
            f"It counts only {counted} tokens in a prompt of {len(probe.opening)} bytes: it drops what does not fit its"
            f" context window, without a word; {more}."
        )
        return
    yield _note(
        f"It does not tell its context window{trained}. A prompt as long as a task's first turn, {counted} tokens, fits;"
        f" tasks grow to several times that, and {COMFORTABLE_WINDOW} tokens hold nearly all: make sure of it"
        f" ({window_flag(scene.owner, scene.window)})."
    )


def _known_window(window: int, opening: int, probe: Probe, scene: Scene, more: str) -> Iterator[Finding]:
    what = f"Its context window is {window} tokens"
    if window <= opening + 256:
        yield _trouble(f"{what}, and the first turn of a task takes about {opening}: {more}.")
        return
    room = window - opening
    if probe.reply_tokens > room:
        asked = f"a run asks for up to {probe.reply_tokens} tokens a reply, more than the {room} that a task's first turn leaves"
        fix = f"give --max-tokens {fitting_reply_tokens(window)}"
        if probe.follows and window >= COMFORTABLE_WINDOW and scene.owner not in FITTING_REPLIES:
            yield _note(f"{what}; {asked}. Without --max-tokens it goes on with {fitting_reply_tokens(window)} then.")
            return
        if scene.owner in FITTING_REPLIES:
            yield _note(f"{what}; {asked}. This server ends replies where the window does; to be sure, {fix}.")
        else:
            yield _trouble(f"{what}; {asked}: {fix}.")
            return
    if window < COMFORTABLE_WINDOW:
        yield _note(f"{what}: long tasks will not fit, which counts as the model's failure; {more}.")
    else:
        yield _ok(f"{what}.")


def _seed(probe: Probe, seen: Seen) -> Iterator[Finding]:
    if probe.seed is None or len(seen.calls) < 3:
        return
    first, again, other = (_said(call) for call in seen.calls[:3])
    if not all(call.spoke for call in seen.calls[:3]):
        yield _note("Whether --seed is honoured can't be told: not every call was answered.")
    elif first != again:
        yield _note("The same seed gave two different replies: the server does not honour --seed, or not under load.")
    elif first == other:
        yield _note(
            "Another seed gave the same reply, so whether --seed is honoured can't be told (at temperature 0 it has no use)."
        )
    else:
        yield _ok("--seed is honoured: the same seed gave the same reply, another one another.")


def _said(call: Answered) -> str | None:
    return f"{call.reply.text}\0{call.reply.reasoning}\0{call.reply.calls}" if call.reply else None


def _thinking(probe: Probe, seen: Seen) -> Iterator[Finding]:
    if not seen.calls or not seen.calls[0].spoke:
        return
    first = seen.calls[0]
    thinks = first.reply is not None and bool(first.reply.reasoning)
    if not probe.thinks:
        if thinks:
            yield _note("The model thinks before it answers, unasked; thinking counts as tokens of the reply.")
        return
    other = seen.calls[-1]
    if thinks:
        yield _ok("--enable-thinking is honoured: the model thinks before it answers.")
    elif len(seen.calls) > 1 and other.spoke and other.prompt_tokens != first.prompt_tokens:
        yield _ok("--enable-thinking is honoured: the chat template makes another prompt of it.")
    else:
        yield _note(
            "--enable-thinking changes nothing that can be seen: the server or the model's chat template does not know it."
        )


def _tools(probe: Probe, seen: Seen) -> Iterator[Finding]:
    if probe.has_tools and seen.calls and seen.calls[0].spoke:
        yield _ok("It takes requests with tools.")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
