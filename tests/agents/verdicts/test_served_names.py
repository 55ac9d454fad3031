"""Which served names are the model that was asked for."""

from __future__ import annotations

import pytest

from nftbench.agents.verdicts.served_names import is_dated_release, same_model

SAME = [
    ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
    ("Qwen/Qwen3-32B", "qwen/qwen3-32b"),
    ("Qwen/Qwen3-32B", "Qwen3-32B"),
    ("tiny", "/models/tiny"),
    ("Qwen/Qwen3-32B", "/data/models/Qwen3-32B/"),
    ("models/tiny-qwen3", "tiny-qwen3"),
    ("SmolLM2-135M.Q4_1", "models/smol/SmolLM2-135M.Q4_1.gguf"),
    (r"C:\models\tiny", "tiny"),
    ("openai/gpt-4o", "openai/gpt-4o-2024-08-06"),
    ("claude-sonnet", "claude-sonnet-20250514"),
    ("claude-sonnet", "claude-sonnet@20250514"),
    ("deepseek/r1:free", "deepseek/r1"),
    ("qwen3", "qwen3:latest"),
    ("org/model", "org/model@main"),
    ("m-2024-08-06:free", "m"),
    ("google/gemini-flash", "models/gemini-flash"),
    ("deepseek-v3", "accounts/fireworks/models/deepseek-v3"),
    ("hosted_vllm/Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
    ("Qwen/Qwen3-32B", "/data/hf/hub/models--Qwen--Qwen3-32B/snapshots/9216db5781bf"),
    ("Qwen3-32B-Q4_K_M", "/hub/models--unsloth--Qwen3-32B-GGUF/snapshots/9216db/Qwen3-32B-Q4_K_M-00001-of-00002.gguf"),
    ("qwen3-32b@q4_k_m", "qwen3-32b"),
]
DIFFERENT = [
    ("Qwen/Qwen3-32B", "Qwen/Qwen3-8B"),
    ("alice/model", "bob/model"),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
    ("m:free", "m:beta"),
    ("r1", "r1-0528"),
    ("qwen2.5-7b", "qwen2.5-72b"),
    ("adapter", "base-model"),
    ("Qwen/Qwen3-32B", "/hub/models--Qwen--Qwen3-8B/snapshots/9216db5781bf"),
    ("alice/model", "/hub/models--bob--model/snapshots/9216db5781bf"),
    ("qwen3-32b@q4_k_m", "qwen3-32b@q8_0"),
    ("Qwen3-32B-Q4_K_M.gguf", "Qwen3-32B-Q8_0.gguf"),
    ("m-20249999", "m"),
    ("m", ""),
    ("foo", "foo-0917"),
    ("foo", "foo-2507"),
    ("foo-preview", "foo-preview-05-20"),
    ("foo-0528", "foo-0917"),
    ("org/foo-235b-instruct", "foo-235b-instruct-2507"),
]


@pytest.mark.parametrize(("asked", "served"), SAME)
def test_harmless_differences_are_equal_both_ways(asked: str, served: str) -> None:
    assert same_model(asked, served) and same_model(served, asked)


@pytest.mark.parametrize(("asked", "served"), DIFFERENT)
def test_other_models_are_a_mismatch_both_ways(asked: str, served: str) -> None:
    assert not same_model(asked, served) and not same_model(served, asked)


def test_a_declared_alias_is_right() -> None:
    assert same_model("adapter", "base-model", ("base-model",)) and not same_model("adapter", "other", ("base-model",))


SHORT_DATES = [pair for pair in DIFFERENT if pair[0].startswith(("foo", "org/foo", "r1"))]


@pytest.mark.parametrize(("asked", "served"), SHORT_DATES)
def test_a_short_date_is_told_to_be_one(asked: str, served: str) -> None:
    """Which release a name without a date stands for is for a person to declare."""
    assert is_dated_release(asked, served) and same_model(asked, served, (served,))


@pytest.mark.parametrize(("asked", "served"), [pair for pair in (*SAME, *DIFFERENT) if pair not in SHORT_DATES])
def test_other_differences_are_no_short_dates(asked: str, served: str) -> None:
    assert not is_dated_release(asked, served)
