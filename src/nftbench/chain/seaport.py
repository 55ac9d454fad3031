"""Seaport 1.6's own encodings: the hashes of orders, what is signed (EIP-712), and bulk signatures.

An order here is the tuple that the ABI takes as OrderComponents: offerer, zone, offer, consideration, orderType, startTime,
endTime, zoneHash, salt, conduitKey, counter. The order hash is the struct hash of it (`getOrderHash`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from nftbench.values import address_from_bytes, keccak256

DOMAIN_NAME = "Seaport"
"""The name in the EIP-712 domain, whatever a market that uses the contract is called."""
VERSION = "1.6"
TALLEST = 24
"""Levels of the tallest tree that a bulk signature may have."""
_DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"

CREATE_CONDUIT = "createConduit"
"""How a ConduitController makes a conduit."""
_CONDUIT_CODE_HASH = bytes.fromhex("8ffa751241af2f9b5c7ddca69bef95907b0389b4c196f374e463c1f465a3164e")
"""The controller's own: see its `getConduitCodeHashes`."""

Components = tuple[Any, ...]

TYPES: dict[str, tuple[tuple[str, str], ...]] = {
    "OrderComponents": (
        ("offerer", "address"),
        ("zone", "address"),
        ("offer", "OfferItem[]"),
        ("consideration", "ConsiderationItem[]"),
        ("orderType", "uint8"),
        ("startTime", "uint256"),
        ("endTime", "uint256"),
        ("zoneHash", "bytes32"),
        ("salt", "uint256"),
        ("conduitKey", "bytes32"),
        ("counter", "uint256"),
    ),
    "OfferItem": (
        ("itemType", "uint8"),
        ("token", "address"),
        ("identifierOrCriteria", "uint256"),
        ("startAmount", "uint256"),
        ("endAmount", "uint256"),
    ),
    "ConsiderationItem": (
        ("itemType", "uint8"),
        ("token", "address"),
        ("identifierOrCriteria", "uint256"),
        ("startAmount", "uint256"),
        ("endAmount", "uint256"),
        ("recipient", "address"),
    ),
}
"""The types of an order's typed data, fields in order."""


def _encoded(name: str) -> str:
    return f"{name}({','.join(f'{kind} {field}' for field, kind in TYPES[name])})"


_ITEM_TYPES = _encoded("ConsiderationItem") + _encoded("OfferItem")
_OFFER_HASH = keccak256(_encoded("OfferItem").encode())
_CONSIDERATION_HASH = keccak256(_encoded("ConsiderationItem").encode())
_ORDER_HASH = keccak256((_encoded("OrderComponents") + _ITEM_TYPES).encode())


def order_hash(components: Components) -> bytes:
    """The struct hash of an order, by which the contract knows it."""
    offerer, zone, offer, consideration, *rest = components
    offered = keccak256(b"".join([_item_hash(_OFFER_HASH, item) for item in offer]))
    asked = keccak256(b"".join([_item_hash(_CONSIDERATION_HASH, item) for item in consideration]))
    return keccak256(_ORDER_HASH + _words((offerer, zone)) + offered + asked + _words(rest))


@lru_cache(maxsize=16_384)
def _item_hash(type_hash: bytes, item: tuple[Any, ...]) -> bytes:
    return keccak256(type_hash + _words(item))


@lru_cache(maxsize=64)
def domain_separator(chain_id: int, exchange: str) -> bytes:
    """That of a Seaport at an address."""
    names = keccak256(_DOMAIN_TYPE.encode()) + keccak256(DOMAIN_NAME.encode()) + keccak256(VERSION.encode())
    return keccak256(names + _words((chain_id, exchange)))


def digest(chain_id: int, exchange: str, struct_hash: bytes) -> bytes:
    """What is signed for the struct of this hash: an order, or a bulk order."""
    return keccak256(b"\x19\x01" + domain_separator(chain_id, exchange) + struct_hash)


@lru_cache(maxsize=TALLEST)
def _bulk_type(height: int) -> bytes:
    return keccak256((f"BulkOrder(OrderComponents{'[2]' * height} tree)" + _ITEM_TYPES_OF_BULK).encode())


_ITEM_TYPES_OF_BULK = _encoded("ConsiderationItem") + _encoded("OfferItem") + _encoded("OrderComponents")

EMPTY_ORDER: Components = ("0x" + "00" * 20, "0x" + "00" * 20, (), (), 0, 0, 0, bytes(32), 0, bytes(32), 0)
"""What fills up the leaves of a bulk order to a power of two."""


def bulk_leaves(hashes: Sequence[bytes]) -> list[bytes]:
    """The order hashes of a bulk order, filled up to a power of two, two at least; ValueError for none or too many."""
    if not 0 < len(hashes) <= 1 << TALLEST:
        raise ValueError(f"a bulk order has 1 to 2**{TALLEST} orders, and this one has {len(hashes)}")
    size = 1 << max(1, (len(hashes) - 1).bit_length())
    return [*hashes, *[order_hash(EMPTY_ORDER)] * (size - len(hashes))]


def bulk_hash(leaves: Sequence[bytes]) -> bytes:
    """The struct hash of the bulk order over these leaves, a power of two of them."""
    height = (len(leaves) - 1).bit_length()
    layer = list(leaves)
    while len(layer) > 1:
        layer = [keccak256(layer[i] + layer[i + 1]) for i in range(0, len(layer), 2)]
    return keccak256(_bulk_type(height) + layer[0])


def bulk_signature(signature: bytes, leaves: Sequence[bytes], index: int) -> bytes:
    """What proves one order of a bulk order alone: the signature, the order's place in three bytes, and its proof."""
    return signature + index.to_bytes(3, "big") + b"".join(_siblings(list(leaves), index))


def bulk_struct_hash(order: bytes, index: int, proof: Sequence[bytes]) -> bytes:
    """The struct hash of the bulk order that a proof leads to from an order's hash."""
    node = order
    for level, sibling in enumerate(proof):
        node = keccak256(sibling + node) if index >> level & 1 else keccak256(node + sibling)
    return keccak256(_bulk_type(len(proof)) + node)


def split_signature(signature: bytes) -> tuple[bytes, int, list[bytes]]:
    """A signature's own part, the order's place in a bulk order, and the proof; no proof where it is over one order alone.

    The sizes are those that the contract takes for bulk: 64 or 65 bytes, 3 of the place, 32 for each of 1 to 24 levels.
    """
    own = 64 + (len(signature) - 67) % 32
    height = (len(signature) - own - 3) // 32
    if own not in (64, 65) or not 1 <= height <= TALLEST:
        return signature, 0, []
    index, proof = int.from_bytes(signature[own : own + 3], "big"), signature[own + 3 :]
    return signature[:own], index, [proof[i : i + 32] for i in range(0, len(proof), 32)]


def conduit_address(controller: str, key: bytes) -> str:
    """Where a controller makes the conduit of a key: by CREATE2 (EIP-1014), with the key as the salt."""
    return address_from_bytes(keccak256(b"\xff" + bytes.fromhex(controller[2:]) + key + _CONDUIT_CODE_HASH))


def typed_data(chain_id: int, exchange: str, components: Components) -> dict[str, Any]:
    """What a wallet is shown to sign for an order, as JSON."""
    return {
        "types": {name: [{"name": n, "type": t} for n, t in fields] for name, fields in TYPES.items()},
        "primaryType": "OrderComponents",
        "domain": {"name": DOMAIN_NAME, "version": VERSION, "chainId": chain_id, "verifyingContract": exchange},
        "message": as_json("OrderComponents", components),
    }


def as_json(kind: str, values: Sequence[Any]) -> dict[str, Any]:
    """A struct as JSON: numbers as decimal strings, small ones too, as APIs of markets have them."""
    told: dict[str, Any] = {}
    for (field, type_), value in zip(TYPES[kind], values, strict=True):
        if type_.endswith("[]"):
            told[field] = [as_json(type_[:-2], item) for item in value]
        else:
            told[field] = "0x" + value.hex() if isinstance(value, bytes) else str(value)
    return told


def _siblings(layer: list[bytes], index: int) -> Iterator[bytes]:
    """The proof of a leaf, bottom first; pairs are hashed as they stand."""
    while len(layer) > 1:
        yield layer[index ^ 1]
        layer = [keccak256(layer[i] + layer[i + 1]) for i in range(0, len(layer), 2)]
        index //= 2


def _words(values: Sequence[Any]) -> bytes:
    """Static values as ABI words: numbers, addresses and 32-byte words."""
    return b"".join([_word(value) for value in values])


def _word(value: Any) -> bytes:
    if isinstance(value, str):
        return _PADDING + bytes.fromhex(value[2:])
    return value if isinstance(value, bytes) else int(value).to_bytes(32, "big")


_PADDING = bytes(12)
