"""EIP-712: the hash of typed structured data, with every mistake in the data named in a plain sentence.

The data is the JSON that wallets take: `types`, `primaryType`, `domain` and `message`. Numbers may be integers, decimal
strings or 0x strings; bytes are 0x strings. Nothing is padded, cut, converted or left out silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nftbench.chain.codec import codec
from nftbench.values import checksum, is_checksum_valid, keccak256

DOMAIN = "EIP712Domain"
DOMAIN_FIELDS = {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
    "salt": "bytes32",
}
_KEYS = ("types", "primaryType", "domain", "message")
_MAX_DEPTH = 32
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_ELEMENTARY = re.compile(r"u?int[0-9]*|bytes[0-9]*|address|bool|string")
_ARRAY = re.compile(r"(.+)\[([0-9]*)\]")
_DECIMAL = re.compile(r"-?[0-9]{1,78}")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,64}")
_BYTES = re.compile(r"0[xX](?:[0-9a-fA-F]{2})*")

Types = Mapping[str, Mapping[str, str]]


class TypedDataHashes(Struct, frozen=True):
    """`digest` is what gets signed; `message` is the hash of the primary struct, `domain` the domain separator."""

    digest: bytes
    domain: bytes
    message: bytes


def typed_data_hash(typed_data: Any) -> bytes:
    """The 32-byte digest that a wallet signs; ValueError names what is wrong with the data and where."""
    return typed_data_hashes(typed_data).digest


def typed_data_hashes(typed_data: Any) -> TypedDataHashes:
    """The digest and its two parts; ValueError as for typed_data_hash.

    `types` may leave out EIP712Domain, which then has the fields that `domain` has.
    """
    if not isinstance(typed_data, Mapping):
        raise ValueError(f"typed data is an object with {', '.join(_KEYS)}")
    _check_keys(typed_data, dict.fromkeys(_KEYS), "typed data")
    types = _checked_types(typed_data["types"])
    primary, domain = typed_data["primaryType"], typed_data["domain"]
    if not isinstance(primary, str) or primary not in types or primary == DOMAIN:
        choices = ", ".join(name for name in types if name != DOMAIN)
        raise ValueError(f"primaryType must name one of the types ({choices}), and it is {primary!r}")
    domain_fields = _checked_domain(types, domain)
    separator = _Hasher({**types, DOMAIN: domain_fields}).struct(DOMAIN, domain, "domain", 0)
    message = _Hasher(types).struct(primary, typed_data["message"], "message", 0)
    return TypedDataHashes(keccak256(b"\x19\x01" + separator + message), separator, message)


def _checked_types(types: Any) -> dict[str, dict[str, str]]:
    """The fields of every type by name; ValueError unless all of it is well formed and refers to types that exist."""
    if not isinstance(types, Mapping):
        raise ValueError("types must be an object that lists each type's fields")
    checked: dict[str, dict[str, str]] = {}
    for name, fields in types.items():
        if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name) or _ELEMENTARY.fullmatch(name):
            raise ValueError(f"types: {name!r} can't be the name of a type")
        checked[name] = _checked_fields(name, fields)
    for name, members in checked.items():
        for field, kind in members.items():
            _check_type(kind, checked, f"types.{name}.{field}")
    return checked


def _checked_fields(name: str, fields: Any) -> dict[str, str]:
    if not isinstance(fields, (list, tuple)):
        raise ValueError(f"types.{name} must be a list of fields, each with name and type")
    members: dict[str, str] = {}
    for position, field in enumerate(fields):
        where = f"types.{name}[{position}]"
        if not isinstance(field, Mapping):
            raise ValueError(f"{where} must be an object with name and type")
        _check_keys(field, {"name": None, "type": None}, where)
        label, kind = field["name"], field["type"]
        if not isinstance(label, str) or not _IDENTIFIER.fullmatch(label):
            raise ValueError(f"{where}: {label!r} can't be the name of a field")
        if not isinstance(kind, str):
            raise ValueError(f"{where}: the type must be text, and it is {kind!r}")
        if label in members:
            raise ValueError(f"types.{name} has two fields named {label}")
        members[label] = kind
    return members


def _check_type(kind: str, types: Types, where: str) -> None:
    base = kind
    for _ in range(_MAX_DEPTH):
        array = _ARRAY.fullmatch(base)
        if not array:
            break
        base = array[1]
    if base in types and base != DOMAIN:
        return
    if _ELEMENTARY.fullmatch(base):
        try:
            codec(base)
        except ValueError:
            pass
        else:
            return
    raise ValueError(f"{where}: {kind!r} is neither a Solidity type nor one of the types given")


def _checked_domain(types: Types, domain: Any) -> dict[str, str]:
    """The fields of the domain, in the order they are hashed in."""
    if not isinstance(domain, Mapping):
        raise ValueError("domain must be an object")
    if DOMAIN in types:
        fields = dict(types[DOMAIN])
    else:
        unknown = [name for name in domain if name not in DOMAIN_FIELDS]
        if unknown:
            raise ValueError(f"domain has an unknown field {unknown[0]!r}; it may have {', '.join(DOMAIN_FIELDS)}")
        fields = {name: kind for name, kind in DOMAIN_FIELDS.items() if name in domain}
    for name, kind in fields.items():
        if DOMAIN_FIELDS.get(name) != kind:
            expected = ", ".join(f"{known} {name}" for name, known in DOMAIN_FIELDS.items())
            raise ValueError(f"types.{DOMAIN}: {kind} {name} is no field of a domain; they are {expected}")
    if not fields:
        raise ValueError("domain has no fields: a signature without a domain would be good everywhere")
    return fields


def _check_keys(given: Mapping[Any, Any], wanted: Mapping[str, Any], where: str) -> None:
    for name in wanted:
        if name not in given:
            raise ValueError(f"{where} lacks {name!r}")
    for name in given:
        if name not in wanted:
            expected = ", ".join(wanted) or "none"
            raise ValueError(f"{where} has an unknown field {name!r}; its fields are {expected}")


class _Hasher:
    """hashStruct and encodeData of EIP-712 over one set of types."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._type_hashes: dict[str, bytes] = {}

    def struct(self, name: str, value: Any, where: str, depth: int) -> bytes:
        if depth > _MAX_DEPTH:
            raise ValueError(f"{where} is nested more than {_MAX_DEPTH} levels deep")
        fields = self._types[name]
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be an object of type {name}, and it is {value!r:.80}")
        _check_keys(value, fields, where)
        words = [self._word(kind, value[label], f"{where}.{label}", depth + 1) for label, kind in fields.items()]
        return keccak256(self._type_hash(name) + b"".join(words))

    def _word(self, kind: str, value: Any, where: str, depth: int) -> bytes:
        if depth > _MAX_DEPTH + 1:
            raise ValueError(f"{where[:200]} is nested more than {_MAX_DEPTH} levels deep")
        if kind in self._types:
            return self.struct(kind, value, where, depth)
        array = _ARRAY.fullmatch(kind)
        if not array:
            return _elementary_word(kind, value, where)
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{where} must be a list ({kind}), and it is {value!r:.80}")
        if array[2] and len(value) != int(array[2]):
            raise ValueError(f"{where} must have {array[2]} elements ({kind}), and it has {len(value)}")
        words = [self._word(array[1], element, f"{where}[{i}]", depth + 1) for i, element in enumerate(value)]
        return keccak256(b"".join(words))

    def _type_hash(self, name: str) -> bytes:
        if name not in self._type_hashes:
            used = self._used_by(name) - {name}
            self._type_hashes[name] = keccak256("".join(map(self._encoded, [name, *sorted(used)])).encode())
        return self._type_hashes[name]

    def _encoded(self, name: str) -> str:
        return f"{name}({','.join(f'{kind} {label}' for label, kind in self._types[name].items())})"

    def _used_by(self, name: str) -> set[str]:
        """The struct types that a type refers to, itself among them."""
        found, waiting = {name}, [name]
        while waiting:
            for kind in self._types[waiting.pop()].values():
                base = kind.partition("[")[0]
                if base in self._types and base not in found:
                    found.add(base)
                    waiting.append(base)
        return found


def _elementary_word(kind: str, value: Any, where: str) -> bytes:
    if kind == "string":
        return keccak256(_text(value, where).encode())
    if kind == "bytes":
        return keccak256(_bytes(value, kind, where))
    if kind == "bool":
        if not isinstance(value, bool):
            raise ValueError(f"{where} must be true or false, and it is {value!r:.80}")
        return codec(kind).encode(value)
    if kind == "address":
        return codec(kind).encode(_address(value, where))
    converted = _bytes(value, kind, where) if kind.startswith("bytes") else _integer(value, kind, where)
    try:
        return codec(kind).encode(converted)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} must be text, and it is {value!r:.80}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f"{where} holds half of a character pair, which no text can end up with")
    return value


def _bytes(value: Any, kind: str, where: str) -> bytes:
    if not isinstance(value, str) or not _BYTES.fullmatch(value):
        raise ValueError(f"{where} must be 0x and pairs of hexadecimal digits ({kind}), and it is {value!r:.80}")
    return bytes.fromhex(value[2:])


def _address(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} must be an address as text, and it is {value!r:.80}")
    try:
        address = checksum(value)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if not is_checksum_valid(value):
        raise ValueError(f"{where}: the capitals of {value} don't fit its checksum; is a digit mistyped?")
    return address


def number_in(value: Any) -> int | None:
    """A number as typed data has it (an integer, decimal or hexadecimal text); None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return int(value)
    if isinstance(value, str) and _HEXADECIMAL.fullmatch(value):
        return int(value, 16)
    return None


def _integer(value: Any, kind: str, where: str) -> int:
    number = number_in(value)
    if number is None:
        raise ValueError(f"{where} must be a whole number ({kind}), and it is {value!r:.80}")
    return number
