"""The last words of a run."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.commands.check_endpoint import check_parser
from nftbench.run.closing import how_to_check
from nftbench.run.sources import BuiltIn, Endpoint, OpenRouter, Program
from tests.run.conftest import Bench


@pytest.mark.parametrize("source", [BuiltIn("noop"), OpenRouter("m", 1.0, None, None), Program("claude", "m")])
def test_only_an_endpoint_can_be_checked(source: Any, bench: Bench) -> None:
    assert list(how_to_check(replace(bench.config, source=source))) == []


def test_the_check_takes_the_runs_flags_as_they_are_printed(bench: Bench) -> None:
    """Values that a shell would tear apart are quoted, and the command's own parser takes them."""
    source = Endpoint("http://h:1/v1?a=b&c=d", "a model; rm -rf", ("it's",))
    sampling = {"temperature": 0.5, "top_p": 0.9, "seed": 3, "enable_thinking": True, "max_tokens": 64}
    config = replace(bench.config, source=source, sampling=sampling, prompt_layout="native_v1")
    (line,) = how_to_check(config)
    program, command, *arguments = shlex.split(line.partition("to see why: ")[2])
    assert (program, command) == ("nftbench", "check-endpoint")
    flags = check_parser().read(arguments)
    assert flags is not None
    assert (flags.endpoint, flags.model, flags.served_name) == (source.url, source.model, ["it's"])
    assert {name: getattr(flags, name) for name in sampling} == sampling and flags.tool_calls == "native"
