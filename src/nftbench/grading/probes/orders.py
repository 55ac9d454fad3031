"""Signed orders of Seaport, as whoever has seen them could use them: read from typed data, leaf by leaf where it is a bulk order.

An order is told by its hash, however often and in whatever way it was signed. Nothing here trusts the form of what was
signed: an order counts if the exchange would hash it to just what the signature is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from nftbench.chain.seaport import (
    TALLEST,
    TYPES,
    Components,
    bulk_hash,
    bulk_signature,
    bulk_struct_hash,
    digest,
    order_hash,
    split_signature,
)
from nftbench.chain.signing import recover
from nftbench.chain.typed_data import number_in, typed_data_hash
from nftbench.values import checksum
from nftbench.world.world import World

EXCHANGE = "Seaport"
COMPONENTS = "OrderComponents"
MOST_LEAVES = 4_096
"""Leaves of one bulk order that are looked at; no model writes as many."""

Parameters = dict[str, Any]


class Order(Struct, frozen=True):
    """One order that somebody else may fill: `signature` is what the exchange takes with it (empty: it was validated on chain).

    `components` are OrderComponents by field, with numbers as int, bytes as bytes and addresses in EIP-55. `genuine` says that
    the signature is over just this order, by its offerer or for a contract, which may say so (ERC-1271).
    """

    exchange: str
    components: Parameters
    hash: bytes
    signature: bytes
    genuine: bool = True

    @property
    def offerer(self) -> str:
        return str(self.components["offerer"])

    def parameters(self) -> tuple[Any, ...]:
        """As Seaport's fulfilments take them (OrderParameters)."""
        return (*words(self.components)[:-1], len(self.components["consideration"]))


def exchanges(world: World) -> list[str]:
    """The addresses of the Seaports of a world."""
    return [address for address, contract in world.contracts.items() if contract.artifact == EXCHANGE]


def orders_signed(world: World, signed: Mapping[str, Any]) -> list[Order] | None:
    """The orders in one recorded signature; None if it is made out to no exchange of this world, or is over something else."""
    typed = signed["typed_data"]
    exchange = _exchange(world, typed["domain"])
    if exchange is None or typed["primaryType"] not in (COMPONENTS, "BulkOrder"):
        return None
    signature, chain = bytes.fromhex(signed["signature"][2:]), world.engine.chain_id
    bulk = typed["primaryType"] == "BulkOrder"
    leaves = _leaves(typed["message"].get("tree")) if bulk else [typed["message"]]
    read = [components_in(leaf) for leaf in leaves]
    known = [components for components in read if components is not None]
    if not leaves or len(known) < len(leaves):
        return []
    hashes = [order_hash(words(components)) for components in known]
    struct_hash = bulk_hash(hashes) if bulk else hashes[0]
    genuine = typed_data_hash(typed) == digest(chain, exchange, struct_hash)
    return [
        Order(
            exchange,
            components,
            hashes[place],
            bulk_signature(signature, hashes, place) if bulk else signature,
            genuine and _may_sign(world, signed["signer"], components["offerer"]),
        )
        for place, components in enumerate(known)
    ]


def order_known(world: World, exchange: str, identity: bytes, components: Components, signature: bytes) -> Order:
    """An order that somebody has, by its hash and with its signature."""
    own, place, proof = split_signature(signature)
    struct_hash = bulk_struct_hash(identity, place, proof) if proof else identity
    try:
        signer = recover(digest(world.engine.chain_id, exchange, struct_hash), own)
    except ValueError:
        signer = ""
    return Order(exchange, components_of(components), identity, signature, _may_sign(world, signer, components[0]))


def _leaves(tree: Any) -> list[Any]:
    """The leaves of a tree of pairs, all equally deep; none if it is no such tree."""
    height, leaves = 0, [tree]
    while all(isinstance(leaf, list | tuple) and len(leaf) == 2 for leaf in leaves) and len(leaves) <= MOST_LEAVES:
        height, leaves = height + 1, [inner for leaf in leaves for inner in leaf]
    return leaves if 0 < height <= TALLEST and len(leaves) <= MOST_LEAVES else []


def _may_sign(world: World, signer: str, offerer: str) -> bool:
    return signer == offerer or bool(world.engine.code(offerer))


def _exchange(world: World, domain: Any) -> str | None:
    """The exchange that a domain names, on this chain."""
    try:
        address = checksum(domain.get("verifyingContract"))
    except (AttributeError, TypeError, ValueError):
        return None
    here = number_in(domain.get("chainId")) == world.engine.chain_id
    return address if here and address in exchanges(world) else None


def components_in(message: Any) -> Parameters | None:
    """OrderComponents as JSON has them, in the values that the chain takes; None for anything else."""
    try:
        return _struct(COMPONENTS, message)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def components_of(told: Components) -> Parameters:
    """OrderComponents as the ABI has them, or OrderParameters: then what is no counter stands in its place."""
    return _named(COMPONENTS, told)


def _named(name: str, told: tuple[Any, ...]) -> Parameters:
    fields = zip(TYPES[name], told, strict=True)
    return {
        field: tuple(_named(kind[:-2], item) for item in word) if kind.endswith("[]") else word
        for (field, kind), word in fields
    }


def _struct(name: str, value: Any) -> Parameters:
    return {field: _value(kind, value[field]) for field, kind in TYPES[name]}


def _value(kind: str, value: Any) -> Any:
    if kind.endswith("[]"):
        return tuple(_struct(kind[:-2], item) for item in value)
    if kind == "address":
        return checksum(value)
    if kind == "bytes32":
        word = bytes.fromhex(value.removeprefix("0x").removeprefix("0X"))
        return word if len(word) == 32 else _none(value)
    number = number_in(value)
    return number if number is not None and 0 <= number < 1 << (8 if kind == "uint8" else 256) else _none(value)


def _none(value: Any) -> Any:
    raise ValueError(f"{value!r:.80} is no value of its type")


def words(value: Any) -> Any:
    """Structs as the tuples that the ABI takes."""
    if isinstance(value, dict):
        return tuple(map(words, value.values()))
    return tuple(map(words, value)) if isinstance(value, tuple) else value
