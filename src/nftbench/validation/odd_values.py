"""Arguments near given ones that nobody has named: neighbours, the ends of a type, a stranger, another word, an item less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nftbench.chain.abi import Parameter
from nftbench.validation.argument_values import ODD_WORD, is_array, item_of


def nearby(parameters: Sequence[Parameter], given: Sequence[Any], stranger: str) -> Iterator[tuple[Any, ...]]:
    """The arguments with one thing in them changed: first each in one way, then each in a second one, and so on."""
    values = tuple(given)
    waiting = [(place, _others(parameter, values[place], stranger)) for place, parameter in enumerate(parameters)]
    while waiting:
        still = []
        for place, others in waiting:
            other = next(others, None)
            if other is not None:
                yield (*values[:place], other, *values[place + 1 :])
                still.append((place, others))
        waiting = still


def _others(parameter: Parameter, value: Any, stranger: str) -> Iterator[Any]:
    kind = parameter.canonical
    if is_array(parameter):
        yield from _other_arrays(parameter, value, stranger)
    elif parameter.components:
        yield from nearby(parameter.components, value, stranger)
    elif kind == "address":
        yield from (stranger,) if value != stranger else ()
    elif kind == "bool":
        yield not value
    elif kind.startswith("uint"):
        top = 2 ** int(kind.removeprefix("uint") or 256) - 1
        yield from (n for n in (value + 1, value - 1, 0, top) if 0 <= n <= top and n != value)
    elif kind.startswith("int"):
        yield from (value + 1, value - 1)
    elif kind == "string":
        yield value + " too"
    elif kind == "bytes":
        yield value + b"\x01"
    else:
        yield ODD_WORD[: len(value)]


def _other_arrays(parameter: Parameter, value: tuple[Any, ...], stranger: str) -> Iterator[tuple[Any, ...]]:
    """One item changed, the last one twice, the last one with a change after it, the last one left out."""
    item = item_of(parameter)
    changed = [(i, other) for i, one in enumerate(value[:3]) for other in list(_others(item, one, stranger))[:4]]
    yield from ((*value[:i], other, *value[i + 1 :]) for i, other in changed)
    if value and parameter.canonical.endswith("[]"):
        yield (*value, value[-1])
        yield from ((*value, other) for other in list(_others(item, value[-1], stranger))[:4])
        yield value[:-1]
