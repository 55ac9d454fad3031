"""Lists of models as servers give them, and how an asked name stands to them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.check.model_lists import Listed, match, near_names, read_models

VLLM = {"id": "tiny", "object": "model", "owned_by": "vllm", "root": "models/q", "parent": None, "max_model_len": 512}
LLAMA_SERVER = {
    "id": "smol",
    "aliases": ["smol", "small"],
    "owned_by": "llamacpp",
    "meta": {"n_ctx": 4096, "n_ctx_train": 8192},
}


def listed(*entries: dict[str, Any], **more: Any) -> tuple[Listed, ...]:
    models = read_models({"object": "list", "data": list(entries), **more})
    assert models is not None
    return models


@pytest.mark.parametrize(
    ("entry", "window", "trained", "owner"),
    [
        (VLLM, 512, None, "vllm"),
        (LLAMA_SERVER, 4096, 8192, "llamacpp"),
        ({"id": "s", "owned_by": "llamacpp", "meta": {"n_ctx_train": 8192}}, None, 8192, "llamacpp"),
        ({"id": "s", "owned_by": "me", "permissions": []}, None, None, "me"),
        ({"id": "s", "context_length": 131072, "owned_by": "Org"}, 131072, None, "org"),
        ({"id": "s", "context_window": "8192"}, 8192, None, ""),
        ({"id": "s", "max_context_length": 32768, "loaded_context_length": 4096}, 4096, None, ""),
        ({"id": "s", "max_model_len": None, "meta": None, "owned_by": None}, None, None, ""),
    ],
)
def test_the_window_is_read_where_each_kind_of_server_puts_it(
    entry: dict[str, Any], window: int | None, trained: int | None, owner: str
) -> None:
    (found,) = listed(entry)
    assert (found.window, found.trained, found.owner) == (window, trained, owner)


def test_lists_come_bare_empty_or_not_at_all() -> None:
    assert [model.name for model in read_models([{"name": "a"}]) or ()] == ["a"]
    assert [model.name for model in read_models({"models": [{"model": "b"}]}) or ()] == ["b"]
    assert read_models({"object": "list", "data": []}) == ()
    for no_list in (
        {"error": "Unexpected endpoint"},
        {"detail": "Not Found"},
        "x",
        None,
        3,
        {"data": "x"},
        {"data": [1]},
    ):
        assert read_models(no_list) is None


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_nothing_that_a_server_lists_breaks_the_reading(body: Any) -> None:
    read_models(body)
    read_models({"data": [{"id": "m", "meta": body, "aliases": body, "max_model_len": body}]})


@pytest.mark.parametrize(
    ("asked", "relation", "name"),
    [
        ("tiny", "listed", "tiny"),
        ("small", "listed", "smol"),
        ("TINY", "variant", "tiny"),
        ("org/tiny", "variant", "tiny"),
        ("smol:latest", "variant", "smol"),
        ("q", "path", "tiny"),
        ("other", "absent", None),
    ],
)
def test_a_name_is_listed_a_variant_a_path_or_absent(asked: str, relation: str, name: str | None) -> None:
    found = match(asked, listed(VLLM, LLAMA_SERVER))
    assert (found.relation, found.entry and found.entry.name) == (relation, name)


def test_a_proxys_pattern_takes_what_it_covers() -> None:
    models = listed({"id": "openai/*"}, {"id": "x"})
    assert match("openai/gpt-5", models).relation == "pattern"
    assert match("other/gpt-5", models).relation == "absent"


def test_an_adapter_is_no_path_to_its_base() -> None:
    adapter = {"id": "lora-7", "owned_by": "vllm", "root": "/adapters/seven", "parent": "tiny"}
    models = listed(adapter, VLLM)
    assert match("lora-7", models).entry == models[0]
    assert match("seven", models).relation == "absent"


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("Qwen3-32", ("Qwen/Qwen3-32B",)),
        ("qwen3-32b-instruct", ("Qwen/Qwen3-32B",)),
        ("SmolLM2-135M-Instruct", ("SmolLM2-135M-Instruct.Q4_1.gguf",)),
        ("zzz", ()),
    ],
)
def test_near_names_look_at_the_last_part(asked: str, near: tuple[str, ...]) -> None:
    models = listed({"id": "Qwen/Qwen3-32B"}, {"id": "SmolLM2-135M-Instruct.Q4_1.gguf"}, {"id": "gemma"})
    assert near_names(asked, models) == near
