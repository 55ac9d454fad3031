"""What servers mean by their error texts: the phrasings of each kind of trouble, in one place.

Texts are matched in lower case. The specific phrasings come from the servers' own sources and bug reports; the general ones
catch phrasings that nobody has seen yet, and count only where the status leaves room for them.
"""

from __future__ import annotations

import re

from msgspec import Struct

_OVERFLOW = re.compile(
    r"maximum context length"  # vLLM, OpenAI, OpenRouter, Mistral, older SGLang, llama-cpp-python
    r"|context length is only"  # vLLM from 2026
    r"|longer than the maximum model length"  # vLLM engine
    r"|longer than the model'?s context length"  # SGLang, Together
    r"|exceeds? the (?:available |model'?s |maximum )?context (?:size|length|window)"  # llama.cpp
    r"|exceed(?:s|ed)? (?:the )?context (?:window|limit|length)"  # llama-cpp-python, Anthropic
    r"|exceed_context_size_error|context_length_exceeded|contextwindowexceeded|context window exceeded"
    r"|context_window_exceeded|context window limit|context overflow|exceeded max(?:imum)? context length"
    r"|`?inputs`? must have less than|`?inputs`? tokens \+ `?max_new_tokens`? must be"  # text-generation-inference
    r"|(?:prompt|input) is too long|prompt too long|prompt exceeds max length|prompt has too many tokens"
    r"|input tokens exceed the configured limit|exceeds the maximum number of tokens allowed"  # Azure, Gemini
    r"|prompt token count of \d+ exceeds|maximum prompt length is|exceeded model token limit"  # Copilot, xAI, Kimi
    r"|reduce the length of (?:the|your|either) ?(?:messages|input|prompt|one)"  # Groq and others
    r"|greater than the context length|trying to keep the first \d+ tokens"  # LM Studio
    r"|(?:greater than|exceeds?) (?:the )?`?max_(?:seq_len|num_tokens|input_len|prompt_len)"  # TensorRT-LLM
    r"|too large for model with \d+ maximum|maximum (?:allowed )?input length"
    r"|total number of tokens in the prompt exceeds"  # Cohere
    r"|string too long\. expected a string with maximum length|range of input length should be"  # OpenAI, DashScope
    r"|max_(?:completion_)?tokens must be at least 1, got (?:0\b|-\d)"  # what vLLM computed as left; we never ask for it
)
_OVERFLOW_IN_GENERAL = re.compile(
    r"\b(?:prompt|inputs?|messages|conversation|context|sequence)\b(?!['\"])[^.]{0,120}?"
    r"\b(?:too (?:long|large|many)|exceed\w*|longer than|greater than|larger than)\b[^.]{0,120}?"
    r"(?:token|context|length|window|\bmax)"
)
_TOO_MUCH_ASKED = re.compile(
    r"\bmax_(?:completion_|new_|output_)?tokens\b[^.]{0,60}?(?:too large|greater than|exceeds?|must be (?:less|at most|<))"
)
_DAILY = re.compile(
    r"per[- _]?day|perday|\bdaily\b|\brpd\b|\btpd\b|per[- _]?month|\bmonthly\b|per[- _]?week|\bweekly\b"
)
_PER_MINUTE = re.compile(r"per[- _]?min|perminute|per[- _]?sec|\btpm\b|\brpm\b|per[- _]?hour")
_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|credits?|funds|balance)|(?:exceeded|over) your (?:current )?quota|out of (?:credits?|quota)"
    r"|(?:requires?|need) more credits|add(?:ing)? \$?\d* ?(?:more )?credits|credit balance|no (?:more )?credits"
    r"|quota (?:has been )?(?:exceeded|exhausted|reached)|usage limit|spend(?:ing)? limit|billing hard limit"
    r"|billing_hard_limit|budget (?:has been )?exceeded|exceededbudget|payment required|not enough credits|can only afford"
)
_HARD_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"})
_AUTH = re.compile(
    r"(?:invalid|incorrect|no|missing|expired|malformed|unknown) (?:x?-?api[ _-]?key|token was|auth credentials|authentication)"
    r"|api[ _-]?key (?:not valid|not found|is invalid|is missing|expired|required)|invalid_api_key|authentication_?error"
    r"|authentication failed|not authenticated|unauthenticated|\bunauthori[sz]ed\b"
)
_LOADING = re.compile(
    r"loading model|model is (?:still |currently )?(?:loading|starting|being loaded)|is currently loading|still loading"
    r"|warming up|server is starting|starting up|model (?:is )?not ready|not (?:yet )?ready to (?:serve|accept)"
)
_MODEL_OUTPUT = re.compile(
    r"model produced output that does not match|unexpected tokens remaining in message header"
    r"|(?:failed|error|unable)(?: to)? pars\w+ (?:the )?(?:tool[ _]?calls?|model output|output|function call|assistant)"
    r"|failed to parse input at pos|tool call parsing error|(?:invalid|malformed)[ _](?:tool|function)[ _]call(?:s)? (?:from|by) "
    r"|malformed_function_call|tool_use_failed|failed_generation"
)
_FILTERED = re.compile(
    r"\bflagged\b|moderation|content[ _-]?(?:filter|policy|management)|safety system|violates? .{0,40}polic"
)
_REQUEST = re.compile(r"\d+ validation errors?\b|field required|unexpected fields|request validation")
_NO_MODEL = re.compile(
    r"model .{0,120}(?:does not exist|not found|is not available)|invalid model name|no models? loaded|no such model"
    r"|model_not_found|unknown model|not a valid model"
)
_WRONG_PATH = re.compile(r"unexpected endpoint or method|unknown (?:path|endpoint|route)|no route for")
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)\s*>|<[^>]{0,500}>", re.DOTALL | re.IGNORECASE)
_PROMPT_TOKENS = (
    re.compile(r"limit: (\d+) \+ \d+ >"),
    re.compile(r"prompt (?:contains|has)(?: at least)? (\d+)(?! characters|\d)"),
    re.compile(r"(\d+)(?: tokens)? (?:input tokens|in the messages|of text input|in your prompt|from the input)"),
    re.compile(r"(?:request|input) \((\d+) tokens\)"),
    re.compile(r"passed (\d+) input tokens|(?:prompt|ids) \(?length \(?(\d+)"),
    re.compile(r"too long: (\d+) tokens"),
    re.compile(r"given: (\d+)"),
    re.compile(r"resulted in (\d+) tokens"),
    re.compile(r"token count (?:of )?\(?(\d+)"),
)
_WINDOW = (
    re.compile(r"\+ \d+ > (\d+)"),
    re.compile(r"context length (?:is |of |: ?|is only )?\(?(\d+)"),
    re.compile(r"context (?:size|window|limit)(?: is| of|:)? \(?(\d+)"),
    re.compile(r"maximum model length of (\d+)"),
    re.compile(
        r"(?:configured limit of|must have less than|maximum number of tokens allowed \(|> ?|exceeds the limit of) ?(\d+)"
    ),
    re.compile(r"max_seq_len \((\d+)"),
    re.compile(r"with (\d+) maximum"),
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
    if _OVERFLOW.search(text):
        return True
    return in_general and bool(_OVERFLOW_IN_GENERAL.search(text)) and not _TOO_MUCH_ASKED.search(text)


def overflow_numbers(text: str) -> Overflow:
    """The token counts that an overflow text tells."""
    prompt = None if "characters" in text else _first_number(_PROMPT_TOKENS, text)
    return Overflow(prompt, _first_number(_WINDOW, text))


def is_quota(text: str, codes: frozenset[str]) -> bool:
    """Whether a refusal for too many requests is about a day's or an account's limit, which no short wait lifts."""
    if codes & _HARD_QUOTA_CODES or _DAILY.search(text):
        return True
    return bool(_CREDIT.search(text)) and not _PER_MINUTE.search(text)


def is_credit(text: str, codes: frozenset[str]) -> bool:
    """Whether the text says that there is no money left."""
    return bool(codes & _HARD_QUOTA_CODES) or bool(_CREDIT.search(text))


def is_auth(text: str) -> bool:
    """Whether the text is about a missing or wrong key."""
    return bool(_AUTH.search(text))


def is_loading(text: str) -> bool:
    """Whether the server says that it is still starting."""
    return bool(_LOADING.search(text))


def is_model_output(text: str) -> bool:
    """Whether the server fails because it could not read what the model itself wrote."""
    return bool(_MODEL_OUTPUT.search(text))


def is_filtered(text: str) -> bool:
    """Whether a content filter stopped the reply or the request."""
    return bool(_FILTERED.search(text))


def is_request_fault(text: str) -> bool:
    """Whether the server refuses the form of the request, whatever its status says."""
    return bool(_REQUEST.search(text))


def is_no_model(text: str) -> bool:
    """Whether the server does not have the model."""
    return bool(_NO_MODEL.search(text))


def is_wrong_path(text: str) -> bool:
    """Whether the server does not know the path."""
    return bool(_WRONG_PATH.search(text))


def is_html(text: str) -> bool:
    """Whether the text is a web page, not an answer of an API."""
    start = text[:200].lstrip().lower()
    return start.startswith(("<!doctype", "<html", "<head", "<body", "<?xml"))


def shown(text: str, longest: int = 500) -> str:
    """An error text for people: without tags, in one line, at most so long."""
    plain = _TAG.sub(" ", text[: longest * 8]) if "<" in text else text[: longest * 8]
    line = " ".join(plain.split())
    return line if len(line) <= longest else line[:longest] + "..."


def _first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        found = pattern.search(text)
        number = next((group for group in found.groups() if group), "") if found else ""
        if 0 < len(number) <= 12:
            return int(number)
    return None
