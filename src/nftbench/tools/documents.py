"""The fetch_uri tool: what stands behind a URI, as text that a model can read. Pictures are named and left out."""

from __future__ import annotations

import json
import re
from typing import Any

from nftbench.tools.arguments import Argument, ArgumentError
from nftbench.tools.paging import page_of
from nftbench.tools.parameters import CURSOR
from nftbench.tools.toolbox import Desk, Tool
from nftbench.world.data_uris import NotDecodable, content_of, is_data_uri

LONGEST_SHOWN = 2_000
"""Characters of a URI that an error repeats."""
LONGEST_PICTURE = 200
"""Characters of a picture inside a document that are shown; a longer one is named."""
_PICTURE = re.compile(r"(?:image|audio|video|font|model)/|text/html|application/(?:octet-stream|xhtml)")


def fetch_uri(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    uri = given["uri"]
    if is_data_uri(uri):
        try:
            document = _document(uri)
        except NotDecodable as problem:
            raise ArgumentError(f"argument 'uri': {problem}") from None
    elif uri in desk.world.fixture.uris:
        document = desk.world.fixture.uris[uri]
    else:
        told = uri if len(uri) <= LONGEST_SHOWN else f"{uri[:LONGEST_SHOWN]}... ({len(uri)} characters)"
        raise ArgumentError(f"argument 'uri': nothing is found at {told}")
    return {"uri": uri if len(uri) <= 200 else f"{uri[:80]}... ({len(uri)} characters)"} | page_of(
        without_pictures(document), given["cursor"] or 0, "content"
    )


def told_document(uri: str) -> dict[str, Any] | None:
    """The first page of the text behind a data: URI, or None if it can't be read."""
    try:
        return page_of(without_pictures(_document(uri)), 0, "content", room=10_000)
    except NotDecodable:
        return None


def _document(uri: str) -> str:
    content = content_of(uri)
    kind = content.media_type
    if kind.startswith(("image/", "audio/", "video/", "font/")) and not kind.startswith("image/svg"):
        return f"[left out: {kind}, {len(content.raw)} bytes]"
    return content.text(errors="replace")


def without_pictures(text: str) -> str:
    """A JSON text with the long pictures, sounds and pages among its strings named in place of their content; any other
    text, and one without any, as it is."""
    try:
        document = json.loads(text, object_pairs_hook=_unique)
        named = _named(document)
        return text if named == document else json.dumps(named, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _named(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_named(inner) for inner in value]
    if not isinstance(value, str) or len(value) <= LONGEST_PICTURE:
        return value
    if value.lstrip()[:4].lower() == "<svg":
        return f"[left out: image/svg+xml, {len(value)} characters]"
    if not is_data_uri(value):
        return value
    kind = value.lstrip()[5:85].partition(",")[0].partition(";")[0].strip().lower()
    return f"[left out: {kind}, {len(value)} characters]" if _PICTURE.match(kind) else value


DOCUMENT_TOOLS = (
    Tool(
        "fetch_uri",
        "The text behind an ipfs://, https:// or data: URI; long pictures in it are left out.",
        (Argument(name="uri", kind="text", required=True), CURSOR),
        fetch_uri,
    ),
)
