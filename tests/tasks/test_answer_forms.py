"""Answers are compared in one spelling, and what has not the asked form is refused with what was expected."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.tasks.answer_forms import Form, WrongForm, an_object, asking, form_asked, normalise
from nftbench.tasks.goals import Answer, Owns

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
OTHER = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"


@pytest.mark.parametrize(
    ("form", "one", "same"),
    [
        ("address", ADDRESS, f" {ADDRESS.lower()} "),
        ("integer", 17, "17"),
        ("integer", -3, " -3 "),
        ("text", "Sea  Green", "sea green"),
        ("address_set", [ADDRESS, OTHER], [OTHER.lower(), ADDRESS, OTHER]),
        ("address_set", [ADDRESS], f'["{ADDRESS}"]'),
        ("integer_set", [3, 1, 2], ["2", 1, "3", 3]),
        ("integer_set", [], "[]"),
    ],
)
def test_spellings_of_one_answer_are_equal(form: str, one: Any, same: Any) -> None:
    assert normalise(form, one) == normalise(form, same)


@pytest.mark.parametrize(
    ("form", "value", "told"),
    [
        ("address", "Mira", "expected an address"),
        ("address", 7, "expected an address"),
        ("integer", "1.5", "expected a whole number"),
        ("integer", True, "expected a whole number"),
        ("integer", 2.0, "expected a whole number"),
        ("text", ["blue"], "expected text"),
        ("address_set", ADDRESS, "expected a list of addresses"),
        ("integer_set", {"ids": [1]}, "expected a list of whole numbers"),
        ("integer_set", [1, "two"], "expected a whole number, got 'two'"),
        ("integer_set", "[" * 100_000, "expected a list"),
        ("record", [ADDRESS, 1], "exactly the fields owner, balance"),
        ("record", {"owner": ADDRESS}, "exactly the fields owner, balance"),
        ("record", {"owner": ADDRESS, "balance": "many"}, "field 'balance': expected a whole number"),
    ],
)
def test_another_form_is_refused_with_what_was_expected(form: str, value: Any, told: str) -> None:
    with pytest.raises(WrongForm, match="expected") as refused:
        normalise(form, value, {"owner": "address", "balance": "integer"})
    assert told in str(refused.value)


def test_a_record_is_an_object_or_its_json_text_with_fields_in_any_order() -> None:
    fields = {"owner": "address", "balance": "integer"}
    one = normalise("record", {"owner": ADDRESS, "balance": 4}, fields)
    assert one == normalise("record", f'{{"balance": "4", "owner": "{ADDRESS.lower()}"}}', fields)
    assert one != normalise("record", {"owner": ADDRESS, "balance": 5}, fields)


def test_the_form_is_known_without_the_answer() -> None:
    goals = (Owns("user", "cats", 1), Answer("record", {"owner": "x"}, {"owner": "address"}))
    assert form_asked(goals) == Form("record", {"owner": "address"})
    assert form_asked(goals[:1]) is None


def test_every_wording_says_the_form() -> None:
    first, second = asking(("Who?", "Whose?"), an_object(owner="the address"))
    assert first == 'Who? Answer with an object {"owner": the address}.'
    assert second == 'Whose? Give me the answer as an object {"owner": the address}.'
