"""The hash_data tool: the encodings, digests and Merkle proofs that NFT contracts ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nftbench.chain.abi import Parameter
from nftbench.chain.codec import codec
from nftbench.chain.merkle import LAYOUTS, Layout
from nftbench.chain.packed import encode_packed
from nftbench.chain.typed_data import typed_data_hashes
from nftbench.tools.arguments import Argument, ArgumentError, decode_bytes, decode_integer, read_text
from nftbench.tools.calls import parse_signature, parse_types
from nftbench.tools.solidity_values import decode_call_arguments
from nftbench.tools.toolbox import Desk, Tool
from nftbench.values import keccak256

MOST_LEAVES = 5000
CRITERIA = "seaport"
"""The tree of Seaport's criteria: plain, over token ids, each hashed as one word."""


def _hex(data: bytes) -> str:
    return "0x" + data.hex()


def _types(given: dict[str, Any]) -> tuple[Parameter, ...]:
    if given["types"] is None:
        raise ArgumentError('this method needs \'types\', as ["address","(uint256,bool)[]"]')
    return parse_types(given["types"], "types")


def _typed(given: dict[str, Any]) -> tuple[list[str], tuple[Any, ...]]:
    if given["values"] is None:
        raise ArgumentError('this method needs \'types\' and \'values\', as ["address","uint256"] and ["0x...","2"]')
    parameters = _types(given)
    return [p.canonical for p in parameters], decode_call_arguments(parameters, given["values"], "this method")


def _encoded(types: list[str], values: tuple[Any, ...]) -> bytes:
    return codec(f"({','.join(types)})").encode(values)


def _packed(given: dict[str, Any]) -> dict[str, Any]:
    types, values = _typed(given)
    try:
        data = encode_packed(types, values)
    except ValueError as problem:
        raise ArgumentError(f"argument 'types': {problem}") from None
    return {"encoded": _hex(data), "keccak256": _hex(keccak256(data))}


def _abi(given: dict[str, Any]) -> dict[str, Any]:
    data = _encoded(*_typed(given))
    return {"encoded": _hex(data), "keccak256": _hex(keccak256(data))}


def _call_data(given: dict[str, Any]) -> dict[str, Any]:
    function = parse_signature(str(given["value"]), "value")
    if function is None:
        raise ArgumentError("this method needs 'value', a function's signature such as \"transfer(address,uint256)\"")
    values = decode_call_arguments(function.inputs, given["values"] or [], function.signature)
    return {"encoded": _hex(function.encode(values))}


def _text(given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(given["value"], str):
        raise ArgumentError("this method needs 'value', a text")
    return {"keccak256": _hex(keccak256(given["value"].encode("utf-8", errors="surrogatepass")))}


def _bytes(given: dict[str, Any]) -> dict[str, Any]:
    return {"keccak256": _hex(keccak256(decode_bytes("value", given["value"])))}


def _typed_data(given: dict[str, Any]) -> dict[str, Any]:
    value = read_text(given["value"]) if isinstance(given["value"], str) else given["value"]
    try:
        hashes = typed_data_hashes(value)
    except ValueError as problem:
        raise ArgumentError(f"argument 'value': {problem}") from None
    return {"digest": _hex(hashes.digest), "struct_hash": _hex(hashes.message), "domain_separator": _hex(hashes.domain)}


def _layout(given: dict[str, Any]) -> Layout:
    if given["layout"] is None:
        raise ArgumentError(
            f"this method needs 'layout', one of {', '.join((*LAYOUTS, CRITERIA))}: a contract's tree has one of them"
        )
    return LAYOUTS["plain" if given["layout"] == CRITERIA else given["layout"]]


def _leaf(given: dict[str, Any], row: Any, place: str) -> bytes:
    """A leaf as it is given, that of a token id in Seaport's tree, or with `types` the leaf that OpenZeppelin's
    StandardMerkleTree makes of a row of values."""
    if given["layout"] == CRITERIA:
        return keccak256(decode_integer(place, row).to_bytes(32, "big"))
    if given["types"] is None:
        return decode_bytes(place, row, 32)
    parameters = _types(given)
    row = read_text(row) if isinstance(row, str) else row
    values = row if isinstance(row, list) else [row]
    data = _encoded([p.canonical for p in parameters], decode_call_arguments(parameters, values, place))
    return keccak256(keccak256(data))


def _leaves(given: dict[str, Any]) -> list[bytes]:
    leaves = given["leaves"]
    if not leaves or len(leaves) > MOST_LEAVES:
        raise ArgumentError(
            f"argument 'leaves': expected 1 to {MOST_LEAVES} leaves of 32 bytes, or rows of values with 'types'"
        )
    return [_leaf(given, leaf, f"leaves[{i}]") for i, leaf in enumerate(leaves)]


def _root(given: dict[str, Any]) -> dict[str, Any]:
    layout = _layout(given)
    return {"root": _hex(layout.root(_leaves(given)))}


def _proof(given: dict[str, Any]) -> dict[str, Any]:
    layout, leaves = _layout(given), _leaves(given)
    if given["leaf"] is None:
        raise ArgumentError("this method needs 'leaf', the one to prove")
    leaf = _leaf(given, given["leaf"], "leaf")
    try:
        proof = layout.proof(leaves, leaf)
    except ValueError as problem:
        raise ArgumentError(f"argument 'leaf': {problem}") from None
    return {"root": _hex(layout.root(leaves)), "leaf": _hex(leaf), "proof": [_hex(step) for step in proof]}


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
        "Compute hashes, encodings, Merkle roots and proofs; of typed data the struct hash beside the digest.",
        (
            Argument(name="method", kind="text", required=True, choices=tuple(METHODS), example='"packed"'),
            Argument(name="value", kind="loose", description="text, 0x bytes, function signature or typed data (JSON)"),
            Argument(
                name="types",
                kind="texts",
                description='of values; structs as "(address,bool)"',
                example='["address", "(uint256,bool)[]"]',
            ),
            Argument(name="values", kind="values", description="for packed, abi, call_data", example='["0x...", "2"]'),
            Argument(
                name="layout",
                kind="text",
                choices=(*LAYOUTS, CRITERIA),
                description="plain: pairs from below, odd moves up; openzeppelin: its package; seaport: token ids",
            ),
            Argument(
                name="leaves",
                kind="values",
                description="32-byte leaves; with types, rows (StandardMerkleTree)",
                example='["0x..."]',
            ),
            Argument(name="leaf", kind="loose", description="to prove"),
        ),
        hash_data,
    ),
)
