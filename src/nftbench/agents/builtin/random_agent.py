"""An agent that understands nothing: valid calls of the tools there are, with values that it has seen, drawn by lot."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from typing import Any

from nftbench.agents.backend import Answer, answer_text
from nftbench.calls import Call
from nftbench.conversation import RequestReader

LONGEST = 24
"""Turns after which it ends, by a coin's toss, one way or the other."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_NUMBER = re.compile(r"(?<![0-9A-Za-z.])[0-9]{1,30}(?![0-9A-Za-z.])")
_URI = re.compile(r"[a-z]+://[^\s\"\\,]+")
_HASH = re.compile(r"0x[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_FUNCTION = re.compile(r"(\w+)\((.*?)\) (view|pure|nonpayable|payable)")
_PERMIT = ("address", "address", "uint256", "uint256", "uint256")
_STANDARD = {
    "approve": (["address", "uint256"], "nonpayable"),
    "setApprovalForAll": (["address", "bool"], "nonpayable"),
    "transferFrom": (["address", "address", "uint256"], "nonpayable"),
    "safeTransferFrom": (["address", "address", "uint256"], "nonpayable"),
    "transfer": (["address", "uint256"], "nonpayable"),
    "transferOwnership": (["address"], "nonpayable"),
    "grantRole": (["bytes32", "address"], "nonpayable"),
    "ownerOf": (["uint256"], "view"),
    "balanceOf": (["address"], "view"),
    "tokenURI": (["uint256"], "view"),
}
"""Functions that get_contract lists by name only, with their types."""
_ENDINGS = ("finish_task", "declare_infeasible")


class RandomAgent:
    """Looks at its wallet first, and then does anything. What it does depends on the task's text alone."""

    def __init__(self) -> None:
        self._reader = RequestReader()
        self._draw = random.Random(0)
        self._turn = 0
        self._addresses: list[str] = []
        self._numbers: list[str] = ["0", "1"]
        self._uris: list[str] = []
        self._hashes: list[str] = []
        self._functions: dict[str, list[tuple[str, list[str], str]]] = {}

    def complete(self, request: str) -> str:
        """One call. The prompt seeds the lot, each result adds to the values."""
        reading = self._reader.read(request)
        if self._turn == 0:
            told = "".join(str(m.get("content")) for m in reading.messages)
            self._draw.seed(hashlib.sha256(told.encode("utf-8", "replace")).digest())
            self._see(told)
        else:
            self._learn(str(reading.messages[-1].get("content")))
        self._turn += 1
        return answer_text(Answer(text="", calls=((f"call_{self._turn}", self._call(reading.tools)),)))

    def _call(self, tools: list[dict[str, Any]]) -> Call:
        if self._turn == 1:
            return Call("read_state", {})
        names = {tool["name"]: tool for tool in tools}
        if self._turn >= LONGEST:
            return self._filled(names[self._draw.choice(_ENDINGS)])
        unknown = [a for a in self._addresses if a not in self._functions]
        if unknown and self._draw.random() < 0.3:
            return Call("get_contract", {"address": self._draw.choice(unknown)})
        chosen = self._draw.choice(["send_transaction"] * 8 + [name for name in names if name not in _ENDINGS])
        if chosen in ("call", "simulate", "send_transaction"):
            return self._contract_call(chosen)
        if chosen == "call_many":
            made = [self._contract_call("call") for _ in range(3)]
            return Call("call_many", {"calls": [call.arguments for call in made if call.name == "call"]})
        if chosen == "wait":
            return Call("wait", {"seconds": str(self._draw.randint(1, 90_000))})
        needed = {"fetch_uri": self._uris, "get_transaction": self._hashes}.get(chosen)
        return Call("get_logs", {}) if needed == [] else self._filled(names[chosen])

    def _contract_call(self, tool: str) -> Call:
        """A function of a contract that it has looked at, with arguments of the right types."""
        wanted = ("view", "pure") if tool == "call" else ("nonpayable", "payable")
        known = [(a, f) for a, functions in self._functions.items() for f in functions if f[2] in wanted]
        if not known:
            return Call("get_contract", {"address": self._draw.choice(self._addresses)})
        address, (name, types, mutability) = self._draw.choice(known)
        arguments = [self._value(kind) for kind in types]
        given = {
            "contract" if tool == "call" else "to": address,
            "function": f"{name}({','.join(types)})",
            "arguments": arguments,
        }
        if mutability == "payable":
            given["value_wei"] = self._draw.choice(self._numbers)
        return Call(tool, given)

    def _filled(self, tool: dict[str, Any]) -> Call:
        """A tool's own arguments, by the kinds that its schema gives: the required ones, the others now and then."""
        schema = tool["parameters"]
        required = schema.get("required", [])
        chosen = {
            name: kind
            for name, kind in schema["properties"].items()
            if name in required or (name != "reason_class" and self._draw.random() < 0.3)
        }
        return Call(tool["name"], {name: self._argument(name, kind) for name, kind in chosen.items()})

    def _argument(self, name: str, schema: dict[str, Any]) -> Any:
        if "enum" in schema:
            return self._draw.choice(schema["enum"])
        if name in ("address", "contract", "to", "account", "until_event_of"):
            return self._draw.choice(self._addresses)
        if name in ("uri", "hash"):
            return self._draw.choice(self._uris if name == "uri" else self._hashes)
        if name == "typed_data":
            return json.dumps(self._permit())
        if name == "data":
            return "0x" + self._draw.randbytes(36).hex()
        if name in ("seconds", "block", "from_block", "to_block", "cursor"):
            return str(self._draw.randint(1, 9_000))
        kind = schema.get("type")
        if kind == "array":
            return [self._argument(name, schema["items"])]
        if kind == "object":
            return {key: self._argument(key, inner) for key, inner in schema["properties"].items()}
        return self._draw.choice([*self._numbers, *self._addresses])

    def _permit(self) -> dict[str, Any]:
        """Typed data as contracts take it for a permission (ERC-2612), filled at random."""
        fields = ("owner", "spender", "value", "nonce", "deadline")
        message = dict(zip(fields, map(self._value, _PERMIT), strict=True))
        return {
            "types": {"Permit": [{"name": n, "type": t} for n, t in zip(fields, _PERMIT, strict=True)]},
            "primaryType": "Permit",
            "domain": {"verifyingContract": self._draw.choice(self._addresses)},
            "message": message,
        }

    def _value(self, kind: str) -> Any:
        if kind.endswith("]"):
            return [self._value(kind[: kind.rindex("[")]) for _ in range(self._draw.randint(1, 2))]
        if kind == "address":
            return self._draw.choice(self._addresses)
        if kind == "bool":
            return self._draw.random() < 0.5
        if kind.startswith(("uint", "int")):
            return self._draw.choice(self._numbers)
        if kind == "string":
            return "text"
        size = int(kind[5:] or 0) if kind.startswith("bytes") else 0
        return "0x" + self._draw.randbytes(size).hex()

    def _learn(self, text: str) -> None:
        self._see(text)
        try:
            result = json.loads(text)
        except ValueError:
            return
        if isinstance(result, dict) and "address" in result and "kind" in result:
            names = " ".join((result.get("standard_functions") or {}).values()).split()
            known = [(name, *_STANDARD[name]) for name in names if name in _STANDARD]
            self._functions[str(result["address"])] = [*_functions(result.get("functions") or []), *known]

    def _see(self, text: str) -> None:
        """Keep the addresses and numbers in a text; later ones stand for themselves, however often they come."""
        patterns = (
            (_ADDRESS, self._addresses),
            (_NUMBER, self._numbers),
            (_URI, self._uris),
            (_HASH, self._hashes),
        )
        for pattern, kept in patterns:
            for value in pattern.findall(text)[:400]:
                if value not in kept:
                    kept.append(value)


def _functions(lines: list[str]) -> Iterator[tuple[str, list[str], str]]:
    """Name, types and mutability of each function line of get_contract; those that take structs are left out."""
    for line in lines:
        match = _FUNCTION.match(line)
        if match and "(" not in match[2]:
            types = [part.split()[0] for part in match[2].split(", ") if part]
            yield match[1], types, match[3]
