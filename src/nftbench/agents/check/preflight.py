"""Looking at an endpoint before a run: the requests that are made for it, and what they brought. `findings` says what it means.

At most three chat calls are answered, with replies of a few tokens; requests for the list of models cost nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents.chat import HEADERS, MAX_TOKENS_FIELDS
from nftbench.agents.check.model_lists import Listed, Match, match, read_models
from nftbench.agents.replies.message import Malformed, Reply, read_message
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.secrets import Scrubber
from nftbench.agents.wire.transport import Exchange, Outcome

REPLY_TOKENS = 16
"""Tokens that a reply to a chat call of the check may have."""
_COMPLETIONS = "/chat/completions"
_OTHER_BASES = ("/v1", "", "/api/v1", "/openai/v1")
_THINKING = "chat_template_kwargs"
_WITHOUT_LIST = frozenset({"wrong_path", "web_page", "malformed", "not_json"})


class Probe(Struct, frozen=True, kw_only=True):
    """What a run would send. `url` is that of the chat completions; `fields` are those of the body beside model, messages
    and token limit. `opening` and `brief` are the body's members that hold a conversation: one as long as the first turn of a
    task, one short. `reply_tokens` is what a run asks for a reply at most; where it `follows`, a run asks for less if the server
    refuses."""

    url: str
    model: str
    opening: bytes
    brief: bytes
    reply_tokens: int
    follows: bool = False
    fields: dict[str, Any] = {}
    served_names: tuple[str, ...] = ()
    has_tools: bool = False
    max_tokens_field: str = MAX_TOKENS_FIELDS[0]

    @property
    def other_field(self) -> str:
        """The other name of a reply's length."""
        return next(name for name in MAX_TOKENS_FIELDS if name != self.max_tokens_field)

    @property
    def seed(self) -> int | None:
        return self.fields.get("seed")

    @property
    def thinks(self) -> bool:
        return _THINKING in self.fields


class Line(Protocol):
    """The way to the server: one request each, no retries; nothing that the server does raises."""

    def get(self, url: str) -> Outcome: ...

    def post(self, url: str, body: bytes) -> Outcome: ...


class HttpLine(Struct, frozen=True):
    """A Line over HTTP, with a key where there is one."""

    exchange: Exchange
    key: str
    scrub: Scrubber

    def get(self, url: str) -> Outcome:
        return self._send(url, None)

    def post(self, url: str, body: bytes) -> Outcome:
        return self._send(url, body)

    def _send(self, url: str, body: bytes | None) -> Outcome:
        return self.exchange.send(url, body, HEADERS, f"Bearer {self.key}" if self.key else "", self.scrub)


class Answered(Struct, frozen=True):
    """One chat call: what came back, and what it means. `reply` is what was said, also where the reply was cut."""

    outcome: Outcome
    verdict: Verdict
    reply: Reply | None

    @property
    def spoke(self) -> bool:
        """Whether the model answered; that so few tokens cut its reply is no fault."""
        return self.verdict.action == "reply" or self.verdict.cause in ("length", "reasoning_length", "reasoning_only")

    @property
    def prompt_tokens(self) -> int | None:
        count = (self.verdict.usage or {}).get("prompt_tokens")
        return count if type(count) is int else None


class Listing(Struct, frozen=True):
    """The list of models, or why there is none; `elsewhere` is a base under which there is one when there is none here."""

    models: tuple[Listed, ...] | None
    outcome: Outcome
    verdict: Verdict | None = None
    elsewhere: str = ""


class Seen(Struct, frozen=True, kw_only=True):
    """All that a check saw. `calls` are the chat calls in order: as a run makes them; the same again, where a seed is to be
    tried; and one with other flags. `plain` is one without flags, after the first was refused. `was_brief` says that they
    were short, because the list told the context window. `wants_field` is the name of a reply's length that the server takes,
    where it refused the one asked with; the calls are then made under it."""

    listing: Listing
    match: Match = Match("absent")
    calls: tuple[Answered, ...] = ()
    plain: Answered | None = None
    was_brief: bool = False
    wants_field: str = ""

    @property
    def owner(self) -> str:
        """`owned_by` of the asked model, or of the first that is listed: what kind of server it is."""
        entry = self.match.entry or next(iter(self.listing.models or ()), None)
        return entry.owner if entry else ""


def look(probe: Probe, line: Line, clock: Callable[[], float]) -> Seen:
    """Makes the requests, as few as tell what there is to tell."""
    listing = _listing(probe, line, clock)
    found = match(probe.model, listing.models or (), probe.served_names)
    if listing.verdict is not None and (listing.outcome.status is None or listing.verdict.cause == "redirect"):
        return Seen(listing=listing, match=found)
    brief = found.entry is not None and found.entry.window is not None
    field = probe.max_tokens_field

    def ask(fields: dict[str, Any]) -> Answered:
        members = probe.brief if brief else probe.opening
        return _ask(probe, line, members, {field: REPLY_TOKENS, **fields}, clock)

    first = ask(probe.fields)
    wants = ""
    if first.verdict.cause == "bad_request" and probe.other_field in first.verdict.detail:
        field = probe.other_field
        again = ask(probe.fields)
        if again.spoke or again.verdict.cause != "bad_request":
            first, wants = again, field
    seen = Seen(listing=listing, match=found, calls=(first,), was_brief=brief, wants_field=wants)
    if first.verdict.cause in ("bad_request", "server_error") and probe.fields:
        return replace(seen, plain=ask({}))
    if not first.spoke:
        return seen
    return replace(seen, calls=(first, *(ask(fields) for fields in _other_fields(probe))))


def base_of(url: str) -> str:
    """The base of a chat completions URL, as --endpoint takes it: the whole URL where nothing else would lead to it."""
    parts = urlsplit(url)
    path = parts.path.removesuffix(_COMPLETIONS)
    return urlunsplit((parts.scheme, parts.netloc, path or parts.path, parts.query, ""))


def _other_fields(probe: Probe) -> Iterator[dict[str, Any]]:
    if probe.seed is not None:
        yield probe.fields
    changed = dict(probe.fields)
    if probe.seed is not None:
        changed["seed"] = probe.seed + 1 if probe.seed < 2**31 else probe.seed - 1
    if probe.thinks:
        changed[_THINKING] = {"enable_thinking": False}
    if changed != probe.fields:
        yield changed


def _listing(probe: Probe, line: Line, clock: Callable[[], float]) -> Listing:
    here = _models_at(probe.url.removesuffix(_COMPLETIONS + _query(probe.url)), probe, line, clock)
    if here.verdict is None or here.verdict.cause not in _WITHOUT_LIST:
        return here
    parts = urlsplit(probe.url)
    path = parts.path.removesuffix(_COMPLETIONS)
    for other in _OTHER_BASES:
        if other != path:
            base = urlunsplit((parts.scheme, parts.netloc, other, "", ""))
            if _models_at(base, probe, line, clock).models:
                shown = base if other else f"{base}{_COMPLETIONS}"
                return Listing(None, here.outcome, here.verdict, shown)
    return here


def _query(url: str) -> str:
    query = urlsplit(url).query
    return f"?{query}" if query else ""


def _models_at(base: str, probe: Probe, line: Line, clock: Callable[[], float]) -> Listing:
    outcome = line.get(f"{base}/models{_query(probe.url)}")
    models = _read(outcome)
    if models is not None:
        return Listing(models, outcome)
    return Listing(None, outcome, classify(outcome, Asked(probe.model, urlsplit(base).path + "/models"), clock()))


def _read(outcome: Outcome) -> tuple[Listed, ...] | None:
    if outcome.status != 200 or outcome.fault is not None:
        return None
    try:
        return read_models(json.loads(outcome.text))
    except (ValueError, RecursionError):
        return None


def _ask(probe: Probe, line: Line, members: bytes, fields: dict[str, Any], clock: Callable[[], float]) -> Answered:
    head = f'{{"model":{json.dumps(probe.model)},'.encode("ascii")
    tail = f",{json.dumps(fields)[1:]}".encode("ascii")
    outcome = line.post(probe.url, head + members + tail)
    asked = Asked(probe.model, urlsplit(probe.url).path, probe.served_names, REPLY_TOKENS)
    return Answered(outcome, classify(outcome, asked, clock()), _reply_in(outcome))


def _reply_in(outcome: Outcome) -> Reply | None:
    try:
        body = json.loads(outcome.text)
        reply = read_message(body["choices"][0]["message"])
    except (ValueError, RecursionError, KeyError, IndexError, TypeError):
        return None
    return None if isinstance(reply, Malformed) else reply
