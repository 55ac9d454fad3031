"""A bare EVM to try the contracts on: no fees, no blocks, nothing of nftbench between the test and the bytecode."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyrevm
import pytest
from eth_abi import decode, encode
from eth_hash.auto import keccak

ARTIFACTS = Path(__file__).resolve().parents[2] / "src" / "nftbench" / "artifacts"
BLOCK = 100
START = 1_700_000_000
ACCOUNT_FUNDS = 10**21


def abi_type(parameter: dict[str, Any]) -> str:
    """The canonical type of a parameter, tuples written out."""
    if not parameter["type"].startswith("tuple"):
        return str(parameter["type"])
    inner = ",".join(abi_type(part) for part in parameter["components"])
    return f"({inner}){parameter['type'][5:]}"


def signature(entry: dict[str, Any]) -> str:
    return f"{entry['name']}({','.join(abi_type(part) for part in entry['inputs'])})"


class Reverted(Exception):
    """A call that the EVM undid: the error's name and values, or the reason string, or the raw data."""

    def __init__(self, name: str, values: tuple[Any, ...]) -> None:
        super().__init__(f"{name}{values}")
        self.name = name
        self.values = values


class Deployed:
    """One contract: its functions by name, or by full signature where the name is overloaded."""

    def __init__(self, evm: Bench, name: str, address: str, abi: list[dict[str, Any]]) -> None:
        self.evm, self.name, self.address, self.abi = evm, name, address, abi

    def function(self, name: str) -> dict[str, Any]:
        found = [e for e in self.abi if e["type"] == "function" and name in (e["name"], signature(e))]
        assert len(found) == 1, f"{len(found)} functions of {self.name} answer to {name}"
        return found[0]

    def data(self, name: str, *arguments: Any) -> bytes:
        entry = self.function(name)
        types = [abi_type(part) for part in entry["inputs"]]
        return bytes(keccak(signature(entry).encode())[:4]) + encode(types, arguments)

    def send(self, sender: str, name: str, *arguments: Any, value: int = 0) -> Any:
        """Calls for good, as an account; the decoded return values, a single one bare."""
        entry = self.function(name)
        output = self.evm.run(sender, self.address, self.data(name, *arguments), value)
        values = decode([abi_type(part) for part in entry["outputs"]], output)
        return values[0] if len(values) == 1 else values

    def call(self, name: str, *arguments: Any) -> Any:
        """Reads, as nobody in particular."""
        return self.send(self.evm.accounts[-1], name, *arguments)


class Bench:
    """An EVM with five funded accounts and a clock that the test sets."""

    def __init__(self) -> None:
        self.evm = pyrevm.EVM(spec_id="CANCUN")
        self.accounts = [f"0x{digit * 40}" for digit in "abcde"]
        self.errors: dict[bytes, tuple[str, list[str]]] = {
            bytes.fromhex("08c379a0"): ("Error", ["string"]),
            bytes.fromhex("4e487b71"): ("Panic", ["uint256"]),
        }
        for account in self.accounts:
            self.evm.set_balance(account, ACCOUNT_FUNDS)
        self.set_time(START)

    def set_time(self, timestamp: int) -> None:
        self.evm.set_block_env(pyrevm.BlockEnv(number=BLOCK, timestamp=timestamp))

    def balance(self, account: str) -> int:
        return int(self.evm.get_balance(account))

    def deploy(self, name: str, *arguments: Any) -> Deployed:
        artifact = json.loads((ARTIFACTS / f"{name}.json").read_text("utf-8"))
        abi = artifact["abi"]
        for entry in abi:
            if entry["type"] == "error":
                types = [abi_type(part) for part in entry["inputs"]]
                self.errors[bytes(keccak(signature(entry).encode())[:4])] = (entry["name"], types)
        constructor = next((entry for entry in abi if entry["type"] == "constructor"), {"inputs": []})
        code = bytes.fromhex(artifact["bytecode"][2:])
        code += encode([abi_type(part) for part in constructor["inputs"]], arguments)
        try:
            address = self.evm.deploy(self.accounts[0], code)
        except RuntimeError as failure:
            raise self.reverted(failure) from None
        return Deployed(self, name, address, abi)

    def behind_proxy(self, name: str, logic_arguments: tuple[Any, ...], *initial: Any) -> Deployed:
        """A contract that runs behind a proxy of its own, which `initialize` was called on with the last arguments."""
        logic = self.deploy(name, *logic_arguments)
        proxy = self.deploy("TWProxy", logic.address, logic.data("initialize", *initial))
        return Deployed(self, name, proxy.address, logic.abi)

    def run(self, sender: str, to: str, data: bytes, value: int = 0) -> bytes:
        try:
            return bytes(self.evm.message_call(sender, to, data, value=value))
        except RuntimeError as failure:
            raise self.reverted(failure) from None

    def reverted(self, failure: RuntimeError) -> Reverted:
        found = re.search(r"output: 0x([0-9a-f]*)", str(failure))
        if found is None:
            return Reverted(str(failure), ())
        raw = bytes.fromhex(found[1])
        name, types = self.errors.get(raw[:4], ("", []))
        return Reverted(name, decode(types, raw[4:])) if name else Reverted("raw", (raw,))

    @contextmanager
    def reverts(self, name: str, *values: Any) -> Iterator[None]:
        """Holds when the block ends in just this revert; without values any will do."""
        with pytest.raises(Reverted) as caught:
            yield
        assert caught.value.name == name
        if values:
            assert caught.value.values == values

    def events(self, contract: Deployed) -> list[tuple[Any, ...]]:
        """What the contract logged in the last call: the event's name and then all its values, in order."""
        logs = [log for log in self.evm.result.logs if log.address.lower() == contract.address.lower()]
        known = {bytes(keccak(signature(e).encode())): e for e in contract.abi if e["type"] == "event"}
        return [decoded_event(known, *log.data) for log in logs]


def decoded_event(known: dict[bytes, dict[str, Any]], topics: list[bytes], data: bytes) -> tuple[Any, ...]:
    entry = known[bytes(topics[0])]
    plain = iter(decode([abi_type(p) for p in entry["inputs"] if not p["indexed"]], bytes(data)))
    indexed = iter(topics[1:])
    values = [decode([abi_type(p)], next(indexed))[0] if p["indexed"] else next(plain) for p in entry["inputs"]]
    return (entry["name"], *values)


@pytest.fixture
def bench() -> Bench:
    return Bench()
