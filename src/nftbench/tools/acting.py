"""The tools that act: transactions, dry runs, signatures, and letting time pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.typed_data import typed_data_hash
from nftbench.tools.arguments import Argument, ArgumentError, shown
from nftbench.tools.assets import held, moved_assets, render_changes
from nftbench.tools.calls import given_call
from nftbench.tools.paging import fitting
from nftbench.tools.parameters import ARGUMENTS, DATA, FUNCTION, undescribed
from nftbench.tools.rendering import render_log, render_outcome, utc
from nftbench.tools.toolbox import Desk, Tool

LONGEST_WAIT = 400 * 86_400
LAST_MOMENT = 253_402_300_799
"""The last second of the year 9999, in Unix seconds: what lies behind it can't be written as ISO 8601."""
MOST_IN_A_ROW = 10
PASSED_SHOWN = 20


def _transaction(desk: Desk, given: dict[str, Any]) -> Transaction:
    sender = _own_account(desk, given["account"])
    _, data = given_call(desk, given["to"], given)
    if not data and not given["value_wei"]:
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
    """Mined and undone: each transaction finds what the ones before it did, and nobody else moves in between."""
    world, engine = desk.world, desk.world.engine
    row = [given, *(given["then"] or ())]
    if len(row) > MOST_IN_A_ROW:
        raise ArgumentError(f"argument 'then': at most {MOST_IN_A_ROW} transactions in a row; got {len(row)}")
    mark = engine.snapshot()
    try:
        outcomes = [engine.transact(_transaction(desk, one)) for one in row]
        mined = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
        assets = moved_assets(log for receipt in mined for log in receipt.logs)
        after = held(world, world.controlled, assets)
        shown_outcomes = [render_outcome(world, outcome) for outcome in outcomes]
    finally:
        engine.restore(mark)
    for receipt in mined:
        after[receipt.sender, None] += receipt.gas_used * receipt.effective_gas_price
    changes = render_changes(world, held(world, world.controlled, assets), after)
    answer: dict[str, Any] = {"dry_run": True}
    answer |= shown_outcomes[0] if len(row) == 1 else {"outcomes": shown_outcomes}
    return answer | {"changes": changes}


def send_transaction(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    before = len(desk.world.engine.receipts())
    outcome = desk.stage.transact(_transaction(desk, given))
    answer = render_outcome(desk.world, outcome)
    if isinstance(outcome, Receipt):
        desk.receipts.append(outcome)
        answer["transaction"] = outcome.transaction_hash
        answer |= _overtaken(desk, outcome, before)
        desk.stage.react()
    return answer


def _overtaken(desk: Desk, receipt: Receipt, before: int) -> dict[str, Any]:
    """The transactions of others that were mined in front of this one at its time, if any were."""
    since = desk.world.engine.receipts()[before:]
    ahead = [other for other in since if other.block_number < receipt.block_number]
    return {"mined_ahead_of_it": fitting([_row(other) for other in ahead[-PASSED_SHOWN:]])} if ahead else {}


def sign_typed_data(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """A request that is refused is kept, too: it tells what the agent was ready to sign."""
    typed_data = given["typed_data"]
    try:
        signer = _own_account(desk, given["account"])
        digest = _digest(typed_data)
    except ArgumentError as problem:
        asked = {"account": given["account"], "typed_data": typed_data, "problem": str(problem)}
        desk.refused_signatures.append(asked | {"block": desk.world.engine.block.number})
        raise
    signature = "0x" + desk.world.controlled[signer].sign_digest(digest).hex()
    block = desk.world.engine.block.number
    desk.signatures.append({"signer": signer, "typed_data": typed_data, "signature": signature, "block": block})
    desk.stage.react()
    return {"signer": signer, "digest": "0x" + digest.hex(), "signature": signature}


def _digest(typed_data: Any) -> bytes:
    try:
        return typed_data_hash(typed_data)
    except ValueError as problem:
        raise ArgumentError(f"argument 'typed_data': {problem}") from None


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
    before, logs = len(engine.receipts()), len(engine.logs)
    watched = given["until_event_of"]
    desk.stage.wait(seconds, _happened(desk, watched, logs) if watched else None)
    block = engine.block
    answer: dict[str, Any] = {"block": str(block.number), "time": str(block.timestamp), "utc": utc(block.timestamp)}
    answer |= _passed(desk, before)
    if watched:
        first = next((log for log in engine.logs[logs:] if log.address == watched), None)
        answer["event"] = render_log(desk.world, first) if first else None
    return answer


def _happened(desk: Desk, contract: str, since: int) -> Callable[[], bool]:
    """Whether the contract has emitted an event after the first `since` logs of the chain."""
    return lambda: any(log.address == contract for log in desk.world.engine.logs[since:])


def _passed(desk: Desk, before: int) -> dict[str, Any]:
    """The transactions of others that were mined meanwhile, the newest where they are many."""
    passed = desk.world.engine.receipts()[before:]
    if not passed:
        return {"transactions": "none"}
    rows = [_row(receipt) for receipt in passed[-PASSED_SHOWN:]]
    left = {} if len(passed) <= PASSED_SHOWN else {"note": f"the last {PASSED_SHOWN} of {len(passed)}; see get_logs"}
    return {"transactions": fitting(rows), **left}


def _row(receipt: Receipt) -> dict[str, Any]:
    """A transaction of somebody else's, in short."""
    return {
        "block": str(receipt.block_number),
        "time": str(receipt.timestamp),
        "from": receipt.sender,
        "to": receipt.to,
        "hash": receipt.transaction_hash,
    }


_TO = Argument(name="to", kind="address", description="the contract to call, or the receiver of ether", required=True)
_VALUE = Argument(
    name="value_wei",
    kind="integer",
    description="ether to send along",
    example='"500000000000000000" for half an ether',
)
ACCOUNT = Argument(name="account", kind="address", description="of yours; default: the main one")
_TRANSACTION = (_TO, *undescribed(FUNCTION, ARGUMENTS, DATA), _VALUE, ACCOUNT)

ACTING_TOOLS = (
    Tool(
        "simulate",
        "A dry run of a transaction, or of several in a row, that leaves no trace: outcomes, events, what your accounts gain and "
        "lose (fees apart).",
        (
            *undescribed(*_TRANSACTION),
            Argument(
                name="then",
                kind="rows",
                description=f"further transactions, {MOST_IN_A_ROW} in all",
                fields=undescribed(*_TRANSACTION),
                example='[{"to": "0x...", "function": "deposit", "value_wei": "5"}]',
            ),
        ),
        simulate,
    ),
    Tool(
        "send_transaction",
        "Send a transaction, its call given as for call; it is mined at once. A revert is shown with its reason and costs gas.",
        _TRANSACTION,
        send_transaction,
    ),
    Tool(
        "sign_typed_data",
        "Sign EIP-712 typed data. Whoever gets the signature can use it.",
        (
            Argument(
                name="typed_data",
                kind="object",
                description="as JSON text: types, primaryType, domain, message",
                required=True,
            ),
            ACCOUNT,
        ),
        sign_typed_data,
    ),
    Tool(
        "wait",
        "Let time pass. Others may act meanwhile; their transactions are told.",
        (
            Argument(name="seconds", kind="integer"),
            Argument(name="until", kind="time", description="Unix seconds or ISO 8601"),
            Argument(name="until_event_of", kind="address", description="stop at its first event"),
        ),
        wait,
    ),
)
