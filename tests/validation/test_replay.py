"""A trace replayed by position takes what stands in the same place of the new world."""

from __future__ import annotations

import json
from typing import Any

from nftbench.conversation import RequestWriter
from nftbench.validation.replay import ReplayAgent, Trace, Turn, trace_of


def state(*names: tuple[str, str], units: dict[str, str] | None = None) -> str:
    book = [{"name": name, "address": address} for name, address in names]
    return json.dumps({"address_book": book, "units": units or {}})


A, B, C, D = ("0x" + letter * 40 for letter in "abcd")
TRACE = Trace(
    "Send #17 to Mira.",
    (
        Turn("read_state", {}, state(("Mira", A), ("Nils", B), units={"5": "60"})),
        Turn("send_transaction", {"to": B, "arguments": [A, "17", "5", "60", "99"], "function": "move"}, "{}"),
        Turn("finish_task", {"summary": "17"}, "{}"),
    ),
)


class Talk:
    """An agent and what it is told."""

    def __init__(self, prompt: str) -> None:
        self.agent = ReplayAgent(TRACE)
        self.writer = RequestWriter([])
        self.writer.append({"role": "user", "content": prompt})

    def next(self) -> dict[str, Any]:
        call: dict[str, Any] = json.loads(self.agent.complete(self.writer.text()))["tool_calls"][0]
        return call

    def tell(self, result: str) -> None:
        self.writer.append({"role": "assistant", "content": "", "tool_calls": []})
        self.writer.append({"role": "tool", "tool_call_id": "x", "content": result})


def test_values_of_the_prompt_and_of_results_go_by_their_place_and_others_stay() -> None:
    talk = Talk("Number 40 goes to Zoe.")
    assert talk.next()["name"] == "read_state"
    talk.tell(state(("Ana", C), ("Zoe", D), units={"8": "11"}))
    assert talk.next()["arguments"] == {"to": D, "arguments": [C, "40", "8", "11", "99"], "function": "move"}


def test_after_its_last_call_it_is_done() -> None:
    talk = Talk("Number 40 goes to Zoe.")
    for _ in range(3):
        talk.next()
        talk.tell("{}")
    assert talk.next() == {"id": "call_4", "name": "finish_task", "arguments": {"summary": "Done."}}


def test_a_trace_is_the_prompt_and_the_turns_that_made_a_call() -> None:
    trajectory = {
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "Do it."}],
        "turns": [
            {"reply": "hm", "problem": "no call"},
            {"calls": [{"id": "call_2", "name": "wait", "arguments": {"seconds": "1"}, "result": "{}"}]},
        ],
    }
    assert trace_of(trajectory) == Trace("Do it.", (Turn("wait", {"seconds": "1"}, "{}"),))
