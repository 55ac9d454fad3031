"""What a blind search may try in a world: every function of every contract, with arguments made of the world's own values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from nftbench.chain.abi import Function
from nftbench.chain.codec import EncodingError
from nftbench.grading.moment import named
from nftbench.tools.arguments import ArgumentError, decode_time
from nftbench.tools.calls import call_data
from nftbench.validation.argument_values import Values, arguments, options
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn
from nftbench.values import checksum
from nftbench.world.world import World


class Send(Struct, frozen=True):
    """A transaction that the agent could send. `rank` is its place among those of the same function."""

    sender: str
    to: str
    data: bytes
    value: int
    rank: int = 0


class Sign(Struct, frozen=True):
    """Typed data that the agent could sign, as the tool's arguments."""

    arguments: dict[str, Any]


class WaitUntil(Struct, frozen=True):
    """A moment to wait for, in Unix seconds."""

    timestamp: int


Move = Send | Sign | WaitUntil


class Calling(Struct, frozen=True):
    """A function of a contract, and the account that calls it."""

    contract: str
    function: Function
    sender: str

    def send(self, given: Sequence[Any], amount: int, rank: int = 0) -> Send | None:
        """The call with these arguments and so much ether; None for arguments that the types can't hold."""
        try:
            return Send(self.sender, self.contract, self.function.encode(given), amount, rank)
        except EncodingError:
            return None

    def ranked(self, values: Values, most: int) -> Iterator[Send]:
        """Up to so many calls, the likeliest first."""
        amounts: list[Any] = [0]
        if self.function.payable:
            sums = [n for n in values.numbers if 10**12 < n < 10**20][:6]
            amounts = list(dict.fromkeys([*values.paid.get(self.function.signature, ()), 0, *sums]))
        choices = [options(p, values, self.contract) for p in self.function.inputs]
        found = arguments(self.function.inputs, [*choices, amounts], values, self.contract, most)
        for rank, (*given, amount) in enumerate(found):
            if (move := self.send(given, amount, rank)) is not None:
                yield move


def callings(world: World, contract: str) -> Iterator[Calling]:
    """Everything that may change something in a contract, from each of the agent's accounts."""
    for function in world.interfaces[contract].functions:
        if not function.read_only:
            yield from (Calling(contract, function, sender) for sender in world.controlled)


def hinted(rehearsal: Rehearsal, acts: Iterable[Turn], values: Values) -> Iterator[Move]:
    """The steps of the twin's reference as they are; their values go among the hints."""
    world = rehearsal.world
    for act in acts:
        given = act.arguments
        if act.name == "wait" and given.get("until"):
            yield WaitUntil(decode_time("until", given["until"]))
        if act.name == "sign_typed_data":
            yield Sign(given)
        if act.name != "send_transaction":
            continue
        sender, value = given.get("account") or world.user, int(given.get("value_wei") or 0)
        if not given.get("function"):
            yield Send(sender, checksum(given["to"]), b"", value)
            continue
        try:
            function, data = call_data(rehearsal.desk, checksum(given["to"]), given["function"], given.get("arguments"))
        except ArgumentError:
            continue
        values.hint(function.inputs, function.decode_input(data))
        values.paid.setdefault(function.signature, []).append(value)
        yield Send(sender, checksum(given["to"]), data, value)


def in_question(rehearsal: Rehearsal) -> set[str]:
    """The contracts that the goals or the prompt name."""
    world, task = rehearsal.world, rehearsal.task
    told = f"{task.goals} {task.prompt}"
    return {
        a
        for a, contract in world.contracts.items()
        if contract.name in told or (contract.label or contract.name) in told
    }


def spoken_move(world: World, move: Move) -> str:
    """A move as a person would read it."""
    if isinstance(move, WaitUntil):
        return f"wait until {move.timestamp}"
    if isinstance(move, Sign):
        return f"sign {move.arguments['typed_data'].get('primaryType')}"
    with_ether = f" with {move.value} wei" if move.value else ""
    if not move.data:
        return f"send {move.value} wei to {named(world, move.to)}"
    by = "" if move.sender == world.user else f" from {named(world, move.sender)}"
    return f"{spoken_call(world, move.to, move.data)}{with_ether}{by}"


def spoken_call(world: World, contract: str, data: bytes) -> str:
    """Call data for a contract of the world, as a person would read it."""
    functions = world.interfaces[contract].functions if contract in world.interfaces else ()
    function = next((f for f in functions if f.selector == data[:4]), None)
    if function is None:
        return f"{named(world, contract)} called with {named(world, data)}"
    given = ", ".join(named(world, value) for value in function.decode_input(data))
    return f"{named(world, contract)}.{function.name}({given})"
