"""What goes from the command to a player and back. A backend doesn't travel: its recipe does, and the player makes it there.

The endpoint's key travels with each order, from process to process: not in the environment of the workers, which Ray records and
shows, and not with what makes a player, which Ray's control store keeps. No text of an order tells it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.agents.wire.events import Event
from nftbench.run.config import Config
from nftbench.run.plan import Job
from nftbench.run.playing import Played


class Key:
    """A secret that no text of an object or a traceback tells."""

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Key(...)"


class Order(Struct, frozen=True, kw_only=True):
    """An attempt to play. `config` is that of the run, without what only the command needs; `number` is the order's own;
    `was_answered` whether any call of the run got an answer so far; `reply_tokens` how long replies may be, None where
    that was given."""

    number: int
    config: Config
    job: Job
    key: Key
    was_answered: bool
    reply_tokens: int | None


class Logged(Struct, frozen=True):
    """A backend made an attempt: a line for events.jsonl."""

    event: Event


class Answered(Struct, frozen=True):
    """A call got an answer, for the first time in this attempt."""


class Unanswered(Struct, frozen=True):
    """A call got none; see Session.unanswered."""

    detail: str
    configuration: bool


class Learnt(Struct, frozen=True):
    """A refusal told how long replies may be; see run.reply_room."""

    tokens: int
    window: int | None


class Finished(Struct, frozen=True):
    """The last news of an attempt that was played to its end."""

    played: Played


class Broken(Struct, frozen=True):
    """The last news of one that was not: what it raised, and where."""

    problem: BaseException
    traceback: str


News = Logged | Answered | Unanswered | Learnt | Finished | Broken


class Fitness(Struct, frozen=True):
    """What a player says of itself: it must be of the same version as the command."""

    versions: dict[str, Any]
    node: str
