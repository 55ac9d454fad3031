"""Proxies of the environment: which one is used, and that its password is never shown."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.cli import CommandLineBackend, CommandLineSettings, program_for
from nftbench.agents.failure import CLIFailure
from nftbench.agents.openai_compat import OpenAICompatBackend
from nftbench.agents.wire.proxies import Way, proxy_secrets, shown_proxy, way_to
from nftbench.testing import FaultServer, faults

PASSWORD = "p4ss-w0rd!"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_without_proxies_the_way_is_direct() -> None:
    assert way_to("https://api.example/v1") == Way()


def test_a_proxy_is_named_with_its_variable_and_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{PASSWORD}@proxy.example:3128/path")
    way = way_to("https://api.example/v1")
    assert (way.proxy, way.variable) == ("http://proxy.example:3128", "HTTPS_PROXY")
    assert ("proxy password", PASSWORD) in way.secrets
    assert way_to("http://api.example/v1").proxy == "", "it is for https only"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
def test_this_machine_is_reached_directly_and_that_is_said(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    way = way_to(f"http://{host}:8000/v1")
    assert (way.proxy, way.unused) == ("", ("http_proxy",))


def test_no_proxy_is_honoured_and_bad_entries_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "[::1],::1/128,,*bad*,.cluster.local")
    assert way_to("http://node7.cluster.local:8000/v1").proxy == ""
    assert way_to("http://elsewhere.example:8000/v1").proxy == "http://proxy.example:3128"


def test_a_variable_that_only_other_programs_use_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://proxy.example:1080")
    assert way_to("https://api.example/v1") == Way(unused=("all_proxy",))


@given(
    st.lists(st.sampled_from(["a", "/", "?", "#", ":", "%", "[", "://"]), max_size=6).map("".join),
    st.sampled_from(["http://", "socks5://", "", "//"]),
    st.sampled_from(["proxy:3128", "proxy:3128/x", "[::1]:3128"]),
)
def test_what_stands_before_an_at_sign_is_never_shown(noise: str, scheme: str, host: str) -> None:
    secret = f"user:{noise}SECRET{noise}"
    assert "SECRET" not in shown_proxy(f"{scheme}{secret}@{host}")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (f"http://user:{PASSWORD}@proxy:3128", PASSWORD),
        (f"user:{PASSWORD}@proxy:3128", PASSWORD),
        ("socks5h://us%40er:p4ss%2Fw0rd@proxy", "p4ss/w0rd"),
        ("http://user:a:b@c@proxy:3128", "a:b@c"),
    ],
)
@pytest.mark.parametrize("variable", ["http_proxy", "HTTPS_PROXY", "all_proxy", "ftp_proxy", "GRPC_PROXY"])
def test_the_password_of_any_proxy_variable_is_a_secret(
    variable: str, address: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, address)
    assert words in [secret for _, secret in proxy_secrets()]


def test_a_proxy_without_a_password_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("http://proxy:3128", "http://user@proxy:3128", "proxy", "http://user:@proxy", ""):
        monkeypatch.setenv("http_proxy", address)
        assert proxy_secrets() == ()


ECHOED = {
    "plain": PASSWORD,
    "percent-encoded": quote(PASSWORD, safe=""),
    "user and password in Base64": b64encode(f"user:{PASSWORD}".encode()).decode(),
    "in Base64": b64encode(PASSWORD.encode()).decode(),
    "as a proxy's address": f"http://user:{PASSWORD}@proxy.example:3128",
    "in capitals": PASSWORD.upper(),
}


@pytest.mark.parametrize("echoed", ECHOED.values(), ids=ECHOED.keys())
@pytest.mark.parametrize("status", [200, 407, 502])
def test_what_a_proxy_echoes_of_its_password_reaches_no_event_reply_or_error(
    echoed: str, status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("https_proxy", f"http://user:{PASSWORD}@proxy.example:3128")
    body = faults.completion(f"saw {echoed}") if status == 200 else f"<p>Proxy-Authorization: {echoed}</p>"
    told = ""
    with FaultServer([faults.respond(status, body)]) as server:
        backend = OpenAICompatBackend(server.url, "m", sleep=lambda _: None, events_path=tmp_path / "events.jsonl")
        try:
            told = backend.invoke("S", "P").text
        except CLIFailure as failure:
            told = str(failure)
    told += (tmp_path / "events.jsonl").read_text()
    assert "[proxy password]" in told
    assert echoed not in told and PASSWORD.lower() not in told.lower() and json.dumps(echoed)[1:-1] not in told


@pytest.mark.parametrize(
    "spelled", ["os.environ['https_proxy']", "base64.b64encode(os.environ['https_proxy'].encode())"]
)
def test_what_an_agent_program_prints_of_its_environment_holds_no_password(
    spelled: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("https_proxy", f"http://user:{PASSWORD}@proxy.example:3128")
    command = f'{sys.executable} -c "import os, base64; print({spelled})"'
    settings = CommandLineSettings(events_path=tmp_path / "events.jsonl")
    text = CommandLineBackend(program_for(command), None, settings).invoke("S", "P").text
    for told in (text, (tmp_path / "events.jsonl").read_text()):
        assert "[proxy password]" in told and PASSWORD not in told
        assert b64encode(PASSWORD.encode()).decode()[:12] not in told
