"""An anvil node behind the part of the Engine protocol that comparisons need, so that one script drives both."""

from __future__ import annotations

from typing import Any

from nftbench.chain.engine import Block, CallResult, Log, Receipt, RefusalReason, Refused, Transaction
from nftbench.values import checksum
from tests.chain.anvil import Anvil, AnvilError

_REFUSALS: dict[str, RefusalReason] = {
    "invalid chain id": "wrong_chain_id",
    "nonce too low": "nonce_too_low",
    "max fee per gas less than block base fee": "fee_cap_below_base_fee",
    "max priority fee per gas higher than max fee": "priority_fee_above_fee_cap",
    "insufficient funds": "insufficient_funds",
    "intrinsic gas too low": "intrinsic_gas_too_low",
    "intrinsic gas too high": "gas_limit_above_block_limit",
    "max initcode size exceeded": "init_code_too_large",
}
_QUEUED_SECONDS = 0.1


def options(chain_id: int, genesis_timestamp: int, base_fee: int, block_gas_limit: int) -> list[str]:
    """Command line options for a node that behaves as an engine: `base_fee` is that of its first mined block."""
    named = {
        "--hardfork": "cancun",
        "--chain-id": chain_id,
        "--timestamp": genesis_timestamp,
        "--base-fee": base_fee,
        "--gas-limit": block_gas_limit,
        "--accounts": 0,
    }
    return [str(part) for pair in named.items() for part in pair] + ["--auto-impersonate", "--no-create2"]


class AnvilEngine:
    """Transactions from any sender, each mined at once in a block of its own.

    `traced` gets every transaction's output by a trace request of its own; without it outputs are empty.
    """

    def __init__(self, node: Anvil, *, block_seconds: int = 12, traced: bool = True) -> None:
        self.node = node
        self._block_seconds = block_seconds
        self._traced = traced

    @property
    def chain_id(self) -> int:
        return int(self.node.rpc("eth_chainId"), 16)

    @property
    def block(self) -> Block:
        return _block(self.node.rpc("eth_getBlockByNumber", "latest", False))

    @property
    def pending_timestamp(self) -> int:
        return self.block.timestamp + self._block_seconds

    def fund(self, address: str, wei: int) -> None:
        self.node.rpc("anvil_setBalance", address, hex(wei))

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        """As the protocol says; gas limit and fees must be given, for the node would choose differently."""
        request = _request(transaction)
        self.node.rpc("evm_setNextBlockTimestamp", self.pending_timestamp)
        try:
            identity = self.node.rpc("eth_sendTransaction", request)
        except AnvilError as error:
            return _refused(error)
        receipt = self.node.receipt(identity, _QUEUED_SECONDS)
        if receipt is None:
            if self.node.rpc("txpool_status")["queued"] == "0x1":
                self.node.rpc("anvil_dropAllTransactions")
                return Refused("nonce_too_high", "the node queued it")
            receipt = self.node.receipt(identity)
        assert receipt is not None, f"{transaction} was never mined"
        return self._receipt(transaction, receipt)

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
        """As the protocol says, without the gas used."""
        request = {"to": to, "data": "0x" + data.hex(), "value": hex(value)}
        if sender is not None:
            request["from"] = sender
        if gas is not None:
            request["gas"] = hex(gas)
        try:
            output = self.node.rpc("eth_call", request, "latest" if block is None else hex(block))
        except AnvilError as error:
            reverted = isinstance(error.data, str)
            return CallResult(False, _bytes(error.data) if reverted else b"", 0, None if reverted else error.message)
        return CallResult(True, _bytes(output), 0)

    def balance(self, address: str, *, block: int | None = None) -> int:
        return int(self.node.rpc("eth_getBalance", address, "latest" if block is None else hex(block)), 16)

    def nonce(self, address: str) -> int:
        return int(self.node.rpc("eth_getTransactionCount", address, "latest"), 16)

    def code(self, address: str) -> bytes:
        return _bytes(self.node.rpc("eth_getCode", address, "latest"))

    def storage(self, address: str, slot: int) -> int:
        return int(self.node.rpc("eth_getStorageAt", address, hex(slot), "latest"), 16)

    def advance_time(self, seconds: int) -> Block:
        self.node.rpc("evm_setNextBlockTimestamp", self.block.timestamp + max(seconds, 1))
        self.node.rpc("evm_mine")
        return self.block

    def _receipt(self, transaction: Transaction, receipt: dict[str, Any]) -> Receipt:
        number = int(receipt["blockNumber"], 16)
        block = _block(self.node.rpc("eth_getBlockByNumber", receipt["blockNumber"], False))
        success = receipt["status"] == "0x1"
        trace: dict[str, Any] = {}
        if self._traced:
            trace = self.node.rpc("debug_traceTransaction", receipt["transactionHash"], {"tracer": "callTracer"})
        error = trace.get("error")
        sent = self.node.rpc("eth_getTransactionByHash", receipt["transactionHash"])
        created = receipt["contractAddress"] if success else None
        return Receipt(
            transaction_hash=receipt["transactionHash"],
            block_number=number,
            timestamp=block.timestamp,
            sender=transaction.sender,
            to=transaction.to,
            nonce=int(sent["nonce"], 16),
            value=transaction.value,
            data=transaction.data,
            success=success,
            output=_bytes(trace.get("output", "0x")),
            halt=None if error is None or "revert" in error else error,
            gas_used=int(receipt["gasUsed"], 16),
            effective_gas_price=int(receipt["effectiveGasPrice"], 16),
            contract_address=checksum(created) if created else None,
            logs=tuple(_log(log) for log in receipt["logs"]),
        )


def _request(transaction: Transaction) -> dict[str, Any]:
    given = transaction
    assert given.gas_limit is not None
    assert given.max_fee_per_gas is not None
    assert given.max_priority_fee_per_gas is not None
    numbers = {
        "value": given.value,
        "gas": given.gas_limit,
        "maxFeePerGas": given.max_fee_per_gas,
        "maxPriorityFeePerGas": given.max_priority_fee_per_gas,
        "nonce": given.nonce,
        "chainId": given.chain_id,
    }
    request = {name: hex(number) for name, number in numbers.items() if number is not None}
    if given.to is not None:
        request["to"] = given.to
    return request | {"from": given.sender, "data": "0x" + given.data.hex()}


def _refused(error: AnvilError) -> Refused:
    for text, reason in _REFUSALS.items():
        if text in error.message.lower():
            return Refused(reason, error.message)
    raise error


def _block(found: dict[str, Any]) -> Block:
    fields = ("number", "timestamp", "baseFeePerGas")
    number, timestamp, base_fee = (int(found[name], 16) for name in fields)
    return Block(number, timestamp, base_fee, found["hash"])


def _log(log: dict[str, Any]) -> Log:
    topics = tuple(_bytes(topic) for topic in log["topics"])
    number, index = int(log["blockNumber"], 16), int(log["logIndex"], 16)
    return Log(checksum(log["address"]), topics, _bytes(log["data"]), number, log["transactionHash"], index)


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits.removeprefix("0x"))
