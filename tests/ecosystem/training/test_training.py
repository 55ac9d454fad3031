"""The example of training runs as it stands: TRL's schemas, and rollouts of both trainers' environments."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
import skyrl_gym
from transformers.utils import get_json_schema

import nftbench
from nftbench.tasks import catalog

TEXT = (Path(__file__).resolve().parents[3] / "docs/examples/training.md").read_text("utf-8")
TRL, SKYRL = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
SEED = 1
SOME = nftbench.instances()[::8]
"""The first instance of each sub-family."""


@pytest.fixture(scope="module")
def trl() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(TRL, "the example of TRL", "exec"), names)
    return names


@pytest.fixture(scope="module")
def skyrl() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(SKYRL, "the example of SkyRL", "exec"), names)
    return names


def rollout_tools(environment: Any) -> dict[str, Any]:
    """As TRL finds them."""
    return {
        name: getattr(environment, name)
        for name, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


def reference(instance_id: str) -> Any:
    return catalog.policy(catalog.task(instance_id, SEED))()


TOOLS = {tool["function"]["name"]: tool["function"] for tool in nftbench.Env("F7b_01").tools}


def without_words(schema: Any) -> Any:
    """A schema's structure: descriptions left out, and what the fields of an object are, which no type hint says."""
    if isinstance(schema, list):
        return [without_words(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "object":
        return {"type": "object"}
    return {key: without_words(value) for key, value in schema.items() if key != "description"}


@pytest.mark.parametrize("name", TOOLS)
def test_trl_reads_from_each_method_what_the_tool_is(trl: dict[str, Any], name: str) -> None:
    """Description, arguments, which of them are required, and their types, down to the items of lists and the choices."""
    made = get_json_schema(rollout_tools(trl["Wallet"]())[name])["function"]
    own = TOOLS[name]
    assert made["name"] == name and made["description"] == own["description"]
    arguments = own["parameters"]["properties"]
    assert set(made["parameters"].get("required", ())) == set(own["parameters"].get("required", ()))
    assert {key: without_words(value) for key, value in made["parameters"]["properties"].items()} == {
        key: without_words(value) for key, value in arguments.items()
    }
    for key, schema in arguments.items():
        words = made["parameters"]["properties"][key]["description"]
        assert words.startswith(schema.get("description", "")) and words
        for field in schema.get("items", {}).get("properties", ()):
            assert field in words


def test_trl_finds_the_tools_and_nothing_else(trl: dict[str, Any]) -> None:
    assert set(rollout_tools(trl["Wallet"]())) == set(TOOLS)
    assert {row["suite_seed"] for row in trl["rows"]} == {1, 2} and len(trl["rows"]) == 2 * len(nftbench.instances())
    row = trl["rows"][0]
    assert [message["role"] for message in row["prompt"]] == ["system", "user"]
    json.dumps(trl["rows"])


@pytest.mark.parametrize("instance_id", SOME)
def test_a_rollout_of_the_reference_is_rewarded(trl: dict[str, Any], instance_id: str) -> None:
    environment = trl["Wallet"]()
    (row,) = (row for row in trl["rows"] if (row["instance_id"], row["suite_seed"]) == (instance_id, SEED))
    assert environment.reset(**row) is None
    tools, play = rollout_tools(environment), reference(instance_id)
    step = next(play)
    while True:
        told = tools[step.name](**step.arguments)
        if step.name in ("finish_task", "declare_infeasible"):
            break
        step = play.send(told)
    assert "over" in tools["read_state"]()
    assert environment.get_reward() == 1.0
    environment.reset(**row)
    tools["read_state"]()
    assert environment.get_reward() == 0.0


def test_rollouts_of_one_row_do_not_touch_each_other(trl: dict[str, Any]) -> None:
    one, other = trl["Wallet"](), trl["Wallet"]()
    for each in (one, other):
        each.reset(**trl["rows"][0])
    before = other.read_state()
    one.wait(seconds="3600")
    assert other.read_state() == before != one.read_state()


@pytest.mark.parametrize("instance_id", SOME)
def test_an_episode_of_the_reference_is_rewarded_in_skyrl(skyrl: dict[str, Any], instance_id: str) -> None:
    (row,) = (row for row in skyrl["dataset"] if row["extra_info"] == {"instance_id": instance_id, "suite_seed": SEED})
    env = skyrl_gym.make(row["env_class"], env_config=None, extras=row)
    messages, _ = env.init(row["prompt"])
    assert [message["role"] for message in messages] == ["system", "user"] and "read_state" in messages[0]["content"]
    told = env.step("I will begin by looking around.")
    assert not told["done"] and told["reward"] == 0.0 and told["observations"][0]["role"] == "user"
    play = reference(instance_id)
    step = next(play)
    while True:
        turn = env.step(json.dumps({"name": step.name, "arguments": step.arguments}))
        if turn["done"]:
            break
        assert [message["role"] for message in turn["observations"]] == ["user"]
        step = play.send(env._env.messages[-1]["content"])
    assert turn["reward"] == 1.0 and turn["observations"] == []
    metrics = env.get_metrics()
    assert metrics["success"] == 1.0 and metrics["turns"] >= 2
    assert skyrl["WalletText"].aggregate_metrics([metrics, {**metrics, "success": 0.0}])["success"] == 0.5
    env.close()


def test_an_episode_that_a_trainer_cuts_off_is_graded_as_it_stands(skyrl: dict[str, Any]) -> None:
    row = skyrl["dataset"][0]
    env = skyrl_gym.make(row["env_class"], env_config=None, extras=row)
    env.init(row["prompt"])
    env.step('{"name": "read_state", "arguments": {}}')
    assert env.get_metrics() == {"success": 0.0, "turns": 1, "transactions": 0}
