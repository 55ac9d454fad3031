"""What may stand in the place of a parameter: parts of structs, items of arrays, and what others have sent before."""

from __future__ import annotations

import itertools

import pytest

from nftbench.chain.abi import Parameter, encode
from nftbench.tasks import catalog
from nftbench.validation.argument_values import ODD_WORD, Values, item_of, options
from nftbench.validation.odd_values import nearby
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play

STRANGER = "0x00000000000000000000000000000000000000Aa"


def a(kind: str, name: str = "x") -> Parameter:
    return Parameter(name, kind, kind)


def a_struct(*components: Parameter, length: str = "") -> Parameter:
    inner = ",".join(c.canonical for c in components)
    return Parameter("x", f"tuple{length}", f"({inner}){length}", components)


@pytest.fixture(scope="module")
def lynx() -> Rehearsal:
    task = catalog.task("F1a_03")
    return Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)


def test_a_struct_is_put_together_of_what_may_stand_in_its_parts(lynx: Rehearsal) -> None:
    values = Values(lynx)
    parts = [a("address", "maker"), a("uint256", "tokenId"), a("bool")]
    found = options(a_struct(*parts), values)
    assert found[0] == tuple(options(part, values)[0] for part in parts)
    assert len(found) == len(set(found)) > 20
    assert all(len(value) == 3 and value[2] in (True, False) for value in found)


def test_an_array_has_one_item_two_three_or_none_and_a_fixed_one_as_many_as_it_takes(lynx: Rehearsal) -> None:
    values = Values(lynx)
    assert {len(value) for value in options(a("uint256[]"), values)} >= {0, 1, 2, 3}
    assert {len(value) for value in options(a("bool[2]"), values)} == {2}
    assert {len(value) for value in options(a_struct(a("bool"), a("uint8"), length="[]"), values)} == {0, 1, 2, 3}


def test_what_the_reference_sends_comes_first_whole_and_in_parts(lynx: Rehearsal) -> None:
    values, struct = Values(lynx), a_struct(a("uint64"), a("bytes32"))
    values.hint([struct], [(77, b"\7" * 32)])
    assert options(struct, values)[0] == (77, b"\7" * 32)
    assert options(a("uint64"), values)[0] == 77 and options(a("bytes32"), values)[0] == b"\7" * 32


def test_there_is_a_word_for_every_size_where_nobody_has_named_one(lynx: Rehearsal) -> None:
    assert options(a("bytes32"), Values(lynx)) and options(a("bytes4"), Values(lynx)) == [ODD_WORD[:4]]


def test_an_array_of_structs_has_structs_for_items() -> None:
    array = a_struct(a("uint8"), a("address"), length="[3][]")
    assert item_of(array).canonical == "(uint8,address)[3]" and item_of(item_of(array)).canonical == "(uint8,address)"


def test_near_values_differ_from_the_given_ones_in_one_thing() -> None:
    """By hand: every leaf in turn, then each a second time; arrays get longer and shorter."""
    given = ((5, STRANGER), (1, 2))
    found = list(nearby([a_struct(a("uint8"), a("address")), a("uint8[]")], given, STRANGER))
    first = [value[0] for value in found if value[1] == (1, 2)]
    assert first == [(6, STRANGER), (4, STRANGER), (0, STRANGER), (255, STRANGER)]
    arrays = [value[1] for value in found if value[0] == (5, STRANGER)]
    assert {(2, 2), (0, 2), (255, 2), (1, 3), (1, 2, 2), (1, 2, 3), (1,)} <= set(arrays)
    assert len(found) == len(first) + len(arrays) and all(value != given for value in found)


@pytest.mark.parametrize("kind", ["uint8", "uint256", "int64", "address", "bool", "bytes", "bytes4", "string"])
def test_every_simple_type_has_a_near_value_that_it_can_hold(kind: str) -> None:
    other = "0x00000000000000000000000000000000000000bB"
    given = {"address": other, "bool": True, "bytes": b"", "bytes4": b"abcd", "string": "", "int64": -3}.get(kind, 0)
    near = list(itertools.islice(nearby([a(kind)], [given], STRANGER), 5))
    assert near and all(encode([a(kind)], value) != encode([a(kind)], [given]) for value in near)
