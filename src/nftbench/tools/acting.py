"""The tools that act: transactions, dry runs, signatures, and letting time pass."""

from __future__ import annotations

from typing import Any

from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.typed_data import typed_data_hash
from nftbench.tools.arguments import Argument, ArgumentError, shown
from nftbench.tools.calls import call_data
from nftbench.tools.reading import ACCOUNT, ARGUMENTS
from nftbench.tools.rendering import render_outcome, utc
from nftbench.tools.toolbox import Desk, Tool

LONGEST_WAIT = 400 * 86_400
LAST_MOMENT = 253_402_300_799
"""The last second of the year 9999, in Unix seconds: what lies behind it can't be written as ISO 8601."""


def _transaction(desk: Desk, given: dict[str, Any]) -> Transaction:
    sender = _own_account(desk, given["account"])
    data = b""
    if given["function"]:
        _, data = call_data(desk, given["to"], given["function"], given["arguments"])
    elif given["arguments"]:
        raise ArgumentError("argument 'function' is missing: arguments were given without it")
    elif not given["value_wei"]:
        raise ArgumentError("give a function to call, or value_wei for a plain transfer of ether")
    return Transaction(sender=sender, to=given["to"], data=data, value=given["value_wei"] or 0)


def _own_account(desk: Desk, address: str | None) -> str:
    if address is None:
        return desk.world.user
    if address not in desk.world.controlled:
        raise ArgumentError(
            f"argument 'account': {address} is not yours; your accounts are {', '.join(desk.world.controlled)}"
        )
    return address


def simulate(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    engine = desk.world.engine
    transaction = _transaction(desk, given)
    outcome = engine.simulate(transaction)
    return {"dry_run": True} | render_outcome(desk.world, outcome)


def send_transaction(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    outcome = desk.world.engine.transact(_transaction(desk, given))
    answer = render_outcome(desk.world, outcome)
    if isinstance(outcome, Receipt):
        desk.receipts.append(outcome)
        answer["transaction"] = outcome.transaction_hash
        desk.stage.react()
    return answer


def sign_typed_data(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    signer = _own_account(desk, given["account"])
    typed_data = given["typed_data"]
    try:
        digest = typed_data_hash(typed_data)
    except ValueError as problem:
        raise ArgumentError(f"argument 'typed_data': {problem}") from None
    signature = "0x" + desk.world.controlled[signer].sign_digest(digest).hex()
    block = desk.world.engine.block.number
    desk.signatures.append({"signer": signer, "typed_data": typed_data, "signature": signature, "block": block})
    desk.stage.react()
    return {"signer": signer, "digest": "0x" + digest.hex(), "signature": signature}


def wait(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    engine = desk.world.engine
    now = engine.block.timestamp
    if (given["seconds"] is None) == (given["until"] is None):
        raise ArgumentError("give either 'seconds' or 'until'")
    seconds = given["seconds"] if given["until"] is None else given["until"] - now
    if seconds < 0:
        raise ArgumentError(f"argument 'until': {shown(given['until'])} lies in the past; it is {now} ({utc(now)})")
    if seconds > LONGEST_WAIT:
        raise ArgumentError(f"the longest wait is {LONGEST_WAIT} seconds (400 days); got {seconds}")
    if now + seconds > LAST_MOMENT:
        raise ArgumentError(f"the clock ends with the year 9999; it is {utc(now)}")
    desk.stage.wait(seconds)
    return {"block": str(engine.block.number), "time": str(engine.block.timestamp), "utc": utc(engine.block.timestamp)}


_TO = Argument(name="to", kind="address", description="the contract to call, or the receiver of ether", required=True)
_FUNCTION = Argument(
    name="function",
    kind="text",
    description="the function's name, or its full signature where it is overloaded; leave out for a plain transfer of ether",
    example='"transferFrom(address,address,uint256)"',
)
_VALUE = Argument(
    name="value_wei",
    kind="integer",
    description="ether to send along, in wei (1 ether is 10^18 wei)",
    example='"500000000000000000" for half an ether',
)
_TRANSACTION = (_TO, _FUNCTION, ARGUMENTS, _VALUE, ACCOUNT)

ACTING_TOOLS = (
    Tool("simulate", "A dry run of a transaction: its outcome and events, with no trace left.", _TRANSACTION, simulate),
    Tool(
        "send_transaction",
        "Send a transaction. It is mined at once; a revert is shown with its reason and costs gas.",
        _TRANSACTION,
        send_transaction,
    ),
    Tool(
        "sign_typed_data",
        "Sign EIP-712 typed data with one of your accounts. Whoever gets the signature can use it.",
        (
            Argument(
                name="typed_data",
                kind="object",
                description="an object with types, primaryType, domain and message",
                required=True,
            ),
            ACCOUNT,
        ),
        sign_typed_data,
    ),
    Tool(
        "wait",
        "Let time pass. Others may act meanwhile.",
        (
            Argument(name="seconds", kind="integer", description="how many seconds"),
            Argument(name="until", kind="time", description="up to this moment: Unix seconds or ISO 8601"),
        ),
        wait,
    ),
)
