"""What a line of JSON-RPC holds: messages for the server, and errors for what is none. No line with something on it is met
with silence, but for notifications and responses, which nobody answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
WITH_BATCHES = "2025-03-26"
"""The one version of MCP that has batches of JSON-RPC; before it they are not mentioned, after it they are gone."""
LONGEST_BATCH = 500
_LOOKED_THROUGH = 65_536
"""Characters at either end of a message that can't be read, in which its id is looked for."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\s"{}\[\],:]+')


class Read(Struct, frozen=True):
    """A line, read. `messages` go to the server, each as JSON; `errors` are answers to the rest. `batch` says that the
    answers to all of it travel together, and `awaited` has the ids of those that are yet to come."""

    messages: tuple[str, ...] = ()
    errors: tuple[dict[str, Any], ...] = ()
    batch: bool = False
    awaited: tuple[str, ...] = ()


def read_line(line: str, fits: Callable[[str], bool], *, version: str | None, whole: bool = True) -> Read:
    """A line of the client's. `fits` says whether JSON text is a message of the protocol; `version` is the one agreed on, None
    before that; `whole` is False where only the beginning of a line is there, because it is too long."""
    text = line.strip().lstrip("\ufeff").strip()
    if not text:
        return Read()
    if not whole:
        return _refused("the message is too long", identifier_in(text))
    if text.startswith("["):
        return _read_list(text, fits, version)
    if fits(text):
        return Read((text,))
    try:
        value = json.loads(text)
    except RecursionError:
        return _refused("the message nests too deeply", identifier_in(text))
    except ValueError:
        return _refused("this is no JSON", None, PARSE_ERROR)
    return Read(errors=(_error_for(value),))


def id_key(identifier: Any) -> str:
    """An id as something to look up: 1 and "1" are two."""
    return json.dumps(identifier)


def identifier_in(text: str) -> str | int | None:
    """The id of a message that is too deep or too long to be read, where it stands near the beginning or the end."""
    found = _identifier_from(text[:_LOOKED_THROUGH])
    if found is not None or len(text) <= _LOOKED_THROUGH:
        return found
    last = re.search(
        r'[,}\]]\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"\w+"\s*:\s*"[^"]*"\s*)*}\s*$', text[-1000:]
    )
    return _identifier(last.group(1)) if last else None


def _read_list(text: str, fits: Callable[[str], bool], version: str | None) -> Read:
    try:
        values = json.loads(text)
    except RecursionError:
        return _refused("the message nests too deeply", None)
    except ValueError:
        return _refused("this is no JSON", None, PARSE_ERROR)
    if version != WITH_BATCHES:
        return _refused(
            f"batches are part of version {WITH_BATCHES} of the protocol, which is not the one agreed on", None
        )
    if not values or len(values) > LONGEST_BATCH:
        return _refused(f"a batch holds 1 to {LONGEST_BATCH} messages", None)
    messages, errors, awaited = [], [], []
    for value in values:
        message = _text_of(value)
        if message is None or not fits(message) or value.get("method") == "initialize":
            errors.append(_error_for(value))
            continue
        messages.append(message)
        if "method" in value and "id" in value:
            awaited.append(id_key(value["id"]))
    return Read(tuple(messages), tuple(errors), True, tuple(awaited))


def _text_of(value: Any) -> str | None:
    try:
        return json.dumps(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


def _error_for(value: Any) -> dict[str, Any]:
    """The error for a JSON value that is no message of the protocol."""
    identifier = value.get("id") if isinstance(value, dict) else None
    if type(identifier) not in (int, str):
        identifier = None
    if isinstance(value, dict) and value.get("method") == "initialize" and identifier is not None:
        return error(INVALID_REQUEST, "this is no request to initialize a session, or stands in a batch", identifier)
    return error(INVALID_REQUEST, "this is no message of JSON-RPC 2.0, or its parameters can't be read", identifier)


def _refused(why: str, identifier: str | int | None, code: int = INVALID_REQUEST) -> Read:
    return Read(errors=(error(code, why, identifier),))


def error(code: int, words: str, identifier: str | int | None) -> dict[str, Any]:
    """An answer that says what is wrong."""
    return {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": words}}


def _identifier_from(text: str) -> str | int | None:
    """The value of the outermost object's id, by brackets and strings alone."""
    depth, last, key = 0, "", ""
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1:
            if key == '"id"' and last == key:
                return _identifier(token)
            key = token if text[found.end() :][:20].lstrip().startswith(":") else ""
        last = token
    return None


def _identifier(token: str) -> str | int | None:
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if type(value) in (int, str) else None
