"""The notebook: what is written stays, with its author and its time."""

from __future__ import annotations


def test_notes_stay_in_order_with_author_and_time(bench):
    book = bench.deploy("Notebook")
    first, second, *_ = bench.accounts
    assert book.send(first, "write", "one") == 1
    assert book.send(second, "write", "") == 2
    assert book.call("noteCount") == 2
    (by, at, text), (by_other, later, empty) = (tuple(book.call("note", number)) for number in (1, 2))
    assert (by, text, by_other, empty) == (first, "one", second, "") and 0 < at <= later
    for number in (0, 3):
        with bench.reverts("NoSuchNote", number):
            book.call("note", number)
