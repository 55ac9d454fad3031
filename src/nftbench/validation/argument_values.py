"""What may stand in the place of a parameter: the world's own values, ranked.

First what the reference sends in the twin's world, then what the goals name, the agent's own accounts, what the task says, what
the contracts' views and the stored documents hold, and then everybody and everything else. Structs and arrays are values of
their own where somebody has sent one before; others are put together of what may stand in their parts.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, structs

from nftbench.chain.abi import Parameter
from nftbench.chain.codec import DecodingError
from nftbench.tasks.goals import At
from nftbench.validation.rehearsal import Rehearsal
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, checksum, keccak256

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_HEX = re.compile(r"0x[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_NUMBER = re.compile(r"(?<![0-9A-Za-z.,])[0-9]{1,30}(?![0-9A-Za-z])")
_IDS = re.compile(r"ids?_?$", re.IGNORECASE)
_KINDS = (
    (re.compile(r"collection|nft|^token$", re.IGNORECASE), ("ownerOf(uint256)", "balanceOf(address,uint256)")),
    (re.compile(r"currency|payment|coin|erc20", re.IGNORECASE), ("allowance(address,address)",)),
)
"""What the contracts are like that a parameter of such a name takes: they have one of the functions."""
_LENGTH = re.compile(r"\[([0-9]*)\]$")
_MOST_VALUES, _MOST_STRUCTS = 24, 60
_MOST_ITEMS, _MOST_KNOWN = 6, 4
_EACH = 12
"""Tuples for one token and its holder."""
ODD_WORD = keccak256(b"a word that stands in no world")
_LARGEST_ID = 10**9


class Values:
    """The world's values, by kind, in the order of their rank.

    `hints` are what the twin's reference sends, decoded, by type, and `paid` the ether that it sends along, by function. `told`
    are the structs, arrays, words and texts that past transactions sent and views return, by type. `holdings` are some tokens of
    each contract with their holders, the likeliest first.
    """

    def __init__(self, rehearsal: Rehearsal) -> None:
        world, task = rehearsal.world, rehearsal.task
        self.addresses: dict[str, None] = {}
        self.numbers: dict[int, None] = {}
        self.words: dict[bytes, None] = {}
        self.texts: dict[str, None] = {}
        self.hints: dict[str, list[Any]] = {}
        self.told: dict[str, list[Any]] = {}
        self.paid: dict[str, list[int]] = {}
        self._world = world
        self._take(list(task.goals))
        self._take(list(world.controlled))
        self._take(task.brief)
        self._take_text(task.prompt)
        self.holdings = _holdings(rehearsal, self.numbers)
        for entry, value in rehearsal.entries("view"):
            if not entry.detail:
                self._take(value)
                outputs = world.interfaces[entry.contract or ""].function(entry.subject).outputs
                _keep(self.told, outputs, (value,) if len(outputs) == 1 else value)
        for entry, amount in (*rehearsal.entries("units"), *rehearsal.entries("coins")):
            if entry.subject in world.controlled:
                self._take(amount)
        for document in task.fixture.uris.values():
            self._take_text(document)
        self._take([*world.contracts, *world.names, rehearsal.stranger, ZERO_ADDRESS, 0, 1, UINT256_MAX])
        self._take_history()

    def hint(self, parameters: Iterable[Parameter], values: Sequence[Any]) -> None:
        """Values that the twin's reference sends: the whole ones, and the parts of structs and arrays."""
        _keep(self.hints, parameters, values, simple=True)

    def addresses_for(self, name: str) -> list[str]:
        """All addresses, those first that suit a parameter of this name: where it says nothing special, what the twin's
        reference sends and then whatever is no token contract."""
        known = self.hints.get("address", [])
        ranked = dict.fromkeys([*known, *self.addresses])
        wanted = next((functions for names, functions in _KINDS if names.search(name)), None)
        if wanted is None:
            return sorted(ranked, key=lambda address: address not in known and self._is_token(address))
        return sorted(ranked, key=lambda address: not self._has(address, wanted))

    def _is_token(self, address: str) -> bool:
        return address != ZERO_ADDRESS and any(self._has(address, functions) for _, functions in _KINDS)

    def _has(self, address: str, functions: tuple[str, ...]) -> bool:
        """Whether a contract has one of the functions; the zero address stands for ether among currencies."""
        interface = self._world.interfaces.get(address)
        if interface is None:
            return address == ZERO_ADDRESS and "allowance(address,address)" in functions
        return any(function.signature in functions for function in interface.functions)

    def moments(self) -> list[int]:
        """Those numbers that are a time from now to a year from now."""
        now = self._world.engine.block.timestamp
        return sorted(n for n in self.numbers if now < n <= now + 366 * 86_400)

    def _take_history(self) -> None:
        """What everybody's transactions before the start were called with."""
        for receipt in self._world.engine.receipts():
            interface = self._world.interfaces.get(receipt.to or "")
            function = (
                next((f for f in interface.functions if f.selector == receipt.data[:4]), None) if interface else None
            )
            if function is None or not receipt.success:
                continue
            try:
                given = function.decode_input(receipt.data)
            except DecodingError:
                continue
            self._take(list(given))
            _keep(self.told, function.inputs, given)

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


def _holdings(rehearsal: Rehearsal, named: dict[int, None]) -> list[tuple[str, int, str]]:
    """Up to four tokens of each contract that are the agent's and two of other people's; first those whose numbers are told."""
    mine = rehearsal.world.controlled
    found = [(e.contract or "", e.subject, owner) for e, owner in rehearsal.entries("owner")]
    found += [(e.contract or "", e.detail, e.subject) for e, amount in rehearsal.entries("units") if amount]
    found.sort(key=lambda held: (held[1] not in named, held[2] not in mine))
    counts: dict[tuple[str, bool], int] = {}
    kept = []
    for held in found:
        group = (held[0], held[2] in mine)
        counts[group] = counts.get(group, 0) + 1
        if counts[group] <= (4 if group[1] else 2):
            kept.append(held)
    return kept


def _keep(
    kept: dict[str, list[Any]], parameters: Iterable[Parameter], values: Sequence[Any], simple: bool = False
) -> None:
    """Put values among those kept by type, with the parts of structs and arrays; numbers, addresses and flags if `simple`."""
    for parameter, value in zip(parameters, values, strict=True):
        kind = parameter.canonical
        if simple or parameter.components or kind.endswith("]") or kind.startswith(("bytes", "string")):
            known = kept.setdefault(kind, [])
            if not any(_same(value, one) for one in known):
                known.append(value)
        if is_array(parameter):
            _keep(kept, [item_of(parameter)] * len(value), value, simple)
        elif parameter.components:
            _keep(kept, parameter.components, value, simple)


def is_array(parameter: Parameter) -> bool:
    """Whether a parameter is an array, of a fixed length or any."""
    return parameter.canonical.endswith("]")


def item_of(array: Parameter) -> Parameter:
    """One item of an array parameter."""
    kind, canonical = _LENGTH.sub("", array.type), _LENGTH.sub("", array.canonical)
    return Parameter(array.name, kind, canonical, array.components)


def options(parameter: Parameter, values: Values, here: str = "") -> list[Any]:
    """What may stand in the place of one parameter of a contract's function, the likeliest by its type and name first."""
    kind = parameter.canonical
    whole = [*values.hints.get(kind, ()), *values.told.get(kind, ())[:_MOST_KNOWN]]
    if is_array(parameter):
        return _unique([*whole, *_arrays(parameter, values, here)], _MOST_VALUES)
    if parameter.components:
        choices = [options(component, values, here) for component in parameter.components]
        made = arguments(parameter.components, choices, values, here, _MOST_STRUCTS)
        return _unique([*whole, *made], len(whole) + _MOST_STRUCTS)
    return _unique(_simple(parameter, values, here), _MOST_VALUES)


def _arrays(parameter: Parameter, values: Values, here: str) -> Iterator[tuple[Any, ...]]:
    """Arrays of one item, of two, of the first three, and of none; of a fixed length, the same item over and over."""
    items = options(item_of(parameter), values, here)[:_MOST_ITEMS]
    length = (_LENGTH.search(parameter.canonical) or [""])[1]
    if length:
        yield from ((item,) * int(length) for item in items)
        return
    yield from ((item,) for item in items)
    yield from (tuple(items[:count]) for count in (2, 3) if len(items) >= count)
    yield ()


def _simple(parameter: Parameter, values: Values, here: str) -> list[Any]:
    """Values of a type without parts."""
    kind = parameter.canonical
    known = [*values.hints.get(kind, ())]
    if kind == "address":
        return values.addresses_for(parameter.name)
    if kind == "bool":
        return [*known, True, False]
    if kind.startswith(("uint", "int")):
        return _numbers(parameter, known, values, here)
    told = values.told.get(kind, ())
    if kind == "string":
        return [*known, *told, *values.texts]
    if kind == "bytes":
        return [*known, b"", *told, *values.words]
    size = int(kind.removeprefix("bytes")) if kind.startswith("bytes") else -1
    return [word for word in (*known, *told, *values.words, ODD_WORD[:size]) if len(word) == size]


def _numbers(parameter: Parameter, known: list[int], values: Values, here: str) -> list[int]:
    top = 2 ** int(parameter.canonical.lstrip("uint") or 256) - 1
    ranked = [n for n in (*known, *values.numbers) if 0 <= n <= top]
    if not _IDS.search(parameter.name):
        return ranked
    ids = [token_id for contract, token_id, _ in values.holdings if contract == here]
    small = [n for n in ranked if n < _LARGEST_ID]
    likely = len(known) + _MOST_ITEMS
    return [*small[:likely], *(n for n in ids if n <= top), *small[likely:]]


def _unique(ranked: Iterable[Any], most: int) -> list[Any]:
    unique: list[Any] = []
    for value in ranked:
        if not any(_same(value, known) for known in unique):
            unique.append(value)
        if len(unique) >= most:
            break
    return unique


def _same(value: Any, other: Any) -> bool:
    """Equal and of one type: 1 and True are two values."""
    return bool(value == other) and type(value) is type(other)


def arguments(
    parameters: Sequence[Parameter], choices: Sequence[Sequence[Any]], values: Values, here: str, most: int
) -> Iterator[tuple[Any, ...]]:
    """Up to so many tuples of one choice each: by turns the likeliest, and those that speak of a token that there is, in its
    collection and with its holder. There may be more choices than parameters."""
    fitting = _of_holdings(parameters, choices, values, here)
    plain = combinations(choices, most)
    seen: set[tuple[Any, ...]] = set()
    for source in itertools.islice(itertools.cycle((plain, fitting)), 2 * most):
        given = next(source, None)
        if given is not None and given not in seen and len(seen) < most:
            seen.add(given)
            yield given


def _of_holdings(
    parameters: Sequence[Parameter], choices: Sequence[Sequence[Any]], values: Values, here: str
) -> Iterator[tuple[Any, ...]]:
    """Tuples in which a number is a token's, an address its collection, if one is asked for, and others perhaps its holder."""
    token = next((i for i, p in enumerate(parameters) if "int" in p.canonical and _IDS.search(p.name)), None)
    if token is None or any(not there for there in choices):
        return
    kinds = [p.canonical == "address" and bool(_KINDS[0][0].search(p.name)) for p in parameters]
    sources = []
    for contract, token_id, holder in values.holdings:
        if not any(kinds) and contract != here:
            continue
        bound = [list(there) for there in choices]
        bound[token] = [(token_id,) if is_array(parameters[token]) else token_id]
        for i, parameter in enumerate(parameters):
            if parameter.canonical == "address":
                bound[i] = [contract] if kinds[i] else [holder, *(a for a in choices[i] if a != holder)]
        sources.append(combinations(bound, _EACH))
    for turn in itertools.zip_longest(*sources):
        yield from (given for given in turn if given is not None)


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
