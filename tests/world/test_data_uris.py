"""data: URIs as browsers read them, and as tokens have them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.grading.documents import document_of
from nftbench.world.data_uris import NotDecodable, content_of, is_data_uri
from tests.world.scenes import Stand

TEXT = '{"a":"b>?c"}'  # in base64 its bytes need padding, and + and / of the plain alphabet
PLAIN = base64.b64encode(TEXT.encode()).decode()
URL_SAFE = base64.urlsafe_b64encode(TEXT.encode()).decode()
FORMS = [
    f"data:application/json;base64,{PLAIN}",
    f"data:application/json;base64,{PLAIN.rstrip('=')}",
    f"data:application/json;base64,{URL_SAFE}",
    f"data:application/json;base64,{URL_SAFE.rstrip('=')}",
    f"data:application/json;BASE64,{PLAIN}",
    f"data:application/json; base64 ,{PLAIN}",
    f"data:application/json;base64, {PLAIN}",
    f"data:application/json;base64,{PLAIN[:6]}\n{PLAIN[6:]}\r\n",
    f"data:application/json;charset=utf-8;base64,{PLAIN}",
    f"DATA:application/json;base64,{PLAIN}",
    f"  data:application/json;base64,{PLAIN.replace('=', '%3D')}",
    f"data:application/json,{TEXT}",
    "data:application/json;utf8,%7B%22a%22%3A%22b%3E%3Fc%22%7D",
]


@pytest.mark.parametrize("uri", FORMS)
def test_tool_and_grader_read_what_browsers_read(uri: str) -> None:
    assert is_data_uri(uri)
    assert content_of(uri).text() == TEXT
    assert document_of(uri) == {"a": "b>?c"}
    stand = Stand().open()
    assert stand.use("fetch_uri", uri=uri)["content"] == TEXT


@pytest.mark.parametrize(
    "uri",
    [
        "data:application/json",
        "data:;base64,!!!!",
        "data:;base64,A",
        "data:;base64,AA=A",
        "data:;base64,A===",
        "data:,\ud800",
    ],
)
def test_what_cannot_be_decoded_is_refused(uri: str) -> None:
    with pytest.raises(NotDecodable):
        content_of(uri)
    assert "error" in Stand().open().use("fetch_uri", uri=uri)


@given(st.binary(max_size=200), st.booleans(), st.booleans(), st.integers(0, 80))
def test_any_bytes_come_through_in_every_spelling(raw: bytes, safe: bool, padded: bool, broken_at: int) -> None:
    text = (base64.urlsafe_b64encode if safe else base64.b64encode)(raw).decode()
    text = text if padded else text.rstrip("=")
    content = content_of(f"data:image/png;base64,{text[:broken_at]}\n{text[broken_at:]}")
    assert (content.raw, content.media_type) == (raw, "image/png")


def test_a_charset_of_one_byte_a_character_is_heeded() -> None:
    assert content_of("data:text/plain;charset=iso-8859-1,%E9").text() == "\u00e9"
    assert content_of("data:,%C3%A9").text() == "\u00e9"
