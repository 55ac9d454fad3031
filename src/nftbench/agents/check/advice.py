"""What to do about each trouble with an endpoint: one table by cause, and one by what servers say.

The texts are completed with what is known of the case (`Scene`); they speak to the person who gives the flags.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from nftbench.agents.verdicts.classification import Verdict

FLAGS_FOR_WINDOW: dict[str, str] = {
    "vllm": "--max-model-len {window}",
    "sglang": "--context-length {window}",
    "llamacpp": "llama-server -c {window}",
    "me": "python -m llama_cpp.server --n_ctx {window}",
    "library": "OLLAMA_CONTEXT_LENGTH={window} in the environment of `ollama serve`",
    "organization_owner": "the context length in LM Studio's settings of the model, {window}",
}
"""How a server is given a larger context window, by the `owned_by` of its models."""
_ANY_WINDOW = "vLLM --max-model-len, SGLang --context-length, llama.cpp -c or --n_ctx, Ollama OLLAMA_CONTEXT_LENGTH"
FITTING_REPLIES: frozenset[str] = frozenset({"llamacpp", "me", "library", "organization_owner"})
"""Servers that end a reply where the window does, instead of refusing to begin one that may not fit."""


class Scene(Struct, frozen=True, kw_only=True):
    """What the advice may name. `endpoint` is the base as it would be given, `elsewhere` one that works better; `variable`
    holds the key, `proxy` the proxy's address without password."""

    endpoint: str
    host: str
    model: str
    variable: str
    has_key: bool = False
    proxy: str = ""
    proxy_variable: str = ""
    elsewhere: str = ""
    owner: str = ""
    window: int = 16384


REMEDIES: dict[str, str] = {
    "no_response": "ask again; if it stays so, look into the server's log",
    "unreachable": "start the server, or correct host and port of --endpoint ({host})",
    "timeout": "a model that is slow, or still busy with its start, needs a larger --request-timeout; look into its log",
    "lost": "the server, or a proxy before it, hangs up: is it http or https? otherwise look into its log",
    "cut": "the server, or a proxy before it, breaks off in mid-reply: look into its log",
    "certificate": "give --endpoint the name that the certificate is made for, or name its authority in SSL_CERT_FILE",
    "unsendable": "correct --endpoint",
    "redirect": "give the address that it leads to as --endpoint; nftbench follows no redirect",
    "too_large": "no chat server sends that: is this the API's address?",
    "quota": "the key is right, and its account is used up: add credit, or wait for the new day",
    "rate_limit": "the server lets few requests through: lower --concurrency, or raise its limit",
    "context_limit": "start the server with a larger context window ({window_flag})",
    "auth": "set {variable} to a key that this server takes",
    "content_filter": "a filter before the model refuses harmless text: use an address without it",
    "web_page": "give --endpoint the API's address, not that of its web pages; a login or proxy may stand before it",
    "wrong_path": "give --endpoint the base that the server's documentation names, usually with /v1 at its end",
    "loading": "ask again when it has loaded; a run waits up to ten minutes for that",
    "server_error": "look into the server's log",
    "no_model": "give --model a name that the server lists, or load the model",
    "model_output": "the server's parser and its model don't fit: set vLLM's --tool-call-parser and --reasoning-parser right",
    "request_too_large": "raise the size limit of the proxy before the server (nginx: client_max_body_size 16m)",
    "bad_request": "leave out the flag that it names, or set the server right",
    "not_json": "is this the API's address? look into the server's log",
    "malformed": "the server does not speak the chat completions API as it should: update it, or put a litellm proxy before it",
    "choice_error": "ask again; if it stays so, the provider behind the server is in trouble",
    "model_mismatch": "give --model the name that answered, or declare it with --served-name if it is the same model",
    "no_usage": "nftbench needs token counts: have the server or proxy report `usage`",
    "aborted": "look into the server's log",
    "cut_arguments": "look into the server's log",
    "no_calls": "the server says that there are calls and sends none: set its --tool-call-parser right",
    "empty": "the model says nothing: is its chat template right?",
    "lost_markers": "set the server's parser for this model's channels right (vLLM: --reasoning-parser)",
    "no_finish_reason": "the server ends replies without saying why: update it",
    "length": "a run gives replies more room",
    "reasoning_only": "a run gives replies more room",
    "reasoning_length": "a run gives replies more room",
    "repetition": "a run gives replies more room",
    "streamed": "turn streaming off in the server, or in the proxy before it",
    "unknown_finish_reason": "update the server, or the proxy before it",
}
"""What helps, by the cause of a verdict."""

_HEARD: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"unreachable", "lost", "timeout", "server_error", "bad_request", "auth", "web_page"}),
        r"tunnel connection failed|proxy authentication|\b407\b",
        "the proxy {proxy} of {proxy_variable} refuses: correct its user and password, or set no_proxy={host}",
    ),
    (
        frozenset({"auth"}),
        r"no connected db",
        "the litellm proxy does not know the key: set {variable} to its master key, or to one of its own",
    ),
    (
        frozenset({"unreachable"}),
        r"unknown url type: socks",
        "socks proxies are not supported: unset {proxy_variable}, or set no_proxy={host}",
    ),
    (
        frozenset({"unreachable", "lost"}),
        r"wrong.version.number|record.layer|unknown.protocol|http request|unexpected_eof|eof occurred|packet length",
        "the server seems to speak http there: give --endpoint with http in place of https",
    ),
    (
        frozenset({"bad_request", "wrong_path", "web_page", "lost"}),
        r"http request to (?:an )?https|plain http request|badstatusline|client sent an http",
        "what listens there does not speak http: if it speaks https, give --endpoint with https in place of http",
    ),
    (
        frozenset({"unreachable"}),
        r"name or service|nodename|name resolution|getaddrinfo|no address|temporary failure",
        "no such host: correct the name in --endpoint ({host}), or use its number",
    ),
    (
        frozenset({"unreachable"}),
        r"network is unreachable|no route",
        "there is no way from here to {host}: a VPN, a firewall, or a proxy that is not set",
    ),
    (
        frozenset({"bad_request", "server_error"}),
        r"enable-auto-tool-choice|tool-call-parser",
        "start vLLM with --enable-auto-tool-choice and --tool-call-parser NAME, or leave --tool-calls native out",
    ),
    (
        frozenset({"bad_request", "server_error"}),
        r"--jinja|tools param requires",
        "start llama-server with --jinja, or leave --tool-calls native out",
    ),
    (
        frozenset({"bad_request", "server_error"}),
        r"chat_template_kwargs|enable_thinking",
        "leave --enable-thinking out: this server does not know it",
    ),
    (
        frozenset({"bad_request"}),
        r"max_completion_tokens",
        "this model takes no max_tokens: give --max-tokens-field max_completion_tokens",
    ),
    (
        frozenset({"bad_request"}),
        r"max_(?:completion_|new_)?tokens",
        "give a smaller --max-tokens: a run asks for 32000 tokens a reply otherwise",
    ),
    (
        frozenset({"bad_request", "server_error"}),
        r"system role|roles must alternate|only user and assistant",
        "the model's chat template takes no system text: give the server one that does (vLLM: --chat-template)",
    ),
    (
        frozenset({"bad_request", "server_error"}),
        r"chat[ _]template",
        "the model has no chat template: give the server one (vLLM: --chat-template), or serve the instruct model",
    ),
    (frozenset({"bad_request"}), r"temperature|top_p", "leave --temperature and --top-p out, or give what it takes"),
    (frozenset({"bad_request"}), r"\bseed\b", "leave --seed out: this server does not take it"),
    (
        frozenset({"no_model", "bad_request", "server_error", "auth"}),
        r"pinned to|(?:only serves?|serves only|only supports?|limited to) (?:the )?model"
        r"|only (?:the )?model\b.{0,40}(?:served|available)",
        "give --model the one name that the server takes, which it tells",
    ),
    (
        frozenset({"no_model", "bad_request", "server_error"}),
        r"no models? (?:is |are )?loaded|please load a model",
        "load a model in the server first (LM Studio: `lms load`, or its developer page)",
    ),
)
"""What helps when the server's words are these, and the cause is one of those; the first row that fits."""


def remedy(verdict: Verdict, scene: Scene) -> str:
    """What to do about a verdict that is no reply, as a clause without full stop."""
    words: dict[str, Any] = {name: getattr(scene, name) for name in Scene.__struct_fields__}
    words["window_flag"] = window_flag(scene.owner, scene.window)
    return _text(verdict, scene).format(**words)


def window_flag(owner: str, window: int) -> str:
    """How the server is told its context window; all ways where it is not known what server it is."""
    return FLAGS_FOR_WINDOW.get(owner, _ANY_WINDOW).format(window=window)


def _text(verdict: Verdict, scene: Scene) -> str:
    cause, heard = verdict.cause, verdict.detail.lower()
    if cause in ("wrong_path", "web_page", "malformed", "not_json") and scene.elsewhere:
        return "give --endpoint {elsewhere}, where models are listed"
    for causes, words, text in _HEARD:
        if cause in causes and re.search(words, heard):
            return text
    if cause in ("unreachable", "timeout", "lost", "web_page", "server_error") and scene.proxy:
        return (
            "requests go through the proxy {proxy} of {proxy_variable}: set no_proxy={host} if it should not be asked"
        )
    if cause == "auth" and not scene.has_key:
        return "no key was sent: set {variable} in the environment"
    return REMEDIES.get(cause, "look into the server's log")
