"""`nftbench check-endpoint`: says in plain words whether a run against a server can start, and what to set right if not."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from nftbench.agents.chat import MAX_TOKENS_FIELDS
from nftbench.agents.check.advice import Scene
from nftbench.agents.check.findings import COMFORTABLE_WINDOW, findings
from nftbench.agents.check.preflight import HttpLine, Probe, Seen, base_of, look
from nftbench.agents.layouts.items import ItemsLayout, Layout
from nftbench.agents.layouts.native import NativeLayout
from nftbench.agents.openai_compat import TOKEN_VARIABLE, chat_url
from nftbench.agents.wire.opener import CONNECT_TIMEOUT, install_redirect_refusal
from nftbench.agents.wire.proxies import Way, way_to
from nftbench.agents.wire.secrets import Scrubber
from nftbench.agents.wire.transport import Exchange, default_opener
from nftbench.conversation import RequestWriter
from nftbench.episode.limits import Limits
from nftbench.episode.prompt import system_text
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import LARGEST_SEED, LAYOUTS, Parser, decimal, whole
from nftbench.run.config import DEFAULT_MAX_TOKENS
from nftbench.run.open_keys import open_keys
from nftbench.run.sources import Endpoint, chosen_source, refuse_secrets
from nftbench.tools.standard import STANDARD

USUAL_TIMEOUT = 120.0
LONGEST_LINE = 700
_QUESTION = "Before anything else, a test of the line: write sixty random digits, and nothing but digits."
_MARKS = {"ok": "ok    ", "note": "note  ", "trouble": "WRONG "}
_OTHER_SOURCES = ("agent", "cli", "isolated", "max_usd", "max_price_in", "max_price_out")


def main(argv: Sequence[str]) -> int:
    """Look at the endpoint that the arguments name. 0 when a run can start, 1 otherwise; Refusal for unfit arguments."""
    refuse_secrets(argv, os.environ)
    flags = check_parser().read(argv)
    if flags is None:
        return 0
    source = chosen_source(flags, os.environ)
    assert isinstance(source, Endpoint)
    url = chat_url(source.url)
    key, way = os.environ.get(TOKEN_VARIABLE, "").strip(), way_to(url)
    probe = _probe(flags, source, url)
    timeout = flags.request_timeout
    install_redirect_refusal(min(CONNECT_TIMEOUT, timeout), 1.5 * timeout)
    line = HttpLine(
        Exchange(default_opener, timeout, 1.5 * timeout), key, Scrubber([(TOKEN_VARIABLE, key), *way.secrets])
    )
    seen = look(probe, line, time.time)
    told = findings(probe, seen, _scene(probe, bool(key), way, seen), way)
    out = Screen(sys.stdout)
    for finding in told:
        out.line(printable(_MARKS[finding.level] + finding.text, LONGEST_LINE))
    for sentence in open_keys(source, os.environ):
        out.line(printable(_MARKS["note"] + sentence, LONGEST_LINE))
    can_start = all(finding.level != "trouble" for finding in told)
    out.line(
        "A run can start." if can_start else "A run can't start yet: set right what is marked WRONG, and check again."
    )
    return 0 if can_start else 1


def check_parser() -> Parser:
    """The flags of `nftbench check-endpoint`: those of `evaluate` that say what is sent, and where to."""
    parser = Parser(
        prog="nftbench check-endpoint",
        description="Ask a server what it serves, and whether it honours what a run would send. At most three chat calls "
        f"with replies of a few tokens. A key, where the server wants one, comes from {TOKEN_VARIABLE}.",
        epilog="Exit code: 0 a run can start, 1 it can't yet.",
    )
    parser.add_argument("--endpoint", metavar="URL", required=True, help="base URL, as for evaluate")
    parser.add_argument("--model", required=True, help="model name, as for evaluate")
    parser.add_argument("--temperature", type=decimal(0, 2), metavar="X", help="as for evaluate")
    parser.add_argument("--top-p", type=decimal(0, 1, above=True), metavar="X", help="as for evaluate")
    parser.add_argument("--seed", type=whole(0, LARGEST_SEED), metavar="N", help="try whether a seed is honoured")
    parser.add_argument("--enable-thinking", action="store_true", help="try whether the flag is honoured")
    parser.add_argument(
        "--max-tokens",
        type=whole(1, 2**31 - 1),
        metavar="N",
        help=f"of a reply in the run (default: {DEFAULT_MAX_TOKENS}); compared with the context window",
    )
    parser.add_argument(
        "--max-tokens-field", choices=MAX_TOKENS_FIELDS, default=MAX_TOKENS_FIELDS[0], help="as for evaluate"
    )
    parser.add_argument("--tool-calls", choices=tuple(LAYOUTS), default="items", help="as for evaluate")
    parser.add_argument("--served-name", action="append", metavar="NAME", help="as for evaluate")
    parser.add_argument(
        "--request-timeout",
        type=decimal(0, 86_400, above=True),
        default=USUAL_TIMEOUT,
        metavar="SECONDS",
        help="of one request (default: %(default)g)",
    )
    parser.set_defaults(**dict.fromkeys(_OTHER_SOURCES))
    return parser


def _probe(flags: argparse.Namespace, source: Endpoint, url: str) -> Probe:
    given: dict[str, Any] = {name: getattr(flags, name) for name in ("temperature", "top_p", "seed")}
    fields = {name: value for name, value in given.items() if value is not None}
    if flags.enable_thinking:
        fields["chat_template_kwargs"] = {"enable_thinking": True}
    native = flags.tool_calls == "native"
    layout: Layout = NativeLayout() if native else ItemsLayout()
    tools = [tool.entry() for tool in STANDARD]
    return Probe(
        url=url,
        model=source.model,
        opening=_members(layout, tools, system_text(Limits().turns)),
        brief=_members(layout, tools[:1] if native else [], "You help to test a server."),
        reply_tokens=flags.max_tokens or DEFAULT_MAX_TOKENS,
        follows=flags.max_tokens is None,
        fields=fields,
        served_names=source.served_names,
        has_tools=native,
        max_tokens_field=flags.max_tokens_field,
    )


def _members(layout: Layout, tools: list[dict[str, Any]], system: str) -> bytes:
    writer = RequestWriter(tools)
    writer.append({"role": "system", "content": system})
    writer.append({"role": "user", "content": _QUESTION})
    return layout.lay_out(writer.text()).members


def _scene(probe: Probe, has_key: bool, way: Way, seen: Seen) -> Scene:
    return Scene(
        endpoint=base_of(probe.url),
        host=urlsplit(probe.url).netloc,
        model=probe.model,
        variable=TOKEN_VARIABLE,
        has_key=has_key,
        proxy=way.proxy,
        proxy_variable=way.variable,
        elsewhere=seen.listing.elsewhere,
        owner=seen.owner,
        window=COMFORTABLE_WINDOW,
    )
