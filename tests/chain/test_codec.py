"""ABI encoding against eth-abi, another implementation, and against what the specification says of bad data."""

from __future__ import annotations

from typing import Any

import eth_abi
import pytest
from eth_abi.packed import encode_packed as their_encode_packed
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.codec import DecodingError, EncodingError, Reader, codec, nesting, split_types
from nftbench.chain.packed import encode_packed
from nftbench.values import checksum

addresses = st.binary(min_size=20, max_size=20).map(lambda raw: checksum("0x" + raw.hex()))


def values_of(kind: str) -> st.SearchStrategy[Any]:
    if kind.endswith("]"):
        element, _, length = kind[:-1].rpartition("[")
        low, high = (int(length), int(length)) if length else (0, 4)
        return st.lists(values_of(element), min_size=low, max_size=high).map(tuple)
    if kind.startswith("("):
        return st.tuples(*(values_of(member) for member in split_types(kind)))
    if kind.startswith("uint"):
        return st.integers(0, 2 ** int(kind[4:]) - 1)
    if kind.startswith("int"):
        bound = 2 ** (int(kind[3:]) - 1)
        return st.integers(-bound, bound - 1)
    if kind.startswith("bytes") and kind != "bytes":
        return st.binary(min_size=int(kind[5:]), max_size=int(kind[5:]))
    text = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
    return {"bool": st.booleans(), "bytes": st.binary(max_size=70), "string": text, "address": addresses}[kind]


plain = st.sampled_from(
    ["uint256", "uint8", "int256", "int24", "address", "bool", "bytes4", "bytes32", "bytes", "string"]
)
types = st.recursive(
    plain,
    lambda inner: st.one_of(
        inner.map(lambda kind: kind + "[]"),
        st.tuples(inner, st.integers(1, 3)).map(lambda both: f"{both[0]}[{both[1]}]"),
        st.lists(inner, min_size=1, max_size=4).map(lambda kinds: f"({','.join(kinds)})"),
    ),
    max_leaves=6,
)
typed_values = st.lists(types, min_size=1, max_size=4).flatmap(
    lambda kinds: st.tuples(st.just(kinds), st.tuples(*map(values_of, kinds)))
)


@given(typed_values)
def test_encoding_is_that_of_eth_abi_and_decoding_undoes_it(typed: tuple[list[str], tuple[Any, ...]]) -> None:
    kinds, values = typed
    ours = codec(f"({','.join(kinds)})")
    encoded = ours.encode(values)
    assert encoded == eth_abi.encode(kinds, values)
    assert ours.decode(Reader(encoded), 0) == values


@given(types, st.binary(max_size=400))
def test_any_bytes_decode_or_are_refused(kind: str, data: bytes) -> None:
    """Never another exception, and never a value that encodes to less than what was read."""
    try:
        value = codec(f"({kind})").decode(Reader(data), 0)
    except DecodingError:
        return
    codec(f"({kind})").encode(value)


@given(st.lists(st.tuples(plain, st.data()), max_size=5))
def test_packed_encoding_is_that_of_eth_abi(parts: list[tuple[str, st.DataObject]]) -> None:
    kinds = [kind for kind, _ in parts]
    values = [data.draw(values_of(kind)) for kind, data in parts]
    assert encode_packed(kinds, values) == their_encode_packed(kinds, values)


def test_elements_of_packed_arrays_stay_padded() -> None:
    """Solidity documentation, non-standard packed mode: 'array elements are padded, but still encoded in-place'."""
    expected = b"".join(n.to_bytes(32, "big") for n in (1, 2, 3)) + b"\x04"
    assert encode_packed(["uint8[]", "uint16[2]", "uint8"], [[1], [2, 3], 4]) == expected


@pytest.mark.parametrize("kind", ["uint256[][]", "string[]", "(uint256)", "(uint256)[]", "bytes[2]"])
def test_what_solidity_can_not_pack_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="can't be packed"):
        encode_packed([kind], [[]])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("uint8", 256),
        ("uint256", -1),
        ("uint256", 2**256),
        ("int8", 128),
        ("uint256", "5"),
        ("uint256", True),
        ("uint256", 1.0),
        ("bool", 1),
        ("address", "0x1234"),
        ("address", 5),
        ("bytes4", b"abc"),
        ("bytes4", "0x61626364"),
        ("bytes", "0x"),
        ("string", b"text"),
        ("string", "\ud800"),
        ("uint256[2]", [1]),
        ("uint256[]", 1),
        ("(uint256,bool)", [1]),
        ("(uint256,bool)", None),
    ],
)
def test_values_that_a_type_can_not_hold_are_refused(kind: str, value: Any) -> None:
    with pytest.raises(EncodingError):
        codec(kind).encode(value)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("uint256", bytes(31)),
        ("uint8", (256).to_bytes(32, "big")),
        ("int8", (128).to_bytes(32, "big")),
        ("bool", (2).to_bytes(32, "big")),
        ("address", (1 << 160).to_bytes(32, "big")),
        ("bytes4", b"abcde".ljust(32, b"\0")),
        ("string", (32).to_bytes(32, "big")),
        ("string", (33).to_bytes(32, "big") + bytes(32)),
        ("bytes", (32).to_bytes(32, "big") + (5).to_bytes(32, "big") + b"abcd"),
        ("uint256[]", (32).to_bytes(32, "big") + (2**255).to_bytes(32, "big")),
        ("uint256[]", (2**256 - 1).to_bytes(32, "big")),
    ],
)
def test_data_that_no_encoder_writes_is_refused(kind: str, data: bytes) -> None:
    with pytest.raises(DecodingError):
        codec(f"({kind})").decode(Reader(data), 0)


def test_data_that_points_at_itself_ends_soon() -> None:
    """Every level's eight pointers lead to one array of the next level: 8**8 elements in two kilobytes."""
    levels = 8
    kind = "uint256" + "[]" * levels
    size = 32 * 9
    data = (32).to_bytes(32, "big")
    for _ in range(levels - 1):
        data += (8).to_bytes(32, "big") + (size - 32).to_bytes(32, "big") * 8
    data += (8).to_bytes(32, "big") + bytes(32 * 8)
    with pytest.raises(DecodingError, match="more elements and bytes"):
        codec(f"({kind})").decode(Reader(data), 0)


def test_a_string_in_bad_utf_8_can_still_be_read() -> None:
    data = (32).to_bytes(32, "big") + (3).to_bytes(32, "big") + b"a\xffb".ljust(32, b"\0")
    assert codec("(string)").decode(Reader(data), 0) == ("a\ufffdb",)


@pytest.mark.parametrize(
    "kind",
    [
        "uint", "uint7", "uint264", "uint08", "bytes0", "bytes33", "address8", "fixed128x18", "", "uint256[", "uint256]",
        "(uint256", "uint256)", "(uint256)x", "uint256[-1]", "uint256[999999]", "x[]", "uint256" + "[]" * 40, "(" * 40,
    ],
)  # fmt: skip
def test_types_that_do_not_exist_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match=r"type|parenthes"):
        codec(kind)


def test_many_pointers_to_the_same_bytes_end_soon() -> None:
    """A thousand elements of `bytes[]` that all point to one text of 32 kB would come to 32 MB."""
    count, length = 1000, 32_000
    head = count.to_bytes(32, "big") + (32 * count).to_bytes(32, "big") * count
    data = (32).to_bytes(32, "big") + head + length.to_bytes(32, "big") + bytes(length)
    with pytest.raises(DecodingError, match="more elements and bytes"):
        codec("(bytes[])").decode(Reader(data), 0)


@pytest.mark.parametrize(
    ("kind", "depth"),
    [
        ("uint256", 0),
        ("(uint256)", 1),
        ("uint256[][3]", 2),
        ("(uint256[],(bool,(address)[])[2][])[]", 7),
        ("((((", 4),
        ("(a,b),(c[])[]", 3),
    ],
)
def test_the_nesting_of_a_type_counts_what_lies_within_each_other(kind: str, depth: int) -> None:
    assert nesting(kind) == depth


@pytest.mark.parametrize(
    "text", ["uint256" + "[]" * 33, "(" * 33 + "bool" + ")" * 33, "[" * 9999, "(" * 9999, "([" * 99]
)
def test_a_type_beyond_all_use_is_refused_and_never_followed(text: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        codec(text)


def test_a_list_of_many_arrays_is_no_deep_one() -> None:
    kind = "(" + ",".join(["uint8[]"] * 100) + ")"
    assert codec(kind).decode(Reader(codec(kind).encode([(1,)] * 100)), 0) == ((1,),) * 100
