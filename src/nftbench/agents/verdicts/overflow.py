"""Reading from an error's text whether a conversation is too long for the model, and the numbers that it tells.

Texts are matched in lower case. A new phrasing goes into the table; what nobody has seen yet is told by a sentence that speaks
of the input, of too much, and of a length.
"""

from __future__ import annotations

import re

from msgspec import Struct

_SAID = re.compile(
    r"maximum context length"  # vLLM, OpenAI, OpenRouter, DeepSeek, older SGLang, llama-cpp-python
    r"|context length is only"  # vLLM from 2026, LM Studio
    r"|longer than the maximum\s+model length"  # vLLM engine
    r"|longer than the model'?s context length"  # SGLang, Together
    r"|exceeds? (?:the )?(?:available |models? |model'?s |maximum )*context (?:size|length|window)"  # llama.cpp, LMDeploy
    r"|exceed(?:s|ed)? (?:the |this )?(?:model )?context (?:window|limit|length)"  # Cloudflare, Anthropic
    r"|context size has been exceeded|context shift is disabled|\bn_keep\b.{0,40}\bn_ctx\b"  # llama.cpp in mid-reply
    r"|exceed_context_size_error|context_length_exceeded|contextwindowexceeded|context window exceed|context overflow"
    r"|context_window_exceeded|context window limit|exceeded max(?:imum)? context length|reached context length"
    r"|\btoken limit exceeded|context (?:window|length|size) is \d+ tokens,? (?:but|however|and)"
    r"|`?inputs`? must have less than|`?inputs`? tokens \+ `?max_new_tokens`? must be"  # text-generation-inference
    r"|(?:prompt|input) (?:is )?too long|prompt exceeds max length|prompt has too many tokens|prompt: length: 1\.\."
    r"|input tokens exceed|exceeds the maximum number of tokens allowed|too many input tokens"  # Azure, Gemini, Bedrock
    r"|prompt token count of \d+ exceeds|model_max_prompt_tokens|maximum prompt length is"  # Copilot, xAI
    r"|exceeded model token limit|tokens? in request more than max|tokens_limit_reached|max size: \d+ tokens"  # Kimi, GitHub
    r"|reduce the length of (?:the|your|either) ?(?:messages|input|prompt|one)"  # Groq and others
    r"|current length is \d+ while limit is|greater than the context length|trying to keep the first \d+ tokens"
    r"|default_max_tokens \(-\d+\)"  # TensorRT-LLM, with less than no room left
    r"|too large for model with \d+ maximum|maximum (?:allowed )?input length|expected maxlength: \d{4,}"
    r"|exceed max message tokens|too many tokens: |total number of tokens in the prompt"  # Volcengine, Cohere
    r"|range of input length should be"  # DashScope
    r"|max_(?:completion_)?tokens must be at least 1, got (?:0\b|-\d)"  # what vLLM computed as left; we never ask for it
    r"|(?:上下文|输入|消息|message|prompt|请求).{0,12}(?:超长|超过|超出|过长|超限)|超过最大(?:上下文)?长度"
)
_SAID_OF_THE_INPUT = re.compile(
    r"(?:greater than|exceeds?|must be less than) (?:the )?`?max_(?:seq_len|num_tokens|input_len|prompt_len)"  # TensorRT-LLM
    r"|exceeds? (?:the )?(?:customer )?model(?:'s)? max"  # Bedrock Mantle
)
"""Said as well of a reply that was asked for too long, which is no overflow."""
_LONG_STRING = re.compile(r"string too long\. expected a string with maximum length (\d+)")
_LEAST_FOR_A_CONVERSATION = 10_000
"""Characters. A field that may hold fewer is an id or a name, not what a model reads."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_PREFIX = re.compile(r"(?:input )?validation error:?|invalid_?request\w*")
_OF_THE_INPUT = re.compile(
    r"(?<!['\"])\b(?:prompt|inputs?|messages?|conversation|context|sequence|chat)(?:_\w+)?\b(?!['\"])"
    r"|\b(?:total|number of|too many) tokens\b|\bmax_(?:prompt|input)_tokens\b|\brequest\b(?=.*context)"
)
_TOO_MUCH = re.compile(
    r"\btoo (?:long|large|many|big)\b|\bexceed\w*|\b(?:longer|greater|larger|bigger|more) than\b|\bover (?:the )?limit\b"
    r"|\bmust be (?:less|fewer|smaller|shorter)\b|\bonly supports\b|\bsupports? (?:only )?up to\b"
    r"|\bdoes not fit\b|\bunable to fit\b|\blimit reached\b"
)
_A_LENGTH = re.compile(
    r"context[ _](?:length|size|window|limit)|model(?:'?s)? context|token|\blength\b|window|max_seq_len|max_model_len"
)
_OF_OTHER_THINGS = re.compile(
    r"deadline|time[ -]?(?:out|limit)|timed out|retries|recursion|quota|memory|\bbytes\b|\b[kmg]b\b|image|audio|\bfiles?\b"
    r"|attachment|(?:tool|function)[ _](?:name|call[ _]id)|output tokens|completion tokens"
)
_ONLY_THE_REPLY = re.compile(
    r"^(?:(?!prompt|input|message|conversation|context).)*\bmax_(?:completion_|new_|output_)?tokens\b"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PROMPT_TOKENS = (
    re.compile(r"limit: (\d+) \+ \d+ >"),
    re.compile(r"prompt (?:contains|has)(?: at least)? (\d+)(?! characters|\d)"),
    re.compile(r"(\d+)(?: tokens)? (?:input tokens|in the messages|of text input|in your prompt|from the input)"),
    re.compile(r"(?:request|input) \((\d+) tokens\)"),
    re.compile(r"passed (\d+) input tokens|(?:prompt|ids) \(?length \(?(\d+)"),
    re.compile(r"prompt[ _]tokens \((\d+)\)|(?:prompt|input) length (?:of )?\(?(\d+)|current length is (\d+)"),
    re.compile(r"too long: (\d+)"),
    re.compile(r"given: (\d+)"),
    re.compile(r"resulted in (\d+) tokens"),
    re.compile(r"token count (?:of |is )?\(?(\d+)|request input token count: (\d+)"),
    re.compile(r"request contains (\d+)|\(requested: (\d+)\)|received (\d+)"),
)
_WINDOW = (
    re.compile(r"\+ \d+ > (\d+)"),
    re.compile(r"context length(?: is only| is| of|:)? ?\(?(\d+)"),
    re.compile(r"context (?:size|window|limit)(?: limit)?(?: is| of|:)? \(?(\d+)"),
    re.compile(r"context length of only (\d+)"),
    re.compile(r"maximum\s+model length of (\d+)"),
    re.compile(
        r"(?:configured limit of|must have less than|maximum number of tokens allowed \(|> ?|exceeds (?:the )?limit of) ?(\d+)"
    ),
    re.compile(r"max_seq_len \(?(\d+)"),
    re.compile(
        r"with (\d+) maximum|while limit is (\d+)|token limit: (\d+)|model maximum \((\d+)|max input tokens: (\d+)"
    ),
    re.compile(r"maximum (?:prompt|(?:allowed )?input) length (?:is |of )?(\d+)|input length should be \[1, (\d+)"),
    re.compile(r"cannot exceed (\d+)|max size: (\d+) tokens|supports up to (\d+)"),
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


def is_overflow(text: str, *, in_general: bool) -> bool:
    """Whether an error text says that the conversation is too long for the model; `in_general` also by likely words."""
    long_string = _LONG_STRING.search(text)
    if long_string:
        return int(long_string.group(1)[:12]) >= _LEAST_FOR_A_CONVERSATION
    if _SAID.search(text):
        return True
    return any(
        _is_said_of_the_input(sentence) or (in_general and _is_likely(sentence)) for sentence in _SENTENCE.split(text)
    )


def _is_said_of_the_input(sentence: str) -> bool:
    return bool(_SAID_OF_THE_INPUT.search(sentence)) and not _ONLY_THE_REPLY.search(sentence)


def _is_likely(sentence: str) -> bool:
    said = _PREFIX.sub(" ", sentence)
    return (
        all(needed.search(said) for needed in (_TOO_MUCH, _OF_THE_INPUT, _A_LENGTH))
        and not _ONLY_THE_REPLY.search(said)
        and not _OF_OTHER_THINGS.search(said)
    )


def overflow_numbers(text: str) -> Overflow:
    """The token counts that an overflow text tells."""
    plain = _THOUSANDS.sub("", text)
    prompt = None if "characters" in plain else _first_number(_PROMPT_TOKENS, plain)
    return Overflow(prompt, _first_number(_WINDOW, plain))


def _first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(text)
        number = next((group for group in found.groups() if group), "") if found else ""
        if 0 < len(number) <= 12:
            return int(number)
    return None
