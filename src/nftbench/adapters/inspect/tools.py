"""The wallet's tools as Inspect's: their schemas for the model, and what runs when they are called."""

from __future__ import annotations

from typing import Any

from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolDef, ToolInfo, ToolParams, ToolSource

from nftbench.adapters.inspect.worlds import here
from nftbench.tasks.model import Task
from nftbench.tools.standard import tools_for
from nftbench.tools.toolbox import Tool


def tool_infos(task: Task) -> list[ToolInfo]:
    """What a model is told of a task's tools."""
    return [
        ToolInfo(name=tool.name, description=tool.description, parameters=_told(tool))
        for tool in tools_for(task.fixture)
    ]


def tool_definitions(task: Task, *, schemas: bool = True) -> list[ToolDef]:
    """A task's tools; they act in the world of the sample that is running.

    Inspect holds a call against a tool's schema and refuses it in its own words. Without `schemas` every call comes through to
    the wallet, which says itself what is wrong with one, and reads a list that came as JSON text.
    """
    return [
        _definition(tool, _described(tool) if schemas else ToolParams(additionalProperties=True))
        for tool in tools_for(task.fixture)
    ]


class WalletTools(ToolSource):
    """The tools of whichever sample is running: not every task has the same ones."""

    async def tools(self) -> list[InspectTool]:
        """The tools of this sample."""
        return [definition.as_tool() for definition in tool_definitions(here().task)]


def wallet_tools() -> WalletTools:
    """The tools for an agent of one's own, wherever Inspect takes tools (`react(tools=[...])`, `generate`, `execute_tools`)."""
    return WalletTools()


def _told(tool: Tool) -> ToolParams:
    return ToolParams(**tool.entry()["parameters"], additionalProperties=None)


def _described(tool: Tool) -> ToolParams:
    """The same, with a description for every argument: Inspect takes no tool without, be its name as plain as `contract`."""
    parameters = _told(tool)
    for name, schema in parameters.properties.items():
        schema.description = schema.description or name.replace("_", " ")
    return parameters


def _definition(tool: Tool, parameters: ToolParams) -> ToolDef:
    async def execute(**kwargs: Any) -> str:
        return here().call(tool.name, kwargs)

    return ToolDef(execute, name=tool.name, description=tool.description, parameters=parameters, max_output=0)
