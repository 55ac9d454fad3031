"""One execution in pyrevm, between an empty journal and an empty journal."""

from __future__ import annotations

from typing import Any

import pyrevm
from msgspec import Struct

from nftbench.chain.engine import CallResult
from nftbench.chain.journal import TouchedAccount, loaded_slots, touched_accounts
from nftbench.chain.state import EMPTY_CODE_HASH, State, account_info
from nftbench.errors import BenchmarkDefect
from nftbench.values import ZERO_ADDRESS, checksum

HARD_FORK = "Cancun"


class Message(Struct, frozen=True):
    """What to execute; `to` None runs `data` as creation code."""

    sender: str
    to: str | None
    data: bytes
    value: int
    gas_limit: int
    gas_price: int


class Outcome(Struct, frozen=True):
    """How an execution ended; `touched` is empty unless it succeeded, `analysed` has pyrevm's info of new accounts."""

    success: bool
    output: bytes
    halt: str | None
    gas_used: int
    created: str | None = None
    logs: tuple[Any, ...] = ()
    touched: tuple[TouchedAccount, ...] = ()
    analysed: dict[str, Any] = {}


def execute(evm: pyrevm.EVM, message: Message, *, changes: bool) -> Outcome:
    """Run a message and leave pyrevm's database as it was; without `changes` a call's touched accounts are not read."""
    checkpoint = evm.snapshot()
    try:
        created = None
        output = b""
        given = message
        if given.to is None:
            deployed = evm.deploy(given.sender, given.data, given.value, given.gas_limit, given.gas_price)
            created = checksum(deployed)
        else:
            output = evm.message_call(given.sender, given.to, given.data, given.value, given.gas_limit, given.gas_price)
        touched = touched_accounts(evm.journal_str) if changes or created else []
        analysed = {account.address: evm.basic(account.address) for account in touched if account.created}
        result = evm.result
    except RuntimeError as error:
        return _failed(str(error))
    finally:
        evm.revert(checkpoint)
    assert result is not None
    if created is not None:
        output = _created_code(created, touched, analysed)
    return Outcome(True, output, None, result.gas_used, created, tuple(result.logs), tuple(touched), analysed)


def read(evm: pyrevm.EVM, state: State, message: Message, loaded: set[tuple[str, int]] | None = None) -> CallResult:
    """Run a message and drop its effects: from any sender, contracts too, and with value that it need not hold.

    The storage slots that a successful one looks at are added to `loaded`.
    """
    assert message.to is not None
    checkpoint = evm.snapshot()
    try:
        if message.value or message.sender != ZERO_ADDRESS:
            _let_pass(evm, state, message)
        output = evm.message_call(message.sender, message.to, message.data, message.value, message.gas_limit)
        result = evm.result
        if loaded is not None:
            loaded |= loaded_slots(evm.journal_str)
    except RuntimeError as error:
        text = str(error)
        if text.startswith("Initial gas spend"):
            return CallResult(False, b"", message.gas_limit, "OutOfGas")
        outcome = _failed(text)
        return CallResult(False, outcome.output, outcome.gas_used, outcome.halt)
    finally:
        evm.revert(checkpoint)
    assert result is not None
    return CallResult(True, output, result.gas_used)


def _let_pass(evm: pyrevm.EVM, state: State, message: Message) -> None:
    """Alter the sender, in the journal alone, so that pyrevm's checks of a transaction's sender let a read through.

    A contract keeps its code and loses its code hash, which is what EIP-3607 is checked by.
    """
    info = evm.basic(message.sender)
    code_hash = info.code_hash
    is_contract = code_hash != EMPTY_CODE_HASH
    if not is_contract and info.balance >= message.value:
        return
    code = state.code_of_hash(code_hash.hex()) if is_contract and code_hash else None
    balance = max(info.balance, message.value)
    evm.insert_account_info(message.sender, account_info(balance, info.nonce, EMPTY_CODE_HASH, code))


def _created_code(created: str, touched: list[TouchedAccount], analysed: dict[str, Any]) -> bytes:
    return next((code_of(account, analysed) for account in touched if account.address == created), b"")


def code_of(account: TouchedAccount, analysed: dict[str, Any]) -> bytes:
    """The code of an account that this execution created; pyrevm gives it with padding behind it."""
    code: bytes = analysed[account.address].code or b""
    return code[: account.code_length]


def _failed(text: str) -> Outcome:
    """The outcome in pyrevm's text: `Revert { gas_used: 1, output: 0x.. }` or `Halt { reason: .., gas_used: 1 }`."""
    kind, _, fields = text.partition(" { ")
    if kind == "Revert":
        gas, _, output = fields.removeprefix("gas_used: ").removesuffix(" }").partition(", output: 0x")
        return Outcome(False, bytes.fromhex(output), None, int(gas))
    if kind == "Halt":
        reason, _, gas = fields.removeprefix("reason: ").removesuffix(" }").rpartition(", gas_used: ")
        return Outcome(False, b"", reason.partition("(")[0], int(gas))
    raise BenchmarkDefect(f"pyrevm refused a message that had passed every check: {text}")
