"""The `standard` tool set."""

from __future__ import annotations

from typing import Any

import msgspec

from nftbench.agents.layouts.native import chat_tool
from nftbench.tasks.model import Fixture
from nftbench.tools.acting import ACTING_TOOLS
from nftbench.tools.answering import ANSWERING_TOOLS
from nftbench.tools.contracts import CONTRACT_TOOLS
from nftbench.tools.documents import DOCUMENT_TOOLS
from nftbench.tools.hashing import HASHING_TOOLS
from nftbench.tools.history import HISTORY_TOOLS
from nftbench.tools.orders import ORDER_TOOLS
from nftbench.tools.toolbox import Desk, Tool, Toolbox
from nftbench.tools.wallet import WALLET_TOOLS

STANDARD: tuple[Tool, ...] = (
    *WALLET_TOOLS,
    *CONTRACT_TOOLS,
    *HISTORY_TOOLS,
    *DOCUMENT_TOOLS,
    *ACTING_TOOLS,
    *HASHING_TOOLS,
    *ANSWERING_TOOLS,
)

WITH_ORDER_BOOK: tuple[Tool, ...] = (*STANDARD, *ORDER_TOOLS)
"""What there is where the world has an order book."""


def tools_for(fixture: Fixture) -> tuple[Tool, ...]:
    """The tools of a task, by what its world has."""
    return STANDARD if fixture.order_book is None else WITH_ORDER_BOOK


def standard_toolbox(desk: Desk) -> Toolbox:
    return Toolbox(tools_for(desk.world.fixture), desk)


_CHAT_TOOLS = {
    tools: msgspec.json.encode([chat_tool(tool.entry()) for tool in tools]) for tools in (STANDARD, WITH_ORDER_BOOK)
}


def chat_tools(tools: tuple[Tool, ...] = STANDARD) -> list[dict[str, Any]]:
    """These tools as chat completions take them, a list of its own for whoever asks."""
    told: list[dict[str, Any]] = msgspec.json.decode(_CHAT_TOOLS[tools])
    return told
