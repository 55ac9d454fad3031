"""What models and agents write can't steer a terminal, and a terminal that goes away is no fault."""

from __future__ import annotations

import io
import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from nftbench.report.screen import Screen, printable


@given(st.text(st.characters(codec=None)))
def test_nothing_printable_steers_a_terminal(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable() or set(shown) <= {c for c in shown if c.isprintable() or c == " "}
    assert len(shown) == len(text)
    shown.encode("utf-8")


def test_escape_sequences_bidi_marks_and_line_ends_are_gone() -> None:
    assert printable("\x1b[31mred\x9b2J\u202egnp.exe\n\u2028x\ud800") == "?[31mred?2J?gnp.exe  x?"


def test_long_text_is_cut_and_says_so() -> None:
    assert printable("x" * 50, 10) == "xxxxxxx..."
    assert printable("x" * 10, 10) == "x" * 10


def test_what_the_encoding_lacks_becomes_a_question_mark() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    Screen(stream).line("0.5 \u039e paid")
    assert raw.getvalue() == b"0.5 ? paid\n"


def test_a_closed_stream_is_silence() -> None:
    stream = io.StringIO()
    stream.close()
    screen = Screen(stream)
    screen.line("nobody hears")
    assert screen.is_terminal is False


def test_a_reader_that_leaves_does_not_end_the_process() -> None:
    """A real pipe whose reading end is closed: the process goes on to its own end, with its own exit code."""
    code = (
        "import sys\nfrom nftbench.report.screen import Screen\n"
        "[Screen(sys.stdout).line('x' * 1000) for _ in range(500)]\nsys.exit(7)"
    )
    read, write = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    os.close(read)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (7, b"")
