"""What a blind search may try in a world: every function of every contract, with arguments made of the world's own values.

Values are ranked: first what the reference sends in the twin's world, then what the goals name, the agent's own accounts, what
the task says, what the contracts' views and the stored documents hold, and then everybody and everything else.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, structs

from nftbench.chain.abi import Function, Parameter
from nftbench.tasks.goals import At
from nftbench.tools.arguments import ArgumentError, decode_time
from nftbench.tools.calls import call_data
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, checksum

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_HEX = re.compile(r"0x[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_NUMBER = re.compile(r"(?<![0-9A-Za-z.,])[0-9]{1,30}(?![0-9A-Za-z])")
_IDS = re.compile(r"ids?_?$", re.IGNORECASE)
_KINDS = (
    (re.compile(r"collection|nft|^token$", re.IGNORECASE), ("ownerOf(uint256)", "balanceOf(address,uint256)")),
    (re.compile(r"currency|payment|coin|erc20", re.IGNORECASE), ("allowance(address,address)",)),
)
"""What the contracts are like that a parameter of such a name takes: they have one of the functions."""
_MOST_VALUES = 24
_LARGEST_ID = 10**9


class Send(Struct, frozen=True):
    """A transaction that the agent could send. `rank` is its place among those of the same function."""

    sender: str
    to: str
    data: bytes
    value: int
    text: str
    rank: int = 0


class Sign(Struct, frozen=True):
    """Typed data that the agent could sign, as the tool's arguments."""

    arguments: dict[str, Any]
    text: str


class WaitUntil(Struct, frozen=True):
    """A moment to wait for, in Unix seconds."""

    timestamp: int
    text: str


Move = Send | Sign | WaitUntil


class Values:
    """The world's values, by kind, in the order of their rank.

    `hints` are what the twin's reference sends, decoded, by type, and `paid` the ether that it sends along, by function.
    """

    def __init__(self, rehearsal: Rehearsal) -> None:
        world, task = rehearsal.world, rehearsal.task
        self.addresses: dict[str, None] = {}
        self.numbers: dict[int, None] = {}
        self.words: dict[bytes, None] = {}
        self.texts: dict[str, None] = {}
        self.hints: dict[str, list[Any]] = {}
        self.paid: dict[str, list[int]] = {}
        self._world = world
        self._take(list(task.goals))
        self._take(list(world.controlled))
        self._take(task.brief)
        self._take_text(task.prompt)
        for entry, value in rehearsal.entries("view"):
            if not entry.detail:
                self._take(value)
        for entry, amount in (*rehearsal.entries("units"), *rehearsal.entries("coins")):
            if entry.subject in world.controlled:
                self._take(amount)
        for document in task.fixture.uris.values():
            self._take_text(document)
        self._take([*world.contracts, *world.names, ZERO_ADDRESS, 0, 1, UINT256_MAX])

    def hint(self, parameters: Iterable[Parameter], values: Sequence[Any]) -> None:
        for parameter, value in zip(parameters, values, strict=True):
            known = self.hints.setdefault(parameter.canonical, [])
            if value not in known:
                known.append(value)
            if parameter.canonical.endswith("[]") and parameter.type != "tuple[]":
                single = self.hints.setdefault(parameter.canonical[:-2], [])
                single += [part for part in value if part not in single]

    def suits(self, address: str, name: str) -> bool:
        """Whether an address is what a parameter of this name asks for; any is, where the name asks for nothing special."""
        functions = next((functions for names, functions in _KINDS if names.search(name)), None)
        if functions is None:
            return True
        interface = self._world.interfaces.get(address)
        if interface is None:
            return address == ZERO_ADDRESS and "allowance(address,address)" in functions
        return any(function.signature in functions for function in interface.functions)

    def moments(self) -> list[int]:
        """Those numbers that are a time from now to a year from now."""
        now = self._world.engine.block.timestamp
        return sorted(n for n in self.numbers if now < n <= now + 366 * 86_400)

    def _take(self, value: Any) -> None:
        if isinstance(value, bool) or value is None:
            return
        if isinstance(value, int):
            self.numbers.setdefault(value)
        elif isinstance(value, bytes):
            self.words.setdefault(value)
        elif isinstance(value, str):
            self._take_text(value)
        elif isinstance(value, At):
            self.addresses.setdefault(self._world.address(value.name))
        elif isinstance(value, Struct):
            self._take(list(structs.asdict(value).values()))
        elif isinstance(value, dict):
            self._take([*value, *value.values()])
        elif isinstance(value, list | tuple):
            for part in value:
                self._take(part)

    def _take_text(self, text: str) -> None:
        if text in self._world.addresses:
            self.addresses.setdefault(self._world.addresses[text])
            return
        for found in _ADDRESS.findall(text):
            self.addresses.setdefault(checksum(found))
        for word in _HEX.findall(text):
            self.words.setdefault(bytes.fromhex(word[2:]))
        if len(text) < 400:
            self.texts.setdefault(text)
        for number in _NUMBER.findall(text)[:60]:
            self.numbers.setdefault(int(number))


def options(parameter: Parameter, values: Values) -> list[Any]:
    """What may stand in the place of one parameter, the likeliest by its type and name first."""
    kind = parameter.canonical
    ranked: list[Any] = list(values.hints.get(kind, ()))
    if kind == "address":
        ranked += values.addresses
        ranked.sort(key=lambda address: not values.suits(address, parameter.name))
    elif kind == "bool":
        ranked += [True, False]
    elif kind.startswith(("uint", "int")) and not kind.endswith("]"):
        top = 2 ** int(kind.lstrip("uint") or 256) - 1
        ranked = [n for n in (*ranked, *values.numbers) if 0 <= n <= top]
        if _IDS.search(parameter.name):
            ranked = [n for n in ranked if n < _LARGEST_ID]
    elif kind == "bytes":
        ranked += [b"", *values.words]
    elif kind == "bytes32":
        ranked += [w for w in values.words if len(w) == 32]
    elif kind == "string":
        ranked += values.texts
    elif kind.endswith("[]") and parameter.type != "tuple[]":
        item = Parameter(parameter.name, kind[:-2], kind[:-2])
        ranked += [(value,) for value in options(item, values)[:6]] + [()]
    unique: list[Any] = []
    for value in ranked:
        if not any(value == known and type(value) is type(known) for known in unique):
            unique.append(value)
        if len(unique) >= _MOST_VALUES:
            break
    return unique


def combinations(choices: Sequence[Sequence[Any]], most: int) -> Iterator[tuple[Any, ...]]:
    """Up to so many tuples of one choice each, those of the smallest sum of ranks first."""
    if any(not options_there for options_there in choices):
        return
    queue: list[tuple[int, tuple[int, ...]]] = [(0, (0,) * len(choices))]
    seen = {queue[0][1]}
    while queue and most:
        total, ranks = heapq.heappop(queue)
        yield tuple(choice[rank] for choice, rank in zip(choices, ranks, strict=True))
        most -= 1
        for i, rank in enumerate(ranks):
            further = (*ranks[:i], rank + 1, *ranks[i + 1 :])
            if rank + 1 < len(choices[i]) and further not in seen:
                seen.add(further)
                heapq.heappush(queue, (total + 1, further))


def hinted(rehearsal: Rehearsal, acts: Iterable[Turn], values: Values) -> Iterator[Move]:
    """The steps of the twin's reference as they are; their values go among the hints."""
    world = rehearsal.world
    for act in acts:
        given = act.arguments
        if act.name == "wait" and given.get("until"):
            yield WaitUntil(decode_time("until", given["until"]), f"wait until {given['until']}")
        if act.name == "sign_typed_data":
            yield Sign(given, f"sign {given['typed_data'].get('primaryType')}")
        if act.name != "send_transaction":
            continue
        sender, value = given.get("account") or world.user, int(given.get("value_wei") or 0)
        if not given.get("function"):
            yield Send(sender, checksum(given["to"]), b"", value, "send ether")
            continue
        try:
            function, data = call_data(rehearsal.desk, checksum(given["to"]), given["function"], given.get("arguments"))
        except ArgumentError:
            continue
        values.hint(function.inputs, function.decode_input(data))
        values.paid.setdefault(function.signature, []).append(value)
        yield Send(sender, checksum(given["to"]), data, value, f"{world.names[checksum(given['to'])]}.{function.name}")


def sends(rehearsal: Rehearsal, contract: str, values: Values, most: int) -> Iterator[Send]:
    """Calls of every function of a contract that may change something, up to so many each."""
    world = rehearsal.world
    for function in world.interfaces[contract].functions:
        if not function.read_only:
            yield from _calls(rehearsal, contract, function, values, most)


def _calls(rehearsal: Rehearsal, contract: str, function: Function, values: Values, most: int) -> Iterator[Send]:
    world = rehearsal.world
    amounts: list[Any] = [0]
    if function.payable:
        sums = [n for n in values.numbers if 10**12 < n < 10**20][:6]
        amounts = list(dict.fromkeys([*values.paid.get(function.signature, ()), 0, *sums]))
    choices = [options(p, values) for p in function.inputs]
    for sender in world.controlled:
        for rank, (*given, amount) in enumerate(combinations([*choices, amounts], most)):
            try:
                data = function.encode(given)
            except ValueError:
                continue
            yield Send(sender, contract, data, amount, f"{world.names[contract]}.{function.name}", rank)
