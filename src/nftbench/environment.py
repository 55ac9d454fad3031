"""Environments: nftbench's episodes from Python, for training loops, evaluators and notebooks.

    env = nftbench.Env("F1a_01")
    while not env.done:
        reply = model(env.messages, env.tools)     # a chat completions request
        step = env.step(reply)                     # its assistant message
    env.result().success

An environment is one attempt with the same limits, rules, grading and record as in a run (run.sitting). Environments do not
touch each other; each is used from one thread at a time, and may change threads in between.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents.backend import Answer, Invocation, answer_body
from nftbench.agents.layouts.items import ItemsLayout, Laid, Layout, schemas_of
from nftbench.agents.layouts.native import ChatHistory, NativeLayout
from nftbench.agents.replies.message import Malformed, read_message
from nftbench.calls import Call, decode
from nftbench.conversation import ItemsRenderer
from nftbench.episode.limits import Limits
from nftbench.errors import BenchmarkDefect, EpisodeOver, EpisodeRunning, NotAMessage, Refusal
from nftbench.records.model import EndedBy, Result
from nftbench.run.runner import Attempt, open_attempt
from nftbench.run.sitting import Sitting, reply_of_call
from nftbench.suites import check_suite_seed
from nftbench.tasks import catalog
from nftbench.tools.standard import STANDARD, WITH_ORDER_BOOK, chat_tools, tools_for

Message = dict[str, Any]
"""A message of chat completions: `role`, `content`, and where they apply `tool_calls`, `tool_call_id`."""

OUTSIDE: tuple[EndedBy, ...] = (
    *("turn_limit", "token_limit", "time_limit", "repair_limit"),
    *("model_format", "context_limit", "disconnected"),
)
"""Ways in which an episode can be ended from outside."""


class Info(TypedDict, total=False):
    """What stands beside a step. `turns`: how many were taken; `problem`: why the reply made no call, as the agent is told;
    `recovered`: the family of markup that a call was read from, where the server had not structured it. Once done: `ended_by`,
    `success`, and `share_of_goals`, from 0 to 1: how many of the task's goals hold, whatever else went wrong (1 or 0 as
    `success` where a task has none)."""

    turns: int
    problem: str
    recovered: str
    ended_by: EndedBy
    success: bool
    share_of_goals: float


class Step(Struct, frozen=True):
    """What a step came to. `observations` are the messages that answer the agent's, in order: one of role `tool` a call, or one
    of role `user` that says why the reply made no call. `reward` is 0.0 until the end, then 1.0 for success and 0.0 for
    anything else."""

    observations: list[Message]
    reward: float
    done: bool
    info: Info


class Env:
    """One attempt at one instance, from the first message to the grade.

    A copy (`copy.deepcopy`) or a pickle is the recipe and the replies so far: it plays them again in a world of its own and
    stands at the same point, so that episodes can branch, and travel to other processes. Its time begins anew.
    """

    def __init__(self, instance_id: str, suite_seed: int = 0, *, trial: int = 1, limits: Limits | None = None) -> None:
        """UnknownInstance for an id there is not; Refusal for a suite seed or a trial (from 1) that can't be. `limits` None
        stands for those of a run, Limits()."""
        check_suite_seed(suite_seed)
        self.instance_id, self.suite_seed = instance_id, suite_seed
        self.trial = _counted(trial)
        self._task = catalog.task(instance_id, suite_seed)
        self.limits = (limits or Limits()).of(self._task.turns)
        self._tools: list[dict[str, Any]] | None = None
        self._schemas = _schemas_of(self._task.fixture.order_book is not None)
        self.reset()

    def reset(self, *, trial: int | None = None) -> list[Message]:
        """Begin anew, as the given trial (None: the same one), in a world as it was at the start; the messages to begin with."""
        self.trial = self.trial if trial is None else _counted(trial)
        self._sitting = Sitting(open_attempt(self._task), trial=self.trial, limits=self.limits)
        self._attempt: Attempt | None = None
        self._replies: list[dict[str, Any]] = []
        self._history, self._seen = ChatHistory(own_ids=True), 0
        self._messages: list[Message] = []
        self._ids: set[str] = set()
        self._renderer = ItemsRenderer()
        return self.messages

    @property
    def messages(self) -> list[Message]:
        """The conversation so far as chat completions take it, the system text first. What was in it once stays as it was."""
        self._look()
        return list(self._messages)

    @property
    def text_messages(self) -> list[Message]:
        """The conversation so far in the layout `items_v1`, for models without tool calling: the system text holds the tools and
        the rule of reply, then user and assistant alternate."""
        _, rendering = self._renderer.render(self._sitting.episode.request())
        return [{"role": "system", "content": rendering.head}, *rendering.items]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as chat completions take them: `{"type": "function", "function": {"name", "description", "parameters"}}`."""
        if self._tools is None:
            self._tools = chat_tools(tools_for(self._task.fixture))
        return self._tools

    @property
    def done(self) -> bool:
        """Whether the episode is over: the agent has ended it, or a limit was reached."""
        return self._attempt is not None

    def step(self, message: Any, *, usage: Mapping[str, Any] | None = None) -> Step:
        """One turn: an assistant message as chat completions give it, a dict or an object of the `openai` package.

        Several calls are run in their order; without any, the agent is told so, as in a run. `usage` is the completion's own
        (`prompt_tokens`, `completion_tokens`), for the limit of tokens and the record.

        NotAMessage if it is none; EpisodeOver after the end; BenchmarkDefect where a tool or the grader itself broke: the
        attempt is then void (`result().status` is "error"), and no reward says anything about the agent.
        """
        return self._turn(self._read(message, _NATIVE, usage))

    def step_text(self, reply: str, *, usage: Mapping[str, Any] | None = None) -> Step:
        """One turn of a model that writes its call as text, in the layout `items_v1`; errors as for `step`. The observation is
        the user message that `text_messages` then ends with."""
        if not isinstance(reply, str):
            raise NotAMessage(f"a reply in items_v1 is text, not {_shown(reply)}")
        step = self._turn(self._read({"role": "assistant", "content": reply}, _ITEMS, usage))
        return Step(self.text_messages[-1:], step.reward, step.done, step.info)

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Step:
        """One call as a turn of its own. Errors as for `step`; NotAMessage for arguments that JSON does not have."""
        self._must_go_on()
        identifier = self._identifier(None, f"call_{len(self._sitting.episode.turns) + 1}")
        call = call_of({"name": name, "arguments": {} if arguments is None else arguments})
        return self._turn(reply_of_call(identifier, call.name, call.arguments))

    def truncate(self, ended_by: EndedBy = "turn_limit") -> Step:
        """End the episode from outside, because a limit of one's own is reached; the world is graded as it stands. EpisodeOver
        after the end; Refusal for a way of ending that is not for others to choose (OUTSIDE has those that are)."""
        self._must_go_on()
        if ended_by not in OUTSIDE:
            raise Refusal(f"an episode is not ended by {_shown(ended_by)} from outside, but by {', '.join(OUTSIDE)}")
        return self._closed(ended_by, [])

    def result(self) -> Result:
        """The grade with all its checks, as result.json has it. EpisodeRunning before the end."""
        return self.attempt().result

    def attempt(self) -> Attempt:
        """The grade, and everything that was said and done as trajectory.json has it. EpisodeRunning before the end."""
        if self._attempt is None:
            raise EpisodeRunning(f"the episode of {self.instance_id} still goes on; truncate() ends it")
        return self._attempt

    def __reduce__(self) -> tuple[Any, ...]:
        ended = None if self._attempt is None else self._attempt.result.ended_by
        return _again, (self.instance_id, self.suite_seed, self.trial, self.limits, tuple(self._replies), ended)

    def _turn(self, reply: dict[str, Any]) -> Step:
        self._must_go_on()
        episode = self._sitting.episode
        episode.take(reply)
        self._replies.append(reply)
        self._ids.update(call["id"] for call in reply["tool_calls"])
        seen = len(self._messages) + 1
        self._look()
        observations = self._messages[seen:]
        ended_by = episode.over()
        if ended_by is not None:
            return self._closed(ended_by, observations)
        return Step(observations, 0.0, False, self._info())

    def _closed(self, ended_by: EndedBy, observations: list[Message]) -> Step:
        attempt = self._attempt = self._sitting.close(ended_by)
        result = attempt.result
        if result.status == "error":
            raise BenchmarkDefect(f"{self.instance_id}: {result.error}")
        info = self._info()
        info["ended_by"], info["success"] = result.ended_by, result.success
        info["share_of_goals"] = share_of_goals(result)
        return Step(observations, reward_of(result), True, info)

    def _info(self) -> Info:
        turns = self._sitting.episode.turns
        info: Info = {"turns": len(turns)}
        if turns and "problem" in turns[-1]:
            info["problem"] = turns[-1]["problem"]
        if turns and "recovered" in turns[-1]:
            info["recovered"] = turns[-1]["recovered"]
        return info

    def _look(self) -> None:
        """Lay out what was said since the last look."""
        said = self._sitting.episode.messages
        for message in said[self._seen :]:
            self._messages += self._history.add(message)
        self._seen = len(said)

    def _read(self, message: Any, layout: Layout, usage: Mapping[str, Any] | None) -> dict[str, Any]:
        """The reply in a message, as an episode takes it."""
        self._must_go_on()
        reply = read_message(_assistant(message))
        if isinstance(reply, Malformed):
            raise NotAMessage(reply.text)
        invocation = replace(layout.invocation(reply, self._schemas), usage={"usage": _counted_tokens(usage)})
        laid = Laid(b"", self._schemas, len(self._sitting.episode.turns))
        answer = layout.answer(invocation, laid)
        return answer_body(self._identified(answer, invocation), invocation)

    def _identified(self, answer: Answer, invocation: Invocation) -> Answer:
        """With the ids that the message itself gave its calls, but for those that are missing or were there before."""
        given = [call.identifier for call in invocation.calls]
        if len(given) != len(answer.calls):
            given = [None] * len(answer.calls)
        calls = [(self._identifier(own, ours), call) for own, (ours, call) in zip(given, answer.calls, strict=True)]
        return replace(answer, calls=tuple(calls))

    def _identifier(self, own: str | None, ours: str) -> str:
        """An id for a call that no other of this episode has: its own where that will do."""
        kept = own if own is not None and own not in self._ids and _ID.fullmatch(own) else ours
        while kept in self._ids:
            kept += "_"
        self._ids.add(kept)
        return kept

    def _must_go_on(self) -> None:
        if self._attempt is not None:
            ended_by = self._attempt.result.ended_by
            raise EpisodeOver(f"the episode of {self.instance_id} is over ({ended_by}); reset() begins the next")


def reward_of(result: Result) -> float:
    """What an episode is worth to a trainer: 1.0 for success, else 0.0."""
    return float(result.success)


def share_of_goals(result: Result) -> float:
    """How many of the goals hold, from 0 to 1; of a task without goals, whether it was got right."""
    goals = [check.passed for check in result.checks if check.kind == "goal"]
    return sum(goals) / len(goals) if goals else float(result.success)


def replay(instance_id: str, calls: Iterable[Any], suite_seed: int = 0, *, ended_by: EndedBy = "turn_limit") -> Result:
    """The grade of these calls, made one after the other in a fresh world, without limits.

    Each is a pair of a tool's name and its arguments, or an object with `name` and `arguments`, as trajectories and chat
    completions have them. `ended_by` is how the episode ended where no call ends it. NotAMessage for what is no call,
    EpisodeOver for a call after the end.
    """
    made = [call_of(call) for call in calls]
    env = Env(instance_id, suite_seed, limits=Limits(max_turns=len(made) + 1, max_seconds=None))
    for call in made:
        env.call(call.name, call.arguments)
    if not env.done:
        env.truncate(ended_by)
    return env.result()


def call_of(given: Any) -> Call:
    """A call in any of the forms that replay takes; NotAMessage for anything else."""
    if isinstance(given, Call):
        return given
    if isinstance(given, tuple | list) and len(given) == 2:
        given = {"name": given[0], "arguments": given[1]}
    if isinstance(given, Mapping) and isinstance(given.get("function"), Mapping):
        given = given["function"]
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise NotAMessage(f"a call has a name and arguments; {_shown(given)} has not")
    arguments = given.get("arguments", {})
    if isinstance(arguments, str):
        arguments = decode(arguments)
    if not isinstance(arguments, Mapping):
        raise NotAMessage(f"the arguments of {given['name']} are an object, not {_shown(given.get('arguments'))}")
    try:
        return Call(given["name"], json.loads(json.dumps(dict(arguments))))
    except (TypeError, ValueError, RecursionError) as problem:
        raise NotAMessage(f"the arguments of {given['name']} are nothing that JSON has: {problem}") from None


def _again(
    instance_id: str,
    suite_seed: int,
    trial: int,
    limits: Limits,
    replies: tuple[dict[str, Any], ...],
    ended_by: EndedBy | None,
) -> Env:
    """An environment that stands where another one stood."""
    env = Env(instance_id, suite_seed, trial=trial, limits=limits)
    for reply in replies:
        env._turn(reply)
    if ended_by is not None and not env.done:
        env.truncate(ended_by)
    return env


def _assistant(message: Any) -> dict[str, Any]:
    """The message as a dict; NotAMessage unless it is an assistant's."""
    dump = getattr(message, "model_dump", None)
    given = dump(exclude_none=True) if callable(dump) else message
    if not isinstance(given, Mapping):
        raise NotAMessage(f"an assistant message is an object with content or tool_calls, not {_shown(message)}")
    if "choices" in given:
        raise NotAMessage("that is a whole completion; give its message, choices[0].message")
    if given.get("role", "assistant") != "assistant":
        raise NotAMessage(f"an assistant message has the role assistant, not {_shown(given['role'])}")
    if not {"content", "tool_calls", "function_call"} & given.keys():
        raise NotAMessage(f"an assistant message has content or tool_calls; this one has {_shown(sorted(given))}")
    return dict(given)


def _counted_tokens(usage: Mapping[str, Any] | None) -> dict[str, int]:
    given = usage or {}
    counts = {name: given.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")}
    for name, count in counts.items():
        if type(count) is not int or count < 0:
            raise NotAMessage(f"usage counts {name} in whole tokens, not {_shown(count)}")
    return {**counts, "total_tokens": sum(counts.values())}


def _counted(trial: object) -> int:
    if type(trial) is not int or trial < 1:
        raise Refusal(f"trials are counted from 1; {_shown(trial)} is none")
    return trial


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Ids of calls that every server takes back."""
_NATIVE, _ITEMS = NativeLayout(), ItemsLayout()


@cache
def _schemas_of(order_book: bool) -> dict[str, dict[str, Any]]:
    """The parameters of the tools of a world with or without an order book."""
    return schemas_of([tool.entry() for tool in (WITH_ORDER_BOOK if order_book else STANDARD)])
