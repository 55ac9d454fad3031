"""One HTTP exchange with a chat server: what came back, or what went wrong, as a value.

This is the only place that talks HTTP. Everything that leaves it as text has been cleaned of secrets; nothing of the reply
is read beyond a bound, and no deadline is longer than it says.
"""

from __future__ import annotations

import gzip
import http.client
import json
import re
import socket
import ssl
import time
import urllib.request
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.error import HTTPError, URLError

from msgspec import Struct

from nftbench.agents.wire.secrets import Scrubber

LARGEST_BODY = 16 * 1024 * 1024
"""A body of so many bytes, before or after decompression, is refused."""
DAMAGED_BYTES_NOTE = "damaged_bytes"
"""The note on a body in which bytes had to be replaced."""
_CHUNK = 256 * 1024
_LATIN = re.compile(r"charset\s*=\s*[\"']?(?:iso-?8859-1\b|latin-?1|windows-1252|us-ascii)")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")

FaultKind = Literal["unreachable", "certificate", "timeout", "lost", "cut", "too_large", "unsendable", "redirected"]
Opener = Callable[..., Any]
"""Called as `opener(request, timeout=seconds)` in the caller's thread; answers or raises like `urllib.request.urlopen`."""


class Fault(Struct, frozen=True):
    """Why there is no usable response. `reached` says that the server may have seen the request (and charge for it)."""

    kind: FaultKind
    text: str
    reached: bool


class Outcome(Struct, frozen=True):
    """What one request brought: a status with headers (lower-case names) and body text, or a fault, or both where the
    response broke off. All texts are without secrets. `notes` says what was odd about the body's bytes."""

    status: int | None
    headers: dict[str, str] = {}
    text: str = ""
    fault: Fault | None = None
    notes: tuple[str, ...] = ()


class Exchange(Struct, frozen=True):
    """How to talk to a server. `timeout` bounds connecting and each wait for bytes, in seconds; `total` one whole exchange
    as far as it is our reading that takes the time."""

    opener: Opener
    timeout: float = 600
    total: float = 900
    monotonic: Callable[[], float] = time.monotonic

    def send(
        self, url: str, body: bytes | None, headers: Mapping[str, str], secret_header: str, scrub: Scrubber
    ) -> Outcome:
        """Posts JSON, or gets if there is no body. The Authorization value travels in a header that urllib drops on
        redirects."""
        started = self.monotonic()
        try:
            request = urllib.request.Request(url, data=body, headers=dict(headers))
            if secret_header:
                request.add_unredirected_header("Authorization", secret_header)
            response = self.opener(request, timeout=self.timeout)
        except HTTPError as error:
            return self._received(error, error.code, request.full_url, started, scrub)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Outcome(status=None, fault=_fault(error, scrub))
        return self._received(response, int(getattr(response, "status", 200)), request.full_url, started, scrub)

    def _received(self, response: Any, status: int, url: str, started: float, scrub: Scrubber) -> Outcome:
        headers = _headers_of(response, scrub)
        fault = _followed_redirect(response, url)
        body = bytearray()
        try:
            fault = fault or _read_bounded(response, headers, body, started + self.total, self.monotonic)
        except (OSError, http.client.HTTPException, ValueError) as error:
            fault = Fault(
                "timeout" if _is_timeout(error) else "cut", scrub(f"the reply broke off: {_words(error)}"), True
            )
        finally:
            response.close()
        if body[:2] == b"\x1f\x8b":
            unpacked = _gunzip(body)
            if isinstance(unpacked, Fault):
                return Outcome(status, headers, "", fault or unpacked)
            body = unpacked
        text, is_whole = _decoded(body, headers.get("content-type", ""))
        return Outcome(status, headers, scrub(text), fault, () if is_whole else (DAMAGED_BYTES_NOTE,))


def default_opener(request: urllib.request.Request, *, timeout: float) -> Any:
    """`urllib.request.urlopen`, looked up at each call, so that what a run (or a test) has put there is used."""
    return urllib.request.urlopen(request, timeout=timeout)


def _read_bounded(
    response: Any, headers: dict[str, str], body: bytearray, deadline: float, monotonic: Callable[[], float]
) -> Fault | None:
    declared = headers.get("content-length", "")
    expected = int(declared) if declared.isdecimal() and "transfer-encoding" not in headers else None
    if expected is not None and expected >= LARGEST_BODY:
        return Fault("too_large", f"the reply has {expected} bytes", True)
    read = getattr(response, "read1", None) or response.read
    while chunk := read(_CHUNK):
        body += chunk
        if len(body) >= LARGEST_BODY:
            body.clear()
            return Fault("too_large", f"the reply has {LARGEST_BODY} bytes or more", True)
        if monotonic() > deadline:
            return Fault("timeout", "the reply took longer than the total time-out", True)
    if expected is not None and len(body) < expected:
        return Fault("cut", f"the reply broke off after {len(body)} of {expected} bytes", True)
    return None


def _decoded(body: bytearray, content_type: str) -> tuple[str, bool]:
    """The body as text, and whether all its bytes could be read. It is UTF-8 (or as RFC 4627, 3 tells UTF-16 and UTF-32
    apart), a byte order mark dropped; what is no UTF-8 is replaced, unless the server declares Latin-1 and nothing speaks
    against it."""
    encoding = json.detect_encoding(body)
    try:
        return body.decode(encoding).removeprefix("\ufeff"), True
    except UnicodeDecodeError:
        if _LATIN.search(content_type.lower()) and not _MULTIBYTE.search(body):
            return body.decode("latin-1"), True
        return body.decode(encoding, "replace").removeprefix("\ufeff"), False


def _gunzip(body: bytearray) -> bytearray | Fault:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = bytearray(unpacker.decompress(body, LARGEST_BODY))
    except (zlib.error, gzip.BadGzipFile) as error:
        return Fault("cut", f"the reply is no valid gzip: {error}", True)
    if len(unpacked) >= LARGEST_BODY:
        return Fault("too_large", f"the unpacked reply has {LARGEST_BODY} bytes or more", True)
    return unpacked if unpacker.eof else Fault("cut", "the compressed reply broke off", True)


def _headers_of(response: Any, scrub: Scrubber) -> dict[str, str]:
    headers = getattr(response, "headers", None)
    return {str(name).lower(): scrub(str(value)) for name, value in headers.items()} if headers else {}


def _followed_redirect(response: Any, url: str) -> Fault | None:
    where = getattr(response, "url", None)
    if not isinstance(where, str) or where == url:
        return None
    return Fault("redirected", "a redirect was followed before it could be refused", True)


def _fault(error: Exception, scrub: Scrubber) -> Fault:
    """urllib wraps in URLError what goes wrong before the whole request is out; the rest comes as it is."""
    sending = isinstance(error, URLError)
    reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
    text = scrub(_words(reason))
    if isinstance(reason, ssl.SSLCertVerificationError):
        return Fault("certificate", text, False)
    if _is_timeout(reason):
        return Fault("timeout", "no connection in time" if sending else "no answer in time", not sending)
    if isinstance(reason, ConnectionRefusedError | socket.gaierror):
        return Fault("unreachable", text, False)
    if isinstance(reason, http.client.InvalidURL) or not isinstance(reason, OSError | http.client.HTTPException):
        return Fault("unsendable", text, False)
    return Fault("unreachable" if sending else "lost", text, not sending)


def _is_timeout(error: object) -> bool:
    return isinstance(error, TimeoutError)


def _words(error: BaseException) -> str:
    """The error for people: its class where the text alone says little. Header values are never part of it."""
    if isinstance(error, ValueError) and "header value" in str(error):
        return "the key holds characters that a header cannot carry"
    if isinstance(error, http.client.InvalidURL) or "proxy URL" in str(error):
        return "the endpoint's address, or a proxy's in the environment, is malformed"  # its text may hold a password
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
