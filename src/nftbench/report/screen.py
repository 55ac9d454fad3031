"""Text made safe for a terminal, and written so that a terminal that goes away never ends a run."""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from typing import TextIO

CUT = "..."
_KEPT_CATEGORIES = {"L", "M", "N", "P", "S"}


def printable(text: str, limit: int | None = None) -> str:
    """One line of text without anything that steers a terminal or reorders what stands on it.

    Control, format, private, surrogate and unassigned characters become `?`, all white space a space. `limit` is in
    characters; what is longer ends in `...`.
    """
    if limit is not None and len(text) > limit:
        text = text[: max(0, limit - len(CUT))] + CUT
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character.isspace():
        return " "
    return character if unicodedata.category(character)[0] in _KEPT_CATEGORIES else "?"


class Screen:
    """A text stream for people. What its encoding lacks is shown as `?`; once it is closed or broken, writing is
    silence.

    It can stand where a library wants a file to write to.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def is_terminal(self) -> bool:
        return self.isatty()

    def line(self, text: str = "") -> None:
        self.write(text + "\n")
        self.flush()

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text.encode(self.encoding, "replace").decode(self.encoding, "replace"))
        except ValueError:
            return len(text)
        except OSError:
            self._fall_silent()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except ValueError:
            return
        except OSError:
            self._fall_silent()

    def isatty(self) -> bool:
        try:
            return self._stream.isatty()
        except ValueError:
            return False

    def fileno(self) -> int:
        return self._stream.fileno()

    def _fall_silent(self) -> None:
        """Send what is still to come, and what the stream holds back, to nowhere: nobody is left to read it."""
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
