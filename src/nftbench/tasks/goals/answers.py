"""The goal of tasks that ask for an answer."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from nftbench.tasks.goals.values import spoken

AnswerForm = Literal["address", "integer", "text", "address_set", "integer_set", "record"]


class Answer(Struct, frozen=True, tag=True):
    """The answer given with finish_task equals `value` after normalising both to `form`.

    Addresses compare without case, integers as numbers, sets without order or repetition; a record is an object whose
    fields have the forms in `fields`.
    """

    form: AnswerForm
    value: Any
    fields: dict[str, AnswerForm] = {}
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the answer is {spoken(self.value)}"
