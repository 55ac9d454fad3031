"""The environment of OpenEnv with the real package: its own client over a WebSocket against the real server."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
from openenv.core.mcp_client import MCPToolClient

import nftbench
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tools.standard import STANDARD
from tests.ecosystem.openenv.servers import PATIENCE, Server

AT_ONCE = 16
NAMES = nftbench.instances()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


async def reset(client: MCPToolClient, **wanted: Any) -> Any:
    return (await client.reset(**wanted)).observation


async def call(client: MCPToolClient, name: str, **arguments: Any) -> Any:
    return (await client.step(CallToolAction(tool_name=name, arguments=arguments))).observation


async def solve(client: MCPToolClient, instance_id: str) -> Any:
    """Plays the reference policy; the last observation. None before it may be the end or be rewarded."""
    await client.reset(instance_id=instance_id)
    play = catalog.policy(catalog.task(instance_id))()
    step = next(play)
    while True:
        last = await call(client, step.name, **step.arguments)
        if last.done:
            return last
        assert last.reward == 0.0
        step = play.send(last.result)


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 20 * PATIENCE))


def test_all_references_are_solved_many_sessions_at_once(server: Server) -> None:
    """Sixteen clients play every instance between them: each ends with the reward, in as many turns as in our runner."""
    left = list(NAMES)

    async def work() -> dict[str, Any]:
        ends = {}
        async with MCPToolClient(base_url=server.url) as client:
            while left:
                name = left.pop()
                ends[name] = await solve(client, name)
        return ends

    async def all_at_once() -> list[dict[str, Any]]:
        return await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    ends = {name: end for part in run(all_at_once()) for name, end in part.items()}
    assert sorted(ends) == sorted(NAMES)
    assert {name for name, end in ends.items() if end.reward != 1.0} == set()
    assert all(end.metadata["success"] and end.metadata["share_of_goals"] == 1.0 for end in ends.values())
    for name in NAMES[::16]:
        task = catalog.task(name)
        own = attempt(task, ReferenceAgent(catalog.policy(task))).result
        assert (ends[name].metadata["turns"], ends[name].metadata["ended_by"]) == (own.counts.turns, own.ended_by)


def test_an_agent_is_shown_what_it_is_shown_in_a_run(server: Server) -> None:
    async def look() -> tuple[Any, Any, Any]:
        async with MCPToolClient(base_url=server.url) as client:
            begun = await reset(client, instance_id="F1a_05")
            return begun, await client.list_tools(), await call(client, "read_state")

    begun, tools, state = run(look())
    task = nftbench.task("F1a_05")
    assert begun.messages == task.messages() and begun.task == task.prompt
    assert (begun.done, begun.reward) == (False, None)
    assert [(tool.name, tool.description, tool.input_schema) for tool in tools] == [
        (entry["name"], entry["description"], entry["parameters"]) for entry in (tool.entry() for tool in STANDARD)
    ]
    assert "F1a_05" not in json.dumps(begun.model_dump())
    env = nftbench.Env("F1a_05")
    assert state.result == env.call("read_state").observations[-1]["content"]


def test_sessions_do_not_touch_each_other_and_a_reset_begins_anew(server: Server) -> None:
    async def play() -> list[str]:
        async with MCPToolClient(base_url=server.url) as one, MCPToolClient(base_url=server.url) as other:
            await reset(one, instance_id="F1a_01")
            await reset(other, instance_id="F1a_01")
            first = (await call(one, "read_state")).result
            await call(one, "wait", seconds="3600")
            moved, still = (await call(one, "read_state")).result, (await call(other, "read_state")).result
            await reset(one, instance_id="F1a_01")
            return [first, moved, still, (await call(one, "read_state")).result]

    first, moved, still, again = run(play())
    assert first == still == again != moved


def test_what_is_played_is_chosen_by_name_index_or_seed(server: Server) -> None:
    async def look(**wanted: Any) -> tuple[str, Any]:
        async with MCPToolClient(base_url=server.url) as client:
            begun = await reset(client, **wanted)
            return begun.task, await client.state()

    for wanted, name in (
        ({"instance_id": "F2a_03"}, "F2a_03"),
        ({"split": "test", "index": 7}, NAMES[7]),
        ({"index": 0}, NAMES[0]),
        ({"seed": 3}, NAMES[3]),
        ({"seed": 3 + len(NAMES)}, NAMES[3]),
        ({"seed": 5, "prompt": "a column", "answer": [1]}, NAMES[5]),
    ):
        assert run(look(**wanted))[0] == nftbench.task(name).prompt
    assert run(look(instance_id="F1a_01", suite_seed=9))[0] == nftbench.task("F1a_01", 9).prompt
    prompt, state = run(look(episode_id="mine"))
    assert prompt in {nftbench.task(name).prompt for name in NAMES} and (state.episode_id, state.step_count) == (
        "mine",
        0,
    )


def test_what_goes_wrong_is_told_in_a_sentence_and_the_session_goes_on(server: Server) -> None:
    async def play() -> list[str]:
        told = []

        async def refused(doing: Any) -> None:
            with pytest.raises(Exception) as problem:
                await doing
            told.append(str(problem.value))

        async with MCPToolClient(base_url=server.url) as client:
            await refused(call(client, "read_state"))
            await refused(reset(client, instance_id="F1a_99"))
            await refused(reset(client, index=10_000))
            await refused(reset(client, split="train", index=0))
            await refused(reset(client, seed=1, trial=0))
            await reset(client, instance_id="F1a_04")
            assert "no tool" in (await call(client, "no_such_tool")).result.lower()
            assert "error" in json.loads((await call(client, "send_transaction", to=7)).result)
            end = await call(client, "finish_task", summary="done")
            assert (end.done, end.reward, end.metadata["success"]) == (True, 0.0, False)
            await refused(call(client, "read_state"))
            assert (await client.step(ListToolsAction())).observation.tools
            await reset(client, instance_id="F1a_04")
            assert (await call(client, "declare_infeasible", reason="no")).reward == 1.0
        return told

    told = run(play())
    for sentence, words in zip(told, ("reset", "F1a_99", "index", "train", "trial", "over"), strict=True):
        assert words in sentence and "Traceback" not in sentence


def test_a_limit_of_turns_ends_an_episode_unrewarded() -> None:
    async def play(url: str) -> Any:
        async with MCPToolClient(base_url=url) as client:
            await reset(client, seed=0)
            await call(client, "read_state")
            return await call(client, "read_state")

    with Server("--max-turns", "2", "--instances", "F1a_01") as running:
        end = run(play(running.url))
    assert (end.done, end.reward, end.metadata["ended_by"]) == (True, 0.0, "turn_limit")


def get(url: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, sent), timeout=PATIENCE) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read()


def test_tasks_are_listed_without_their_answers(server: Server) -> None:
    assert get(f"{server.url}/health") == (200, {"status": "healthy"})
    assert get(f"{server.url}/nftbench/splits") == (200, [{"name": "test", "type": "test"}])
    assert get(f"{server.url}/nftbench/num_tasks", {"split": "test"}) == (200, {"num_tasks": len(NAMES)})
    listed = get(f"{server.url}/nftbench/tasks", {"split": "test"})[1]["tasks"]
    assert [row["instance_id"] for row in listed] == list(NAMES)
    task = get(f"{server.url}/nftbench/task", {"split": "test", "index": 3})[1]["task"]
    assert task == {
        "index": 3,
        "instance_id": NAMES[3],
        "family": nftbench.task(NAMES[3]).family,
        "prompt": nftbench.task(NAMES[3]).prompt,
    }
    assert get(f"{server.url}/nftbench/task", {"split": "test", "index": len(NAMES)})[0] == 400
    ranged = get(f"{server.url}/nftbench/task_range", {"split": "test", "start": -2, "stop": None})[1]["tasks"]
    assert [row["instance_id"] for row in ranged] == list(NAMES[-2:])


def test_more_sessions_than_are_allowed_are_refused_until_one_is_closed() -> None:
    async def play(url: str) -> str:
        async with MCPToolClient(base_url=url) as one:
            await reset(one, seed=0)
            with pytest.raises(Exception) as problem:
                async with MCPToolClient(base_url=url) as other:
                    await reset(other, seed=0)
        await asyncio.sleep(0.5)
        async with MCPToolClient(base_url=url) as third:
            await reset(third, seed=0)
        return str(problem.value)

    with Server("--sessions", "1") as running:
        assert "capacity" in run(play(running.url)).lower()


def test_the_example_of_the_documentation_runs(server: Server) -> None:
    text = (Path(__file__).resolve().parents[3] / "docs/openenv.md").read_text("utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    *lines, last = block.replace("http://127.0.0.1:8000", server.url).rstrip().splitlines()
    names: dict[str, Any] = {}
    body = "\n".join(f"    {line}" for line in [*lines, f"    return messages, tools, {last.strip()}"])
    exec(f"async def example():\n{body}", names)
    messages, tools, result, reward, done = run(names["example"]())
    assert messages == nftbench.task("F1a_01").messages() and len(tools) == len(STANDARD)
    assert json.loads(result)["you"] and (reward, done) == (0.0, False)


def test_without_the_token_nobody_comes_in_anywhere() -> None:
    secret = "correct-horse-battery"

    async def play(url: str, headers: dict[str, str]) -> Any:
        async with MCPToolClient(base_url=url, headers=headers) as client:
            await reset(client, instance_id="F1a_04")
            return await call(client, "declare_infeasible", reason="no")

    with Server(variables={"NFTB_OPENENV_TOKEN": secret}, http="0.0.0.0:0") as running:
        for path in ("/health", "/docs", "/openapi.json", "/nftbench/splits", "/nowhere"):
            assert get(running.url + path) == (401, b"Unauthorized")
            assert get(running.url + path, Authorization="Bearer wrong-horse-battery") == (401, b"Unauthorized")
        assert get(running.url + "/health", Authorization=f"Bearer {secret}")[0] == 200
        assert get(running.url + "/health", Authorization=f"Bearer {secret}", Host="evil.example")[0] == 421
        for headers in ({}, {"Authorization": "Bearer wrong-horse-battery"}):
            with pytest.raises(Exception, match="401"):
                run(play(running.url, headers))
        assert run(play(running.url, {"Authorization": f"Bearer {secret}"})).reward == 1.0
        _, rest = running.leave(signal.SIGTERM)
        assert secret not in running.first + rest and "Traceback" not in rest


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--http", "0.0.0.0:0"), "NFTB_OPENENV_TOKEN"),
        (("--http", "nonsense"), "nonsense"),
        (("--instances", "F1a_99"), "F1a_99"),
        (("--sessions", "0"), "--sessions"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_sentence(flags: tuple[str, ...], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nftbench", "serve-openenv", *flags],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1 and words in done.stderr and len(done.stderr.splitlines()) == 1
