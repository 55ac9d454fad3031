"""Whether an error says that a conversation is too long for the model, and the numbers that it tells.

A full context is scored against the model, so it takes evidence: a code that is known, a whole sentence of a server that is
known, or two numbers that fit each other, what the prompt has and what the window holds. Words that only sound like it are
none, and neither is anything about another field of the request. All is matched in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from nftbench.agents.verdicts.request_fields import names_another_field, names_only_the_reply

_CODES = frozenset(
    {
        *("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "context_limit_exceeded"),
        *("model_context_window_exceeded", "contextwindowexceedederror", "contextlengthexceedederror"),
        *("model_max_prompt_tokens_exceeded", "tokens_limit_reached", "prompt_too_long", "input_too_long", "336103"),
    }
)
"""Types and codes that mean nothing else."""
_CODE_IN_WORDS = re.compile(
    r"\b(?:exceed_context_size_error|context_length_exceeded|context_window_exceeded|contextwindowexceedederror)\b"
)
_SENTENCE = re.compile(
    r"maximum context length (?:is|of) \d|context length is only \d"  # vLLM, OpenAI, OpenRouter, DeepSeek, SGLang
    r"|longer than the maximum\s+model length of \d|longer than the model'?s context (?:length|window)"  # vLLM, SGLang
    r"|exceed(?:s|ed)? (?:the |this )?(?:available |models? |model'?s |max(?:imum)? |allowed )*"
    r"context (?:size|length|window|limit)"
    r"|context size has been exceeded|context shift is disabled|reached context length of \d"  # llama.cpp, LM Studio
    r"|trying to keep the first \d+ tokens|\bn_keep\b.{0,40}\bn_ctx\b"
    r"|context window exceeds? limit|(?:^|exceeded |exceeds )(?:this model )?context window limit"  # MiniMax, Cloudflare
    r"|\bprompt is too long\b|^prompt too long\b|prompt too long; exceeded|input is too long for requested model"  # Anthropic
    r"|\bprompt tokens too long|prompt has too many tokens|^input tokens exceed|prompt: length: 1\.\.\d{4}"  # Baidu, Mistral
    r"|`inputs` must have less than \d"  # text-generation-inference
    r"|tokens in request more than max tokens allowed|exceed max message tokens|range of input length should be \[1, \d"
    r"|too many tokens: size limit exceeded by \d|total tokens exceeds the model'?s max of \d"  # Cohere
    r"|malformed input: expected maxlength: \d{5}"  # Bedrock
    r"|(?:上下文|输入|消息|message|prompt)\s*(?:的?内容|的?长度|tokens?\s*数?)?\s*(?:超长|超过|超出|过长|超限)"
    r"|超过最大(?:上下文)?长度"
)
"""Sentences that servers are known to say of a full context, as far as they are always the same."""
_LONG_STRING = re.compile(
    r"'messages\[\d+\]\.content[^']*': string too long\. expected a string with maximum length (\d+)"
)
_LEAST_FOR_A_CONVERSATION = 10_000
"""Characters. A field that may hold fewer is an id or a name, not what a model reads."""
_SENTENCE_OF_BOTH = re.compile(
    r"(?:prompt|input length|`inputs` tokens) (?:and|\+) `?max_(?:new_)?tokens`? (?:exceeds?|must be)"  # Anthropic, Writer, TGI
    r"|max_(?:completion_)?tokens must be at least 1, got (?:0\b|-\d)|default_max_tokens \(-\d"  # vLLM, TensorRT-LLM
)
"""Sentences about the prompt and the room for the reply together, or about what was left of that."""
_OF_OTHER_THINGS = re.compile(
    r"deadline|time[ -]?(?:out|limit)|timed out|retries|recursion|quota|memory|\bbytes\b|\b[kmg]i?b\b|image|audio|\bfiles?\b"
    r"|pixels?|attachment|credits?|(?:tool|function)[ _](?:name|call[ _]id)|per (?:min|sec|hour|day)"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SUM = re.compile(r"(?:limit: |tokens: )?(\d+) \+ (\d+) > (\d+)")
_MORE_THAN = re.compile(
    r"\b(?:prompt|input|context|conversation|messages|token limit)\b[^.]{0,80}?(\d+)(?: tokens)? > (\d+)"
    r"|n_keep: (\d+) ?>=? ?n_ctx: (\d+)"
)
_PROMPT_TOKENS = (
    re.compile(r"prompt (?:contains|has)(?: at least)? (\d+)(?! characters|\d)"),
    re.compile(
        r"(\d+)(?: tokens)? (?:`inputs` tokens|input tokens|in the (?:messages|prompt|input)|of text input|in your prompt"
        r"|from the input)"
    ),
    re.compile(r"(?:request|input|prompt) \((\d+) tokens\)"),
    re.compile(r"passed (\d+) input tokens|(?:prompt|ids) \(?length \(?(\d+)|splited_prompt_len \((\d+)\)"),
    re.compile(r"prompt[ _]tokens \((\d+)\)|(?:prompt|input) length (?:of )?\(?(\d+)|current length is (\d+)"),
    re.compile(r"too long: (\d+)"),
    re.compile(r"`inputs` [^.]{0,80}\. given: (\d+)"),
    re.compile(r"resulted in (\d+) tokens"),
    re.compile(r"token count (?:of |is )?\(?(\d+)|request input token count: (\d+)|number of input tokens (\d+)"),
    re.compile(
        r"request (?:contains|has) (\d+)|\(requested: (\d+)\)|received (\d+)|(?:conversation|prompt|messages) ha(?:s|ve) (\d+)"
    ),
)
_TOTAL = (
    re.compile(r"requested tokens \((\d+)\)|you requested (?:about )?(\d+) tokens\b|input and output tokens \((\d+)\)"),
    re.compile(r"total of (\d+) tokens|requires (\d+) cache tokens"),
)
"""What the prompt and the room for the reply come to together."""
_WINDOW = (
    re.compile(r"context length(?: is only| is| of|:)? ?\(?(\d+)"),
    re.compile(r"context (?:size|window|limit)(?: limit)?(?: is| of|:)? \(?(\d+)"),
    re.compile(r"context length of only (\d+)"),
    re.compile(r"maximum\s+model length of (\d+)|(?:max(?:imum)? )?sequence length (?:is |of )?\(?(\d+)"),
    re.compile(
        r"(?:configured limit of|must have less than|maximum number of tokens allowed \(|exceeds (?:the )?limit of) ?(\d+)"
    ),
    re.compile(r"max_seq_len \(?(\d+)|`max_new_tokens` must be <= (\d+)"),
    re.compile(
        r"with (\d+) maximum|while limit is (\d+)|token limit: (\d+)|model maximum \((\d+)|max input tokens: (\d+)"
    ),
    re.compile(r"maximum (?:prompt|(?:allowed )?input) length (?:is |of )?(\d+)|input length should be \[1, (\d+)"),
    re.compile(
        r"cannot exceed (?:the total tokens limit )?(\d+)|max size: (\d+) tokens|supports up to (\d+)|only supports (\d+) tokens"
    ),
)


class Overflow(Struct, frozen=True):
    """The numbers in an overflow text, in tokens; None where it has none."""

    prompt_tokens: int | None
    context_window: int | None

    @property
    def prompt_fits(self) -> bool | None:
        """Whether the prompt alone would have fitted, so that only the room asked for the reply was too much."""
        if self.prompt_tokens is None or self.context_window is None:
            return None
        return self.prompt_tokens < self.context_window

    def is_full(self, reply_tokens: int) -> bool:
        """Whether the prompt and a reply of so many tokens are more than the window holds."""
        if self.prompt_tokens is None or self.context_window is None:
            return False
        return self.prompt_tokens + reply_tokens > self.context_window


def is_overflow(
    text: str,
    *,
    codes: frozenset[str] = frozenset(),
    places: Iterable[str] = (),
    reply_tokens: int = 1,
    by_numbers: bool = True,
) -> bool:
    """Whether an error's text, codes and named places are evidence of a full context. `reply_tokens` is what was asked for a
    reply; `by_numbers`: whether two numbers that fit count, beside codes and known sentences."""
    places = tuple(places)
    long_string = _LONG_STRING.search(text)
    if long_string:
        return int(long_string.group(1)[:12]) >= _LEAST_FOR_A_CONVERSATION
    if names_another_field(text, places):
        return False
    if codes & _CODES or _CODE_IN_WORDS.search(text) or _SENTENCE_OF_BOTH.search(text):
        return True
    if by_numbers and _numbers_fit(text, reply_tokens):
        return True
    return bool(_SENTENCE.search(text)) and not names_only_the_reply(text, places)


def _numbers_fit(text: str, reply_tokens: int) -> bool:
    """Whether a text tells what the prompt has and what the window holds, and the one is too much for the other."""
    if _OF_OTHER_THINGS.search(text):
        return False
    numbers = overflow_numbers(text)
    if numbers.is_full(reply_tokens):
        return True
    total = _first_number(_TOTAL, _THOUSANDS.sub("", text))
    return total is not None and numbers.context_window is not None and total > numbers.context_window


def overflow_numbers(text: str) -> Overflow:
    """The token counts that an overflow text tells."""
    plain = _THOUSANDS.sub("", text)
    told = _SUM.search(plain)
    if told:
        return Overflow(int(told.group(1)[:12]), int(told.group(3)[:12]))
    more = _MORE_THAN.search(plain) if "characters" not in plain else None
    if more:
        prompt, window = (group for group in more.groups() if group)
        return Overflow(int(prompt[:12]), int(window[:12]))
    tokens = None if "characters" in plain else _first_number(_PROMPT_TOKENS, plain)
    return Overflow(tokens, _first_number(_WINDOW, plain))


def _first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(text)
        number = next((group for group in found.groups() if group), "") if found else ""
        if 0 < len(number) <= 12:
            return int(number)
    return None
