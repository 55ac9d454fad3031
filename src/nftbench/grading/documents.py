"""JSON documents that a contract gives: read as a strict reader would, and compared by what they say."""

from __future__ import annotations

import json
import re
from typing import Any

from nftbench.calls import nests_deeper
from nftbench.values import checksum
from nftbench.world.data_uris import NotDecodable, content_of, is_data_uri

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


DEEPEST_DOCUMENT = 100
"""How many levels of lists and objects a document may nest to be read."""


class NoDocument(ValueError):
    """The text is no JSON document (RFC 8259) and no data: URI that holds one; the message says where it breaks."""


def document_of(text: Any) -> Any:
    """The document in a text or behind a data: URI. Keys that come twice, NaN and Infinity are refused."""
    if not isinstance(text, str):
        raise NoDocument(f"no text: {text!r}")
    content = _content(text) if is_data_uri(text) else text
    try:
        document = json.loads(content, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        raise NoDocument("it is nested too deeply") from None
    except ValueError as problem:
        raise NoDocument(f"it does not parse: {problem}") from None
    if nests_deeper(document, DEEPEST_DOCUMENT):
        raise NoDocument(f"it is nested more than {DEEPEST_DOCUMENT} levels deep")
    return document


def says_the_same(document: Any, wanted: Any) -> bool:
    """Whether two documents agree: objects by their keys, arrays without order, addresses without case."""
    return _canonical(document) == _canonical(wanted)


def _content(uri: str) -> str:
    try:
        return content_of(uri).text()
    except NotDecodable as problem:
        raise NoDocument(str(problem)) from None
    except UnicodeDecodeError as problem:
        raise NoDocument(f"the content of the data: URI is no text: {problem}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice in one object")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _canonical(value: Any) -> tuple[str, Any]:
    if isinstance(value, dict):
        return "object", tuple(sorted((key, _canonical(inner)) for key, inner in value.items()))
    if isinstance(value, list | tuple):
        return "array", tuple(sorted(map(_canonical, value), key=repr))
    if isinstance(value, str):
        return "text", checksum(value) if _ADDRESS.fullmatch(value) else value
    if isinstance(value, bool) or value is None:
        return "word", value
    return "number", value
