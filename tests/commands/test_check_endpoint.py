"""`nftbench check-endpoint` against servers on real sockets: what it says, what it costs, and what it never shows."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nftbench.commands.check_endpoint import LONGEST_LINE
from nftbench.commands.main import main
from nftbench.testing import FAULTS, Behaviour, FaultServer, Received, faults
from tests.commands.certificates import self_signed

KEY = "sk-of-this-test-0123456789abcdef"
NOT_FOUND = faults.respond(404, {"detail": "Not Found"})
DIGITS = "4 8 1 5 1 6"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("NFTB_ENDPOINT_TOKEN", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    yield
    urllib.request.install_opener(None)  # type: ignore[arg-type]


def models(*entries: dict[str, Any]) -> Behaviour:
    return faults.respond(200, {"object": "list", "data": list(entries)})


VLLM = models({"id": "m", "owned_by": "vllm", "root": "/models/m-files", "parent": None, "max_model_len": 65536})
BARE = models({"id": "m", "owned_by": "me"})


def plan(listing: Behaviour, *chats: Behaviour, base: str = "/v1") -> Callable[[Received], Behaviour]:
    """Lists models under one base only; answers chats there in order, the last of them for all that follow."""
    asked = iter(range(1000))

    def behave(received: Received) -> Behaviour:
        if received.path == f"{base}/models":
            return listing
        if received.method == "POST" and received.path == f"{base}/chat/completions":
            return chats[min(next(asked), len(chats) - 1)]
        return NOT_FOUND

    return behave


def chat(text: str | None = DIGITS, *, prompt: int = 3000, finish: str = "stop", **message: Any) -> Behaviour:
    body = faults.completion(text, **message)
    body["usage"] = {"prompt_tokens": prompt, "completion_tokens": 7, "total_tokens": prompt + 7}
    body["choices"][0]["finish_reason"] = finish
    return faults.respond(200, body)


class Told:
    """What a check said, and what it asked for."""

    def __init__(self, code: int, out: str, err: str, received: list[Received]) -> None:
        self.code, self.out, self.err = code, out, err
        self.chats = [each for each in received if each.method == "POST"]
        self.lines = out.splitlines()

    def marked(self, mark: str) -> list[str]:
        return [line[6:] for line in self.lines if line.startswith(mark)]


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def run(behave: Any, *flags: str, tail: str = "", model: str = "m") -> Told:
        with FaultServer(behave) as server:
            return ask(f"{server.url}{tail}", *flags, model=model, received=server.received)

    def ask(endpoint: str, *flags: str, model: str = "m", received: list[Received] | None = None) -> Told:
        code = main(["check-endpoint", "--endpoint", endpoint, "--model", model, "--request-timeout", "5", *flags])
        shown = capsys.readouterr()
        return Told(code, shown.out, shown.err, received or [])

    run.ask = ask  # type: ignore[attr-defined]
    return run


def test_a_good_server_costs_one_short_call(check: Callable[..., Told]) -> None:
    told = check(plan(VLLM, chat()))
    assert told.code == 0 and told.lines[-1] == "A run can start." and told.marked("WRONG") == []
    assert "serves m" in told.out and "Its context window is 65536 tokens" in told.out
    (asked,) = told.chats
    body = asked.json()
    assert body["model"] == "m" and body["max_tokens"] <= 32 and len(asked.body) < 1500
    assert not {"seed", "temperature", "top_p", "chat_template_kwargs", "tools"} & set(body)


@pytest.mark.parametrize("listing", [VLLM, BARE, NOT_FOUND])
def test_with_every_flag_it_costs_three_calls_at_most_of_few_tokens(
    listing: Behaviour, check: Callable[..., Told]
) -> None:
    told = check(plan(listing, chat()), "--seed", "3", "--enable-thinking", "--temperature", "1", "--top-p", "0.9")
    assert len(told.chats) <= 3 and all(asked.json()["max_tokens"] <= 32 for asked in told.chats)


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ((chat("1 2"), chat("1 2"), chat("3 4")), "ok    --seed is honoured"),
        ((chat("1 2"), chat("5 6"), chat("3 4")), "note  The same seed gave two different replies"),
        ((chat("1 2"), chat("1 2"), chat("1 2")), "note  Another seed gave the same reply"),
        ((chat("1 2"), faults.rate_limit(), chat("1 2")), "note  Whether --seed is honoured can't be told"),
    ],
)
def test_a_seed_is_tried_with_itself_and_with_another(
    replies: tuple[Behaviour, ...], words: str, check: Callable[..., Told]
) -> None:
    told = check(plan(VLLM, *replies), "--seed", "3")
    assert told.code == 0 and words in told.out
    seeds = [asked.json()["seed"] for asked in told.chats]
    assert seeds[0] == seeds[1] == 3 and seeds[2] != 3


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        (
            (chat(None, reasoning_content="hm", finish="length"), chat()),
            "ok    --enable-thinking is honoured: the model",
        ),
        ((chat("<think>hm"), chat()), "ok    --enable-thinking is honoured: the model"),
        ((chat(prompt=40), chat(prompt=44)), "ok    --enable-thinking is honoured: the chat template"),
        ((chat(), chat()), "note  --enable-thinking changes nothing that can be seen"),
    ],
)
def test_thinking_shows_in_the_reply_or_in_the_prompt(
    replies: tuple[Behaviour, ...], words: str, check: Callable[..., Told]
) -> None:
    told = check(plan(VLLM, *replies), "--enable-thinking")
    assert told.code == 0 and words in told.out
    sent = [asked.json()["chat_template_kwargs"] for asked in told.chats]
    assert sent == [{"enable_thinking": True}, {"enable_thinking": False}]


def test_a_model_that_thinks_unasked_is_noted(check: Callable[..., Told]) -> None:
    assert "thinks before it answers, unasked" in check(plan(VLLM, chat(None, reasoning="hm", finish="length"))).out


def test_a_flag_that_the_server_refuses_is_named(check: Callable[..., Told]) -> None:
    refused = faults.respond(422, {"detail": "Unexpected fields in the request: {'chat_template_kwargs'}"})
    told = check(plan(VLLM, refused, chat()), "--enable-thinking")
    assert told.code == 1 and len(told.chats) == 2
    assert "refuses a request with --enable-thinking, and takes one without" in told.out
    assert "Leave --enable-thinking out" in told.out


@pytest.mark.parametrize(
    ("listing", "asked", "reply", "code", "words"),
    [
        (VLLM, "M", chat(), 0, "It lists 'M' as m, which counts as the same name."),
        (VLLM, "m-files", chat(), 0, "'m-files' is where the model's files are; its name is m"),
        (VLLM, "m-files", "404", 1, "It knows 'm-files' as m only: give --model m."),
        (VLLM, "other", "404", 1, "'other' is not among its models (give --model a name that it lists)."),
        (
            VLLM,
            "other",
            chat(),
            1,
            "'other' is not what it serves, and it answers all the same, with m: give --model m",
        ),
        (
            models({"id": "smol"}, {"id": "tall"}),
            "smoll",
            "404",
            1,
            "'smoll' is not among its models (near names: smol).",
        ),
        (
            models({"id": "smol"}, {"id": "tall"}),
            "wide",
            chat(),
            0,
            "not among its models, and it answers all the same",
        ),
        (models({"id": "lora", "parent": "m"}, {"id": "m"}), "lora", chat(), 0, "'lora' is an adapter on m."),
        (models(), "m", "none", 1, "load a model in the server first"),
        (NOT_FOUND, "m", chat(), 0, "It gives no list of its models (HTTP 404)"),
    ],
)
def test_the_name_is_compared_with_what_the_server_lists_and_does(
    listing: Behaviour, asked: str, reply: Any, code: int, words: str, check: Callable[..., Told]
) -> None:
    refusals = {
        "404": faults.respond(404, {"error": {"message": f"The model `{asked}` does not exist.", "code": 404}}),
        "none": faults.respond(400, {"error": {"message": "No models loaded. Please load a model.", "param": "model"}}),
    }
    told = check(plan(listing, refusals.get(reply, reply) if isinstance(reply, str) else reply), model=asked)
    assert told.code == code and words.lower() in told.out.lower(), told.out


def test_another_model_that_answers_is_a_trouble_unless_its_name_is_declared(check: Callable[..., Told]) -> None:
    answer = faults.respond(200, faults.completion(DIGITS, model="base"))
    listing = models({"id": "lora", "parent": "base", "max_model_len": 65536}, {"id": "base"})
    told = check(plan(listing, answer), model="lora")
    assert told.code == 1 and "answers under its base's name 'base'" in told.out and "--served-name base" in told.out
    assert check(plan(listing, answer), "--served-name", "base", model="lora").code == 0
    told = check(plan(VLLM, answer))
    assert told.code == 1 and "Asked for 'm', 'base' answers: give --model the name that answered" in told.out


@pytest.mark.parametrize(
    ("window", "owner", "flags", "code", "words"),
    [
        (65536, "vllm", (), 0, "ok    Its context window is 65536 tokens."),
        (2048, "vllm", (), 1, "--max-model-len 16384"),
        (2048, "sglang", (), 1, "--context-length 16384"),
        (2048, "library", (), 1, "OLLAMA_CONTEXT_LENGTH=16384"),
        (2048, "nobody", (), 1, "vLLM --max-model-len, SGLang --context-length"),
        (16384, "vllm", (), 0, "Without --max-tokens it goes on with 4096 then"),
        (16384, "vllm", ("--max-tokens", "32000"), 1, "a run asks for up to 32000 tokens a reply"),
        (16384, "vllm", ("--max-tokens", "4096"), 0, "ok    Its context window is 16384 tokens."),
        (
            16384,
            "llamacpp",
            (),
            0,
            "This server ends replies where the window does; to be sure, give --max-tokens 4096",
        ),
        (8192, "vllm", ("--max-tokens", "1024"), 0, "note  Its context window is 8192 tokens: long tasks will not fit"),
    ],
)
def test_the_window_is_compared_with_what_a_run_needs(
    window: int, owner: str, flags: tuple[str, ...], code: int, words: str, check: Callable[..., Told]
) -> None:
    listing = models({"id": "m", "owned_by": owner, "max_model_len": window})
    told = check(plan(listing, chat()), *flags)
    assert told.code == code and words in told.out, told.out


def test_where_no_window_is_listed_a_prompt_as_long_as_a_tasks_first_turn_tells(check: Callable[..., Told]) -> None:
    told = check(plan(BARE, chat(prompt=2900)))
    assert told.code == 0 and "does not tell its context window" in told.out and "2900 tokens, fits" in told.out
    assert len(told.chats[0].body) > 8000
    overflow = "This model's maximum context length is 2048 tokens. However, you requested 3016 tokens."
    told = check(plan(BARE, faults.respond(400, {"error": {"message": overflow, "code": 400}})))
    assert told.code == 1 and "Its context window is 2048 tokens, and the first turn of a task takes about" in told.out
    assert "--n_ctx 16384" in told.out and len(told.marked("WRONG")) == 1
    trained = models({"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 8192}})
    assert "the model was trained for 8192" in check(plan(trained, chat())).out


def test_a_prompt_that_is_dropped_without_a_word_is_found_out(check: Callable[..., Told]) -> None:
    told = check(plan(models({"id": "m", "owned_by": "library"}), chat(prompt=500)))
    assert told.code == 1 and "drops what does not fit" in told.out and "OLLAMA_CONTEXT_LENGTH" in told.out


def test_missing_token_counts_are_a_trouble(check: Callable[..., Told]) -> None:
    body = {**faults.completion(DIGITS), "usage": None}
    told = check(plan(VLLM, faults.respond(200, body)))
    assert told.code == 1 and "have the server or proxy report `usage`" in told.out


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_every_usual_form_of_the_base_leads_there(tail: str, check: Callable[..., Told]) -> None:
    assert check(plan(VLLM, chat()), tail=tail).code == 0


@pytest.mark.parametrize(
    ("tail", "base", "given"),
    [
        ("/api", "/v1", "/v1"),
        ("", "", "/chat/completions"),
        ("/v1", "/api/v1", "/api/v1"),
        ("/openai", "/openai/v1", "/openai/v1"),
    ],
)
def test_a_base_that_leads_nowhere_is_told_the_one_that_does(
    tail: str, base: str, given: str, check: Callable[..., Told]
) -> None:
    with FaultServer(plan(VLLM, chat(), base=base)) as server:
        told = check.ask(f"{server.url}{tail}")  # type: ignore[attr-defined]
        assert told.code == 1 and f"Give --endpoint {server.url}{given}, where models are listed" in told.out
        assert check.ask(f"{server.url}{given}").code == 0  # type: ignore[attr-defined]


def test_a_server_that_says_200_to_unknown_paths_is_found_out(check: Callable[..., Told]) -> None:
    """LM Studio does."""
    unknown = faults.respond(200, {"error": "Unexpected endpoint or method. (POST /x). Returning 200 anyway"})

    def behave(received: Received) -> Behaviour:
        return plan(VLLM, chat())(received) if received.path.startswith("/v1/") else unknown

    with FaultServer(behave) as server:
        told = check.ask(f"{server.url}/api")  # type: ignore[attr-defined]
    assert told.code == 1 and f"Give --endpoint {server.url}/v1" in told.out


def test_the_key_is_asked_for_or_told_wrong_and_never_shown(
    check: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    def behave(received: Received) -> Behaviour:
        sent = received.headers.get("authorization", "")
        return faults.respond(401, {"error": {"message": f"Incorrect API key provided: {sent}"}})

    told = check(behave)
    assert told.code == 1 and "No key was sent: set NFTB_ENDPOINT_TOKEN" in told.out
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    told = check(behave)
    assert told.code == 1 and "Set NFTB_ENDPOINT_TOKEN to a key that this server takes" in told.out
    assert KEY not in told.out + told.err and "[NFTB_ENDPOINT_TOKEN]" in told.out
    told = check.ask(f"http://localhost:1/{KEY}/v1")  # type: ignore[attr-defined]
    assert told.code == 1 and KEY not in told.out + told.err


def test_a_redirect_is_not_followed_and_its_target_is_named_without_secrets(
    check: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    target = f"https://user:{KEY}@api.example/v1/models?token={KEY}"
    told = check([faults.redirect(target)])
    assert told.code == 1 and "redirects (HTTP 307) to https://api.example/v1" in told.out
    assert KEY not in told.out and told.chats == []
    assert "to http://127.0.0.1" in check([faults.redirect("/v2/models")]).out
    for strange in ("http://[", "//user:x@[::1/v1", "http://h:port/v1", "\x00", "?" + KEY):
        told = check([faults.redirect(strange)])
        assert told.code == 1 and "redirects" in told.out and KEY not in told.out and "user:x" not in told.out


@pytest.mark.parametrize(
    ("behave", "words"),
    [
        (faults.loading(), "still loading: Loading model. Ask again when it has loaded"),
        (faults.html_200(), "A web page came in place of a reply"),
        (faults.html_502(), "HTTP 502: 502 Bad Gateway"),
        (faults.server_error(), "Look into the server's log"),
        (faults.garbage(), "does not speak http"),
        (faults.hang_up(), "hangs up"),
        (faults.huge(declared=True), "is this the API's address?"),
    ],
)
def test_each_trouble_has_its_advice(behave: Behaviour, words: str, check: Callable[..., Told]) -> None:
    told = check([behave])
    assert told.code == 1 and words.lower() in told.out.lower(), told.out


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "Start vLLM with"),
        ("tools param requires --jinja flag", "Start llama-server with --jinja"),
        ("System role not supported", "takes no system text"),
        ("As of transformers v4.44, default chat template is no longer allowed", "has no chat template"),
        ("max_tokens=32000 cannot be greater than max_model_len=4096", "smaller --max-tokens"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_completion_tokens"),
        ("this server is pinned to 'A'", "Give --model the one name"),
        ("something new that nobody has seen", "Leave out the flag that it names"),
    ],
)
def test_a_refused_request_is_explained_by_what_the_server_says(
    message: str, words: str, check: Callable[..., Told]
) -> None:
    told = check(
        plan(VLLM, faults.respond(400, {"error": {"message": message, "code": 400}})), "--tool-calls", "native"
    )
    assert told.code == 1 and words in told.out, told.out


@pytest.mark.parametrize(
    ("refused", "wanted"), [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")]
)
def test_the_name_of_the_length_that_a_server_takes_is_found_out(
    refused: str, wanted: str, check: Callable[..., Told]
) -> None:
    text = f"Unsupported parameter: '{refused}' is not supported with this model. Use '{wanted}' instead."
    refusal = faults.respond(400, {"error": {"message": text, "param": refused, "code": "unsupported_parameter"}})
    given = ("--max-tokens-field", refused)
    told = check(plan(VLLM, refusal, chat()), *given)
    assert told.code == 1 and f"give --max-tokens-field {wanted}" in told.out
    sent = [chat.json() for chat in told.chats]
    assert [set(body) & {refused, wanted} for body in sent] == [{refused}, {wanted}]
    told = check(plan(VLLM, chat()), "--max-tokens-field", wanted)
    assert told.code == 0


def test_native_tool_calls_are_tried_with_tools(check: Callable[..., Told]) -> None:
    told = check(plan(VLLM, chat()), "--tool-calls", "native")
    assert told.code == 0 and "It takes requests with tools." in told.out
    assert told.chats[0].json()["tools"][0]["function"]["name"]


def test_a_rate_limit_is_no_obstacle_and_an_empty_account_is(check: Callable[..., Told]) -> None:
    told = check(plan(VLLM, faults.rate_limit()))
    assert told.code == 0 and "limits requests" in told.out
    spent = faults.respond(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
    told = check(plan(VLLM, spent))
    assert told.code == 1 and "add credit" in told.out


def test_nobody_listening_an_unknown_host_and_silence_are_told_apart(check: Callable[..., Told]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ask = check.ask  # type: ignore[attr-defined]
    assert "Start the server, or correct host and port" in ask(f"http://127.0.0.1:{port}").out
    assert "No such host" in ask("http://no-such-host.invalid").out
    with FaultServer([faults.silence(20)]) as server:
        told = ask(server.url, "--request-timeout", "0.3")
    assert told.code == 1 and "larger --request-timeout" in told.out and told.chats == []


def test_a_proxy_in_the_way_is_named_without_its_password(
    check: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = check.ask  # type: ignore[attr-defined]
    refusal = faults.respond(
        407, "<html><body>Proxy Authentication Required</body></html>", {"Content-Type": "text/html"}
    )
    with FaultServer([refusal]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:pass-w0rd-77@127.0.0.1:{proxy.port}")
        told = ask("http://models.example:8000")
        assert proxy.received, "the proxy was asked"
    assert told.code == 1 and f"through the proxy http://127.0.0.1:{proxy.port} of http_proxy" in told.out
    assert "no_proxy=models.example:8000" in told.out and "pass-w0rd-77" not in told.out
    told = ask("http://models.example:8000")
    assert "requests go through the proxy" in told.out.lower() and "no_proxy" in told.out, "the proxy is gone"
    monkeypatch.setenv("http_proxy", "http://me:pa/ss-w0rd-77@127.0.0.1:3128")
    told = ask("http://models.example:8000")
    assert told.code == 1 and "ss-w0rd" not in told.out


def test_this_machine_is_asked_without_the_proxy(check: Callable[..., Told], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:pass-w0rd-77@127.0.0.1:9")
    told = check(plan(VLLM, chat()))
    assert told.code == 0 and "The proxy of http_proxy is not used: this machine is asked directly." in told.out


class QuietHandler(BaseHTTPRequestHandler):
    """Answers what is no HTTP with 400, as servers do."""

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[int]:
    """Speaks TLS with a certificate that nobody vouches for."""
    certificate = tmp_path / "certificate.pem"
    certificate.write_text(self_signed("localhost"), "utf-8")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with suppress(OSError), context.wrap_socket(connection, server_side=True) as secure:
                secure.recv(1)

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


def test_tls_troubles_are_told_apart(tls_server: int, check: Callable[..., Told]) -> None:
    ask = check.ask  # type: ignore[attr-defined]
    told = ask(f"https://localhost:{tls_server}")
    assert told.code == 1 and "certificate is not trusted" in told.out and "SSL_CERT_FILE" in told.out
    told = ask(f"http://127.0.0.1:{tls_server}")
    assert told.code == 1 and "https" in told.out
    with ThreadingHTTPServer(("127.0.0.1", 0), QuietHandler) as plain:
        threading.Thread(target=plain.serve_forever, args=(0.05,), daemon=True).start()
        told = ask(f"https://127.0.0.1:{plain.server_port}")
        plain.shutdown()
    assert told.code == 1 and "give --endpoint with http in place of https" in told.out


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_a_server_does_is_told_in_bounded_lines_without_the_key(
    name: str, check: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    for behave in ([FAULTS[name]()], plan(VLLM, FAULTS[name]()), plan(FAULTS[name](), chat())):
        told = check(behave, "--seed", "1", "--enable-thinking")
        assert told.code in (0, 1) and told.err == "" and 2 <= len(told.lines) <= 12
        assert all(len(line) <= LONGEST_LINE for line in told.lines) and KEY not in told.out
        assert told.code == bool(told.marked("WRONG")) and len(told.chats) <= 3


def test_what_a_server_writes_cannot_steer_the_terminal(check: Callable[..., Told]) -> None:
    nasty = "\x1b[2J\x1b]0;owned\x07\u202egpj\n\rm"
    told = check(plan(models({"id": nasty}, {"id": "m" * 5000}), chat(nasty)), model="m")
    refused = faults.respond(400, {"error": {"message": nasty * 500, "code": 400}})
    for shown in (told, check(plan(VLLM, refused))):
        assert not set("\x1b\x07\r\u202e") & set(shown.out)
        assert all(len(line) <= LONGEST_LINE for line in shown.lines) and len(shown.lines) <= 12


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--model", "m"], "--endpoint"),
        (["--endpoint", "http://x"], "--model"),
        (["--endpoint", "ftp://x", "--model", "m"], "does not begin with http"),
        (["--endpoint", "http://u:p@x", "--model", "m"], "holds credentials"),
        (["--endpoint", "http://x", "--model", "m", "--max-turns", "3"], "no argument of nftbench check-endpoint"),
    ],
)
def test_a_slip_is_one_sentence(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-endpoint", *argv]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and words in shown.err and shown.err.count("\n") == 1


def test_a_run_never_checks_and_names_the_command_when_nothing_is_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command has the run's own flags, and works as it is printed."""
    flags = ["--model", "m", "--seed", "4", "--enable-thinking", "--served-name", "other name"]
    with FaultServer(
        plan(VLLM, faults.respond(404, {"error": {"message": "The model `m` does not exist."}}))
    ) as server:
        arguments = [
            "evaluate",
            "--endpoint",
            server.url,
            *flags,
            "--instances",
            "F1a_01",
            "--out",
            str(tmp_path / "run"),
        ]
        assert main(arguments) == 1
        assert {each.method for each in server.received} == {"POST"} and len(server.received) == 1
        shown = capsys.readouterr().err
        hint = next(line for line in shown.splitlines() if "check-endpoint" in line)
        assert hint.startswith("No call was answered; to see why: nftbench check-endpoint --endpoint ")
        words = "--seed 4 --enable-thinking --max-tokens 32000 --served-name 'other name'"
        assert all(word in hint for word in words.split("--")[1:])
    with FaultServer(plan(VLLM, chat('{"name": "finish_task", "arguments": {"summary": "x"}}'))) as server:
        arguments[2] = server.url
        assert main(arguments) == 0
        assert "check-endpoint" not in capsys.readouterr().err
    assert json.loads((tmp_path / "run" / "F1a_01" / "result.json").read_text())["status"] == "scored"
