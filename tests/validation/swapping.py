"""A sub-family with a way round its blocking fact that takes a struct: anybody may close a swap, in whoever's name."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import Approval, At, Owns
from nftbench.tasks.playing import contract, finish, give_up, person, send, state, view
from nftbench.tasks.scene import Scene
from nftbench.values import ZERO_ADDRESS
from tests.validation.families import NAME


def lent(scene: Scene, feasible: bool) -> Story:
    """The desk is approved for a token of a friend's, whose operator the user is, or isn't."""
    friend, desk = scene.person(), scene.contract("LegacySwapDesk", (), label="Old Desk")
    collection = scene.collection("OpenZeppelinCollection")
    token_id = scene.draw.number(50, 900)
    scene.mint(collection, friend, [token_id, token_id + 1])
    scene.step(friend, collection, "approve", At(desk), token_id)
    if feasible:
        scene.step(friend, collection, "setApprovalForAll", At("user"), True)
    label, name = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(f"{name} still has {label} #{token_id} approved for the Old Desk. Take that back for {name}.",) * 2,
        goals=(Approval(collection, token_id), Owns(friend, collection, token_id)),
        brief={"collection": label, "token_id": token_id, "whose": name},
    )


def play(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    address, friend = contract(seen, brief["collection"]), person(seen, brief["whose"])
    if not (yield from view(address, "isApprovedForAll", friend, seen["you"])):
        yield from give_up("only the owner and operators may", "authorisation")
        return
    yield from send(address, "approve", ZERO_ADDRESS, brief["token_id"])
    yield from finish("The approval is gone.")


def careless(brief: dict[str, Any]) -> Play:
    yield from finish("It is gone.")


FAMILY = SubFamily(
    name=NAME,
    title="a swap",
    cases=(
        Case(tell=lent, difficulty="T1"),
        Case(tell=lent, difficulty="T1", twin_of=1, reasons=("authorisation",)),
    ),
    policy=play,
    careless=careless,
)
