"""Hidden batches, the promises they are bound to, and the goal of having them revealed."""

from __future__ import annotations

from msgspec import Struct

from nftbench.tasks.drawing import Draw
from nftbench.tasks.families.f5_metadata.creations import uris_are, watch_uris
from nftbench.tasks.files import folder, token_file
from nftbench.tasks.goals import At, Goal, Reading, ViewEquals
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.scene import Scene
from nftbench.values import keccak256


class Batch(Struct, frozen=True):
    """One batch as it is minted: `opens` in seconds from the start."""

    first: int
    last: int
    uri: str
    salt: bytes
    opens: int

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(range(self.first, self.last + 1))

    @property
    def commitment(self) -> bytes:
        return promise(self.uri, self.salt)


def promise(uri: str, salt: bytes) -> bytes:
    return keccak256(uri.encode() + salt)


def new_salt(draw: Draw) -> bytes:
    return draw.number(2**200, 2**256 - 1).to_bytes(32, "big")


def spelled(data: bytes) -> str:
    return "0x" + data.hex()


def hidden_collection(
    scene: Scene, opens: list[int], *, promised: dict[int, bytes] | None = None
) -> tuple[str, list[Batch]]:
    """A collection with one hidden batch for each opening time, not handed over yet; `promised` overrides commitments."""
    draw = scene.draw
    label = draw.collection()
    hidden = f"{folder(draw)}hidden.json"
    scene.uris[hidden] = token_file(label, 0).replace("#0", "(hidden)")
    collection = scene.contract("DelayedRevealCollection", (label, symbol_of(label), At("team"), hidden), label=label)
    holders = ["user", *scene.others(2)]
    batches: list[Batch] = []
    for number, after in enumerate(opens):
        first = batches[-1].last + 1 if batches else 1
        batch = Batch(first, first + draw.number(3, 6), folder(draw), new_salt(draw), after)
        commitment = (promised or {}).get(number, batch.commitment)
        quantity = batch.last - batch.first + 1
        scene.step("team", collection, "mintBatch", At(holders[number % 3]), quantity, commitment, scene.start + after)
        scene.watch(Reading(collection, "batchInfo", (number,)))
        watch_uris(scene, collection, batch.ids)
        scene.publish(batch.uri, label, batch.ids)
        batches.append(batch)
    return collection, batches


def revealed_goals(scene: Scene, collection: str, batches: dict[int, Batch]) -> tuple[Goal, ...]:
    """Goals: these batches are revealed as promised, and exactly their tokens were signalled."""
    goals: list[Goal] = []
    for number, b in batches.items():
        info = (b.first, b.last, scene.start + b.opens, True, b.commitment, b.uri)
        goals.append(ViewEquals(Reading(collection, "batchInfo", (number,)), info))
    return (*goals, *uris_are(collection, {i: f"{b.uri}{i}" for b in batches.values() for i in b.ids}))
