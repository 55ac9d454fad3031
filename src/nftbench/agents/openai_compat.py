"""The backend for any server that speaks OpenAI's chat completions: vLLM, SGLang, llama.cpp, proxies, vendors."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, Unpack
from urllib.parse import urlsplit, urlunsplit

from msgspec.structs import replace

from nftbench.agents.backend import Invocation, answer_text
from nftbench.agents.chat import (
    MAX_TOKENS_FIELDS,
    Endpoint,
    HttpOptions,
    Meter,
    Secret,
    Settings,
    Spoken,
    path_of,
)
from nftbench.agents.layouts.items import ItemsLayout, Laid, Layout
from nftbench.agents.verdicts.classification import Asked
from nftbench.agents.wire.events import event_log
from nftbench.errors import Refusal

TOKEN_VARIABLE = "NFTB_ENDPOINT_TOKEN"
PROMPT_CUT_NOTE = "prompt_truncated_suspected"
"""The note on a reply whose prompt the server seems to have cut."""
_LONG = 20_000
_MOST_BYTES_A_TOKEN = 24
_OWN_FIELDS = ("model", "messages")


class ChatBackend:
    """A model behind an Endpoint, in a layout. The HTTP backends are this with their own endpoint."""

    def __init__(self, endpoint: Endpoint, layout: Layout) -> None:
        self._endpoint = endpoint
        self._layout = layout
        self._framed = _frame(endpoint)
        self._threads = threading.local()

    def complete(self, request: str) -> str:
        """See Backend.complete."""
        laid = self._layout.lay_out(request)
        spoken = self._endpoint.ask(lambda tokens: self._framed(laid.members, tokens))
        invocation = self._told(spoken, laid.schemas)
        if self._lost_its_beginning(laid, spoken.reply.usage["prompt_tokens"]):
            invocation = replace(invocation, notes=(*invocation.notes, PROMPT_CUT_NOTE))
        return answer_text(self._layout.answer(invocation, laid), invocation)

    def invoke(self, system: str, prompt: str) -> Invocation:
        """One reply to a system text and a prompt, outside of any conversation; CLIFailure if there is none."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        members = f'"messages":{json.dumps(messages)}'.encode("ascii")
        return self._told(self._endpoint.ask(lambda tokens: self._framed(members, tokens)), None)

    def _lost_its_beginning(self, laid: Laid, tokens: int) -> bool:
        """Whether the server seems to have dropped messages without a word, as some do when their window is full: it counts
        clearly fewer tokens than a turn ago although the conversation grew, or far too few for its length."""
        length, before = len(laid.members), getattr(self._threads, "before", (0, 0, 0))
        self._threads.before = (laid.turn, length, tokens)
        if length > _LONG and tokens * _MOST_BYTES_A_TOKEN < length:
            return True
        return before[0] + 1 == laid.turn and before[1] <= length and tokens < before[2] * 0.9

    def _told(self, spoken: Spoken, schemas: dict[str, dict[str, Any]] | None) -> Invocation:
        waited = {"waited": spoken.waited} if spoken.waited else {}
        return replace(self._layout.invocation(spoken.reply, schemas), usage={"usage": spoken.usage, **waited})


class OpenAICompatBackend(ChatBackend):
    """A model on a server of one's own. The key, if there is one, is read from NFTB_ENDPOINT_TOKEN at each call."""

    def __init__(
        self, base_url: str, model: str, *, layout: Layout | None = None, **options: Unpack[HttpOptions]
    ) -> None:
        """`base_url` as `chat_url` takes it; options as in HttpOptions. Refusal if one of them cannot be used."""
        url = chat_url(base_url)
        super().__init__(endpoint(url, model, Secret(TOKEN_VARIABLE), Settings(**options)), layout or ItemsLayout())


def endpoint(url: str, model: str, secret: Secret, settings: Settings, meter: Meter | None = None) -> Endpoint:
    """The endpoint of a model under these settings."""
    asked = Asked(model, path_of(url), tuple(settings.served_names), settings.max_tokens, settings.context_window)
    events = settings.events
    if events is None and settings.events_path is not None:
        events = event_log(settings.events_path)
    return Endpoint(url, asked, secret, settings, events, meter)


def chat_url(base_url: str) -> str:
    """The URL of chat completions under a base: host alone (`/v1` is added), a path that is kept as it is, or the whole URL
    as pasted. A query stays. Refusal for anything but http(s) with a host and without credentials."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise Refusal("the endpoint must be a URL that begins with http:// or https:// and names a host")
    if "@" in parts.netloc:
        raise Refusal(f"the endpoint must not hold credentials: put the key into {TOKEN_VARIABLE}")
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path = f"{path or '/v1'}/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def _frame(endpoint: Endpoint) -> Callable[[bytes, int], bytes]:
    """What puts the members of a layout into a request's body, with so many tokens for the reply."""
    fields = endpoint.settings.sampling()
    taken = [name for name in _OWN_FIELDS if name in fields]
    if taken:
        raise Refusal(f"extra fields of the request must not be {' or '.join(taken)}")
    given = (endpoint.settings.extra or {}).keys() & set(MAX_TOKENS_FIELDS)
    if endpoint.settings.max_tokens_field not in given:
        del fields[endpoint.settings.max_tokens_field]
    try:
        rest = json.dumps(fields, allow_nan=False)[1:].encode("ascii")
    except (TypeError, ValueError) as error:
        raise Refusal(f"an option of the request cannot be sent: {error}") from None
    head = f'{{"model":{json.dumps(endpoint.asked.model)},'.encode("ascii")
    if given:
        return lambda members, tokens: head + members + b"," + rest
    name = b"" if rest == b"}" else b","
    return lambda members, tokens: (
        b'%s%s,"%s":%d%s%s' % (head, members, endpoint.settings.max_tokens_field.encode("ascii"), tokens, name, rest)
    )
