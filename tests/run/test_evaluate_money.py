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


def refused(out: Path, router: Any, capsys: Any) -> str:
    """The one sentence with which the run is refused, nobody having been asked anything."""
    asked = len(router.requests)
    capsys.readouterr()
    assert evaluate.main(argv(out, "1000")) == 1
    told = capsys.readouterr().err
    assert len(router.requests) == asked and "Traceback" not in told
    sentences = [line for line in told.splitlines() if line.startswith("nftbench: ")]
    assert len(sentences) == 1
    return sentences[0]


MUTATIONS = {
    "emptied": lambda raw: b"",
    "emptied to a line end": lambda raw: b"\n",
    "cut in its first half": lambda raw: raw[: len(raw) // 2],
    "without its last lines": lambda raw: b"".join(raw.splitlines(keepends=True)[:-5]),
    "without its first line": lambda raw: b"".join(raw.splitlines(keepends=True)[1:]),
    "made cheaper": lambda raw: raw.replace(b"0.4", b"0.1"),
    "made of garbage": lambda raw: b"\xff" * 100,
    "made of lists": lambda raw: b"[]\n" * 10,
    "of another run": lambda raw: b'{"prices": [1e-6, 1e-6]}\n',
}


@pytest.mark.parametrize("mutate", MUTATIONS.values(), ids=MUTATIONS.keys())
def test_a_journal_that_tells_too_little_spends_no_cent(mutate: Any, router: Any, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    assert evaluate.main(argv(out, "1.0")) == 1
    journal = out / "spending.jsonl"
    journal.write_bytes(mutate(journal.read_bytes()))
    assert "so what was spent is unknown and nothing more is spent" in refused(out, router, capsys)


@pytest.mark.parametrize("gone", [["spending.jsonl"], ["spending.jsonl", "events.jsonl"]])
def test_a_journal_that_is_gone_spends_no_cent(gone: list[str], router: Any, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    assert evaluate.main(argv(out, "0.5")) == 1
    for name in gone:
        (out / name).unlink()
    assert "lines are missing" in refused(out, router, capsys)


@pytest.mark.parametrize("count", [10**1300, 10**15, 2**63, 10**400])
def test_a_count_beyond_all_counts_is_written_so_that_it_is_read_again(router: Any, tmp_path: Path, count: int) -> None:
    """Such a reply's cost is believed, its counts are not."""
    router.usage = {"prompt_tokens": count, "completion_tokens": 7, "cost": 0.001}
    out = tmp_path / "out"
    evaluate.main([*argv(out, "1000"), "--max-price-in", "1", "--max-price-out", "1"])
    results = list(out.glob("*/result.json"))
    asked = len(router.requests)
    evaluate.main([*argv(out, "1000"), "--max-price-in", "1", "--max-price-out", "1"])
    assert results and all(json.loads(path.read_text())["counts"]["prompt_tokens"] <= 10**15 for path in results)
    scored = [path for path in results if json.loads(path.read_text())["status"] == "scored"]
    assert len(router.requests) - asked == len(results) - len(scored)
    json.loads((out / "summary.json").read_text())
