"""Asking one chat model over HTTP until it has answered: the retry loop that all HTTP backends share."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, Protocol, TypedDict
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from nftbench import __version__
from nftbench.agents.failure import CURRENT_TASK, CLIFailure
from nftbench.agents.replies.message import Reply
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.verdicts.reply_room import USUAL_REPLY_TOKENS, ReplyRoom
from nftbench.agents.wire.events import LONGEST_BODY, NO_RESPONSE, Event, EventSink
from nftbench.agents.wire.secrets import address_scrubber, exchange_scrubber
from nftbench.agents.wire.transport import Exchange, Opener, Outcome, default_opener

WAITS = (5, 20, 60)
"""Seconds before the second, third and fourth attempt, unless the server says how long; at least so many where what it said
before turned out to be too short."""
LOADING_WAIT = 5
"""Seconds between attempts while a server is loading; these attempts are apart from the retries."""


MAX_TOKENS_FIELDS = ("max_tokens", "max_completion_tokens")
"""What the length of a reply is called: by nearly every server, and by OpenAI's newer models."""
ROOM_LOWERED_NOTE = "reply_room_lowered"
"""The note on a reply that got less room than usual, because the server refused more."""


class HttpOptions(TypedDict, total=False):
    """The options of the HTTP backends, all by keyword.

    `temperature`, `top_p`, `seed`: sent where given, else left to the server. `max_tokens`: for one reply (32000), sent as
    `max_tokens_field`; with a `room`, that says how many instead, and follows what the server tells of its window. `extra`:
    more fields of the request's body. `events_path`: where attempts are logged; `events`: who takes
    them instead. `opener`, `sleep`, `clock`: the seams to the
    outside; the defaults are `urllib.request.urlopen` (looked up at each call), `time.sleep` and `time.time`. `timeout`: of
    one wait for the server, in seconds (600). `served_names`: names under which the right model may answer.
    `context_window`: in tokens, where known. `startup_seconds`: how long a loading server is waited for (600).
    """

    temperature: float | None
    top_p: float | None
    seed: int | None
    max_tokens: int
    max_tokens_field: str
    room: ReplyRoom | None
    extra: dict[str, Any] | None
    events_path: str | os.PathLike[str] | None
    events: EventSink | None
    opener: Opener | None
    sleep: Callable[[float], Any]
    clock: Callable[[], float]
    timeout: float
    served_names: tuple[str, ...]
    context_window: int | None
    startup_seconds: float


class Settings(Struct, frozen=True, kw_only=True):
    """HttpOptions with their defaults."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = USUAL_REPLY_TOKENS
    max_tokens_field: str = MAX_TOKENS_FIELDS[0]
    room: ReplyRoom | None = None
    extra: dict[str, Any] | None = None
    events_path: str | os.PathLike[str] | None = None
    events: EventSink | None = None
    opener: Opener | None = None
    sleep: Callable[[float], Any] = time.sleep
    clock: Callable[[], float] = time.time
    timeout: float = 600
    served_names: tuple[str, ...] = ()
    context_window: int | None = None
    startup_seconds: float = 600

    @property
    def reply_tokens(self) -> int:
        """What is asked for a reply now."""
        return self.room.tokens if self.room else self.max_tokens

    def sampling(self) -> dict[str, Any]:
        """The request's fields beside model and messages."""
        given = {"temperature": self.temperature, "top_p": self.top_p, "seed": self.seed}
        return {
            self.max_tokens_field: self.reply_tokens,
            **{name: value for name, value in given.items() if value is not None},
            **(self.extra or {}),
        }


class Meter(Protocol):
    """Watches over what attempts cost. `before` may wait, or raise CLIFailure; whatever it returns goes to `after` or `lost`."""

    def before(self, body_bytes: int) -> Any: ...

    def after(self, ticket: Any, verdict: Verdict) -> float | None:
        """Books an attempt with an outcome; returns its cost in dollars, None where nothing tells."""
        ...

    def lost(self, ticket: Any) -> None:
        """Books an attempt that was broken off from this side."""
        ...


class Secret(Struct, frozen=True):
    """A key that lives in an environment variable and is read at each call. `required` says that nothing goes without it."""

    variable: str
    required: bool = False

    def read(self) -> str:
        """The key, "" for none; CLIFailure if it is missing or unusable."""
        value = os.environ.get(self.variable, "").strip()
        if not value and self.required:
            raise CLIFailure("auth_or_quota", f"the environment variable {self.variable} is not set", cause="no_key")
        if not value.isascii() or not value.isprintable():
            text = f"{self.variable} holds characters that no key has (line ends, accents or control characters)"
            raise CLIFailure("auth_or_quota", text, cause="no_key")
        return value


class Tally:
    """What the attempts before the last one used: tokens and dollars that count although their replies do not."""

    def __init__(self) -> None:
        self.attempts = 0
        self._prompt_tokens = 0
        self._completion_tokens = 0
        self._cost: float | None = None

    def add(self, verdict: Verdict, cost: float | None) -> None:
        """Counts a failed attempt."""
        self.attempts += 1
        usage = verdict.usage or {}
        self._prompt_tokens += _count(usage.get("prompt_tokens"))
        self._completion_tokens += _count(usage.get("completion_tokens"))
        if cost:
            self._cost = (self._cost or 0) + cost

    def retried(self) -> dict[str, Any]:
        """The content of `retried`."""
        told: dict[str, Any] = {
            "attempts": self.attempts,
            "prompt_tokens": self._prompt_tokens,
            "completion_tokens": self._completion_tokens,
        }
        return told if self._cost is None else {**told, "cost": self._cost}


class Spoken(Struct, frozen=True):
    """A reply with its usage (see Invocation), and the seconds that were spent on waiting for the server's leave to ask."""

    reply: Reply
    usage: dict[str, Any]
    waited: float


def _spoken(reply: Reply, cost: float | None, tally: Tally, waited: float, *, lowered: bool) -> Spoken:
    usage = {**reply.usage}
    if cost is not None:
        usage["spent"] = cost
    if tally.attempts:
        usage["retried"] = tally.retried()
    if lowered:
        reply = replace(reply, notes=(*reply.notes, ROOM_LOWERED_NOTE))
    return Spoken(reply, usage, waited)


class Endpoint(Struct, frozen=True):
    """Where a chat model is: the whole URL of its chat completions, what is asked of it, and what opens the door."""

    url: str
    asked: Asked
    secret: Secret
    settings: Settings
    events: EventSink | None = None
    meter: Meter | None = None

    def ask(self, body: Callable[[int], bytes]) -> Spoken:
        """The reply to a request, whose body is made for a length of the reply; CLIFailure when the retries are used up or
        none can help."""
        tally = Tally()
        settings, room = self.settings, self.settings.room
        loading_left, waited, tokens = settings.startup_seconds, 0.0, settings.reply_tokens
        lowered = hinted = False
        while True:
            verdict, cost = self._attempt(body(tokens), tokens)
            if verdict.reply is not None:
                return _spoken(verdict.reply, cost, tally, waited, lowered=lowered)
            smaller = room.after(verdict.facts, tokens) if room and verdict.action == "fail" else None
            if smaller is not None:
                tokens, lowered = smaller, True
                continue
            if verdict.loading and loading_left > 0:
                wait = verdict.wait or LOADING_WAIT
                loading_left -= wait
            else:
                tally.add(verdict, cost)
                if verdict.action == "fail" or tally.attempts > len(WAITS):
                    raise self._failure(verdict, tally)
                usual = WAITS[tally.attempts - 1]
                wait = max(verdict.wait, usual if hinted else 0) if verdict.wait else usual
                hinted = verdict.wait is not None
            settings.sleep(wait)
            waited += wait

    def _attempt(self, body: bytes, tokens: int) -> tuple[Verdict, float | None]:
        key = self.secret.read()
        scrub = exchange_scrubber(self.secret.variable, key)
        meter, clock = self.meter, self.settings.clock
        ticket = meter.before(len(body)) if meter else None
        started = clock()
        try:
            exchange = Exchange(
                self.settings.opener or default_opener, self.settings.timeout, self.settings.timeout * 1.5
            )
            outcome = exchange.send(self.url, body, HEADERS, f"Bearer {key}" if key else "", scrub)
            ended = clock()
            verdict = classify(outcome, replace(self.asked, max_tokens=tokens), ended)
        except BaseException:
            if meter:
                meter.lost(ticket)
            raise
        cost = meter.after(ticket, verdict) if meter else None
        if self.events is not None:
            self.events.append(self._event(outcome, started, ended))
        return verdict, cost

    def _event(self, outcome: Outcome, started: float, ended: float) -> Event:
        ok = outcome.status is not None and 200 <= outcome.status < 300
        hide = address_scrubber(self.url, self.asked.model)
        text = hide.cut(outcome.text, LONGEST_BODY)
        fault = outcome.fault.text if outcome.fault else ""
        return Event(
            returncode=NO_RESPONSE if outcome.status is None else 0 if ok else outcome.status,
            stdout=text if ok else "",
            stderr=hide(fault) if ok or not text else text,
            instance_id=CURRENT_TASK.get(),
            t_start=started,
            t_end=ended,
        )

    def _failure(self, verdict: Verdict, tally: Tally) -> CLIFailure:
        assert verdict.kind is not None
        return CLIFailure(
            verdict.kind,
            address_scrubber(self.url, self.asked.model)(verdict.detail),
            cause=verdict.cause,
            configuration=verdict.configuration,
            usage=tally.retried(),
            facts=verdict.facts,
        )


HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": f"nftbench/{__version__}",
}
"""Of every request, beside the key."""


def path_of(url: str) -> str:
    """The path of a URL, for texts that may not name its host."""
    return urlsplit(url).path or "/"


def _count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0
