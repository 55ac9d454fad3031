"""A small world that the tests of world, tools and grading act in."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.drawing import Draw
from nftbench.tasks.goals import At, Change, Goal
from nftbench.tasks.model import Task
from nftbench.tasks.scene import Scene
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk, Toolbox
from nftbench.world.build import build_world


class Stand:
    """A scene with a collection `cats` (user 1, 2, 3; mira 4, 5), items `ore` (user 10 of #7), coins `gold` (user 1000) and
    a vault; `world`, `desk` and `box` are made by `open`."""

    def __init__(self, seed: str = "stand") -> None:
        scene = Scene(Draw(seed), seed)
        self.scene = scene
        self.mira = scene.person("Mira")
        self.thief = scene.person("Thief", listed=False)
        self.cats = scene.collection("OpenZeppelinCollection", "Test Cats")
        self.ore = scene.collection("MultiToken", "Test Ore")
        self.gold = scene.contract("PaymentToken", ("Test Gold", "TG", At("team"), 6), label="Test Gold")
        self.vault = scene.contract("DepositVault", (At("team"), ()), label="Test Vault")
        scene.mint(self.cats, "user", [1, 2, 3])
        scene.mint(self.cats, self.mira, [4, 5])
        scene.mint_units(self.ore, "user", {7: 10, 8: 1})
        scene.step("team", self.gold, "mint", At("user"), 1000)

    def open(self, controlled: tuple[str, ...] = ()) -> Stand:
        self.world = build_world(self.scene.fixture(controlled=controlled))
        self.desk = Desk(self.world)
        self.box: Toolbox = standard_toolbox(self.desk)
        return self

    def task(self, *goals: Goal, allowed: tuple[Change, ...] = (), **fields: Any) -> Task:
        given = {"feasible": True, "difficulty": "T1", "prompt": "do it"} | fields
        return Task(
            id="T_01",
            tier="synthetic",
            family="T",
            sub_family="T",
            fixture=self.world.fixture,
            goals=goals,
            allowed=allowed,
            **given,
        )

    def address(self, name: str) -> str:
        return self.world.address(name)

    def send(self, target: str, function: str, *args: Any, sender: str | None = None, value: int = 0) -> dict[str, Any]:
        """A transaction of the agent, through its own tool; it must succeed."""
        given: dict[str, Any] = {
            "to": self.address(target),
            "function": function,
            "arguments": [self._plain(a) for a in args],
        }
        if value:
            given["value_wei"] = str(value)
        answer = self.use("send_transaction", **given)
        assert answer.get("status") == "success", answer
        return answer

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return json.loads(self.box.call(tool, arguments).text)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str) and value in self.world.addresses:
            return self.address(value)
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            return str(value)
        return [self._plain(v) for v in value] if isinstance(value, list) else value
