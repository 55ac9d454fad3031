"""Finding the error in a server's body, wherever a server or a proxy before it puts it.

It may be an object, a string, a list, a flat body without an `error`, JSON inside a string, or no JSON at all. What
echoes the request is left out: a model's own words must never be taken for the server's.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from nftbench.agents.verdicts.echoes import without_echo
from nftbench.agents.verdicts.wording import shown
from nftbench.agents.wire.transport import Outcome

_LONGEST = 4000
_DEEPEST = 24
_MOST_ENTRIES = 20
_MOST_TRIES = 8
"""How many braces and brackets of a text are tried as the beginning of JSON."""
_TEXTS = (
    *("message", "msg", "error_msg", "error_message", "errormessage", "status_msg", "detail", "details", "description"),
    *("error_description", "reason", "title", "error", "errors", "innererror", "base_resp", "fault", "faultstring"),
    *("cause", "violations", "raw", "metadata"),
)
"""Where words about an error stand, in the order in which they are put together; lists and objects are looked through."""
_CODES = (
    *("type", "code", "status", "error_type", "error_code", "errorcode", "status_code", "statuscode", "http_code"),
    *("http_status", "reason", "key", "quotaid", "limit_source"),
)
_ERROR_SIGNS = frozenset(_TEXTS) - {"metadata", "raw", "reason", "title", "description"}
_PLACES = ("param", "parameter", "field", "property", "loc", "pointer", "instancepath", "argument")
"""Where the field of the request stands that an error is about."""
_SUCCESS = frozenset(
    {"success", "succeeded", "successful", "ok", "okay", "done", "request succeeded", "成功", "请求成功"}
)
_WAITS = ("retry_after", "retryafter", "retry_after_seconds", "retrydelay", "estimated_time", "resets_in_seconds")
_NAMED = {
    **dict.fromkeys(("authentication_error", "invalid_api_key", "unauthenticated"), 401),
    **dict.fromkeys(("rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests"), 429),
    **dict.fromkeys(("invalid_request_error", "invalid_argument", "badrequesterror", "bad_request"), 400),
    **dict.fromkeys(("not_found_error", "model_not_found", "notfounderror"), 404),
    **dict.fromkeys(("overloaded_error", "unavailable", "service_unavailable"), 503),
    **dict.fromkeys(("api_error", "server_error", "internal_error", "internalservererror"), 500),
    **dict.fromkeys(("permission_error", "permission_denied"), 403),
}
"""The statuses that error types stand for: they count inside a 200 whose error has no number."""
_PROXYS_OWN = re.compile(
    r"\b(?:model=\S+ context_window_fallbacks=|received model group=|passed model=|litellm: model group|available model group).*",
    re.DOTALL,
)
"""Where a litellm proxy begins to speak of its own configuration, in lower case."""
_JSON_START = re.compile(r"[{\[]")


class ServerError(Struct, frozen=True):
    """An error that a server tells. `status` is the HTTP status, or inside a 200 the error's own code; `folded` is its text
    and after a bar its types and codes, in lower case, for matching; `words` is the text alone; `shown` its text for people;
    `codes` its type and code words; `places` the fields of the request that it names as such; `waits` what its fields say about
    how long to wait, as they came."""

    status: int
    folded: str = ""
    words: str = ""
    shown: str = ""
    codes: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    waits: tuple[Any, ...] = ()


NO_ERROR = ServerError(0)


class _Gathered:
    """What an error's body was found to say."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.codes: list[str] = []
        self.waits: list[Any] = []
        self.places: list[str] = []


def error_in(body: object, outcome: Outcome) -> ServerError:
    """The error of an outcome, or NO_ERROR. Anything but a 2xx is one, whatever the body holds."""
    status = outcome.status or 0
    holder = _holder(body)
    if holder is None and status < 400:
        return NO_ERROR
    found = _Gathered()
    if holder is not None:
        _gather(holder, found, 0)
        text = " ".join(found.texts) or "an error without words"
    else:
        text = "" if body == {} else without_echo(outcome.text)
    codes = frozenset(code.lower() for code in found.codes)
    inner = _own_fields(holder or {})
    metadata = inner.get("metadata")
    return ServerError(
        status=_own_status(found.codes, codes) or status if status < 400 else status,
        folded=f"{text[:_LONGEST]} | {' '.join(found.codes)}".lower(),
        words=_PROXYS_OWN.sub("", text[:_LONGEST].lower()),
        shown=shown(text),
        codes=codes,
        places=tuple(found.places),
        fields=inner,
        metadata=metadata if type(metadata) is dict else {},
        waits=tuple(found.waits),
    )


def number_in(value: object, otherwise: int | None) -> int | None:
    """A whole number given as one or as its digits, else `otherwise`."""
    if type(value) is int:
        return value
    if type(value) is str and value.isdecimal() and len(value) <= 12:
        return int(value)
    return otherwise


def words_of(text: str) -> str:
    """The words of an error that came as text, JSON in it looked through, in lower case."""
    return error_in({"error": text or "an error without words"}, Outcome(status=400)).words


def _holder(body: object) -> dict[str, Any] | None:
    """The object that tells an error, in a body or in a list of them; None if nothing does."""
    if type(body) is list:
        return next(
            (entry for entry in body[:_MOST_ENTRIES] if _holder(entry) is not None and type(entry) is dict), None
        )
    if type(body) is not dict:
        return None
    error = body.get("error")
    if any(error.values()) if type(error) is dict else error:
        return body
    if type(body.get("choices")) is list and body["choices"]:
        return None
    names = {name.lower() for name, value in body.items() if value and not _is_message(value)}
    if body.get("object") == "error" or body.get("success") is False:
        return body
    return body if names & _ERROR_SIGNS and not wrapped_completion(body) and not _tells_success(body) else None


def wrapped_completion(body: dict[str, Any]) -> bool:
    """Whether a completion stands inside of a body, in the form of another API: `{"code": 200, "data": {"choices": ...}}`."""
    inner = [value for value in body.values() if type(value) is dict]
    inner += [value for outer in inner for value in outer.values() if type(value) is dict]
    return any(type(value.get("choices")) is list and value["choices"] for value in inner)


def _tells_success(body: dict[str, Any]) -> bool:
    """Whether all that looks like an error's text says that there is none."""
    told = [value for name, value in body.items() if name.lower() in _ERROR_SIGNS and value]
    return all(type(value) is str and value.strip().lower() in _SUCCESS for value in told)


def _is_message(value: object) -> bool:
    """Whether a `message` is what a model said, as in other servers' replies, not an error's text."""
    return type(value) is dict and ("role" in value or "content" in value)


def _own_fields(holder: dict[str, Any]) -> dict[str, Any]:
    error = holder.get("error")
    return error if type(error) is dict else holder


def _own_status(told: list[str], codes: frozenset[str]) -> int | None:
    numbers = (int(code) for code in told if code.isdecimal() and len(code) == 3)
    named = (_NAMED[code] for code in sorted(codes) if code in _NAMED)
    return next((number for number in numbers if 400 <= number < 600), None) or next(named, None)


def _gather(value: object, found: _Gathered, depth: int) -> None:
    if depth > _DEEPEST or len(found.texts) > _MOST_ENTRIES * 2:
        return
    if type(value) is str:
        _gather_text(value, found, depth)
    elif type(value) is list:
        for entry in value[:_MOST_ENTRIES]:
            _gather(entry, found, depth + 1)
    elif type(value) is dict:
        fields = {str(name).lower(): inner for name, inner in value.items()}
        found.codes += [str(fields[name]) for name in _CODES if _is_code(fields.get(name))]
        found.waits += [fields[name] for name in _WAITS if fields.get(name)]
        found.places += [place for name in _PLACES if (place := _place(fields.get(name)))]
        if type(fields.get("loc")) is list:
            found.texts.append(f"{'.'.join(map(str, fields['loc']))}:")
        for name in _TEXTS:
            if fields.get(name) and not (name == "reason" and _is_code(fields[name])):
                _gather(fields[name], found, depth + 1)
    elif value is not None and type(value) is not bool and depth == 1:
        found.texts.append(str(value))


def _gather_text(text: str, found: _Gathered, depth: int) -> None:
    """A text, with the JSON that a proxy put into it looked through instead of taken as words."""
    text = text[: _LONGEST * 8]
    start = _JSON_START.search(text)
    for _ in range(_MOST_TRIES):
        if start is None:
            break
        try:
            inner, end = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            start = _JSON_START.search(text, start.end())
            continue
        if inner and (type(inner) is dict or (type(inner) is list and type(inner[0]) is dict)):
            before, after = text[: start.start()], text[end:]
            found.texts += [part for part in (before.strip(),) if part]
            _gather(inner, found, depth + 1)
            text, start = after, _JSON_START.search(after)
        else:
            start = _JSON_START.search(text, end)
    rest = without_echo(text).strip()
    if rest:
        found.texts.append(rest[: _LONGEST * 4])


def _place(value: object) -> str:
    """The path of a field, given as text, as a JSON pointer or as a list of its parts."""
    if type(value) is list:
        return ".".join(map(str, value[:_MOST_ENTRIES]))
    return value.strip("/").replace("/", ".")[:200] if type(value) is str else ""


def _is_code(value: object) -> bool:
    return type(value) is int or (type(value) is str and 0 < len(value) <= 100 and len(value.split()) <= 3)
