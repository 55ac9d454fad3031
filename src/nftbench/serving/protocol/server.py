"""A session as a server of MCP: what every transport has in common."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from nftbench.serving.session import Session
from nftbench.tools.toolbox import ToolResult

GET_TASK = "get_task"
PROMPT = "task"
_BEGIN = "Call get_task first: it gives the task that you are to carry out and its rules. They also follow here.\n\n"
_GET_TASK = types.Tool(
    name=GET_TASK,
    description="Your task and its rules. Call this first.",
    input_schema={"type": "object", "properties": {}},
)


def server_for(session: Session, do: Callable[[Callable[[], Any]], Awaitable[Any]]) -> Server:
    """The server of a session; `do` carries out what touches the session, where that may be done."""

    async def come(context: Any) -> None:
        told = context.session.client_params
        client = {} if told is None else {"name": told.client_info.name, "version": told.client_info.version}
        await do(lambda: session.connect(client))

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        await come(context)
        tools = [
            types.Tool(name=entry["name"], description=entry["description"], input_schema=entry["parameters"])
            for entry in session.catalogue
        ]
        return types.ListToolsResult(tools=[_GET_TASK, *tools])

    async def call_tool(context: Any, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        await come(context)
        if parameters.name == GET_TASK:
            result = ToolResult(session.task_text)
        else:
            result = await do(lambda: session.call(parameters.name, parameters.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(type="text", text=result.text)], is_error=result.error)

    async def list_prompts(context: Any, parameters: Any) -> types.ListPromptsResult:
        await come(context)
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description="Your task and its rules.")])

    async def get_prompt(context: Any, parameters: types.GetPromptRequestParams) -> types.GetPromptResult:
        await come(context)
        if parameters.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"there is no such prompt; there is {PROMPT}")
        content = types.TextContent(type="text", text=session.task_text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def initialized(context: Any, parameters: Any) -> None:
        await come(context)

    server = Server(
        session.name,
        version="1",
        instructions=_BEGIN + session.task_text,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    server.add_notification_handler("notifications/initialized", types.NotificationParams, initialized)
    return server


def is_message(text: str) -> bool:
    """Whether JSON text is a message of the protocol, as the mcp package reads it."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except (ValueError, RecursionError):
        return False
    # a request whose id is none passes as a notification, which nobody would answer
    return not (isinstance(message, types.JSONRPCNotification) and '"id"' in text and "id" in json.loads(text))
