"""The tools of an agent. The package can be called: `nftbench.tools()` is the catalogue that every episode shows its agent."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from nftbench.tools.standard import chat_tools


class _Tools(ModuleType):
    """The package itself under its name in the Python face, where a function is expected."""

    def __call__(self) -> list[dict[str, Any]]:
        """The tools as chat completions take them: `{"type": "function", "function": {"name", "description", "parameters"}}`."""
        return chat_tools()


sys.modules[__name__].__class__ = _Tools
