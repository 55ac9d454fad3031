"""No spelling of a secret survives."""

from __future__ import annotations

import base64
import codecs
import html
import html.entities
import json
import textwrap
import time
from typing import Any
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


LOOSE = {
    "in capitals": str.upper,
    "in small letters": str.lower,
    "with its case swapped": str.swapcase,
    "reversed": lambda key: key[::-1],
    "reversed and in capitals": lambda key: key[::-1].upper(),
    "in rot13": lambda key: codecs.encode(key, "rot13"),
    "wrapped": lambda key: "\n".join(textwrap.wrap(key, 9, break_on_hyphens=False)),
    "wrapped for Windows": lambda key: "\r\n".join(textwrap.wrap(key, 7, break_on_hyphens=False)),
    "wrapped and indented": lambda key: "\n        ".join(textwrap.wrap(key, 10, break_on_hyphens=False)),
    "wrapped in JSON": lambda key: json.dumps("\n  ".join(textwrap.wrap(key, 9, break_on_hyphens=False)))[1:-1],
    "wrapped in JSON in JSON": lambda key: json.dumps(json.dumps("\n".join(key[i : i + 9] for i in range(0, 99, 9)))),
    "wrapped as a quotation": lambda key: "\n> ".join(textwrap.wrap(key, 9, break_on_hyphens=False)),
    "continued with backslashes": lambda key: "\\\n".join(textwrap.wrap(key, 9, break_on_hyphens=False)),
    "as added strings": lambda key: '" + "'.join(textwrap.wrap(key, 9, break_on_hyphens=False)),
    "letter by letter": " ".join,
    "with invisible characters": "\u200b".join,
    "with invisible characters in JSON": lambda key: json.dumps("\u200b".join(key))[1:-1],
    "in Base32": lambda key: base64.b32encode(key.encode()).decode(),
    "in Base32, small": lambda key: base64.b32encode(key.encode()).decode().lower(),
    "in Base32 behind something": lambda key: base64.b32encode(b"Bearer " + key.encode()).decode(),
    "in Base64, wrapped": lambda key: "\n".join(textwrap.wrap(base64.b64encode(key.encode()).decode(), 10)),
    "in hex, wrapped": lambda key: "\n".join(textwrap.wrap(key.encode().hex(), 11)),
    "in hex with colons": lambda key: key.encode().hex(":"),
    "with named entities": lambda key: "".join(ENTITIES.get(char, char) for char in key),
    "with named entities twice": lambda key: "".join(ENTITIES.get(char, char) for char in key).replace("&", "&amp;"),
    "in octal": lambda key: "".join(f"\\{ord(char):03o}" for char in key),
    "in braced escapes": lambda key: "".join(f"\\u{{{ord(char):04x}}}" for char in key),
    "as quoted-printable": lambda key: "".join(f"={ord(char):02X}" for char in key),
    "in capitals, escaped": lambda key: "".join(f"\\u{ord(char.upper()):04x}" for char in key),
    "in capitals, percent-encoded": lambda key: "".join(f"%{ord(char.upper()):02X}" for char in key),
    "all but the last four": lambda key: key[:-4],
    "all but the first four": lambda key: key[4:],
    "its first half": lambda key: key[: len(key) // 2],
    "its second half": lambda key: key[len(key) // 2 :],
    "its middle": lambda key: key[5:-5],
    "eight from its beginning": lambda key: key[:8],
    "eight from its end": lambda key: key[-8:],
    "masked in the middle": lambda key: f"{key[:9]}****{key[-9:]}",
    "in part, in capitals": lambda key: key[:10].upper(),
    "in part, reversed": lambda key: key[:14][::-1],
    "in part, in JSON escapes": lambda key: "".join(f"\\u{ord(char):04x}" for char in key[:12]),
    "in part, in Base64": lambda key: base64.b64encode(key.encode()).decode()[:20],
}
ENTITIES = {char: f"&{name}" for name, char in html.entities.html5.items() if len(char) == 1 and name.endswith(";")}
ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
KEYS = [PLAIN, "sk-or-v1-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "AbCdEfGhIjKlMnOpQrStUvWx", "sk_live/51H+8xYz=Q~q.T-k_9"]


def remains(clean: str, key: str) -> set[str]:
    """The runs of eight characters of the key, or of one of its encodings, that a reader could find in a text."""
    forms = (key, key[::-1], key.encode().hex(), base64.b64encode(key.encode()).decode())
    bare = "".join(char for char in clean.lower() if not char.isspace() and char not in '\u200b\\"+>*:')
    return {form[i : i + 8] for form in forms for i in range(len(form) - 7) if form[i : i + 8].lower() in bare}


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("spelled", LOOSE.values(), ids=LOOSE.keys())
@pytest.mark.parametrize("frame", ["before {} after", '{{"error": "bad key: {}."}}', "token={}&x=1", "{}"])
def test_loose_spellings_and_parts_are_taken_out(spelled: Any, key: str, frame: str) -> None:
    spelling = spelled(key)
    clean = Scrubber([("KEY", key)])(frame.format(spelling))
    assert spelling not in clean and "[KEY]" in clean
    assert remains(clean, key) == set(), clean


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=16, max_size=60), st.data())
def test_no_run_of_twelve_characters_of_a_key_survives(key: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(key) - 12))
    part = key[start : start + data.draw(st.integers(12, len(key)))]
    bare = "".join(char for char in part if char not in "\\\"'`,*+:|>")
    if len(bare) >= 12 and not bare.isalpha():
        assert part not in Scrubber([("KEY", key)])(f"saw {part} there") or part in "saw [KEY] there"


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_texts_without_a_key_stay_as_they_are(text: str) -> None:
    assert Scrubber([("KEY", KEYS[1])])(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "the endpoint answered that the token is only for a test",
        '{"error": {"message": "set NFTB_ENDPOINT_TOKEN, please", "code": 401}}',
        "0x7e57e57e57e57e57e57e57e57e57e57e57e57e57 &amp; %41 \\u0041 =41",
        "İstanbul \u1e9e \ud800",
    ],
)
def test_words_that_a_key_shares_with_the_language_stay(text: str) -> None:
    assert Scrubber([("NFTB_ENDPOINT_TOKEN", PLAIN)])(text) == text


@pytest.mark.parametrize("key", ["EMPTY", "password", "local-key", "None"])
def test_a_key_that_is_a_word_or_short_is_sought_as_it_is_and_no_other_way(key: str) -> None:
    """Servers of one's own are often given such keys; texts hold these words for reasons of their own."""
    scrubber = Scrubber([("KEY", key)])
    assert scrubber(f"with {key}.") == "with [KEY]."
    assert scrubber(f"with {key[:4].swapcase()} {key[::-1][:6]}") == f"with {key[:4].swapcase()} {key[::-1][:6]}"


def test_a_body_stays_json_when_a_key_is_taken_out() -> None:
    for spelled in LOOSE.values():
        for spelling in (spelled(KEYS[1]), spelled(PLAIN)):
            body = json.dumps({"a": [spelling, {"b": f"x {spelling} y"}], "c": 1})
            assert json.loads(Scrubber([("K", KEYS[1]), ("P", PLAIN)])(body))["c"] == 1


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        (f"https://api.cloudflare.com/client/v4/accounts/{ACCOUNT}/ai/v1", ACCOUNT),
        ("https://x.openai.azure.com/openai/deployments/our-secret-plan/?api-version=2024-10-21", "our-secret-plan"),
        ("https://h.example/v1/projects/p-4711/locations/eu-west/endpoints/88", "p-4711"),
        ("https://h.example/t/acme%20corp/v1", "acme corp"),
        ("https://h.example/v1?tenant=acme-corp", "acme-corp"),
    ],
)
def test_what_a_path_tells_about_an_account_is_taken_out(url: str, secret: str) -> None:
    clean = address_scrubber(url)(f"404: no route {url} for {secret}; use /v1/chat/completions of the openai api")
    assert secret not in clean and clean.endswith("use /v1/chat/completions of the openai api")


def test_a_deployment_that_is_called_as_the_model_is_stays() -> None:
    url = "https://x.openai.azure.com/openai/deployments/gpt-4o-mini"
    assert address_scrubber(url, "gpt-4o-mini")('{"model": "gpt-4o-mini"}') == '{"model": "gpt-4o-mini"}'


def test_this_machines_own_name_is_no_secret() -> None:
    assert address_scrubber("http://localhost:8000")("see localhost") == "see localhost"


def test_megabytes_of_escapes_are_searched_in_reasonable_time() -> None:
    started = time.process_time()
    Scrubber([("KEY", PLAIN)])("&amp;" * 200_000 + "\\" * 500_000 + "%" * 500_000 + "t\\u0065" * 100_000)
    assert time.process_time() - started < 5
