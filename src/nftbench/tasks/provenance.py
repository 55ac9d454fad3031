"""A collection's history: written into a scene step by step, and known block by block, so that questions have answers."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from nftbench.tasks.goals import At
from nftbench.tasks.scene import Scene


class Passage(Struct, frozen=True):
    """One token from one holder to another, in one block; None stands for where tokens are minted from and burned to."""

    block: int
    token_id: int
    source: str | None
    to: str | None


class History:
    """The passages of one collection's tokens. `transfer` is the function that its holders move them with."""

    def __init__(self, scene: Scene, collection: str, *, transfer: str = "transferFrom") -> None:
        self.scene = scene
        self.collection = collection
        self.passages: list[Passage] = []
        self._transfer = transfer

    def mint(self, holder: str, ids: list[int]) -> None:
        self.scene.mint(self.collection, holder, ids)
        self.passages += [Passage(self.scene.block, token_id, None, holder) for token_id in ids]

    def move(self, token_id: int, to: str) -> None:
        """The holder sends the token on, perhaps to itself."""
        holder = self._holder(token_id)
        source = () if self._transfer == "transfer" else (At(holder),)
        self.scene.step(holder, self.collection, self._transfer, *source, At(to), token_id)
        self.passages.append(Passage(self.scene.block, token_id, holder, to))

    def burn(self, token_id: int) -> None:
        holder = self._holder(token_id)
        self.scene.step(holder, self.collection, "burn", token_id)
        self.passages.append(Passage(self.scene.block, token_id, holder, None))

    def owners(self, block: int | None = None) -> dict[int, str]:
        """Who holds each token that there is, after a block (None: after the steps so far)."""
        held: dict[int, str] = {}
        for passage in self.passages:
            if block is not None and passage.block > block:
                break
            if passage.to is None:
                del held[passage.token_id]
            else:
                held[passage.token_id] = passage.to
        return held

    def balances(self, block: int | None = None) -> Counter[str]:
        """How many tokens each holder has."""
        return Counter(self.owners(block).values())

    def held(self, holder: str, block: int | None = None) -> list[int]:
        """The ids of a holder's tokens, ascending."""
        return sorted(token_id for token_id, owner in self.owners(block).items() if owner == holder)

    def _holder(self, token_id: int) -> str:
        owners = self.owners()
        if token_id not in owners:
            raise ValueError(f"{self.collection} #{token_id} does not exist at this point of its history")
        return owners[token_id]
