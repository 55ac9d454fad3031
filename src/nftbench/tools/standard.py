"""The `standard` tool set."""

from __future__ import annotations

from typing import Any

import msgspec

from nftbench.agents.layouts.native import chat_tool
from nftbench.tools.acting import ACTING_TOOLS
from nftbench.tools.answering import ANSWERING_TOOLS
from nftbench.tools.contracts import CONTRACT_TOOLS
from nftbench.tools.documents import DOCUMENT_TOOLS
from nftbench.tools.hashing import HASHING_TOOLS
from nftbench.tools.history import HISTORY_TOOLS
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

TOOL_SETS: dict[str, tuple[Tool, ...]] = {"standard": STANDARD}


def standard_toolbox(desk: Desk) -> Toolbox:
    return Toolbox(STANDARD, desk)


_CHAT_TOOLS = msgspec.json.encode([chat_tool(tool.entry()) for tool in STANDARD])


def chat_tools() -> list[dict[str, Any]]:
    """The standard tools as chat completions take them, a list of its own for whoever asks."""
    tools: list[dict[str, Any]] = msgspec.json.decode(_CHAT_TOOLS)
    return tools
