"""The tools that end an episode."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.answer_forms import WrongForm, normalise
from nftbench.tasks.model import REASON_CLASSES
from nftbench.tools.arguments import Argument, ArgumentError
from nftbench.tools.toolbox import Desk, Ending, Tool


def finish_task(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Ends the episode. An answer in the wrong form, or a missing one, is told the first time; then it stands as it is."""
    asked, desk.answer_form = desk.answer_form, None
    if asked is not None:
        if given["answer"] is None:
            raise ArgumentError("argument 'answer' is missing: the task asks for an answer; give it and finish again")
        try:
            normalise(asked.form, given["answer"], asked.fields)
        except WrongForm as problem:
            raise ArgumentError(f"argument 'answer': {problem}; correct it and finish again") from None
    desk.ending = Ending(kind="finish_task", summary=given["summary"], answer=given["answer"])
    return {"ended": True}


def declare_infeasible(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    desk.ending = Ending(kind="declare_infeasible", reason=given["reason"], reason_class=given["reason_class"])
    return {"ended": True}


ANSWERING_TOOLS = (
    Tool(
        "finish_task",
        "The task is done: end here. Where the task asks for an answer, give it.",
        (
            Argument(
                name="summary",
                kind="text",
                description="what was done",
                required=True,
                example='"sent"',
            ),
            Argument(name="answer", kind="any", description="in the form that the task asks for"),
        ),
        finish_task,
    ),
    Tool(
        "declare_infeasible",
        "The task can't be done as asked: end here and say why. Leave everything as it was.",
        (
            Argument(
                name="reason",
                kind="text",
                description="the fact that stands in the way",
                required=True,
                example='"not the owner"',
            ),
            Argument(name="reason_class", kind="text", choices=REASON_CLASSES),
        ),
        declare_infeasible,
    ),
)
