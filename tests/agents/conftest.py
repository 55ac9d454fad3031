"""What the tests of the backends share: no key in the environment, and urllib as it was afterwards."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest

from nftbench.agents.wire.opener import install_redirect_refusal


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NFTB_ENDPOINT_TOKEN", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["plain urllib", "as a run installs it"])
def opener_kind(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a test with urllib as it comes, and with what a run installs."""
    urllib.request.install_opener(None)  # type: ignore[arg-type]
    if request.param != "plain urllib":
        install_redirect_refusal()
    yield request.param
    urllib.request.install_opener(None)  # type: ignore[arg-type]


@pytest.fixture
def installed() -> Iterator[None]:
    """Runs a test with what a run installs."""
    install_redirect_refusal(connect_timeout=0.5, total_timeout=1.0)
    yield
    urllib.request.install_opener(None)  # type: ignore[arg-type]
