"""Finding the error in a server's body: an object, a string, absent, a list of details, or no JSON at all."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.agents.transport import Outcome
from nftbench.agents.wording import shown

_LONGEST = 4000


class ServerError(Struct, frozen=True):
    """An error that a server tells. `status` is the HTTP status, or inside a 200 the error's own code; `folded` is its text
    with types and codes in lower case, for matching; `shown` its text for people; `codes` its type and code words."""

    status: int
    folded: str = ""
    shown: str = ""
    codes: frozenset[str] = frozenset()
    fields: dict[str, Any] = {}
    metadata: dict[str, Any] = {}


NO_ERROR = ServerError(0)


def error_in(body: object, outcome: Outcome) -> ServerError:
    """The error of an outcome, or NO_ERROR. Anything but a 2xx is one, whatever the body holds."""
    status = outcome.status or 0
    inner = _error_fields(body) if type(body) is dict else None
    if inner is None:
        if status < 400:
            return NO_ERROR
        inner = {}
    text = _message(inner) if inner else ("" if type(body) is dict and not body else outcome.text)
    words = [
        str(inner[name]) for name in ("type", "code", "status", "error_type") if type(inner.get(name)) in (str, int)
    ]
    own = number_in(inner.get("code"), number_in(inner.get("status"), None))
    if status < 400 and own is not None and 400 <= own < 600:
        status = own
    metadata = inner.get("metadata")
    return ServerError(
        status=status,
        folded=f"{text[:_LONGEST]} {' '.join(words)}".lower(),
        shown=shown(text),
        codes=frozenset(word.lower() for word in words),
        fields=inner,
        metadata=metadata if type(metadata) is dict else {},
    )


def number_in(value: object, otherwise: int | None) -> int | None:
    """A whole number given as one or as its digits, else `otherwise`."""
    if type(value) is int:
        return value
    if type(value) is str and value.isdecimal() and len(value) <= 12:
        return int(value)
    return otherwise


def _error_fields(body: dict[str, Any]) -> dict[str, Any] | None:
    """The fields of the error in a body, None if it holds none."""
    error = body.get("error")
    if type(error) is dict and error:
        return error
    if error:
        return {"message": error, "type": body.get("error_type") or body.get("type"), "code": body.get("code")}
    if body.get("object") == "error" or ("choices" not in body and ("message" in body or "detail" in body)):
        return body
    return None


def _message(fields: dict[str, Any]) -> str:
    parts = [_flat(fields[name]) for name in ("message", "detail", "msg", "error") if fields.get(name)]
    raw = fields.get("metadata")
    if type(raw) is dict and raw.get("raw"):
        parts.append(_flat(raw["raw"]))
    return " ".join(parts) or "an error without words"


def _flat(value: object) -> str:
    """Text, or the messages in a list or object of details; echoes of the request (`input`) are left out."""
    if type(value) is str:
        return value[: _LONGEST * 4]
    if type(value) is list:
        return "; ".join(_flat(entry) for entry in value[:20] if type(entry) is not list)
    if type(value) is dict:
        where = value.get("loc")
        place = ".".join(map(str, where)) if type(where) is list else str(where or "")
        words = [
            _flat(value[name]) for name in ("msg", "message", "detail", "error") if type(value.get(name)) in (str, dict)
        ]
        return f"{place}: {' '.join(words)}" if place else " ".join(words) or str(value)[:_LONGEST]
    return str(value)[:_LONGEST]
