"""The bytes of a body become text without any of them deciding over the others."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from nftbench.agents.wire.secrets import Scrubber
from nftbench.agents.wire.transport import DAMAGED_BYTES_NOTE, Exchange, Outcome


class Response(io.BytesIO):
    status = 200

    def __init__(self, body: bytes, headers: dict[str, str]) -> None:
        super().__init__(body)
        self.headers = headers


def received(body: bytes, content_type: str = "application/json") -> Outcome:
    def opener(request: Any, timeout: float) -> Response:
        return Response(body, {"Content-Type": content_type})

    return Exchange(opener).send("http://127.0.0.1:1/", b"{}", {}, "", Scrubber(()))


GOOD = json.dumps({"to": "Zürich, 東京, 🎨"}, ensure_ascii=False)


@pytest.mark.parametrize("bad", [b"\xff", b"\x80", b"\xc3", b"\xe6\x9d", b"\xed\xa0\x80"])
@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=utf-8", "text/plain; charset=ISO-8859-1"]
)
def test_a_bad_byte_is_replaced_and_the_rest_read_as_it_is(bad: bytes, content_type: str) -> None:
    raw = GOOD.encode().replace(b"to", b"t" + bad + b"o")
    outcome = received(raw, content_type)
    assert "Zürich, 東京, 🎨" in outcome.text and "\ufffd" in outcome.text
    assert outcome.notes == (DAMAGED_BYTES_NOTE,) and outcome.fault is None


def test_a_bad_byte_in_an_otherwise_plain_body_is_replaced_too() -> None:
    assert received(b'{"a": "b\xffc"}').text == '{"a": "b\ufffdc"}'


def test_latin_1_is_read_where_it_is_declared_and_nothing_speaks_against_it() -> None:
    outcome = received('{"to": "Zürich"}'.encode("latin-1"), "application/json; charset=latin-1")
    assert outcome.text == '{"to": "Zürich"}' and outcome.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_what_is_whole_is_read_without_a_note(encoding: str) -> None:
    outcome = received(GOOD.encode(encoding))
    assert json.loads(outcome.text) == json.loads(GOOD) and outcome.notes == ()
