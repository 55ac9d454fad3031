"""What makes a run that run: the fields of run.json that may not change between the command that began it and one
that goes on. Which instances it holds, the number of trials and nftbench's own version are recorded beside them and are
no identity: a run may grow. The endpoint's URL is recorded nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nftbench.errors import Refusal
from nftbench.records import codec
from nftbench.records.owner import with_id
from nftbench.run.reply_room import followed

IDENTITY = (
    "tier",
    "provider",
    "model",
    "agent",
    "cli",
    "isolated",
    "served_names",
    "sampling",
    "prompt_layout",
    "tool_set",
    "suite_seed",
    "max_turns",
    "max_seconds",
    "suite_version",
    "grader_version",
)
"""In the order in which differences are named."""

FIRST_RELEASE: Mapping[str, Any] = {
    "tier": "synthetic",
    "provider": "openrouter",
    "tool_set": "standard",
    "suite_seed": 0,
    "max_turns": 60,
    "suite_version": "1",
    "grader_version": "1",
    "trials": 1,
}
"""What a field meant before it was recorded."""

FIRST_SAMPLING: Mapping[str, Mapping[str, Any]] = {
    "openrouter": {"max_tokens": 32000},
    "endpoint": {"max_tokens": 32000},
    "cli": {},
    "agent": {},
}

_SHAPES: Mapping[str, tuple[type, ...]] = {
    "tier": (str,),
    "selection": (list,),
    "provider": (str,),
    "model": (str, type(None)),
    "agent": (str, type(None)),
    "cli": (str, type(None)),
    "isolated": (bool,),
    "served_names": (list,),
    "sampling": (dict,),
    "prompt_layout": (str,),
    "tool_set": (str,),
    "suite_seed": (int,),
    "max_turns": (int, type(None)),
    "max_seconds": (int, float),
    "suite_version": (str,),
    "grader_version": (str,),
    "trials": (int,),
}


VERSIONS = ("suite_version", "grader_version")


def read(raw: bytes, *, where: str, versions: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The record in a run.json, fields that an older release did not write filled in; fields of other origin are
    kept. `versions` are those of a record that names none; None for the first release's.

    Refusal, naming `where`, for text that is cut or no record of a run, and for a record without a prompt layout.
    """
    try:
        record = codec.decode(raw)
    except codec.Unreadable as problem:
        raise Refusal(
            f"{where} can't be read: {problem}; choose another --out, or remove the folder to start over"
        ) from None
    if not isinstance(record, dict) or "selection" not in record:
        raise Refusal(f"{where} is no record of an nftbench run; choose another --out")
    for name, types in _SHAPES.items():
        if name in record and (
            not isinstance(record[name], types) or (isinstance(record[name], bool) and bool not in types)
        ):
            raise Refusal(f"{where} is no record of an nftbench run (its {name} is unfit); choose another --out")
    if not all(isinstance(instance_id, str) for instance_id in record["selection"]) or record.get("trials", 1) < 1:
        raise Refusal(
            f"{where} is no record of an nftbench run (its selection or trials are unfit); choose another --out"
        )
    if "prompt_layout" not in record:
        raise Refusal(f"{where} has no prompt_layout, so what its model was shown is unknown; choose another --out")
    return completed({**{name: versions[name] for name in VERSIONS}, **record} if versions else record)


def completed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with what it lacks set to what that meant in the first release."""
    filled = dict(record)
    for name, value in FIRST_RELEASE.items():
        filled.setdefault(name, value)
    filled.setdefault("sampling", dict(FIRST_SAMPLING.get(filled["provider"], {})))
    return filled


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """One phrase for each identity field that differs, both values in it; a sampling value is named on its own."""
    found = []
    for name in IDENTITY:
        there, here = stored.get(name), wanted.get(name)
        if name == "sampling":
            found += _sampling_differences(there or {}, here or {})
        elif there != here:
            found.append(f"{name} {_shown(there)} there, {_shown(here)} here")
    return found


def settled(
    stored: Mapping[str, Any] | None, wanted: Mapping[str, Any], *, where: str, order: Sequence[str] = ()
) -> dict[str, Any]:
    """The record to write: `wanted` for a new run, else `stored` with its instances and trials extended if more are
    wanted; in the given order, the catalog's. A run without an id draws one.

    Refusal, naming `where` and what differs, when the stored run is another one.
    """
    if stored is None:
        return with_id(wanted, begun=False)
    wanted = followed(stored, wanted)
    different = differences(stored, wanted)
    if different:
        raise Refusal(f"{where} belongs to another run ({'; '.join(different)}); choose another --out")
    selection = _together(stored["selection"], wanted["selection"], order)
    return with_id(stored, begun=True) | {
        "selection": selection,
        "trials": max(stored["trials"], wanted["trials"]),
    }


def _together(there: Sequence[str], here: Sequence[str], order: Sequence[str]) -> list[str]:
    place = {name: number for number, name in enumerate(order)}
    both = dict.fromkeys([*there, *here])
    return list(there) if len(both) == len(there) else sorted(both, key=lambda name: place.get(name, len(place)))


def _sampling_differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    names = [*there, *(name for name in here if name not in there)]
    return [
        f"{name} {_shown(there.get(name))} there, {_shown(here.get(name))} here"
        for name in names
        if there.get(name) != here.get(name) or isinstance(there.get(name), bool) != isinstance(here.get(name), bool)
    ]


def _shown(value: Any) -> str:
    return "unset" if value is None else codec.encode(value).decode()
