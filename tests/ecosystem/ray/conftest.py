"""A Ray cluster of two nodes on this machine, each with two processors, and commands that play on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from ray.cluster_utils import Cluster

from nftbench.run.sources import ENDPOINT_TOKEN
from tests.run.conftest import ChatServer

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
KEY = "a-key-that-nobody-may-find-4711"
TIMES = ("started", "seconds", "model_seconds", "tool_seconds", "wait_seconds")
EVALUATE = [sys.executable, "-m", "nftbench", "evaluate"]


class Nodes:
    """The cluster, and where Ray keeps its own files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        head = {"num_cpus": 2, "include_dashboard": False, "temp_dir": str(folder)}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.second = self.cluster.add_node(num_cpus=2)
        self.cluster.wait_for_nodes()

    @property
    def address(self) -> str:
        return str(self.cluster.address)


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    started = Nodes(Path("/tmp") / f"nb{os.getpid()}")  # Ray puts sockets there, whose paths must be short
    yield started
    ray.shutdown()
    started.cluster.shutdown()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    running = ChatServer()
    yield running
    running.close()


def begin(*arguments: str, key: str | None = None) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != ENDPOINT_TOKEN}
    return subprocess.Popen(
        [*EVALUATE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment | ({ENDPOINT_TOKEN: key} if key else {}),
    )


def run(*arguments: str, key: str | None = None, code: int = 0) -> str:
    """What a command tells that ends with that exit code."""
    process = begin(*arguments, key=key)
    out, err = process.communicate(timeout=90)
    assert process.returncode == code, out + err
    return out + err


def stripped(value: Any) -> Any:
    """Without times and moments, and without the run's id and the digest over it."""
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if k not in (*TIMES, "run_id", "digest")}
    return [stripped(each) for each in value] if isinstance(value, list) else value


def files(out: Path) -> dict[str, Any]:
    found = sorted((*out.rglob("result.json"), *out.rglob("trajectory.json")))
    return {str(path.relative_to(out)): stripped(json.loads(path.read_text())) for path in found}


def events(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
