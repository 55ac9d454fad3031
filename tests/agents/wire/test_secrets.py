"""No spelling of a secret survives."""

from __future__ import annotations

import base64
import html
import json
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.wire.secrets import Scrubber, address_scrubber

KEY = "sk-Test/0nly+key=\"é'\\end"
scrub = Scrubber([("KEY", KEY)])
PLAIN = "test-only-endpoint-token"

SPELLINGS = {
    "as it is": KEY,
    "in JSON": json.dumps(KEY)[1:-1],
    "in JSON twice": json.dumps(json.dumps(KEY))[3:-3],
    "in JSON without escapes": json.dumps(KEY, ensure_ascii=False)[1:-1],
    "in JSON with escaped slashes": json.dumps(KEY)[1:-1].replace("/", "\\/"),
    "all in low escapes": "".join(f"\\u{ord(char):04x}" for char in KEY),
    "all in high escapes": "".join(f"\\u{ord(char):04X}" for char in KEY),
    "percent-encoded": quote(KEY, safe=""),
    "all percent-encoded, low": "".join(f"%{byte:02x}" for byte in KEY.encode()),
    "percent-encoded twice": quote(quote(KEY, safe=""), safe=""),
    "in HTML": html.escape(KEY, quote=True).replace("&quot;", "&#34;"),
    "in HTML by hex": "".join(f"&#x{ord(char):x};" for char in KEY),
    "in hex": KEY.encode().hex(),
    "every second character escaped": "".join(c if i % 2 else f"\\u{ord(c):04x}" for i, c in enumerate(KEY)),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling_is_taken_out(spelling: str) -> None:
    text = f"before {spelling} after"
    clean = scrub(text)
    assert spelling not in clean and "[KEY]" in clean
    assert clean.startswith("before ") and clean.endswith(" after")


@pytest.mark.parametrize("lead", ["", "a", "ab", "Bearer ", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_key_inside_base64_cannot_be_decoded_from_what_is_left(lead: str, encode: object) -> None:
    encoded = encode(f"{lead}{PLAIN}:rest".encode()).decode()  # type: ignore[operator]
    clean = Scrubber([("KEY", PLAIN)])(f"Authorization: Basic {encoded}")
    assert encoded not in clean and "[KEY]" in clean


@given(
    st.text(min_size=4, max_size=40).map(str.strip).filter(lambda s: len(s) >= 4),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_no_secret_survives_in_a_json_body_around_it(secret: str, before: str, after: str) -> None:
    scrubber = Scrubber([("KEY", secret)])
    for ascii_only in (True, False):
        body = json.dumps({"text": before + secret + after}, ensure_ascii=ascii_only)
        clean = scrubber(body)
        if secret not in "[KEY]":
            assert secret not in clean.replace("[KEY]", "\x00")


def test_a_cut_leaves_no_part_of_a_secret_behind() -> None:
    scrubber = Scrubber([("KEY", PLAIN)])
    escaped = "".join(f"\\u{ord(char):04x}" for char in PLAIN)
    for spelled in (PLAIN, escaped):
        for length in range(1, len(spelled)):
            cut = scrubber.cut("x" * 50 + spelled + "y" * 50, 50 + length)
            assert PLAIN[:4] not in cut and escaped[:12] not in cut


def test_a_cut_says_how_much_there_was() -> None:
    assert Scrubber([]).cut("x" * 20, 5) == "xxxxx... [cut, 20 characters]" and Scrubber([]).cut("xxxxx", 5) == "xxxxx"


def test_values_too_short_to_be_secrets_tear_no_texts_apart() -> None:
    assert Scrubber([("KEY", "a"), ("NONE", "")])("banana") == "banana"


def test_of_two_secrets_the_longer_goes_first() -> None:
    assert Scrubber([("SHORT", "token"), ("LONG", "token-more")])("token-more token") == "[LONG] [SHORT]"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://gpu-node-07:8000/v1", "cannot reach http://gpu-node-07:8000/v1 or gpu-node-07:8000 or gpu-node-07"),
        ("https://llm.example.org/v1", "certificate not valid for llm.example.org"),
        ("http://127.0.0.1:8000/v1", "nothing at http://127.0.0.1:8000/v1"),
    ],
)
def test_an_address_is_taken_out_of_texts_for_files(url: str, text: str) -> None:
    clean = address_scrubber(url)(text)
    host = url.split("/")[2]
    assert host not in clean and "[endpoint]" in clean


def test_this_machines_own_name_is_no_secret() -> None:
    assert address_scrubber("http://localhost:8000")("see localhost") == "see localhost"


def test_megabytes_of_escapes_are_searched_in_reasonable_time() -> None:
    started = time.process_time()
    Scrubber([("KEY", PLAIN)])("\\" * 500_000 + "%" * 500_000 + "t\\u0065" * 100_000)
    assert time.process_time() - started < 5
