"""A scene with the real Seaport, on which people trade cats and ore."""

from __future__ import annotations

from nftbench.chain.engine import Receipt
from nftbench.tasks.drawing import Draw
from nftbench.tasks.goals import At
from nftbench.tasks.markets import coin
from nftbench.tasks.model import Step
from nftbench.tasks.orders import ConduitKey, OrderOf
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.world.build import build_world
from nftbench.world.world import World


class Stand:
    """A scene with an exchange, a second conduit, a zone, a dollar; Mira has cats 1 to 9, Ivo 20 units of ore 7."""

    def __init__(self) -> None:
        self.scene = scene = Scene(Draw("sea"), "sea")
        self.cats, self.ore = scene.collection(), scene.collection("MultiToken")
        self.dollars = coin(scene, "Harbour Dollar")
        self.sea = SeaportExchange(scene, fee=250)
        self.other = self.sea.add_conduit("Old conduit")
        self.zone = self.sea.zone()
        self.mira, self.ivo, self.ada, self.vera = (scene.person(ether=50) for _ in range(4))
        scene.mint(self.cats, self.mira, list(range(1, 10)))
        scene.mint_units(self.ore, self.ivo, {7: 20})
        scene.step("team", self.dollars, "mint", At(self.vera), 10**9)
        for who, what in ((self.mira, self.cats), (self.ivo, self.ore), (self.vera, self.dollars)):
            self.sea.approve(who, what)
            self.sea.approve(who, what, self.other)
        self.sea.wrap(self.vera, 9 * ETHER)
        self.sea.approve(self.vera, self.sea.weth)

    def world(self) -> World:
        return build_world(self.scene.fixture())

    def fill(self, world: World, name: str, by: str, **said: object) -> Receipt:
        """Somebody fills an order, with all the ether that it may need."""
        part, resolvers = said.get("part", (1, 1)), said.get("resolvers", ())
        args = (OrderOf(name, "advanced", part=part), resolvers, ConduitKey(self.sea.conduit), At(by))  # type: ignore[arg-type]
        value = 0 if world.order(name).components[3][0][0] else 10 * ETHER
        outcome = world.send(
            Step(sender=by, target=self.sea.seaport, function="fulfillAdvancedOrder", args=args, value=value)
        )
        assert isinstance(outcome, Receipt)
        return outcome
