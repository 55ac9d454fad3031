"""Proxies of the environment: which one is used, and that its password is never shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.wire.proxies import Way, shown_proxy, way_to

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
