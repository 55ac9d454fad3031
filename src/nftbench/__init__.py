"""nftbench: a benchmark of NFT work by LLM agents on EVM chains, graded on what the chain holds afterwards.

The Python face (docs/python.md) is loaded when one of its names is first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FACE = {
    "Env": "nftbench.environment",
    "Step": "nftbench.environment",
    "Info": "nftbench.environment",
    "replay": "nftbench.environment",
    "tools": "nftbench",
    "Limits": "nftbench.episode.limits",
    "Answers": "nftbench.suites",
    "TaskView": "nftbench.suites",
    "instances": "nftbench.suites",
    "task": "nftbench.suites",
    "Attempt": "nftbench.run.runner",
    "Result": "nftbench.records.model",
    "RecordedRun": "nftbench.recorded",
    "load_run": "nftbench.recorded",
    "EpisodeOver": "nftbench.errors",
    "EpisodeRunning": "nftbench.errors",
    "NftbenchError": "nftbench.errors",
    "NotAMessage": "nftbench.errors",
    "Refusal": "nftbench.errors",
    "UnknownInstance": "nftbench.errors",
}
"""Each public name and the module that it lives in (`tools` is a package that can be called); __init__.pyi has their types."""

__all__ = ["__version__", *_FACE]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"module 'nftbench' has no attribute {name!r}; it has {', '.join(_FACE)}")
    if _FACE[name] == __name__:
        return import_module(f"{__name__}.{name}")
    value = globals()[name] = getattr(import_module(_FACE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FACE})
