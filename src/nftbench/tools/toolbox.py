"""The tool set an agent sees: a visible table of tools, one way to call them, results bounded in size.

A tool takes the desk and its decoded arguments and returns a JSON-able result. Reverts are results; an argument that can't be
used comes back as {"error": ...}. No tool reaches goals, instance ids, keys or the engine's own controls.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from nftbench.calls import DEEPEST_ARGUMENTS, nests_deeper
from nftbench.chain.engine import Receipt
from nftbench.tasks.answer_forms import Form
from nftbench.tools.arguments import Argument, ArgumentError, decode_arguments
from nftbench.tools.schemas import object_of
from nftbench.world.actors import Stage
from nftbench.world.world import World

RESULT_LIMIT = 20_000
"""Characters of one tool result; a longer one is cut and says so."""
ERROR_LIMIT = 2_000
"""Characters of one error; what it quotes is the model's own, and may be of any length."""


class Ending(Struct, frozen=True, kw_only=True):
    """How the agent ended the episode: `kind` is the tool's name."""

    kind: str
    summary: str = ""
    answer: Any = None
    reason: str = ""
    reason_class: str | None = None


class Desk:
    """What the tools work on: one world, its actors, and what the agent has done so far.

    `answer_form` is the form that the task asks its answer in; a wrong one is told once. `refused_signatures` are requests
    to sign that were refused, with the problem.
    """

    def __init__(self, world: World, answer_form: Form | None = None) -> None:
        self.world = world
        self.answer_form = answer_form
        self.stage = Stage(world)
        self.receipts: list[Receipt] = []
        self.signatures = world.signatures
        self.refused_signatures: list[dict[str, Any]] = []
        self.ending: Ending | None = None


class Tool(Struct, frozen=True):
    """One tool of the set; `run` gets the decoded arguments by name."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    run: Callable[[Desk, dict[str, Any]], Any]

    def entry(self) -> dict[str, Any]:
        """Its entry in a request's `tools`."""
        return {"name": self.name, "description": self.description, "parameters": object_of(self.arguments)}


class ToolResult(Struct, frozen=True):
    """`text` is JSON for the model; `error` says that the call was refused for its form. `from_text` names the arguments
    that should have been lists and came as JSON text."""

    text: str
    error: bool = False
    from_text: tuple[str, ...] = ()


class Toolbox:
    """A set of tools over one desk."""

    def __init__(self, tools: tuple[Tool, ...], desk: Desk) -> None:
        self.desk = desk
        self._tools = {tool.name: tool for tool in tools}

    @property
    def catalogue(self) -> list[dict[str, Any]]:
        return [tool.entry() for tool in self._tools.values()]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def call(self, name: str, arguments: Any) -> ToolResult:
        """Run one call; never raises for anything that a model can send."""
        tool = self._tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name[:60], self._tools, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            return _error(f"there is no tool {name[:60]!r}.{hint} The tools are: {', '.join(self._tools)}")
        if not isinstance(arguments, dict):
            return _error("arguments must be a JSON object")
        if nests_deeper(arguments, DEEPEST_ARGUMENTS):
            return _error(f"the arguments nest more than {DEEPEST_ARGUMENTS} levels deep")
        try:
            given = decode_arguments(tool.arguments, arguments)
            result = tool.run(self.desk, given.values)
        except ArgumentError as problem:
            return _error(str(problem))
        return ToolResult(bounded(result), from_text=given.from_text)


def _error(text: str) -> ToolResult:
    told = text if len(text) <= ERROR_LIMIT else text[: ERROR_LIMIT - 3] + "..."
    return ToolResult(json.dumps({"error": told}), error=True)


def bounded(result: Any) -> str:
    """The result as JSON, cut to RESULT_LIMIT characters with a note when it is longer."""
    text = json.dumps(result)
    if len(text) <= RESULT_LIMIT:
        return text
    kept = text[: RESULT_LIMIT // 2 - 200]  # as a JSON string it may take twice as many characters
    note = f"cut: the first {len(kept)} of {len(text)} characters are shown; ask for less at a time"
    return json.dumps({"note": note, "beginning": kept})
