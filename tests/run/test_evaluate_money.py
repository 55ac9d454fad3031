"""`--max-usd` holds for the run, however often it is stopped and taken up again."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate


@pytest.fixture
def router(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The loopback server in OpenRouter's place: requests go over a real socket, to another address."""
    really = urllib.request.urlopen

    def urlopen(request: urllib.request.Request, timeout: float) -> Any:
        there = request.full_url.replace("https://openrouter.ai", server.url)
        headers = {**request.headers, **request.unredirected_hdrs}
        response = really(urllib.request.Request(there, data=request.data, headers=headers), timeout=timeout)
        response.url = request.full_url
        return response

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-v1-0123456789abcdef")
    server.usage = {"prompt_tokens": 100, "completion_tokens": 100, "cost": 0.4}
    return server


def argv(out: Path, max_usd: str) -> list[str]:
    model = ["--model", "test/model", "--max-usd", max_usd, "--max-tokens", "100"]
    return [*model, "--instances", "F1a_0[1-4]", "--out", str(out), "--concurrency", "1"]


def test_the_limit_survives_a_resume_and_may_be_raised(router: Any, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    assert evaluate.main(argv(out, "0.5")) == 1
    told = capsys.readouterr().err
    assert "Stopped: the spend limit is reached" in told and len(router.requests) == 1
    assert len(list(out.glob("*/result.json"))) == 1
    assert evaluate.main(argv(out, "0.5")) == 1
    assert len(router.requests) == 1
    assert evaluate.main(argv(out, "1000")) == 0
    assert len(router.requests) == 4
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["tasks_scored"], summary["counts"]["cost_usd"]) == (4, pytest.approx(1.6))
    assert not any(b"sk-or-v1" in path.read_bytes() for path in out.rglob("*") if path.is_file())


def test_price_ceilings_are_sent_and_are_no_identity(router: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert evaluate.main([*argv(out, "1000"), "--max-price-in", "3", "--max-price-out", "15"]) == 0
    assert router.requests[0]["provider"] == {"max_price": {"prompt": 3.0, "completion": 15.0}}
    assert evaluate.main(argv(out, "1000")) == 0
