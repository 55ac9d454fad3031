"""Deploys a fixture: the same fixture and seed always give the same addresses, tokens, times and world hash."""

from __future__ import annotations

from typing import Any, Protocol

from nftbench.chain.artifacts import load
from nftbench.chain.engine import Engine, Receipt, Transaction
from nftbench.chain.keys import Key
from nftbench.chain.revm import RevmEngine
from nftbench.errors import BenchmarkDefect
from nftbench.tasks.model import Contract, Fixture, Passing, Step
from nftbench.tasks.orders import PostOrder, SignOrders
from nftbench.values import address_from_bytes
from nftbench.world.actors import Past
from nftbench.world.orders import posted, signed
from nftbench.world.world import World

DEPLOY_GAS = 12_000_000
QUIET = 600
"""Seconds before the start in which nobody acts any more, so that what they send is mined before it."""


class MakeEngine(Protocol):
    """What makes a fresh chain; `genesis_timestamp` is in Unix seconds."""

    def __call__(self, *, chain_id: int, genesis_timestamp: int) -> Engine: ...


def build_world(fixture: Fixture, make_engine: MakeEngine = RevmEngine) -> World:
    """Deploy the fixture on a fresh engine; its seed decides all keys and so all addresses.

    BenchmarkDefect, with the name in question, if it reverts or names what there is not.
    """
    engine = make_engine(chain_id=fixture.chain_id, genesis_timestamp=fixture.start_time - fixture.history)
    keys = {a.name: Key.derive(fixture.seed, a.name) for a in fixture.accounts if a.address is None}
    world = World(engine, fixture, keys)
    for account in fixture.accounts:
        engine.fund(world.addresses[account.name], account.ether)
    for contract in fixture.contracts:
        _deploy(world, contract)
    past = Past(world) if any(party.since < 0 for party in fixture.counterparties) else None
    for step in fixture.steps:
        if isinstance(step, Passing):
            _let_pass(world, past, step.seconds)
        elif isinstance(step, SignOrders):
            world.orders |= signed(world, step)
        elif isinstance(step, PostOrder):
            world.order_book.add(posted(world, step))
        else:
            _perform(world, step)
            if past is not None:
                past.react()
    for name in (name for party in fixture.counterparties for name in party.knows):
        world.order(name)
    if past is not None:
        _let_pass(world, past, max(fixture.start_time - engine.pending_timestamp - QUIET, 0))
        world.memories = past.memories
    pending = engine.pending_timestamp
    if pending > fixture.start_time:
        raise BenchmarkDefect(f"the fixture takes {pending - fixture.start_time} seconds more than its history has")
    engine.advance_time(fixture.start_time - engine.block.timestamp)
    for account in fixture.accounts:
        engine.fund(world.addresses[account.name], account.ether)
    world.begin()
    return world


def _let_pass(world: World, past: Past | None, seconds: int) -> None:
    if past is None:
        world.engine.advance_time(seconds)
    else:
        past.wait(seconds)


def _deploy(world: World, contract: Contract) -> None:
    try:
        interface = load(contract.interface or contract.artifact).interface
        making = _making(world, contract)
    except (LookupError, ValueError) as problem:
        raise BenchmarkDefect(f"the contract {contract.name!r} cannot be deployed: {problem}") from problem
    told = world.engine.call(making.to, making.data, sender=making.sender) if making.to else None
    receipt = world.engine.transact(making)
    if not isinstance(receipt, Receipt) or not receipt.success:
        raise BenchmarkDefect(f"the contract {contract.name!r} cannot be deployed: {world.reason(receipt)}")
    address = address_from_bytes(told.output) if told else str(receipt.contract_address)
    world.add_contract(contract, address, interface)


def _making(world: World, contract: Contract) -> Transaction:
    """The transaction that a contract comes of: a deployment, or its factory's function."""
    if contract.factory is None:
        sender, data = (
            world.address(contract.deployer),
            load(contract.artifact).deployment(world.resolve(contract.args)),
        )
        return Transaction(sender=sender, to=None, data=data, gas_limit=DEPLOY_GAS)
    return world.transaction(
        Step(sender=contract.deployer, target=contract.factory, function=contract.making, args=contract.args)
    )


def _perform(world: World, step: Step) -> None:
    call = f"{step.target}.{step.function}" if step.function else f"ether to {step.target}"
    try:
        outcome: Any = world.send(step)
    except (LookupError, ValueError) as problem:
        raise BenchmarkDefect(f"the fixture step {call} by {step.sender!r} can't be sent: {problem}") from problem
    if not isinstance(outcome, Receipt) or not outcome.success:
        raise BenchmarkDefect(f"the fixture step {call} by {step.sender!r} fails: {world.reason(outcome)}")
