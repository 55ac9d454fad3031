"""What trajectory.json holds of an attempt: every message, call, transaction, signature and move of an actor, decoded.

The chain's side is written down before grading, which uses the world up. Every address that has a name is listed once, so that
readers need no chain to tell who did what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from nftbench.chain.engine import Log, Receipt
from nftbench.episode.outcome import Outcome
from nftbench.tasks.model import Task
from nftbench.tools.rendering import render_value
from nftbench.tools.toolbox import Desk
from nftbench.values import ZERO_ADDRESS
from nftbench.world.world import World

FORMAT = 2
"""1: messages, turns and raw transactions. 2: names, decoded transactions of agent and actors, the final difference."""
LONGEST_FINAL = 500
"""Ledger entries of the final difference that are written down; how many there are stands beside them."""


def chain_record(desk: Desk) -> dict[str, Any]:
    """The chain's side of an attempt: take it while the world is as the agent left it."""
    world = desk.world
    final = world.changes(world.start, world.start_block)
    return {
        "names": dict(_names(world)),
        "start": {"block": world.start_block, "time": world.fixture.start_time, "user": world.user},
        "transactions": [_transaction(world, receipt) for receipt in desk.receipts],
        "signatures": list(desk.signatures),
        "refused_signatures": list(desk.refused_signatures),
        "moves": [
            {
                "actor": move.actor,
                "hostile": move.hostile,
                "reason": move.reason,
                "place": move.place,
                "before_block": move.before_block,
                "transactions": [_transaction(world, receipt) for receipt in move.receipts],
                "posts": [{"hash": "0x" + e.hash.hex(), "order": render_value(e.components)} for e in move.posts],
            }
            for move in desk.stage.moves
        ],
        "final": [
            {
                "kind": d.entry.kind,
                "contract": d.entry.contract,
                "subject": render_value(d.entry.subject),
                "detail": render_value(d.entry.detail),
                "before": render_value(d.before),
                "after": render_value(d.after),
            }
            for d in final[:LONGEST_FINAL]
        ],
        "final_count": len(final),
    }


def trajectory(task: Task, trial: int, outcome: Outcome, record: dict[str, Any]) -> dict[str, Any]:
    """The whole of trajectory.json; `record` is what chain_record gave."""
    return {
        "format": FORMAT,
        "instance_id": task.id,
        "trial": trial,
        "suite_seed": task.suite_seed,
        "messages": outcome.messages,
        "turns": outcome.turns,
        "ended_by": outcome.ended_by,
        "failure": str(outcome.failure) if outcome.failure else None,
        "fault": to_builtins(outcome.fault) if outcome.fault else None,
        **record,
    }


def _names(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each named address with its name in the world, its label in the agent's wallet, and what it is."""
    labels = {account.name: account.label for account in world.fixture.accounts}
    for address, name in world.names.items():
        contract = world.contracts.get(address)
        yield (
            address,
            {
                "name": name,
                "label": contract.label if contract else labels.get(name),
                "kind": "contract" if contract else "agent" if address in world.controlled else "account",
            },
        )


def _transaction(world: World, receipt: Receipt) -> dict[str, Any]:
    called = _called(world, receipt)
    return {
        "hash": receipt.transaction_hash,
        "block": receipt.block_number,
        "time": receipt.timestamp,
        "from": receipt.sender,
        "to": receipt.to,
        "value_wei": str(receipt.value),
        "data": "0x" + receipt.data.hex(),
        **called,
        "success": receipt.success,
        "output": "0x" + receipt.output.hex(),
        "halt": receipt.halt,
        "reason": None if receipt.success else world.explain(receipt.output, receipt.halt),
        "gas_used": receipt.gas_used,
        "effective_gas_price": str(receipt.effective_gas_price),
        "logs": [_log(world, log) for log in receipt.logs],
        "ether_changes": dict(_ether(world, receipt)),
    }


def _called(world: World, receipt: Receipt) -> dict[str, Any]:
    """The function and its arguments; neither where no interface tells."""
    interface = world.interfaces.get(receipt.to or "")
    call = interface.decode_call(receipt.data) if interface else None
    if call is None:
        return {"function": None, "arguments": None}
    named = [
        {"name": parameter.name or str(place), "value": render_value(value, parameter)}
        for place, (parameter, value) in enumerate(zip(call.function.inputs, call.arguments, strict=True))
    ]
    return {"function": call.function.signature, "arguments": named}


def _log(world: World, log: Log) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "address": log.address,
        "topics": ["0x" + topic.hex() for topic in log.topics],
        "data": "0x" + log.data.hex(),
    }
    interface = world.interfaces.get(log.address)
    event = interface.decode_log(log) if interface else None
    if event is not None:
        shown |= {"event": event.name, "arguments": {name: render_value(v) for name, v in event.arguments.items()}}
    return shown


def _ether(world: World, receipt: Receipt) -> Iterator[tuple[str, str]]:
    """What each named address has more or less of ether by the transaction, in wei, the fee left out."""
    fee = receipt.gas_used * receipt.effective_gas_price
    for address in world.names:
        if address == ZERO_ADDRESS:
            continue
        after = world.engine.balance(address, block=receipt.block_number)
        change = after - world.engine.balance(address, block=receipt.block_number - 1)
        change += fee if address == receipt.sender else 0
        if change:
            yield address, str(change)
