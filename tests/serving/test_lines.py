"""Lines of a descriptor: whole, in order, bounded, and never keeping the process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.serving import lines
from nftbench.serving.lines import Lines


def whole_ones(text: str, whole: bool) -> list[str]:
    return [text] if whole and text.strip() else []


def read(pieces: list[bytes], take: Callable[[str, bool], list[str]] = whole_ones) -> list[str]:
    reading, writing = os.pipe()

    def write() -> None:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(writing, rest) :]
        os.close(writing)

    async def collect() -> list[str]:
        writer = threading.Thread(target=write)
        writer.start()
        found = [line async for line in Lines(reading, take)]
        writer.join()
        return found

    try:
        return asyncio.run(collect())
    finally:
        os.close(reading)


@given(st.lists(st.binary(max_size=30), max_size=12))
@settings(max_examples=60, deadline=None)
def test_lines_come_whole_however_they_are_cut_and_a_last_one_without_an_end_is_dropped(pieces: list[bytes]) -> None:
    wanted = [line.decode("utf-8", "replace") for line in b"".join(pieces).split(b"\n")[:-1]]
    assert read(pieces) == [line for line in wanted if line.strip()]


def test_of_a_line_that_is_too_long_the_beginning_is_told_and_the_next_one_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    monkeypatch.setattr(lines, "BEGINNING", 10)
    long, told = b"0123456789" + b"x" * 300_000, []

    def take(text: str, whole: bool) -> list[str]:
        told.append((text, whole))
        return [text]

    assert read([b"first\n", long, long, b"\nlast\n"], take) == ["first", "0123456789", "last"]
    assert told == [("first", True), ("0123456789", False), ("last", True)]


def test_many_lines_wait_their_turn() -> None:
    assert read([b"".join(b"%d\n" % n for n in range(5000))]) == [str(n) for n in range(5000)]


def test_an_input_that_stays_open_does_not_keep_the_process() -> None:
    program = (
        "import asyncio\n"
        "from nftbench.serving.lines import Lines\n"
        "async def main():\n"
        "    lines = Lines(0, lambda text, whole: [text])\n"
        "    await asyncio.sleep(0.1)\n"
        "asyncio.run(main())"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)
    assert process.wait(timeout=20) == 0
    process.communicate()
