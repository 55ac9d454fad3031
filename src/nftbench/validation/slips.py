"""Damages on the way: the reference's own steps with one thing in one of them wrong, and all the others as they were.

A slip that leads to the same end is none: only those that leave another world, or other signatures, behind are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn
from nftbench.validation.strays import Spoil

Path = tuple[Any, ...]


def left_out(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Waits aside: whoever can do without one may."""
    for i, act in enumerate(rehearsal.acts):
        if act.name == "wait":
            continue
        yield _slip(f"step {i + 1} ({_shown(act)}) is left out", (*rehearsal.acts[:i], *rehearsal.acts[i + 1 :]))


def wrong_address(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """A stranger in the place of each address: the wrong recipient, operator, beneficiary."""
    yield from _leaves(rehearsal, "a stranger", lambda value: rehearsal.stranger if _is_address(value) else None)


def wrong_contract(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The same call to another contract that takes it."""
    world = rehearsal.world
    for i, act in enumerate(rehearsal.acts):
        to = act.arguments.get("to")
        if to in world.contracts and act.arguments.get("function"):
            name = str(act.arguments["function"]).split("(", maxsplit=1)[0]
            others = [
                a for a, found in world.interfaces.items() if a != to and any(f.name == name for f in found.functions)
            ]
            for other in others[:1]:
                yield _changed(rehearsal, i, ("to",), other, world.names[other])


def one_more(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """One more in each number: the next token, a unit too many."""
    yield from _leaves(rehearsal, "one more", lambda value: _number(value, 1))


def one_less(rehearsal: Rehearsal) -> Iterator[Spoil]:
    yield from _leaves(rehearsal, "one less", lambda value: _number(value, -1))


def wrong_data(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Another last digit in proofs, signatures and encoded calls, another word in texts, the other of two."""
    yield from _leaves(rehearsal, "something else", _otherwise)


def one_wei(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """A wei more and a wei less in what is sent along."""
    for i, act in enumerate(rehearsal.acts):
        value = int(act.arguments.get("value_wei") or 0)
        for other in (value + 1, value - 1) if value else ():
            yield _changed(rehearsal, i, ("value_wei",), str(other), f"{other} wei")


def wrong_account(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The step is taken from another of the agent's accounts."""
    world = rehearsal.world
    for i, act in enumerate(rehearsal.acts):
        sender = act.arguments.get("account") or world.user
        for other in [a for a in world.controlled if a != sender] if act.name != "wait" else ():
            yield _changed(rehearsal, i, ("account",), other, f"from {world.names[other]}")


def _leaves(rehearsal: Rehearsal, what: str, change: Any) -> Iterator[Spoil]:
    for i, act in enumerate(rehearsal.acts):
        part = {"send_transaction": "arguments", "sign_typed_data": "typed_data"}.get(act.name)
        if part is None or not act.arguments.get(part):
            continue
        inside = act.arguments[part]
        below = ("message",) if part == "typed_data" else ()
        for path, value in _walk(inside["message"] if below else inside):
            other = change(value)
            if other is not None:
                yield _changed(rehearsal, i, (part, *below, *path), other, f"{what} for {str(value)[:50]}")


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _walk(part, (*path, key))
    else:
        yield path, value


def _changed(rehearsal: Rehearsal, index: int, path: Path, value: Any, what: str) -> Spoil:
    act = rehearsal.acts[index]
    other = Turn(act.name, _with(act.arguments, path, value), "")
    acts = (*rehearsal.acts[:index], other, *rehearsal.acts[index + 1 :])
    return _slip(f"step {index + 1} ({_shown(act)}): {what}", acts)


def _with(container: Any, path: Path, value: Any) -> Any:
    """The container with one part replaced."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(container, dict):
        return container | {key: _with(container.get(key), rest, value)}
    return [*container[:key], _with(container[key], rest, value), *container[key + 1 :]]


def _slip(what: str, acts: tuple[Turn, ...]) -> Spoil:
    return Spoil(what, _other_end, (acts,))


def _other_end(rehearsal: Rehearsal, acts: tuple[Turn, ...]) -> bool:
    """Play these steps; whether they come to something else."""
    rehearsal.play(acts)
    rehearsal.end()
    return rehearsal.effect() != rehearsal.solved_effect


def _shown(act: Turn) -> str:
    return str(act.arguments.get("function") or act.name).split("(", maxsplit=1)[0]


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("0x") and len(value) == 42


def _number(value: Any, by: int) -> str | None:
    if isinstance(value, str) and value.isdecimal() and int(value) + by >= 0:
        return str(int(value) + by)
    return None


def _otherwise(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if not isinstance(value, str) or value.isdecimal() or _is_address(value) or value in ("", "0x"):
        return None
    return value[:-1] + ("1" if value[-1] == "0" else "0") if value.startswith("0x") else value + " too"
