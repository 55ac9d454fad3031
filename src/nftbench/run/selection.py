"""Which instances a run takes: ids, globs and comma lists, resolved against a tier's catalog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from nftbench.errors import Refusal
from nftbench.run.near import near_names, quoted
from nftbench.tasks.model import CONTROL

_GLOB_CHARACTERS = frozenset("*?[")
_FAMILY = re.compile(r"([FL](?:[0-9]|\[[0-9-]+\])+)\*+")


def resolve(
    asked: Iterable[str] | None, known: Sequence[str], *, tier: str, controls: Sequence[str] = ()
) -> tuple[str, ...]:
    """The known ids that are asked for, in the catalog's order; None asks for all. `controls` may be asked for, too, by
    their ids or by globs that end as their ids do; they come last.

    Globs may overlap with each other and with ids; the same name given twice is refused, as a likely slip.
    """
    if asked is None:
        return tuple(known)
    names = [name.strip() for text in asked for name in text.split(",")]
    chosen: set[str] = set()
    for position, name in enumerate(names):
        if name in names[:position]:
            raise Refusal(f"{quoted(name)} is named twice among the instances: each name may stand once")
        chosen |= _matches(name, (*known, *controls) if name.endswith(CONTROL) else known, tier)
    return tuple(name for name in (*known, *controls) if name in chosen)


def _matches(name: str, known: Sequence[str], tier: str) -> set[str]:
    if not name:
        raise Refusal("an empty name stands among the instances: give ids or globs, separated by commas")
    if not _GLOB_CHARACTERS & set(name):
        if name in known:
            return {name}
        raise Refusal(f"{quoted(name)} is no instance of tier {tier}{_hint(name, known)}; nftbench list shows all")
    found = {instance_id for instance_id in known if _matches_glob(instance_id, name)}
    if not found:
        raise Refusal(f"{quoted(name)} matches no instance of tier {tier}; nftbench list shows all")
    return found


def _matches_glob(instance_id: str, glob: str) -> bool:
    """Whether the glob takes the id. A star right after a family's number stands for no more digits: F1* is no F14a_01."""
    family = _FAMILY.match(glob)
    if family is None:
        return fnmatchcase(instance_id, glob)
    rest = glob[family.end() :]
    return any(fnmatchcase(instance_id, f"{family[1]}{between}{rest}") for between in ("", "[!0-9]*"))


def _hint(name: str, known: Sequence[str]) -> str:
    if any(instance_id.startswith(name) for instance_id in known):
        return f" (near names: {name}*)"
    return near_names(name, known)
