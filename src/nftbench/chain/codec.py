"""Contract ABI encoding and decoding, compiled once per type (rules: the Solidity ABI specification).

Values are Python's own: int, bool, EIP-55 address strings, bytes, str, and tuples for arrays and structs (lists are
taken as well). Encoding is strict about types and ranges. Decoding refuses what no encoder writes (bytes missing, an
address of more than 20 bytes, a bool of 2), and data that points at itself to grow without bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from nftbench.values import address_from_bytes, checksum

WORD = 32
_ELEMENTARY = re.compile(r"(uint|int|bytes|address|bool|string|function)((?:[1-9][0-9]{0,2})?)")
_ARRAY = re.compile(r"(.*)\[((?:[1-9][0-9]{0,4}|0)?)\]", re.DOTALL)
_NESTING = re.compile(r"[(),]|\[")
DEEPEST_TYPE = 32
"""How many arrays and tuples of a type may lie within each other."""
# Nothing sane comes near: each element of an array, and each word of bytes, takes a word of data unless pointers share it.
_SHARING = 8


class EncodingError(ValueError):
    """A value that its ABI type can't hold; the message says which and why."""


class DecodingError(ValueError):
    """Bytes that are no ABI encoding of the expected types."""


class Reader:
    """The bytes being decoded and how many more array elements, and words of bytes, may be read from them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = _SHARING * (len(data) // WORD + 1)

    def number(self, at: int) -> int:
        word = self.data[at : at + WORD]
        if len(word) != WORD:
            raise DecodingError(f"the data ends at byte {len(self.data)}, and 32 bytes from byte {at} on were expected")
        return int.from_bytes(word, "big")

    def pointer(self, base: int, at: int) -> int:
        target = base + self.number(at)
        if target > len(self.data):
            raise DecodingError(f"an offset points to byte {target} of {len(self.data)}")
        return target

    def spend(self, elements: int) -> None:
        self.left -= elements
        if self.left < 0:
            raise DecodingError("the data claims more elements and bytes than it can hold")


class Codec(Struct, frozen=True):
    """How one ABI type is written and read. `size` is what it takes in the head: 32 for a dynamic type's offset."""

    dynamic: bool
    size: int
    encode: Callable[[Any], bytes]
    decode: Callable[[Reader, int], Any]


@lru_cache(maxsize=4096)
def codec(type_name: str) -> Codec:
    """The codec of a canonical type such as `(address,uint256[2])[]`; ValueError for an unknown type."""
    if nesting(type_name) > DEEPEST_TYPE:
        raise ValueError("the type is nested too deeply")
    array = _ARRAY.fullmatch(type_name)
    if array:
        element = codec(array[1])
        return _fixed_array(element, int(array[2]), type_name) if array[2] else _dynamic_array(element, type_name)
    if type_name.startswith("("):
        return _tuple(split_types(type_name), type_name)
    match = _ELEMENTARY.fullmatch(type_name)
    if not match:
        raise ValueError(f"{type_name!r} is no ABI type")
    return _elementary(match[1], int(match[2]) if match[2] else None, type_name)


def nesting(type_text: str) -> int:
    """How deep the arrays and tuples of a type, or of a list of types, lie within each other; parentheses may be missing."""
    deepest, inner, outer = 0, 0, [0]
    for mark in _NESTING.finditer(type_text):
        match mark.group():
            case "(":
                outer.append(0)
                inner = 0
            case "[":
                inner += 1
            case ",":
                outer[-1], inner = max(outer[-1], inner), 0
            case _:
                inner = max(outer.pop(), inner) + 1
                outer = outer or [0]
        deepest = max(deepest, len(outer) - 1, inner)
    return deepest


def split_types(tuple_type: str) -> tuple[str, ...]:
    """The members of `(a,(b,c)[],d)`: a, (b,c)[] and d; ValueError if the parentheses don't match."""
    if not (tuple_type.startswith("(") and tuple_type.endswith(")")):
        raise ValueError(f"{tuple_type!r} is no list of types in parentheses")
    members, depth, start = [], 0, 1
    for at, character in enumerate(tuple_type):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0 and at != len(tuple_type) - 1:
                raise ValueError(f"{tuple_type!r} has text behind its closing parenthesis")
        if (character == "," and depth == 1) or (character == ")" and depth == 0):
            members.append(tuple_type[start:at].strip())
            start = at + 1
    if depth:
        raise ValueError(f"{tuple_type!r} has parentheses that don't match")
    return () if members == [""] else tuple(members)


def _elementary(base: str, bits: int | None, name: str) -> Codec:
    if base in ("uint", "int") and bits is not None and 8 <= bits <= 256 and bits % 8 == 0:
        return _integer(bits, base == "int", name)
    if base == "bytes" and bits is None:
        return Codec(True, WORD, _encode_bytes, _decode_bytes)
    if base == "bytes" and bits is not None and 1 <= bits <= WORD:
        return _fixed_bytes(bits, name)
    if base == "function" and bits is None:
        return _fixed_bytes(24, name)
    if base == "address" and bits is None:
        return Codec(False, WORD, _encode_address, _decode_address)
    if base == "bool" and bits is None:
        return Codec(False, WORD, _encode_bool, _decode_bool)
    if base == "string" and bits is None:
        return Codec(True, WORD, _encode_string, _decode_string)
    raise ValueError(f"{name!r} is no ABI type")


def _integer(bits: int, signed: bool, name: str) -> Codec:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)

    def encode(value: Any) -> bytes:
        if type(value) is not int:
            raise EncodingError(f"{name} needs an integer and got {value!r}")
        if not low <= value <= high:
            raise EncodingError(f"{value} is out of the range of {name}")
        return value.to_bytes(WORD, "big", signed=signed)

    def decode(reader: Reader, at: int) -> int:
        value = reader.number(at)
        if signed and value >> 255:
            value -= 1 << 256
        if not low <= value <= high:
            raise DecodingError(f"{value} is out of the range of {name}")
        return value

    return Codec(False, WORD, encode, decode)


def _fixed_bytes(length: int, name: str) -> Codec:
    padding = bytes(WORD - length)

    def encode(value: Any) -> bytes:
        if not isinstance(value, bytes) or len(value) != length:
            raise EncodingError(f"{name} needs {length} bytes and got {value!r}")
        return value + padding

    def decode(reader: Reader, at: int) -> bytes:
        word = reader.data[at : at + WORD]
        if len(word) != WORD or word[length:] != padding:
            raise DecodingError(f"no {name} at byte {at}")
        return word[:length]

    return Codec(False, WORD, encode, decode)


@lru_cache(maxsize=65536)
def _address_word(value: str) -> bytes:
    return bytes(12) + bytes.fromhex(checksum(value)[2:])


def _encode_address(value: Any) -> bytes:
    if not isinstance(value, str):
        raise EncodingError(f"address needs 0x and 40 hexadecimal digits and got {value!r}")
    try:
        return _address_word(value)
    except ValueError as error:
        raise EncodingError(str(error)) from None


def _decode_address(reader: Reader, at: int) -> str:
    word = reader.data[at : at + WORD]
    if len(word) != WORD or not word.startswith(bytes(12)):
        raise DecodingError(f"no address at byte {at}")
    return address_from_bytes(word)


def _encode_bool(value: Any) -> bytes:
    if not isinstance(value, bool):
        raise EncodingError(f"bool needs True or False and got {value!r}")
    return int(value).to_bytes(WORD, "big")


def _decode_bool(reader: Reader, at: int) -> bool:
    value = reader.number(at)
    if value > 1:
        raise DecodingError(f"{value} is no bool")
    return value == 1


def _encode_bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise EncodingError(f"bytes needs bytes and got {value!r}")
    return len(value).to_bytes(WORD, "big") + value + bytes(-len(value) % WORD)


def _decode_bytes(reader: Reader, at: int) -> bytes:
    length = reader.number(at)
    reader.spend(min(length, len(reader.data)) // WORD)
    value = reader.data[at + WORD : at + WORD + length]
    if len(value) != length:
        raise DecodingError(f"{length} bytes were announced and {len(value)} are there")
    return value


def _encode_string(value: Any) -> bytes:
    if not isinstance(value, str):
        raise EncodingError(f"string needs text and got {value!r}")
    try:
        return _encode_bytes(value.encode())
    except UnicodeEncodeError:
        raise EncodingError("string needs text without lone surrogates") from None


def _decode_string(reader: Reader, at: int) -> str:
    # Contracts may hold any bytes as a string; a name in bad UTF-8 must still be readable.
    return _decode_bytes(reader, at).decode(errors="replace")


def _tuple(types: Sequence[str], name: str) -> Codec:
    members = [codec(member) for member in types]
    encode_members, decode_members = _encode_members(members), _decode_members(members)

    def encode(value: Any) -> bytes:
        if not isinstance(value, (tuple, list)) or len(value) != len(members):
            raise EncodingError(f"{name} needs {len(members)} values and got {value!r}")
        return encode_members(value)

    dynamic = any(member.dynamic for member in members)
    return Codec(dynamic, WORD if dynamic else sum(m.size for m in members), encode, decode_members)


def _fixed_array(element: Codec, length: int, name: str) -> Codec:
    def encode(value: Any) -> bytes:
        if not isinstance(value, (tuple, list)) or len(value) != length:
            raise EncodingError(f"{name} needs {length} elements and got {value!r}")
        return _encode_members([element] * length)(value)

    def decode(reader: Reader, at: int) -> Any:
        reader.spend(length)
        return _decode_members([element] * length)(reader, at)

    return Codec(element.dynamic, WORD if element.dynamic else length * element.size, encode, decode)


def _dynamic_array(element: Codec, name: str) -> Codec:
    def encode(value: Any) -> bytes:
        if not isinstance(value, (tuple, list)):
            raise EncodingError(f"{name} needs a list and got {value!r}")
        return len(value).to_bytes(WORD, "big") + _encode_members([element] * len(value))(value)

    def decode(reader: Reader, at: int) -> Any:
        length = reader.number(at)
        reader.spend(length)
        return _decode_members([element] * length)(reader, at + WORD)

    return Codec(True, WORD, encode, decode)


def _encode_members(members: Sequence[Codec]) -> Callable[[Sequence[Any]], bytes]:
    head_size = sum(member.size for member in members)
    if not any(member.dynamic for member in members):
        encoders = [member.encode for member in members]
        return lambda values: b"".join([encode(value) for encode, value in zip(encoders, values, strict=True)])

    def encode(values: Sequence[Any]) -> bytes:
        head, tail, tail_at = [], [], head_size
        for member, value in zip(members, values, strict=True):
            encoded = member.encode(value)
            if member.dynamic:
                head.append(tail_at.to_bytes(WORD, "big"))
                tail.append(encoded)
                tail_at += len(encoded)
            else:
                head.append(encoded)
        return b"".join(head + tail)

    return encode


def _decode_members(members: Sequence[Codec]) -> Callable[[Reader, int], tuple[Any, ...]]:
    def decode(reader: Reader, at: int) -> tuple[Any, ...]:
        values, position = [], at
        for member in members:
            start = reader.pointer(at, position) if member.dynamic else position
            values.append(member.decode(reader, start))
            position += member.size
        return tuple(values)

    return decode
