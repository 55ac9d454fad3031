"""Runs on a Ray cluster: the files of a plain run, whatever becomes of a worker or a node, and secrets that stay secret."""

from __future__ import annotations

import io
import json
import shlex
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import ray

from nftbench.adapters.ray import cluster as clusters
from nftbench.adapters.ray.cluster import Players
from nftbench.adapters.ray.playing import MOST_LOSSES, find_players
from nftbench.errors import Refusal
from nftbench.grading import GRADER_VERSION
from nftbench.report.screen import Screen
from nftbench.run.backends import backend_factory
from nftbench.run.config import Config
from nftbench.run.runner import attempt
from nftbench.run.sources import BuiltIn
from nftbench.run.suite import Parts, Terminal, run_suite
from nftbench.tasks import catalog
from tests.ecosystem.ray.conftest import KEY, Nodes, begin, events, files, run
from tests.ecosystem.ray.players import DEADLY, DeadlyPlayer
from tests.run.conftest import DECLINING, ChatServer

READING = '{"name": "read_state", "arguments": {}}'
SIX_KEYS = {"returncode", "stdout", "stderr", "instance_id", "t_start", "t_end"}


def in_two_turns(server: ChatServer, seconds: float = 0.0) -> None:
    """Each task reads first, then declines; each reply takes so long."""

    def reply(asked: dict[str, Any]) -> str:
        time.sleep(seconds)
        return DECLINING if len(asked["messages"]) > 2 else READING

    server.reply = reply


def at(server: ChatServer, out: Path, *more: str) -> list[str]:
    return ["--model", "test/model", "--endpoint", server.url, "--out", str(out), *more]


def on(nodes: Nodes) -> list[str]:
    return ["--executor", "ray", "--ray-address", nodes.address]


@pytest.mark.parametrize("agent", ["reference", "random"])
def test_a_built_in_agent_leaves_the_files_of_a_plain_run(nodes: Nodes, tmp_path: Path, agent: str) -> None:
    command = ["--agent", agent, "--instances", "F1*,F3c*", "--trials", "2", "--suite-seed", "4"]
    told = run(*command, *on(nodes), "--concurrency", "6", "--out", str(tmp_path / "ray"))
    assert "Ray: 4 players on 2 nodes" in told
    run(*command, "--concurrency", "1", "--out", str(tmp_path / "plain"))
    assert files(tmp_path / "ray") == files(tmp_path / "plain") != {}


def test_an_endpoint_s_run_leaves_the_files_and_events_of_a_plain_run(
    nodes: Nodes, server: ChatServer, tmp_path: Path
) -> None:
    in_two_turns(server)
    flags = ("--instances", "F1*", "--seed", "7", "--temperature", "0.5", "--concurrency", "8")
    run(*at(server, tmp_path / "ray", *flags, *on(nodes)))
    on_ray, server.requests[:] = list(server.requests), []
    run(*at(server, tmp_path / "plain", *flags))
    assert files(tmp_path / "ray") == files(tmp_path / "plain") != {}
    asked = [sorted(json.dumps(each, sort_keys=True) for each in requests) for requests in (on_ray, server.requests)]
    assert asked[0] == asked[1] and len(on_ray) == 64

    def told(out: Path) -> Counter[str]:
        lines = events(out)
        assert all(set(line) == SIX_KEYS and line["t_start"] <= line["t_end"] for line in lines)
        return Counter(f"{line['instance_id']} {line['returncode']} {line['stdout']}" for line in lines)

    assert told(tmp_path / "ray") == told(tmp_path / "plain")
    records = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("ray", "plain")]
    assert {**records[0], "run_id": ""} == {**records[1], "run_id": ""}, "where it was played is no identity"


def test_the_key_reaches_the_endpoint_and_no_file_of_the_run_or_of_ray(
    nodes: Nodes, server: ChatServer, tmp_path: Path
) -> None:
    """Nor does the endpoint's address reach a file of the run. A failing call is told as well."""
    in_two_turns(server)
    told = run(*at(server, tmp_path / "out", "--instances", "F1a*", *on(nodes)), key=KEY)
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    server.status = 401
    told += run(*at(server, tmp_path / "refused", "--instances", "F1a*", *on(nodes)), key=KEY, code=1)
    server.headers.clear()
    server.status = 200
    run(*at(server, tmp_path / "keyless", "--instances", "F1a_01", *on(nodes)))
    assert all("Authorization" not in headers for headers in server.headers) and server.headers
    assert KEY not in told
    found = [path for folder in (tmp_path, nodes.folder) for path in folder.rglob("*") if path.is_file()]
    assert len(found) > 20 and any("logs" in path.parts for path in found if nodes.folder in path.parents)
    assert [path for path in found if KEY.encode() in path.read_bytes()] == []
    port = server.url.rpartition(":")[2].encode()
    assert [path for path in tmp_path.rglob("*") if path.is_file() and port in path.read_bytes()] == []


def test_a_node_that_dies_costs_its_attempts_which_are_played_again(
    nodes: Nodes, server: ChatServer, tmp_path: Path
) -> None:
    third = nodes.cluster.add_node(num_cpus=4)
    nodes.cluster.wait_for_nodes()
    in_two_turns(server, 0.4)
    out = tmp_path / "ray"
    process = begin(*at(server, out, "--instances", "F1*", "--trials", "2", "--concurrency", "8", *on(nodes)))
    while len(list(out.rglob("result.json"))) < 10:
        assert process.poll() is None
        time.sleep(0.05)
    nodes.cluster.remove_node(third, allow_graceful=False)
    _, told = process.communicate(timeout=200)
    assert process.returncode == 0, told
    in_two_turns(server)
    run(*at(server, tmp_path / "plain", "--instances", "F1*", "--trials", "2"))
    assert files(out) == files(tmp_path / "plain")
    lines = Counter(line["instance_id"] for line in events(out))
    assert len(lines) == 32 and min(lines.values()) >= 4 and sum(lines.values()) > 128, (
        "calls of the lost ones are told"
    )
    finished = [json.loads(line) for line in (out / "progress.jsonl").read_text().splitlines()]
    done = Counter((line["instance_id"], line["trial"]) for line in finished if line["event"] == "finished")
    assert len(done) == 64 and set(done.values()) == {1}


def test_ctrl_c_ends_with_130_quietly_and_the_same_command_goes_on(
    nodes: Nodes, server: ChatServer, tmp_path: Path
) -> None:
    in_two_turns(server, 0.3)
    out = tmp_path / "out"
    process = begin(*at(server, out, "--instances", "F1*", "--concurrency", "4", *on(nodes)))
    while len(list(out.rglob("result.json"))) < 4:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in told
    last = told.splitlines()[-1]
    assert last.startswith("Stopped: interrupted. Finished tasks are kept; to go on: nftbench evaluate ")
    kept = len(list(out.rglob("result.json")))
    time.sleep(1)
    asked = len(server.requests)
    assert len(events(out)) == asked, "calls that were under way are told"
    time.sleep(1)
    assert len(server.requests) == asked, "no player goes on"
    in_two_turns(server)
    told = run(*shlex.split(last.partition("nftbench evaluate ")[2]))
    assert f"{kept} kept from before" in told and len(list(out.rglob("result.json"))) == 32


def test_a_killed_command_leaves_no_player_at_work(nodes: Nodes, server: ChatServer, tmp_path: Path) -> None:
    in_two_turns(server, 0.3)
    out = tmp_path / "out"
    process = begin(*at(server, out, "--instances", "F1*", "--concurrency", "4", *on(nodes)))
    while len(list(out.rglob("result.json"))) < 4:
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.communicate()
    time.sleep(5)
    asked = len(server.requests)
    time.sleep(2)
    assert len(server.requests) == asked
    in_two_turns(server)
    run(*at(server, out, "--instances", "F1*", "--concurrency", "4", *on(nodes)))
    assert len(list(out.rglob("result.json"))) == 32


def test_a_wrong_set_up_ends_the_run_at_its_first_call(nodes: Nodes, server: ChatServer, tmp_path: Path) -> None:
    server.status = 404
    told = run(*at(server, tmp_path / "out", "--instances", "F1*", *on(nodes)), code=1)
    assert "the first call failed, and every other would" in told
    assert len(server.requests) <= 8


def test_no_cluster_is_told_in_one_sentence(tmp_path: Path) -> None:
    flags = ("--executor", "ray", "--ray-address", "127.0.0.1:9")
    told = run("--agent", "noop", "--instances", "F1a_01", "--out", str(tmp_path / "out"), *flags, code=1)
    assert "nftbench: there is no Ray cluster at 127.0.0.1:9: " in told and "Traceback" not in told


def test_without_an_address_the_run_has_workers_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They end with it."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    told = run("--agent", "noop", "--instances", "F1a*", "--executor", "ray", "--out", str(tmp_path / "out"))
    assert "on 1 nodes" in told and len(list((tmp_path / "out").rglob("result.json"))) == 8


@pytest.fixture
def connected(nodes: Nodes) -> Any:
    """This process is a driver of the cluster, as a program is that uses Ray itself."""
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    yield
    ray.shutdown()


def test_workers_of_another_version_are_refused(connected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "VERSIONS", {**clusters.VERSIONS, "grader": "99"})
    with pytest.raises(Refusal, match=r"'grader': '99'.*install the same nftbench on every node"):
        Players(1, 1, print)


def test_an_attempt_that_no_worker_survives_is_in_error_and_the_run_goes_on(
    connected: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a program's own connection to Ray outlives the run."""
    monkeypatch.setattr(clusters, "Player", DeadlyPlayer)
    config = Config(
        tier="synthetic",
        selection=tuple(f"F1a_0{number}" for number in range(1, 9)),
        source=BuiltIn("reference"),
        sampling={},
        concurrency=2,
        trials=1,
        suite_seed=0,
        max_turns=60,
        prompt_layout="items_v1",
        request_timeout=600.0,
        out=tmp_path / "out",
        executor="ray",
    )
    parts = Parts(
        catalog=catalog,
        backends=backend_factory,
        attempt=attempt,
        elsewhere=find_players,
        suite_version=catalog.SUITE_VERSION,
        grader_version=GRADER_VERSION,
        nftbench_version="0",
    )
    err = io.StringIO()
    code = run_suite(config, parts, Terminal(Screen(io.StringIO()), Screen(err), ["--out", "x"]))
    results = {name: json.loads((tmp_path / "out" / name / "result.json").read_text()) for name in config.selection}
    broken = results.pop(DEADLY)
    assert code == 1 and (broken["status"], broken["cause"]) == ("error", "worker_lost")
    assert f"{MOST_LOSSES} Ray workers, one after another, died in it" in broken["error"]
    assert all(result["success"] for result in results.values())
    assert ray.is_initialized()
