"""The engine against the rules (what each step of the script must come to) and against anvil, another engine."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.chain import artifacts
from nftbench.chain.engine import Receipt, Refused
from nftbench.chain.revm import COINBASE, GENESIS_TIMESTAMP, RevmEngine
from tests.chain import anvil, sequence
from tests.chain.anvil_engine import AnvilEngine, options
from tests.chain.sequence import ALICE, BOB, WATCHED, Step, script

SLOTS = (*range(21), 2**255 + 1)


def run(engine: Any, step: Step) -> dict[str, Any]:
    """Everything about a step that two engines must agree on."""
    outcome = engine.transact(step.transaction)
    involved = {step.transaction.sender, step.transaction.to, COINBASE}
    seen: dict[str, Any] = {}
    if isinstance(outcome, Refused):
        seen["ends"] = outcome.reason
    else:
        seen = of_receipt(outcome)
        involved.add(outcome.contract_address)
    block = engine.block
    seen["newest block"] = (block.number, block.timestamp, block.base_fee)
    for address in sorted(filter(None, involved)):
        seen[f"balance of {address}"] = engine.balance(address)
        seen[f"nonce of {address}"] = engine.nonce(address)
    return seen


def of_receipt(receipt: Receipt) -> dict[str, Any]:
    fields = ("block_number", "timestamp", "nonce", "gas_used", "effective_gas_price", "contract_address", "output")
    seen = {name: getattr(receipt, name) for name in fields}
    seen["ends"] = "success" if receipt.success else "halt" if receipt.halt else "revert"
    seen["logs"] = [(log.address, log.topics, log.data, log.block_number, log.index) for log in receipt.logs]
    return seen


def everything(engine: Any) -> dict[str, Any]:
    """The state of every account of the script."""
    return {
        address: (
            engine.balance(address),
            engine.nonce(address),
            engine.code(address),
            {slot: engine.storage(address, slot) for slot in SLOTS} if engine.code(address) else {},
        )
        for address in (*WATCHED, COINBASE)
    }


def history(engine: Any) -> list[Any]:
    """What can be read of some past blocks: the last ones, for the tokens come last."""
    collection = artifacts.load("OpenZeppelinCollection").interface
    functions = [("ownerOf", token) for token in range(1, 7)] + [("balanceOf", ALICE), ("balanceOf", BOB)]
    newest = engine.block.number
    found: list[Any] = []
    for block in (1, newest // 2, *range(newest - 24, newest + 1)):
        found += [engine.balance(address, block=block) for address in (ALICE, BOB, COINBASE)]
        for function, argument in functions:
            data = collection.function(function).encode([argument])
            result = engine.call(sequence.at("OpenZeppelinCollection"), data, block=block)
            found.append((block, function, argument, result.success, result.output))
    return found


def funded(engine: Any) -> Any:
    for address, wei in sequence.FUNDS.items():
        engine.fund(address, wei)
    return engine


def test_every_step_of_the_script_ends_as_the_rules_say() -> None:
    engine = funded(RevmEngine())
    ended = [(step.name, run(engine, step)["ends"], step.ends) for step in script()]
    wrong = [(name, did, should) for name, did, should in ended if did != should]
    assert wrong == []


@pytest.mark.anvil
def test_both_implementations_agree_about_every_step_of_the_script() -> None:
    """Status, gas, fees, logs, return data, addresses, nonces, balances to the wei, base fee, code and storage."""
    reason = anvil.unsupported_platform()
    if reason:
        pytest.skip(reason)
    ours = funded(RevmEngine())
    settings = options(ours.chain_id, GENESIS_TIMESTAMP, ours.pending_base_fee, 30_000_000)
    with anvil.running(anvil.binary(), *settings) as node:
        node.rpc("anvil_setCoinbase", COINBASE)
        theirs = funded(AnvilEngine(node))
        steps = list(script())
        differences = []
        for step in steps:
            mine, other = run(ours, step), run(theirs, step)
            for name in sorted(mine.keys() | other.keys()):
                if mine.get(name) != other.get(name):
                    values = f"ours {mine.get(name)!r:.200}, anvil's {other.get(name)!r:.200}"
                    differences.append(f"{step.name}: {name}: {values}")
        assert not differences, "\n".join(differences[:20])
        assert len(steps) >= 40
        assert history(ours) == history(theirs)
        for seconds in (0, 1, 86_400):
            waited, theirs_waited = ours.advance_time(seconds), theirs.advance_time(seconds)
            assert (waited.number, waited.timestamp) == (theirs_waited.number, theirs_waited.timestamp)
            assert waited.base_fee == theirs_waited.base_fee
        mine, other = everything(ours), everything(theirs)
        assert {a: (mine[a], other[a]) for a in mine if mine[a] != other[a]} == {}
