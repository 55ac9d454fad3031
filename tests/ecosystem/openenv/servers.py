"""`nftbench serve-openenv` as a real process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

PATIENCE = 120


class Server:
    """One that has begun to listen; `url` is as it says."""

    def __init__(self, *arguments: str, variables: Mapping[str, str] | None = None, http: str = "127.0.0.1:0") -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nftbench", "serve-openenv", "--http", http, *arguments],
            stderr=subprocess.PIPE,
            text=True,
            env={**kept, **(variables or {})},
        )
        assert self.process.stderr is not None
        self.first = self.process.stderr.readline()
        found = re.search(r"http://[^\s,]+", self.first)
        if found is None:
            raise AssertionError(self.first + self.process.communicate(timeout=PATIENCE)[1])
        self.url = found[0].replace("0.0.0.0", "127.0.0.1")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def leave(self, number: int) -> tuple[int, str]:
        """After a signal: the exit code, and what else was said."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, rest
