"""A session over MCP on standard input and output. The only module that imports the `mcp` package, and nothing imports it
before it is needed: `commands/serve_mcp.py` does, by name.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any, cast

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from nftbench.serving.apart import SIGNALS, Orphaned
from nftbench.serving.lines import Lines
from nftbench.serving.messages import read_line
from nftbench.serving.outlet import Outlet, claimed_stdout
from nftbench.serving.session import Session
from nftbench.tools.toolbox import ToolResult

GET_TASK = "get_task"
PROMPT = "task"
HURRIED, PATIENT = 1.0, 5.0
"""Seconds for a client to take what still waits for it, after a signal and after the end of its input."""
TICK = 0.25
"""Seconds between two looks at the time limit, and at whether the client's process is there."""
_BEGIN = "Call get_task first: it gives the task that you are to carry out and its rules. They also follow here.\n\n"
_GET_TASK = types.Tool(
    name=GET_TASK,
    description="Your task and its rules. Call this first.",
    input_schema={"type": "object", "properties": {}},
)


def serve(session: Session) -> None:
    """Serves until the client is gone, or a signal asks to leave; by then the session is over, and recorded if a client
    ever came. Takes over the process's standard input and output."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    asyncio.run(_serve(session))


async def _serve(session: Session) -> None:
    outlet = Outlet(claimed_stdout())
    talking = asyncio.create_task(_talk(session, outlet))
    watching = asyncio.create_task(_watch(session, outlet, talking))
    _leave_on_signals(session, talking)
    try:
        await asyncio.wait([talking])
    finally:
        session.end("disconnected")
        watching.cancel()
        await outlet.drained(HURRIED if talking.cancelled() else PATIENT)
    fault = None if talking.cancelled() else talking.exception()
    if fault is not None and not _is_about_the_client(fault):
        raise fault


async def _talk(session: Session, outlet: Outlet) -> None:
    lines = cast(Any, Lines(sys.stdin.fileno(), lambda line, whole: _taken(line, whole, outlet)))
    async with stdio_server(stdin=lines, stdout=cast(Any, outlet)) as (reading, writing):
        server = _server(session)
        await server.run(reading, writing, server.create_initialization_options())


def _taken(line: str, whole: bool, outlet: Outlet) -> Iterator[str]:
    """The messages of a line; what is none of the protocol is answered at once."""
    read = read_line(line, is_message, version=outlet.version, whole=whole)
    outlet.expect(read)
    for message in read.messages:
        yield message
        if read.batch and '"notifications/cancelled"' in message:
            outlet.forget(json.loads(message).get("params", {}).get("requestId"))


def _server(session: Session) -> Server:
    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        session.connect(_client(context))
        tools = [
            types.Tool(name=entry["name"], description=entry["description"], input_schema=entry["parameters"])
            for entry in session.catalogue
        ]
        return types.ListToolsResult(tools=[_GET_TASK, *tools])

    async def call_tool(context: Any, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        session.connect(_client(context))
        if parameters.name == GET_TASK:
            result = ToolResult(session.task_text)
        else:
            result = session.call(parameters.name, parameters.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=result.text)], is_error=result.error)

    async def list_prompts(context: Any, parameters: Any) -> types.ListPromptsResult:
        session.connect(_client(context))
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description="Your task and its rules.")])

    async def get_prompt(context: Any, parameters: types.GetPromptRequestParams) -> types.GetPromptResult:
        session.connect(_client(context))
        if parameters.name != PROMPT:
            raise MCPError(types.INVALID_PARAMS, f"there is no such prompt; there is {PROMPT}")
        content = types.TextContent(type="text", text=session.task_text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def initialized(context: Any, parameters: Any) -> None:
        session.connect(_client(context))

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


def _client(context: Any) -> dict[str, Any]:
    """What the client calls itself; {} where it does not say."""
    told = context.session.client_params
    return {} if told is None else {"name": told.client_info.name, "version": told.client_info.version}


async def _watch(session: Session, outlet: Outlet, talking: asyncio.Task[None]) -> None:
    """Ends the session at its time limit even when the client says nothing, when the process that the client started was
    killed, and when the client no longer takes what it asked for."""
    orphaned = Orphaned()
    while not (orphaned() or outlet.stuck()):
        session.check()
        await asyncio.sleep(TICK)
    session.end("disconnected")
    talking.cancel()


def _leave_on_signals(session: Session, talking: asyncio.Task[None]) -> None:
    def leave() -> None:
        session.end("disconnected")
        talking.cancel()

    if sys.platform != "win32":
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, leave)


def _is_about_the_client(fault: BaseException) -> bool:
    """Whether it only says that the client no longer reads."""
    if isinstance(fault, BaseExceptionGroup):
        return all(map(_is_about_the_client, fault.exceptions))
    return isinstance(fault, OSError)
