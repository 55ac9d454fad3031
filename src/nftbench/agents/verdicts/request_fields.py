"""Which fields of a request an error is about: a refused field is a matter of set-up, never of the model.

Servers name fields as a `param` or `loc` of the error, as a path before a colon, in quotes, or as the subject of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_PROMPT = frozenset(
    {
        *("messages", "message", "prompt", "prompts", "input", "inputs", "contents", "content", "context"),
        *("conversation", "input_tokens", "input_text", "input_ids", "input_token_ids", "prompt_tokens"),
        *("prompt_token_ids", "prompt_ids", "body", "request", "text"),
    }
)
"""What holds the conversation, as a field of the request or as a count of its tokens."""
_TEXT_OF_A_MESSAGE = frozenset({"content", "contents", "text", "parts", "messages", "prompt", "input", "inputs"})
_REPLY_ROOM = frozenset({"max_tokens", "max_new_tokens", "max_completion_tokens", "max_output_tokens"})
"""What asks for a length of the reply: named beside the prompt where the sum of both is too much."""
_LIMIT = re.compile(
    r"(?:n|num|default|total|model|maximum|max|splited|available|cache)?_?(?:max_|total_|num_|model_)*"
    r"(?:seq|sequence|model|context|ctx|prompt|input|position|batched|num|total|keep|tokens?)"
    r"(?:_(?:len|length|lens|size|window|limit|tokens|embeddings|ctx|prompt_len))*"
)
"""Names of what a model holds, such as `max_model_len` or `n_ctx`: no fields of a request."""
_LIMITS = frozenset({"default_max_tokens", "n_ctx", "n_keep", "num_ctx", "model_max_prompt_tokens", "max_length"})
_FIELDS = frozenset(
    {
        *(
            "temperature",
            "seed",
            "stop",
            "n",
            "user",
            "tools",
            "functions",
            "function",
            "metadata",
            "logprobs",
            "store",
        ),
        *("stream", "suffix", "echo", "thinking", "reasoning", "grammar", "verbosity", "modalities", "audio", "name"),
        *(
            "prediction",
            "description",
            "id",
            "role",
            "image",
            "images",
            "documents",
            "effort",
            "model",
            "schema",
            "key",
        ),
        *(
            "instructions",
            "labels",
            "tags",
            "title",
            "guidance",
            "provider",
            "plugins",
            "transforms",
            "models",
            "route",
        ),
    }
)
"""Fields of requests whose names are words of everyday; a name with an underscore, a dot or a bracket is told by its form."""
_ROOTS = frozenset({"body", "query", "json", "request", "root", "$", "data", "header", "generationconfig"})
_NAME = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\[\d*\]|\.[a-z_][a-z0-9_]*|\.\d+)*"
_SUBJECT = re.compile(
    rf"(?<![\w/.=\[-])['\"`]?(?P<name>{_NAME})['\"`]?\s*(?::(?=\s)|(?:'s )?(?:(?:array|string|list|value|object|number)\b\s*)?"
    r"(?:(?:is|are|was|were|must|should|exceed(?:s|ed)?|cannot|can't|may|has|have|too|does|only|longer|length|size|supports?)\b"
    r"|[<>]=?|=\S))"
)
_INTRODUCED = re.compile(
    rf"\b(?:parameters?|param|field|property|argument|option|attribute|keyword)\b\s*[:=]?\s*['\"`(]?(?P<name>{_NAME})"
)
_FOLLOWED = re.compile(
    rf"(?<![\w/.=-])['\"`]?(?P<name>{_NAME})['\"`]? (?:parameter|param|field|property|argument|option|value)\b"
)
_QUOTED = re.compile(rf"(?<!model )(?<!model=)['\"`](?P<name>{_NAME})['\"`]")
_NO_NAMES = frozenset(
    {
        "is",
        "are",
        "must",
        "should",
        "required",
        "value",
        "values",
        "not",
        "was",
        "of",
        "for",
        "in",
        "error",
        "the",
        "and",
    }
)
_AN_ERROR = re.compile(r"error$|exception$|^error|^litellm\.|exceeded$")
_IN_A_PATH = re.compile(r"\.|\[\d*\]")


def names_another_field(text: str, places: Iterable[str] = ()) -> bool:
    """Whether an error (lower case) names a field of the request that is neither the prompt nor the room for the reply."""
    return any(not (is_prompt(name) or name in _REPLY_ROOM) for name in _named(text, places))


def names_only_the_reply(text: str, places: Iterable[str] = ()) -> bool:
    """Whether all that an error names is how long a reply may be."""
    names = set(_named(text, places))
    return bool(names) and names <= _REPLY_ROOM


def names_any_field(text: str, places: Iterable[str] = ()) -> bool:
    """Whether an error names any field of the request, one of its messages included."""
    return any("." in name or "[" in name or not is_prompt(name) for name in _named(text, places))


def names_a_path(text: str, places: Iterable[str] = ()) -> bool:
    """Whether an error is about a field of the request beyond doubt: as a place of its own, or by a path into the request."""
    places = tuple(places)
    return any(name in places or "." in name or "[" in name for name in _named(text, places) if not is_prompt(name))


def is_prompt(name: str) -> bool:
    """Whether a field, given by its path, is the conversation or the text of a message."""
    parts = [part for part in _IN_A_PATH.split(name) if part and not part.isdecimal()]
    return bool(parts) and parts[0] in _PROMPT and (len(parts) == 1 or parts[-1] in _TEXT_OF_A_MESSAGE)


def _named(text: str, places: Iterable[str]) -> Iterator[str]:
    for place in places:
        name = _without_root(place.strip().lower())
        if name:
            yield name
    for pattern, takes_words in ((_SUBJECT, False), (_FOLLOWED, False), (_QUOTED, False), (_INTRODUCED, True)):
        for found in pattern.finditer(text):
            name = _without_root(found.group("name"))
            if name and name not in _NO_NAMES and (takes_words or _is_field(name)) and not _is_no_field(name):
                yield name


def _without_root(name: str) -> str:
    root, _, rest = name.partition(".")
    return rest if root in _ROOTS and rest else "" if name in _ROOTS else name


def _is_field(name: str) -> bool:
    return name in _FIELDS or "_" in name or "[" in name or ("." in name and not name.rpartition(".")[2].isdecimal())


def _is_no_field(name: str) -> bool:
    return name in _LIMITS or bool(_AN_ERROR.search(name)) or (name not in _REPLY_ROOM and bool(_LIMIT.fullmatch(name)))
