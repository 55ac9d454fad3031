"""`--executor ray`: for which sources, at which addresses, and what is said where Ray is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from nftbench import evaluate
from nftbench.errors import Refusal
from nftbench.run.arguments import evaluate_parser
from nftbench.run.config import Config, configure
from nftbench.tasks import catalog

AGENT = ("--agent", "noop", "--instances", "F1a_01")
ENDPOINT = ("--model", "m", "--endpoint", "http://127.0.0.1:1", "--instances", "F1a_01")
ROUTER = ("--model", "a/b", "--max-usd", "1", "--instances", "F1a_01")


def configured(*arguments: str, **environment: str) -> Config:
    flags = evaluate_parser().read(arguments)
    assert flags is not None
    return configure(flags, catalog, {"OPENROUTER_API_KEY": "k" * 20, **environment})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (*ROUTER, "--executor", "ray"),
            "--executor ray can't be used with --model without --endpoint: what a run spends at OpenRouter is watched over in "
            "one process",
        ),
        (
            ("--cli", "true {prompt}", "--executor", "ray"),
            "--executor ray can't be used with --cli: agent programs run on this machine, where they are installed",
        ),
        ((*AGENT, "--ray-address", "auto"), "--ray-address goes with --executor ray"),
        ((*AGENT, "--executor", "slurm"), "invalid choice: 'slurm' (choose from 'local', 'ray')"),
        (
            (*AGENT, "--executor", "ray", "--ray-address", "ray://head:10001"),
            "'ray://head:10001' is neither auto nor host:port",
        ),
        ((*AGENT, "--executor", "ray", "--ray-address", ""), "'' is neither auto nor host:port"),
        ((*AGENT, "--executor", "ray", "--ray-address", "head"), "'head' is neither auto nor host:port"),
        ((*AGENT, "--concurrency", "8"), "--concurrency 8 is too high: 1 to 4 with --agent"),
        ((*AGENT, "--executor", "ray", "--concurrency", "33"), "'33' is no whole number from 1 to 32"),
    ],
)
def test_what_can_t_be_played_elsewhere_is_refused_in_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(Refusal) as refused:
        configured(*arguments)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("source", [AGENT, ENDPOINT])
def test_the_cluster_is_the_given_one_or_that_of_ray_s_own_variable(source: tuple[str, ...]) -> None:
    assert configured(*source).executor == "local"
    on_ray = (*source, "--executor", "ray")
    assert configured(*on_ray).ray_address is None
    assert configured(*on_ray, RAY_ADDRESS="10.0.0.1:6379").ray_address == "10.0.0.1:6379"
    assert configured(*on_ray, "--ray-address", "[::1]:6379", RAY_ADDRESS="auto").ray_address == "[::1]:6379"
    assert configured(*source, RAY_ADDRESS="10.0.0.1:6379").ray_address is None
    assert configured(*on_ray, "--concurrency", "128").concurrency == 128


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is installed here")
def test_without_ray_the_command_that_installs_it_is_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main([*AGENT, "--executor", "ray", "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert told.endswith(" needs ray, which is not installed: pip install 'nftbench[ray]'\n") and told.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
