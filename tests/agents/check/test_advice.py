"""Every trouble that the classification knows has its advice, and what a server says makes the advice finer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from nftbench.agents.check.advice import REMEDIES, Scene, remedy, window_flag
from nftbench.agents.verdicts.classification import Verdict
from nftbench.agents.wire.transport import FaultKind

SCENE = Scene(endpoint="http://h:1/v1", host="h:1", model="m", variable="KEY")


def causes() -> set[str]:
    """The causes of everything that servers are known to send, and of every fault on the way."""
    lines = [
        line
        for name in ("outcomes", "recorded_replies")
        for line in (Path(__file__).parents[1] / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    words = [json.loads(line)["expected"].split() for line in lines]
    return {parts[2] for parts in words if len(parts) > 2} | (set(get_args(FaultKind)) - {"redirected"})


@pytest.mark.parametrize("cause", sorted(causes()))
def test_every_known_cause_has_its_advice(cause: str) -> None:
    assert cause in REMEDIES
    text = remedy(Verdict(action="fail", kind="cli_error", cause=cause, detail="words"), SCENE)
    assert text and "{" not in text and not text.endswith(".")


def test_an_unknown_cause_still_has_advice() -> None:
    assert remedy(Verdict(action="fail", kind="cli_error", cause="new", detail=""), SCENE)


def advice(cause: str, detail: str = "", **scene: object) -> str:
    values = {name: getattr(SCENE, name) for name in Scene.__struct_fields__} | scene
    return remedy(Verdict(action="fail", kind="cli_error", cause=cause, detail=detail), Scene(**values))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cause", "detail", "words"),
    [
        ("unreachable", "gaierror: [Errno -3] Temporary failure in name resolution", "no such host"),
        ("unreachable", "OSError: [Errno 101] Network is unreachable", "no way from here"),
        ("unreachable", "OSError: Tunnel connection failed: 407 Proxy Authentication Required", "user and password"),
        ("unreachable", "URLError: <urlopen error unknown url type: socks5>", "socks proxies are not supported"),
        ("unreachable", "SSLError: [SSL: RECORD_LAYER_FAILURE] record layer failure", "with http in place of https"),
        ("bad_request", "HTTP 400: Client sent an HTTP request to an HTTPS server.", "with https in place of http"),
        ("bad_request", "HTTP 400: Conversation roles must alternate user/assistant", "chat template"),
        ("bad_request", "HTTP 422: seed: Extra inputs are not permitted", "leave --seed out"),
        ("bad_request", "HTTP 400: temperature must be in (0, 1]", "leave --temperature and --top-p out"),
    ],
)
def test_what_is_said_makes_the_advice_finer(cause: str, detail: str, words: str) -> None:
    assert words in advice(cause, detail)


def test_what_is_known_of_the_case_comes_before_the_general() -> None:
    assert advice("auth").startswith("no key was sent") and advice("auth", has_key=True).startswith("set KEY to a key")
    assert advice("wrong_path", elsewhere="http://h:1/api").startswith("give --endpoint http://h:1/api,")
    through = advice("unreachable", "refused", proxy="http://p:3128", proxy_variable="http_proxy")
    assert "the proxy http://p:3128 of http_proxy" in through and "no_proxy=h:1" in through


def test_each_kind_of_server_is_given_its_window_in_its_own_way() -> None:
    assert window_flag("vllm", 4096) == "--max-model-len 4096" and "--context-length 4096" in window_flag(
        "sglang", 4096
    )
    assert all(name in window_flag("", 4096) for name in ("vLLM", "SGLang", "llama.cpp", "Ollama"))
