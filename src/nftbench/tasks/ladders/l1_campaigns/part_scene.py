"""The scene of one request among several: its own people, contracts and history, in a world and a wallet that all share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from nftbench.tasks.drawing import PEOPLE, QUALITIES, THINGS, Draw, words
from nftbench.tasks.model import FixtureStep, Passing
from nftbench.tasks.scene import Scene

SURNAMES = words(
    "Abbott Bellamy Castell Dahl Engel Farrow Grieve Holm Ibsen Jarvis Kemp Lund Marlow Nash Orban Pryce Quist Rowe Sable Thorne "
    "Ulrich Voss Weir Yarrow"
)
MORE_QUALITIES = words(
    "Arctic Autumn Barefoot Bramble Carved Cedar Chalk Cinder Clockwork Coastal Crimson Dappled Desert Distant Ebony Electric "
    "Feathered Flint Frosted Garnet Ginger Glass Granite Hidden Honey Humming Iron Ivory Jade Lacquered Lavender Linen Lonely "
    "Magnetic Maple Mellow Meadow Misty Nimble Oaken Obsidian Painted Pearl Pewter Plum Polished Porcelain Prairie Rambling "
    "Rosewood Ruby Russet Sandy Scarlet Secret Sleepy Slate Smoky Snowy Solar Spiral Stormy Sunken Tangerine Timber Topaz "
    "Tranquil Twilight Violet Walnut"
)


class Clash(Exception):
    """A request that can't stand beside those that are there already."""


class PartDraw(Draw):
    """Draws of one part; names are drawn once in all parts together. There are more of them than for a world of one request."""

    def __init__(self, seed: str, taken: set[str]) -> None:
        super().__init__(seed)
        self._taken = taken

    def person(self) -> str:
        """A first name and a surname."""
        return self._new([f"{self.choice(PEOPLE)} {self.choice(SURNAMES)}" for _ in range(200)])

    def collection(self) -> str:
        """A quality that no other name has, as long as there are such, and a thing."""
        qualities = [quality for quality in (*QUALITIES, *MORE_QUALITIES) if quality not in self._taken]
        quality = self.choice(qualities or (*QUALITIES, *MORE_QUALITIES))
        self._taken.add(quality)
        return self._new([f"{quality} {thing}" for thing in self.shuffled(THINGS)])

    def _new(self, names: list[str]) -> str:
        name = next((name for name in names if name not in self._taken), None)
        if name is None:
            raise Clash("the names are used up")
        self._taken.add(name)
        return name


class PartScene(Scene):
    """A part of the campaign that is put together in `world`. The user and the team are the same in all parts; whatever else it
    adds is its own. Blocks can't be counted here, and there is no background: the other parts are that."""

    def __init__(self, world: Scene, draw: Draw) -> None:
        super().__init__(draw, world.seed)
        self.start = world.start
        self.labels = dict(world.labels)
        self._deployed_before = Counter(contract.deployer for contract in world._contracts)

    @property
    def block(self) -> int:
        raise Clash("it counts blocks")

    def fill(self, collections: int = 3, people: int = 5, tokens: int = 30) -> None:
        """Nothing: see above."""

    @property
    def purse_wei(self) -> int:
        """What the user would begin with, were this all."""
        return self._accounts[0].ether

    @property
    def hostile(self) -> bool:
        """Whether somebody lies in wait for the user's assets."""
        return any(one.hostile for one in self._actors) or any(one.hostile for one in self._counterparties)

    @property
    def handles(self) -> frozenset[str]:
        """The names of what is this part's own."""
        return frozenset([one.name for one in self._accounts[2:]] + [one.name for one in self._contracts])

    @property
    def names(self) -> set[str]:
        """What the agent's wallet knows of it by name."""
        labels = [one.label for one in self._accounts[2:]] + [one.label for one in self._contracts]
        return {label for label in labels if label is not None}

    def history(self) -> Iterator[tuple[int, FixtureStep]]:
        """The steps, each with the seconds that have been let pass before it."""
        passed = 0
        for step in self._steps:
            if isinstance(step, Passing):
                passed += step.seconds
            else:
                yield passed, step

    def join(self, world: Scene, number: int) -> None:
        """Put all but the history into the world, as what the part of this number has there."""
        world._accounts += self._accounts[2:]
        world._contracts += self._contracts
        world.labels |= self.labels
        world.uris |= self.uris
        world._watches += self._watches
        world._prices += self._prices
        world._actors += [replace(one, name=f"{number}: {one.name}") for one in self._actors]
        world._counterparties += [replace(one, name=f"{number}: {one.name}") for one in self._counterparties]
        world._artifacts |= self._artifacts
        world._last_ids |= self._last_ids
        world._minted |= self._minted
        world.order_book = world.order_book or self.order_book
