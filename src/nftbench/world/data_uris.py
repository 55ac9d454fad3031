"""data: URIs as browsers read them (RFC 2397; the Fetch standard's data: URL processor).

Line breaks and tabs anywhere in a URI are dropped, as are blanks at its ends. A head that ends in `;base64` in any case, with
or without blanks around it, makes the content base64, which may lack its padding and hold blanks; the URL-safe alphabet is
taken as well. What is no base64 by these rules is refused, never guessed.
"""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

from msgspec import Struct

_DROPPED = re.compile(r"[\t\n\r]")
_BASE64 = re.compile(r";\s*base64\s*$", re.IGNORECASE)
_CHARSET = re.compile(r";\s*charset=\"?([\w.:-]+)", re.IGNORECASE)
_BLANKS = re.compile(rb"[ \t\n\r\f]")
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_ONE_BYTE = frozenset({"iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"})


class NotDecodable(ValueError):
    """The URI has no content that can be read; the message says why."""


class Content(Struct, frozen=True):
    """What a data: URI holds: its media type in lower case without parameters ("text/plain" where it says none), its bytes
    and the name of the encoding of a text among them."""

    media_type: str
    raw: bytes
    charset: str = "utf-8"

    def text(self, errors: str = "strict") -> str:
        """The bytes as text; UnicodeDecodeError where they are none, unless `errors` says otherwise."""
        return self.raw.decode(self.charset, errors=errors)


def is_data_uri(text: str) -> bool:
    """Whether a text is a data: URI, whatever it holds."""
    return text.lstrip()[:5].lower() == "data:"


def content_of(uri: str) -> Content:
    """The content of a data: URI; NotDecodable if there is none."""
    head, comma, payload = _DROPPED.sub("", uri.strip()).partition(",")
    if not comma:
        raise NotDecodable("a data: URI needs a comma before its content")
    try:
        raw = unquote_to_bytes(payload)
    except UnicodeEncodeError:
        raise NotDecodable("the content holds half of a character pair") from None
    base = _BASE64.search(head)
    if base:
        raw, head = _forgiving(raw), head[: base.start()]
    charset = _CHARSET.search(head)
    encoding = "cp1252" if charset and charset[1].lower() in _ONE_BYTE else "utf-8"
    return Content(head[5:].partition(";")[0].strip().lower() or "text/plain", raw, encoding)


def _forgiving(raw: bytes) -> bytes:
    """The bytes behind base64 as browsers take it: blanks dropped, padding whole or missing."""
    digits = _BLANKS.sub(b"", raw).translate(_URL_SAFE)
    if len(digits) % 4 == 0 and digits.endswith(b"="):
        digits = digits[: -2 if digits.endswith(b"==") else -1]
    if len(digits) % 4 == 1 or b"=" in digits:
        raise NotDecodable("its base64 content can't be decoded")
    try:
        return base64.b64decode(digits + b"=" * (-len(digits) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise NotDecodable("its base64 content can't be decoded") from None
