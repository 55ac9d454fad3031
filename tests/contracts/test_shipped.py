"""Seaport and its conduits, whose bytecode comes ready-made in an npm package; and that no artifact goes untried."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARTIFACTS = HERE.parents[1] / "src" / "nftbench" / "artifacts"


def test_seaport_knows_its_version_and_its_conduit_controller(bench):
    owner, account, *_ = bench.accounts
    controller = bench.deploy("ConduitController")
    seaport = bench.deploy("Seaport", controller.address)
    version, _, named = seaport.call("information")
    assert (version, named) == ("1.6", controller.address)
    seaport.send(account, "incrementCounter")
    assert seaport.call("getCounter", account) > 0
    key = bytes.fromhex(owner[2:]) + bytes(12)
    conduit = controller.send(owner, "createConduit", key, owner)
    controller.send(owner, "updateChannel", conduit, seaport.address, True)
    assert controller.call("getConduit", key) == (conduit, True)
    assert controller.call("getChannelStatus", conduit, seaport.address)


def test_conduit_moves_nothing_for_a_closed_channel(bench):
    _, account, *_ = bench.accounts
    conduit = bench.deploy("Conduit")
    with bench.reverts("ChannelClosed", account):
        conduit.send(account, "execute", [])


def test_every_artifact_is_deployed_in_some_test():
    names = {path.stem for path in ARTIFACTS.glob("*.json")} - {"manifest"}
    words = set(re.findall(r'"(\w+)"', "".join(path.read_text("utf-8") for path in HERE.glob("*.py"))))
    assert names - words == set()
