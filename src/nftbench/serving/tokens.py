"""Who may come in: bearer tokens, and which attempt each of them opens.

A token is compared by its digest, with all of them, in constant time. Tokens are written to files that only their owner can
read, and nowhere else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.errors import Refusal
from nftbench.run.near import quoted
from nftbench.run.plan import Job

SHORTEST = 16
"""Characters of a token that is given to us; ours have 43."""
_FIT = re.compile(r"[\x21-\x7e]+")
_BEARER = re.compile(r"bearer +([\x21-\x7e]+) *", re.IGNORECASE)


class Access(Struct, frozen=True):
    """What a client that was let in may open: `job` is the one attempt, None the next that is left. Sessions of one `holder`
    are out of reach for another."""

    holder: str
    job: Job | None = None


class Gate:
    """Lets in who has a token; without any tokens everybody, as `open_to`."""

    def __init__(self, tokens: Mapping[str, Access], open_to: Access | None = None) -> None:
        self._known = [(_digest(token), access) for token, access in tokens.items()]
        self._open_to = open_to

    def admit(self, authorization: str | None) -> Access | None:
        """What an `Authorization` header opens; None: nothing."""
        if self._open_to is not None:
            return self._open_to
        found = _BEARER.fullmatch(authorization or "")
        shown = _digest(found.group(1) if found else "")
        admitted = None
        for digest, access in self._known:
            if hmac.compare_digest(digest, shown) and found:
                admitted = access
        return admitted


def given_token(environment: Mapping[str, str], variable: str, file: Path | None) -> str | None:
    """The token of an environment variable or a file, which gets a new one where it is not there. None where there is neither."""
    if file is None:
        token = environment.get(variable)
        return None if token is None else _fit(token.strip(), f"${variable}")
    try:
        return _fit(file.read_text("utf-8").strip(), f"--token-file {file}")
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        _write(file, token + "\n", "--token-file")
        return token
    except (OSError, ValueError) as problem:
        raise Refusal(f"--token-file {file} can't be read ({_why(problem)})") from None


def tickets(file: Path, jobs: Sequence[Job], url: str) -> dict[str, Access]:
    """A token for each attempt, written to `file` with the URL, one attempt a line. Tokens that stand there already are kept, so
    that clients can go on with a server that was started again."""
    there = _tickets_in(file)
    tokens = {job: there.get((job.instance_id, job.trial)) or secrets.token_urlsafe(32) for job in jobs}
    lines = [
        json.dumps({"instance_id": job.instance_id, "trial": job.trial, "url": url, "token": token})
        for job, token in tokens.items()
    ]
    _write(file, "".join(f"{line}\n" for line in lines), "--tickets")
    return {token: Access(f"{job.instance_id}/{job.trial}", job) for job, token in tokens.items()}


def _tickets_in(file: Path) -> dict[tuple[str, int], str]:
    try:
        rows: list[Any] = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
        return {(str(row["instance_id"]), int(row["trial"])): _fit(row["token"], "a token") for row in rows}
    except FileNotFoundError:
        return {}
    except OSError as problem:
        raise Refusal(f"--tickets {file} can't be read ({_why(problem)})") from None
    except (ValueError, KeyError, TypeError, Refusal):
        raise Refusal(
            f"--tickets {file} holds something else than tickets: name a file that is not there yet"
        ) from None


def _fit(token: str, where: str) -> str:
    if not isinstance(token, str) or len(token) < SHORTEST or not _FIT.fullmatch(token):
        raise Refusal(
            f"{where} holds no token: {SHORTEST} or more letters, digits and signs, without spaces, are needed"
        )
    return token


def _write(file: Path, text: str, flag: str) -> None:
    """A file of its owner's alone, there whole or not at all."""
    partial = file.with_name(f"{file.name}.{secrets.token_hex(4)}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as writing:
            writing.write(text)
            writing.flush()
            os.fsync(writing.fileno())
        partial.replace(file)
    except OSError as problem:
        with suppress(OSError):
            partial.unlink()
        raise Refusal(f"{flag} {quoted(str(file))} can't be written ({_why(problem)})") from None


def _why(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or "it is no text"


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
