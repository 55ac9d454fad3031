"""A scripted model on loopback that speaks what agent programs speak: OpenAI's chat completions and responses, Anthropic's
messages and Google's generateContent, streamed where a program asks for it.

Replies are said in order, the last one again and again; each request is kept as it came. Every reply costs the same.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec import Struct

READ, WRITTEN, CACHED = 1100, 17, 20
"""Tokens of every reply: read (CACHED of them from a cache, where a protocol tells them apart), and written."""
Events = list[tuple[str, dict[str, Any]]]


class Call(Struct, frozen=True):
    """A tool call of the model, in place of a text. A program may know the tool by a longer name that ends so."""

    name: str
    arguments: dict[str, Any]


Reply = str | Call


class Request(Struct, frozen=True):
    """`protocol` is one of chat, responses, messages, google; `tools` are the names of the tools that the model is given."""

    protocol: str
    body: dict[str, Any]
    tools: tuple[str, ...]
    key: str

    def text(self) -> str:
        return json.dumps(self.body)


class ModelServer:
    """Listens on a free port of 127.0.0.1. `status` other than 200 makes every answer that error, in `words`, after the first
    `answered`."""

    def __init__(self, replies: Sequence[Reply], *, status: int = 200, words: str = "", answered: int = 0) -> None:
        self.requests: list[Request] = []
        self.other: list[str] = []
        self._replies, self._status, self._words, self._answered = list(replies), status, words, answered
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                return

            def do_GET(self) -> None:
                outer.other.append(self.path)
                _send(self, 200, {"object": "list", "data": [{"id": "tiny", "object": "model"}]})

            def do_POST(self) -> None:
                outer.answer(self)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length") or 0)))
        protocol = next((name for part, name in _PATHS.items() if part in handler.path), "")
        if not protocol:
            self.other.append(handler.path)
            _send(handler, 404, {"error": {"message": "no such path"}})
            return
        with self._lock:
            self.requests.append(Request(protocol, body, tuple(_tools(body)), _key(handler)))
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Call):
            reply = Call(_full_name(reply.name, self.requests[-1].tools), reply.arguments)
        if self._status != 200 and len(self.requests) > self._answered:
            _send(handler, self._status, _error(protocol, self._status, self._words))
            return
        model = str(body.get("model") or handler.path.partition("models/")[2].partition(":")[0])
        streamed = bool(body.get("stream")) or "stream" in handler.path
        events = _SPEAK[protocol](reply, model, len(self.requests))
        if isinstance(reply, Call) and reply.name in _spaces(body):
            events[1][1]["item"]["namespace"] = _spaces(body)[reply.name]
        if streamed:
            _stream(handler, events, done=protocol == "chat")
        else:
            _send(handler, 200, _WHOLE[protocol](events))


_PATHS = {"chat/completions": "chat", "/responses": "responses", "/messages": "messages", "enerateContent": "google"}


def _spaces(body: dict[str, Any]) -> dict[str, str]:
    """The namespace of each tool that has one, as Codex groups the tools of a server."""
    return {
        str(inner["name"]): str(tool["name"])
        for tool in body.get("tools") or []
        if tool.get("type") == "namespace"
        for inner in tool["tools"]
    }


def _tools(body: dict[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or []:
        for declared in tool.get("functionDeclarations", tool.get("tools", [tool])):
            yield str(declared.get("name") or (declared.get("function") or {}).get("name") or declared.get("type"))


def _full_name(name: str, tools: tuple[str, ...]) -> str:
    return next((tool for tool in tools if tool.endswith(name)), name)


def _key(handler: BaseHTTPRequestHandler) -> str:
    headers = handler.headers
    bearer = (headers.get("Authorization") or "").removeprefix("Bearer ")
    return bearer or headers.get("x-api-key") or headers.get("x-goog-api-key") or ""


def _chat(reply: Reply, model: str, number: int) -> Events:
    delta: dict[str, Any] = {"role": "assistant"}
    if isinstance(reply, Call):
        function = {"name": reply.name, "arguments": json.dumps(reply.arguments)}
        delta["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    else:
        delta["content"] = reply
    base = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": model}
    reason = "tool_calls" if isinstance(reply, Call) else "stop"
    usage = {"prompt_tokens": READ, "completion_tokens": WRITTEN, "total_tokens": READ + WRITTEN}
    return [
        ("", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        ("", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ("", {**base, "choices": [], "usage": usage}),
    ]


def _responses(reply: Reply, model: str, number: int) -> Events:
    item: dict[str, Any]
    if isinstance(reply, Call):
        item = {"type": "function_call", "id": f"f{number}", "call_id": f"call_{number}", "name": reply.name}
        item["arguments"] = json.dumps(reply.arguments)
    else:
        content = [{"type": "output_text", "text": reply, "annotations": []}]
        item = {"type": "message", "id": f"m{number}", "role": "assistant", "status": "completed", "content": content}
    usage = {
        "input_tokens": READ,
        "input_tokens_details": {"cached_tokens": CACHED},
        "output_tokens": WRITTEN,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": READ + WRITTEN,
    }
    response = {"id": f"r{number}", "object": "response", "created_at": 1, "model": model, "output": [item]}
    events = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**response, "status": "completed", "usage": usage}},
    ]
    return [(str(event["type"]), event) for event in events]


def _messages(reply: Reply, model: str, number: int) -> Events:
    usage = {"input_tokens": READ - CACHED, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    if isinstance(reply, Call):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply}
    end = {"stop_reason": "tool_use" if isinstance(reply, Call) else "end_turn", "stop_sequence": None}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": WRITTEN}},
        {"type": "message_stop"},
    ]
    return [(str(event["type"]), event) for event in events]


def _google(reply: Reply, model: str, number: int) -> Events:
    part: dict[str, Any] = {"text": reply}
    if isinstance(reply, Call):
        part = {"functionCall": {"id": f"call_{number}", "name": reply.name, "args": reply.arguments}}
    usage = {"promptTokenCount": READ, "candidatesTokenCount": WRITTEN, "totalTokenCount": READ + WRITTEN}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return [("", {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model})]


def _whole_chat(events: Events) -> dict[str, Any]:
    first, second, last = (event for _, event in events)
    choice = {"index": 0, "message": first["choices"][0]["delta"]}
    choice["finish_reason"] = second["choices"][0]["finish_reason"]
    return {**last, "object": "chat.completion", "choices": [choice]}


_SPEAK = {"chat": _chat, "responses": _responses, "messages": _messages, "google": _google}
_WHOLE = {
    "chat": _whole_chat,
    "responses": lambda events: dict(events[-1][1]["response"]),
    "messages": lambda events: {
        **events[0][1]["message"],
        "content": [{"type": "text", "text": events[2][1]["delta"].get("text", "")}],
        "stop_reason": "end_turn",
    },
    "google": lambda events: dict(events[0][1]),
}


def _error(protocol: str, status: int, words: str) -> dict[str, Any]:
    if protocol == "messages":
        kind = "authentication_error" if status == 401 else "invalid_request_error"
        return {"type": "error", "error": {"type": kind, "message": words}}
    if protocol == "google":
        return {"error": {"code": status, "message": words, "status": "UNAUTHENTICATED"}}
    return {"error": {"message": words, "type": "invalid_request_error", "code": None}}


def _send(handler: BaseHTTPRequestHandler, status: int, value: dict[str, Any]) -> None:
    data = json.dumps(value).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _stream(handler: BaseHTTPRequestHandler, events: Events, *, done: bool) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    for name, event in events:
        label = f"event: {name}\n" if name else ""
        handler.wfile.write(f"{label}data: {json.dumps(event)}\n\n".encode())
    if done:
        handler.wfile.write(b"data: [DONE]\n\n")
    handler.wfile.flush()
    handler.close_connection = True
