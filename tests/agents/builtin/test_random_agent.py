"""The random agent makes valid calls of the tools that it is given, always the same ones, and comes to an end."""

from __future__ import annotations

import json
from typing import Any

from nftbench.agents.builtin.random_agent import LONGEST, RandomAgent
from nftbench.conversation import RequestWriter

HERE, THERE = "0x" + "11" * 20, "0x" + "22" * 20
TOOLS: list[dict[str, Any]] = [
    {"name": name, "parameters": {"type": "object", "properties": properties, "required": list(properties)}}
    for name, properties in {
        "read_state": {},
        "get_contract": {"address": {"type": "string"}},
        "call": {"contract": {"type": "string"}, "function": {"type": "string"}},
        "send_transaction": {"to": {"type": "string"}, "function": {"type": "string"}},
        "wait": {"seconds": {"type": "string"}},
        "finish_task": {"summary": {"type": "string"}},
        "declare_infeasible": {"reason": {"type": "string"}},
    }.items()
]
FUNCTIONS = [
    "pay(address to, uint256 amount, bytes4 tag, bool twice) payable",
    "move(address[] to) nonpayable",
    "order((address a, uint256 b) parts) nonpayable",
    "balanceOf(address owner) view returns (uint256)",
]


def played(prompt: str) -> list[dict[str, Any]]:
    agent, writer = RandomAgent(), RequestWriter(TOOLS)
    writer.append({"role": "user", "content": prompt})
    calls: list[dict[str, Any]] = []
    while not calls or calls[-1]["name"] not in ("finish_task", "declare_infeasible"):
        (call,) = json.loads(agent.complete(writer.text()))["tool_calls"]
        calls.append({"name": call["name"], "arguments": call["arguments"]})
        result: dict[str, Any] = {"you": HERE, "known": [THERE, "17"]}
        if call["name"] == "get_contract":
            result = {"address": call["arguments"]["address"], "kind": "contract", "functions": FUNCTIONS}
        writer.append({"role": "assistant", "content": "", "tool_calls": [call]})
        writer.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
    return calls


def test_it_plays_the_same_for_the_same_prompt_and_ends() -> None:
    assert played("Send it.") == played("Send it.") != played("Send that.")
    assert all(len(played(f"Task {n}")) <= LONGEST for n in range(20))


def test_it_calls_the_functions_that_it_has_seen_with_values_that_it_has_seen() -> None:
    sent = [c["arguments"] for n in range(40) for c in played(f"Task {n}") if c["name"] == "send_transaction"]
    assert len(sent) > 40
    for given in sent:
        assert given["to"] in (HERE, THERE)
        if given["function"] == "move(address[])":
            assert set(given["arguments"][0]) <= {HERE, THERE}
        else:
            to, amount, tag, twice = given["arguments"]
            assert given["function"] == "pay(address,uint256,bytes4,bool)" and to in (HERE, THERE)
            assert amount.isdecimal() and len(tag) == 10 and isinstance(twice, bool) and "value_wei" in given
    read = [c["arguments"]["function"] for n in range(40) for c in played(f"Task {n}") if c["name"] == "call"]
    assert set(read) == {"balanceOf(address)"}
