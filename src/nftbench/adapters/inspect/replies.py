"""What a model of Inspect said, as an episode takes replies: read as in our own layout with native tool calls."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ModelOutput, ModelUsage

from nftbench.agents.backend import Invocation, answer_body
from nftbench.agents.layouts.items import Laid, raw_call_text, schemas_of
from nftbench.agents.layouts.native import NativeLayout
from nftbench.agents.replies.message import ToolCall
from nftbench.tools.standard import WITH_ORDER_BOOK

_SCHEMAS = schemas_of([tool.entry() for tool in WITH_ORDER_BOOK])


def reply_of(output: ModelOutput, turn: int) -> dict[str, Any]:
    """The reply with which the turn after `turn` others begins: calls in order, or the problem that the model is to be told. A
    call that Inspect could not read comes with its parse error in the arguments' place, which is no JSON either."""
    calls = tuple(
        ToolCall(name=call.function, arguments=call.parse_error or call.arguments, identifier=call.id)
        for call in output.message.tool_calls or ()
    )
    invocation = Invocation(
        text=output.message.text or "\n".join(map(raw_call_text, calls)),
        calls=calls,
        usage={"usage": counts_of(output.usage)},
        finish_reason=output.stop_reason,
        served_model=output.model or None,
    )
    return answer_body(NativeLayout().answer(invocation, Laid(b"", _SCHEMAS, turn)), invocation)


def counts_of(usage: ModelUsage | None) -> dict[str, Any]:
    """Inspect's usage under the names of the records; what was read from a cache or written to it is prompt too."""
    if usage is None:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    prompt = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    counts: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output_tokens,
        "total_tokens": prompt + usage.output_tokens,
    }
    return counts if usage.total_cost is None else counts | {"spent": usage.total_cost}
