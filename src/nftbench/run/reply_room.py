"""The length of a reply where none was given: what a server told of its window is written into the run's record at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nftbench.records import codec
from nftbench.records.store import RunFolder

FIELD = "reply_room"
"""In run.json, of runs without --max-tokens at an endpoint: `usual` until a refusal told more, then what it told."""
USUAL = "usual"


def record_reply_room(folder: RunFolder, tokens: int, window: int | None) -> None:
    """From here on the run asks for so many tokens a reply, because of that context window (None: the server told only the
    longest reply it gives)."""
    raw = folder.read_record()
    if raw is None:
        return
    record = codec.decode(raw)
    told = {"max_tokens": tokens, **({"context_window": window} if window is not None else {})}
    folder.write_record(record | {"sampling": {**record["sampling"], "max_tokens": tokens}, FIELD: told})


def learnt_reply_room(folder: RunFolder) -> dict[str, Any]:
    """What the run has learnt of the length of a reply, as the summary and the record have it; {} for nothing."""
    raw = folder.read_record()
    told = codec.decode(raw).get(FIELD) if raw is not None else None
    return {FIELD: told} if isinstance(told, dict) else {}


def followed(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The wanted record with the length of a reply that an earlier command of the same run has learnt, where none is given."""
    if wanted.get(FIELD) != USUAL or FIELD not in stored:
        return dict(wanted)
    tokens = (stored.get("sampling") or {}).get("max_tokens", wanted["sampling"]["max_tokens"])
    return {**wanted, "sampling": {**wanted["sampling"], "max_tokens": tokens}}
