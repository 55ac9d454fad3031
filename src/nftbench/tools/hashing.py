"""The hash_data tool: the digests and Merkle proofs that NFT contracts ask for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from nftbench.chain.codec import codec
from nftbench.chain.merkle import merkle_proof, merkle_root
from nftbench.chain.packed import encode_packed
from nftbench.chain.selectors import normalise_signature, selector
from nftbench.chain.typed_data import typed_data_hash
from nftbench.tools.arguments import Argument, ArgumentError, decode_bytes, decode_call_arguments
from nftbench.tools.calls import parse_types
from nftbench.tools.toolbox import Desk, Tool
from nftbench.values import keccak256

MOST_LEAVES = 5000


def _hex(data: bytes) -> str:
    return "0x" + data.hex()


def _typed(given: dict[str, Any]) -> tuple[list[str], tuple[Any, ...]]:
    if given["types"] is None or given["values"] is None:
        raise ArgumentError('this method needs \'types\' and \'values\', as ["address","uint256"] and ["0x...","2"]')
    parameters = parse_types(",".join(map(str, given["types"])), "types")
    return [p.type for p in parameters], decode_call_arguments(parameters, given["values"], "this method")


def _leaves(given: dict[str, Any]) -> list[bytes]:
    leaves = given["leaves"]
    if not leaves or len(leaves) > MOST_LEAVES:
        raise ArgumentError(f"argument 'leaves': expected 1 to {MOST_LEAVES} leaves of 32 bytes each")
    return [decode_bytes(f"leaves[{i}]", leaf, 32) for i, leaf in enumerate(leaves)]


def _packed(given: dict[str, Any]) -> dict[str, Any]:
    types, values = _typed(given)
    try:
        data = encode_packed(types, values)
    except ValueError as problem:
        raise ArgumentError(f"argument 'types': {problem}") from None
    return {"encoded": _hex(data), "keccak256": _hex(keccak256(data))}


def _abi(given: dict[str, Any]) -> dict[str, Any]:
    types, values = _typed(given)
    data = codec(f"({','.join(types)})").encode(values)
    return {"encoded": _hex(data), "keccak256": _hex(keccak256(data))}


def _call_data(given: dict[str, Any]) -> dict[str, Any]:
    match = re.fullmatch(r"\w+\((.*)\)", normalise_signature(str(given["value"])))
    if match is None:
        raise ArgumentError("this method needs 'value', a function's signature such as \"transfer(address,uint256)\"")
    parameters = parse_types(match[1], "value")
    values = decode_call_arguments(parameters, given["values"] or [], match[0])
    return {"encoded": _hex(selector(match[0]) + codec(f"({match[1]})").encode(values))}


def _text(given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(given["value"], str):
        raise ArgumentError("this method needs 'value', a text")
    return {"keccak256": _hex(keccak256(given["value"].encode("utf-8", errors="surrogatepass")))}


def _bytes(given: dict[str, Any]) -> dict[str, Any]:
    return {"keccak256": _hex(keccak256(decode_bytes("value", given["value"])))}


def _root(given: dict[str, Any]) -> dict[str, Any]:
    return {"root": _hex(merkle_root(_leaves(given)))}


def _proof(given: dict[str, Any]) -> dict[str, Any]:
    leaves, leaf = _leaves(given), decode_bytes("leaf", given["leaf"], 32)
    try:
        proof = merkle_proof(leaves, leaf)
    except ValueError as problem:
        raise ArgumentError(f"argument 'leaf': {problem}") from None
    return {"root": _hex(merkle_root(leaves)), "proof": [_hex(step) for step in proof]}


def _typed_data(given: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"digest": _hex(typed_data_hash(given["value"]))}
    except ValueError as problem:
        raise ArgumentError(f"argument 'value': {problem}") from None


METHODS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "keccak256_text": _text,
    "keccak256_bytes": _bytes,
    "packed": _packed,
    "abi": _abi,
    "call_data": _call_data,
    "typed_data": _typed_data,
    "merkle_root": _root,
    "merkle_proof": _proof,
}


def hash_data(_: Desk, given: dict[str, Any]) -> dict[str, Any]:
    return METHODS[given["method"]](given)


HASHING_TOOLS = (
    Tool(
        "hash_data",
        "Compute: the Keccak-256 of text or bytes, packed or standard ABI encoding with its hash, the call data of a function, "
        "an EIP-712 digest, or the "
        "root and proof of a Merkle tree (leaves sorted, pairs hashed in sorted order, an odd node moves up).",
        (
            Argument(
                name="method",
                kind="text",
                description="which computation",
                required=True,
                choices=tuple(METHODS),
                example='"packed"',
            ),
            Argument(name="value", kind="any", description="the text, 0x bytes, function signature or typed data"),
            Argument(
                name="types", kind="list", description='Solidity types for packed and abi, as ["address","uint256"]'
            ),
            Argument(name="values", kind="list", description="the values of those types"),
            Argument(name="leaves", kind="list", description="all 32-byte leaves of the tree"),
            Argument(name="leaf", kind="any", description="the leaf to prove"),
        ),
        hash_data,
    ),
)
