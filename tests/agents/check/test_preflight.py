"""What a check asks for, over a line that answers from a list: how often, in which order, and when not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.agents.check.preflight import Probe, base_of, look
from nftbench.agents.wire.transport import Fault, Outcome

LISTED = Outcome(200, {}, json.dumps({"data": [{"id": "m", "max_model_len": 65536}]}))
NOT_FOUND = Outcome(404, {}, '{"detail": "Not Found"}')
DEAD = Outcome(None, fault=Fault("unreachable", "refused", False))


def said(text: str, prompt_tokens: int = 40) -> Outcome:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": 3}
    return Outcome(200, {}, json.dumps({"model": "m", "choices": [choice], "usage": usage}))


class Answers:
    """A Line: `lists` by URL, chats in order."""

    def __init__(self, lists: dict[str, Outcome], *chats: Outcome) -> None:
        self._lists, self._chats = lists, list(chats)
        self.got: list[str] = []
        self.posted: list[dict[str, Any]] = []

    def get(self, url: str) -> Outcome:
        self.got.append(url)
        return self._lists.get(url, NOT_FOUND)

    def post(self, url: str, body: bytes) -> Outcome:
        self.posted.append(json.loads(body))
        return self._chats.pop(0)


def probe(path: str = "/v1", **fields: Any) -> Probe:
    return Probe(
        url=f"http://h{path}/chat/completions",
        model="m",
        opening=b'"messages":[{"role":"user","content":"long"}]',
        brief=b'"messages":[{"role":"user","content":"short"}]',
        reply_tokens=100,
        fields=fields,
    )


def clock() -> float:
    return 0.0


def test_one_chat_call_where_no_flag_is_to_be_tried() -> None:
    line = Answers({"http://h/v1/models": LISTED}, said("x"))
    look(probe(temperature=0.5), line, clock)
    assert line.got == ["http://h/v1/models"]
    assert line.posted == [
        {"model": "m", "max_tokens": 16, "messages": [{"role": "user", "content": "short"}], "temperature": 0.5}
    ]


def test_a_seed_and_thinking_are_tried_together_in_three() -> None:
    thinking = {"enable_thinking": True}
    line = Answers({"http://h/v1/models": LISTED}, said("x"), said("x"), said("y"))
    look(probe(seed=7, chat_template_kwargs=thinking), line, clock)
    assert [(each["seed"], each["chat_template_kwargs"]["enable_thinking"]) for each in line.posted] == [
        (7, True),
        (7, True),
        (8, False),
    ]


def test_the_largest_seed_has_another_beside_it() -> None:
    line = Answers({"http://h/v1/models": LISTED}, said("x"), said("x"), said("y"))
    look(probe(seed=2**63 - 1), line, clock)
    assert [each["seed"] for each in line.posted] == [2**63 - 1, 2**63 - 1, 2**63 - 2]


def test_the_long_conversation_goes_out_only_where_the_window_is_not_listed() -> None:
    without = Outcome(200, {}, '{"data": [{"id": "m"}]}')
    line = Answers({"http://h/v1/models": without}, said("x"))
    seen = look(probe(), line, clock)
    assert line.posted[0]["messages"][0]["content"] == "long" and not seen.was_brief


def test_a_refusal_with_flags_is_tried_without_them_and_no_further() -> None:
    line = Answers({"http://h/v1/models": LISTED}, Outcome(422, {}, '{"detail": "seed: extra"}'), said("x"))
    seen = look(probe(seed=7), line, clock)
    assert len(line.posted) == 2 and "seed" not in line.posted[1]
    assert seen.plain is not None and seen.plain.spoke


@pytest.mark.parametrize("listing", [DEAD, Outcome(307, {"location": "https://h/v1/models"}, "")])
def test_nothing_is_asked_where_nobody_answers_or_a_redirect_leads_away(listing: Outcome) -> None:
    line = Answers({"http://h/v1/models": listing})
    assert look(probe(seed=7), line, clock).calls == () and line.posted == []


def test_other_bases_are_tried_only_where_there_is_no_list_and_by_lists_alone() -> None:
    line = Answers({"http://h/api/v1/models": LISTED}, NOT_FOUND)
    seen = look(probe("/openai"), line, clock)
    assert seen.listing.elsewhere == "http://h/api/v1" and len(line.posted) == 1
    assert line.got == [f"http://h{base}/models" for base in ("/openai", "/v1", "", "/api/v1")]
    refused = Answers({"http://h/v1/models": Outcome(401, {}, '{"error": "Unauthorized"}')}, Outcome(401, {}, ""))
    look(probe(), refused, clock)
    assert refused.got == ["http://h/v1/models"]


def test_a_query_goes_along() -> None:
    asked = Probe(
        url="http://h/openai/deployments/x/chat/completions?api-version=2",
        model="m",
        opening=b'"messages":[]',
        brief=b'"messages":[]',
        reply_tokens=1,
    )
    line = Answers({}, said("x"))
    look(asked, line, clock)
    assert line.got[0] == "http://h/openai/deployments/x/models?api-version=2"


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://h:8/v1/chat/completions", "http://h:8/v1"),
        ("http://h/chat/completions", "http://h/chat/completions"),
        ("http://h/v1/chat/completions?a=1", "http://h/v1?a=1"),
    ],
)
def test_the_base_shown_leads_to_the_same_address_when_given(url: str, base: str) -> None:
    assert base_of(url) == base
