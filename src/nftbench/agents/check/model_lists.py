"""What a server says that it serves: the list at `/models`, in the shapes that servers give it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgspec import Struct

from nftbench.agents.verdicts.error_bodies import number_in
from nftbench.agents.verdicts.served_names import same_model

MOST_MODELS = 2000
"""Entries of a list that are read."""
_WINDOWS = (
    "max_model_len",  # vLLM, SGLang
    "loaded_context_length",  # LM Studio: what the loaded model really has
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
    "n_ctx",  # llama-server, in `meta`
)
_TRAINED = ("n_ctx_train",)


class Listed(Struct, frozen=True, kw_only=True):
    """One served model. `window` is its context in tokens as the server runs it, `trained` the one it was trained for;
    `root` the files or model behind the name; `parent` the base of an adapter; `owner` says what kind of server it is."""

    name: str
    aliases: tuple[str, ...] = ()
    window: int | None = None
    trained: int | None = None
    root: str | None = None
    parent: str | None = None
    owner: str = ""


Relation = Literal["listed", "variant", "pattern", "path", "absent"]


class Match(Struct, frozen=True):
    """How the asked name stands to the list, and the entry that it means, None where it is none."""

    relation: Relation
    entry: Listed | None = None


def read_models(body: object) -> tuple[Listed, ...] | None:
    """The models of a list's body (`data`, or a bare list), None if it is no list of models."""
    entries = body.get("data", body.get("models")) if type(body) is dict else body
    if type(entries) is not list:
        return None
    listed = [_entry(entry) for entry in entries[:MOST_MODELS] if type(entry) is dict]
    named = tuple(each for each in listed if each is not None)
    return named if named or not entries else None


def match(asked: str, listed: Sequence[Listed], aliases: Collection[str] = ()) -> Match:
    """The first of these that holds: the very name (or an alias of it), a harmless variant, a pattern, a model's path."""
    for entry in listed:
        if asked in (entry.name, *entry.aliases):
            return Match("listed", entry)
    for entry in listed:
        if any(same_model(asked, name, aliases) for name in (entry.name, *entry.aliases)):
            return Match("variant", entry)
    for entry in listed:
        if "*" in entry.name and fnmatchcase(asked, entry.name):
            return Match("pattern", entry)
    for entry in listed:
        if entry.root and entry.parent is None and same_model(asked, entry.root):
            return Match("path", entry)
    return Match("absent")


def near_names(asked: str, listed: Sequence[Listed], most: int = 3) -> tuple[str, ...]:
    """The served names that look like the asked one, by their last parts and without regard to case."""
    by_base = {_base(name): entry.name for entry in listed for name in (*entry.aliases, entry.name)}
    wanted = _base(asked)
    near = difflib.get_close_matches(wanted, by_base, n=most, cutoff=0.6)
    near += [
        base for base in by_base if base not in near and min(len(base), len(wanted)) >= 4 and _within(wanted, base)
    ]
    return tuple(dict.fromkeys(by_base[base] for base in near))[:most]


def _within(one: str, other: str) -> bool:
    return one in other or other in one


def _base(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def _entry(fields: dict[str, Any]) -> Listed | None:
    name = next((fields[key] for key in ("id", "model", "name") if type(fields.get(key)) is str and fields[key]), None)
    if name is None:
        return None
    aliases = fields.get("aliases")
    inner = [fields, *(fields[key] for key in ("meta", "model_info", "limits") if type(fields.get(key)) is dict)]
    return Listed(
        name=name,
        aliases=tuple(each for each in aliases if type(each) is str) if type(aliases) is list else (),
        window=_number(inner, _WINDOWS),
        trained=_number(inner, _TRAINED),
        root=_text(fields.get("root")),
        parent=_text(fields.get("parent")),
        owner=(_text(fields.get("owned_by")) or "").lower(),
    )


def _number(places: Sequence[dict[str, Any]], names: Sequence[str]) -> int | None:
    found = (number_in(place.get(name), None) for name in names for place in places)
    return next((number for number in found if number), None)


def _text(value: object) -> str | None:
    return value if type(value) is str and value else None
