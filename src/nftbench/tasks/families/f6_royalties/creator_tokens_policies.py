"""Creator tokens under a transfer validator: collections, their policies and lists, and goals about who may move what."""

from __future__ import annotations

from nftbench.tasks.goals import At, Reading, ViewEquals
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.scene import Scene

VALIDATOR = "Transfer validator"
OWN_LIST = 2  # the validator makes list 1 for itself
ROYALTY = 500
SET_POLICY = "setToCustomSecurityPolicy"
SET_VALIDATOR = "setToCustomValidatorAndSecurityPolicy"


def ruled_collection(scene: Scene) -> tuple[str, str, list[int]]:
    """The validator, and a creator token of the team's that has none yet: both handles and the ids. Every third token, from
    the first, is the user's."""
    validator = scene.contract("CreatorTokenTransferValidator", (At("team"),), label=VALIDATOR)
    collection = scene.collection("CreatorTokenCollection", terms=(At("team"), ROYALTY))
    ids = scene.draw.numbers(8, 1, 200)
    scene.deal(collection, ids)
    scene.watch(*(Reading(validator, f, (1,)) for f in ("getWhitelistedOperators", "operatorWhitelistOwners")))
    scene.watch(Reading(collection, "royaltyInfo", (ids[0], BASIS_POINTS)))
    return validator, collection, ids


def give_policy(
    scene: Scene,
    validator: str,
    collection: str,
    level: int,
    operators: tuple[str, ...],
    receivers: tuple[str, ...] = (),
) -> None:
    """Give the collection a policy with an operator list of its own (and, if receivers are given, a list of those)."""
    scene.step("team", validator, "createOperatorWhitelist", f"{scene.labels[collection]} operators")
    for operator in operators:
        scene.step("team", validator, "addOperatorToWhitelist", OWN_LIST, At(operator))
    if receivers:
        scene.step(
            "team", validator, "createPermittedContractReceiverAllowlist", f"{scene.labels[collection]} receivers"
        )
    for receiver in receivers:
        scene.step("team", validator, "addPermittedContractReceiverToAllowlist", 1, At(receiver))
    scene.step("team", collection, SET_VALIDATOR, At(validator), level, OWN_LIST, int(bool(receivers)))
    kept = ["operatorWhitelistOwners", "getWhitelistedOperators"]
    scene.watch(*(Reading(validator, view, (OWN_LIST,)) for view in kept))
    kept = ["permittedContractReceiverAllowlistOwners", "getPermittedContractReceivers"]
    scene.watch(*(Reading(validator, view, (1,)) for view in kept))


def hand_over_all(scene: Scene, validator: str, collection: str) -> None:
    """Make the user the owner of the collection and of its operator list."""
    scene.step("team", validator, "reassignOwnershipOfOperatorWhitelist", OWN_LIST, At("user"))
    scene.hand_over(collection)


def new_vault(scene: Scene) -> str:
    return scene.contract("DepositVault", (At("team"), ()), label=f"{scene.draw.collection().split()[0]} Vault")


def may_move(collection: str, caller: str, holder: str, to: str, yes: bool) -> ViewEquals:
    return ViewEquals(Reading(collection, "isTransferAllowed", (At(caller), At(holder), At(to))), yes)
