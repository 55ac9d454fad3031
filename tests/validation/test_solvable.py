"""What the reference sends has a source: the prompt, an earlier result, or a declared rule, worked out here by hand."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from nftbench.chain.keys import Key
from nftbench.tasks.family import Derivation
from nftbench.validation.derivations import RULES, Seen
from nftbench.validation.replay import Trace, Turn
from nftbench.validation.solvable import unexplained

ADDRESS = "0x" + "Ab" * 20
SIGNATURE = Key.derive("a seed", "signer").sign_digest(bytes(32))


def sent(*arguments: Any, value: str = "0", seen: Any = None, prompt: str = "Send #41 for 0.25 ether.") -> Trace:
    turns = [] if seen is None else [Turn("call", {}, json.dumps({"result": seen}))]
    given = {"to": ADDRESS, "function": "f", "arguments": list(arguments), "value_wei": value}
    return Trace(f"{prompt} {ADDRESS}", (*turns, Turn("send_transaction", given, "{}")))


def test_what_was_told_or_shown_needs_no_rule() -> None:
    assert unexplained(sent("41", ADDRESS.lower(), "77", "0x1234", seen=["77", "0x1234"]), ()) == []
    assert unexplained(sent("0", "1", "0x", "0x" + "00" * 20, str(2**256 - 1)), ()) == []


def test_what_comes_from_nowhere_is_named_with_its_place() -> None:
    found = unexplained(sent("42", ["0x" + "cd" * 20]), ())
    assert found[0] == "the reference sends 42 (send_transaction arguments[0]), which it was neither told nor shown"
    assert "arguments[1][0]" in found[1] and len(found) == 2


def test_a_result_counts_only_from_then_on() -> None:
    trace = sent("77")
    late = Trace(trace.prompt, (*trace.turns, Turn("call", {}, '{"result": "77"}')))
    assert len(unexplained(late, ())) == 1


def test_a_number_word_a_thousands_comma_and_a_hexadecimal_number_are_numbers() -> None:
    assert unexplained(sent("3", "1200", "255", prompt="Three for 1,200 at 0xff."), ()) == []


RULED: dict[Derivation, tuple[Trace, Trace]] = {
    # rule: a trace that it explains, and one that it does not
    "units": (sent(value="250000000000000000"), sent(value="250000000000000001")),
    "half": (sent("20", seen="41"), sent("22", seen="41")),
    "sum": (sent("57", seen="16"), sent("58", seen="16")),
    "difference": (sent("25", seen="16"), sent("26", seen="16")),
    "product": (sent("656", seen="16"), sent("657", seen="16")),
    "share": (sent("25", seen=["1000", "250"]), sent("27", seen=["1000", "250"])),
    "predecessor": (sent("40"), sent("39")),
    "successor": (sent("42"), sent("43")),
    "total": (sent("65", seen=["10", "20", "35"]), sent("45", seen=["10", "20", "35"])),
    "count": (sent("3", seen=["10", "20", "35"]), sent("4", seen=["10", "20", "35"])),
    "word": (sent("0x" + f"{41:064x}"), sent("0x" + f"{42:064x}")),
}


@pytest.mark.parametrize("rule", RULED)
def test_a_declared_rule_explains_what_it_gives_and_nothing_else(rule: Derivation) -> None:
    explained, other = RULED[rule]
    assert len(unexplained(explained, ())) == 1
    assert unexplained(explained, (rule,)) == []
    assert len(unexplained(other, (rule,))) == 1


NUMBERS = st.lists(st.integers(0, 40), max_size=16).map(lambda numbers: [str(n) for n in numbers])


@hypothesis.given(st.integers(0, 60), st.lists(NUMBERS, max_size=3))
def test_two_numbers_are_computed_with_if_one_result_was_short_or_had_them_both(value: int, results: list[Any]) -> None:
    """By trying all pairs: those of short results and of the prompt with each other, those of a longer one among themselves and
    with the prompt's."""
    prompt = "Send 41."
    seen = Seen(prompt)
    for result in results:
        seen.add(json.dumps({"result": result}))
    short = {int(n) for result in results if len(result) <= 12 for n in result}
    base = seen.told | seen.in_units() | seen.moments() | short
    pairs = {(a, b) for a in base for b in base}
    for numbers in ([int(n) for n in result] for result in results if len(result) > 12):
        for a, b in product({*numbers, *seen.told}, numbers):
            pairs |= {(a, b), (b, a)}
    assert RULES["sum"](value, seen) is any(a + b == value for a, b in pairs)
    assert RULES["difference"](value, seen) is any(a - b == value for a, b in pairs)
    assert RULES["product"](value, seen) is any(a * b == value for a, b in pairs)


def test_a_moment_in_words_is_a_time_in_the_year_that_was_seen() -> None:
    """Thursday 14 January 2027, 18:00 UTC is 1799949600 (1798761600 is 2027-01-01, and 13.75 days are 1188000 s)."""
    prompt, seen = "Before Thursday 14 January, 18:00 UTC.", "1798797600"
    assert unexplained(sent("1799949600", seen=seen, prompt=prompt), ("moment",)) == []
    assert len(unexplained(sent("1799949600", seen=seen, prompt=prompt), ())) == 1
    assert len(unexplained(sent("1799946000", seen=seen, prompt=prompt), ("moment",))) == 1


def test_rules_chain_where_both_are_declared() -> None:
    """3 of 7 are left, at 16 each: (7 - 4) * 16."""
    trace = sent("48", seen=["7", "4", "16"], prompt="Take what is left.")
    assert unexplained(trace, ("product", "difference")) == []
    assert len(unexplained(trace, ("product",))) == 1


def test_a_signature_may_be_written_in_its_other_form() -> None:
    """EIP-2098: 64 bytes, the parity of v in the top bit of s."""
    r, s, v = SIGNATURE[:32], int.from_bytes(SIGNATURE[32:64], "big"), SIGNATURE[64]
    compact = "0x" + (r + (s | (v - 27) << 255).to_bytes(32, "big")).hex()
    whole = "0x" + SIGNATURE.hex()
    for shown, given in ((compact, whole), (whole, compact)):
        assert unexplained(sent(given, seen=shown), ("compact",)) == []
        assert len(unexplained(sent(given, seen=shown), ())) == 1
    assert len(unexplained(sent(whole[:-4] + "0000", seen=compact), ("compact",))) == 1


def test_a_total_is_also_of_what_rows_have_under_the_same_key() -> None:
    """As the considerations of an order, whose other fields stand between their amounts; not across keys."""
    rows = [{"start": str(n), "of": str(m)} for n, m in ((900, 7), (60, 8), (40, 9))]
    assert unexplained(sent("1000", seen=rows), ("total",)) == []
    assert unexplained(sent("1007", seen=rows), ("total",)) != []
