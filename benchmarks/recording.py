"""The requests that episodes make of their engine, recorded so that they can be replayed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nftbench.chain.engine import Block, CallResult, Receipt, Refused, Transaction
from nftbench.chain.revm import RevmEngine


class Request(Struct, frozen=True):
    """One request of an engine; `succeeded` is how it came out, so that a replay can be checked."""

    kind: str
    arguments: tuple[Any, ...]
    succeeded: bool = True


class RecordingEngine(RevmEngine):
    """The default engine, which also keeps what it was asked. Clock and log look-ups are no requests."""

    made: RecordingEngine | None = None

    def __init__(self, *, chain_id: int, genesis_timestamp: int) -> None:
        super().__init__(chain_id=chain_id, genesis_timestamp=genesis_timestamp)
        self.genesis_timestamp = genesis_timestamp
        self.requests: list[Request] = []
        RecordingEngine.made = self

    def fund(self, address: str, wei: int) -> None:
        super().fund(address, wei)
        self.requests.append(Request("fund", (address, wei)))

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        outcome = super().transact(transaction)
        self.requests.append(Request("transact", (transaction,), isinstance(outcome, Receipt) and outcome.success))
        return outcome

    def simulate(self, transaction: Transaction) -> Receipt | Refused:
        outcome = super().simulate(transaction)
        self.requests.append(Request("simulate", (transaction,), isinstance(outcome, Receipt) and outcome.success))
        return outcome

    def call(
        self,
        to: str,
        data: bytes,
        *,
        sender: str | None = None,
        value: int = 0,
        gas: int | None = None,
        block: int | None = None,
    ) -> CallResult:
        result = super().call(to, data, sender=sender, value=value, gas=gas, block=block)
        self.requests.append(Request("call", (to, data, sender, block), result.success))
        return result

    def read_many(self, reads: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        answers = super().read_many(reads)
        asked = zip(reads, answers, strict=True)
        self.requests += [Request("call", (*read, None, None), answer is not None) for read, answer in asked]
        return answers

    def balance(self, address: str, *, block: int | None = None) -> int:
        self.requests.append(Request("balance", (address, block)))
        return super().balance(address, block=block)

    def advance_time(self, seconds: int) -> Block:
        self.requests.append(Request("advance_time", (seconds,)))
        return super().advance_time(seconds)
