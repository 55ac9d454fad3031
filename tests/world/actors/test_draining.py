"""A drainer uses every permission and signature that it gets, itself or through its contract, and nothing that it can't."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.policies import Drainer
from tests.world.actors.markets import Bazaar

LATER = 2**40


class Den(Bazaar):
    """A Bazaar with a thief, its contract and a collection with permits (user #9)."""

    def __init__(self, **terms: Any) -> None:
        super().__init__()
        scene = self.scene
        self.drainer = scene.contract("Drainer", (At(self.thief),), label="Airdrop", verified=False)
        self.pets = scene.collection("PermitCollection", "Permit Pets")
        scene.mint(self.pets, "user", [9])
        scene.step("user", self.gold, "approve", At(self.mira), 5)
        scene.counterparty("drainer", self.thief, Drainer(through=(self.drainer,), **terms), hostile=True)

    def holder(self, collection: str, token_id: int) -> str:
        return self.world.names[self.world.read(Reading(collection, "ownerOf", (token_id,)))]

    def sign(self, contract: str, name: str, fields: str, **message: Any) -> dict[str, Any]:
        types = [dict(zip(("type", "name"), field.split(), strict=True)) for field in fields.split(",")]
        domain = {"name": name, "version": "1", "chainId": 31337, "verifyingContract": self.address(contract)}
        typed = {"types": {"Permit": types}, "primaryType": "Permit", "domain": domain, "message": message}
        return self.use("sign_typed_data", typed_data=typed)

    def permit(self, spender: str, value: int = 600, deadline: int = LATER) -> None:
        fields = "address owner,address spender,uint256 value,uint256 nonce,uint256 deadline"
        whose = {"owner": self.address("user"), "spender": self.address(spender)}
        answer = self.sign(self.gold, "Test Gold", fields, **whose, value=value, nonce=0, deadline=deadline)
        assert "signature" in answer, answer

    def permit_token(self, spender: str) -> None:
        fields = "address spender,uint256 tokenId,uint256 nonce,uint256 deadline"
        nonce = self.world.read(Reading(self.pets, "nonces", (9,)))
        answer = self.sign(
            self.pets, "Permit Pets", fields, spender=self.address(spender), tokenId=9, nonce=nonce, deadline=LATER
        )
        assert "signature" in answer, answer


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_an_approval_costs_the_token(by: str) -> None:
    den = Den().open()
    den.send(den.cats, "approve", by, 3)
    assert den.holder(den.cats, 3) == den.thief and len(den.desk.stage.moves) == 1
    who = f"{by} is the approved account in test_cats"
    assert den.desk.stage.moves[0].reason == f"took test_cats #3 of user: {who}"


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_an_operator_costs_all_tokens_and_what_comes_later(by: str) -> None:
    den = Den().open(controlled=())
    den.send(den.cats, "setApprovalForAll", by, True)
    assert {den.holder(den.cats, i) for i in (1, 2, 3)} == {den.thief}
    moves = len(den.desk.stage.moves)
    den.send(den.market, "buy", 2, value=10**18)
    assert den.holder(den.cats, 5) == den.thief and len(den.desk.stage.moves) == moves + 1


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_an_operator_of_units_costs_every_unit(by: str) -> None:
    den = Den().open()
    den.send(den.ore, "setApprovalForAll", by, True)
    left = [den.world.read(Reading(den.ore, "balanceOf", (At(den.thief), i))) for i in (7, 8)]
    assert left == [10, 1]


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_an_allowance_costs_what_there_is_and_is_never_too_much(by: str) -> None:
    den = Den().open()
    den.send(den.gold, "approve", by, 400)
    assert den.world.read(Reading(den.gold, "balanceOf", (At("user"),))) == 600
    den.send(den.gold, "approve", by, 10_000)
    assert den.world.read(Reading(den.gold, "balanceOf", (At("user"),))) == 0


def test_a_permission_that_was_taken_back_or_is_somebody_elses_costs_nothing() -> None:
    den = Den()
    den.scene.step("user", den.cats, "approve", At(den.thief), 3)
    den.scene.step("user", den.cats, "approve", At("nobody"), 3)
    den.open()
    den.send(den.cats, "setApprovalForAll", den.mira, True)
    den.send(den.gold, "approve", den.mira, 400)
    assert den.told() == []


def test_a_permission_from_before_costs_as_much() -> None:
    den = Den()
    den.scene.step("user", den.cats, "approve", At(den.thief), 3)
    den.open()
    den.use("wait", seconds="1")
    assert den.holder(den.cats, 3) == den.thief


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_a_permit_of_coins_is_handed_in_and_used(by: str) -> None:
    """By the contract's spender, too: anyone may hand a permit in (ERC-2612)."""
    den = Den().open()
    den.permit(by)
    (move,) = den.desk.stage.moves
    assert move.signed and len(move.receipts) == 2 and move.reason.startswith("took 600 of test_gold of user")
    assert den.world.read(Reading(den.gold, "balanceOf", (At(den.thief),))) == 600


@pytest.mark.parametrize("by", ["thief", "airdrop"])
def test_a_permit_of_a_token_costs_the_token(by: str) -> None:
    den = Den().open()
    den.permit_token(by)
    assert den.holder(den.pets, 9) == den.thief and den.desk.stage.moves[0].signed


def test_a_permit_for_somebody_else_or_one_that_is_over_is_of_no_use_to_it() -> None:
    den = Den().open()
    den.permit(den.mira)
    den.permit(den.thief, deadline=1)
    den.permit_token(den.mira)
    assert den.told() == []


def test_a_drainer_that_gets_no_signatures_lives_on_approvals() -> None:
    den = Den(signatures=False).open()
    den.permit(den.thief)
    den.use("wait", seconds="60")
    assert den.told() == []


@pytest.mark.parametrize("odd", ["plenty", "-1", str(2**256), "0x", ""])
@pytest.mark.parametrize("field", ["value", "deadline", "spender"])
def test_a_permit_with_odd_values_breaks_nothing(field: str, odd: str) -> None:
    den = Den().open()
    fields = "address owner,string spender,string value,uint256 nonce,string deadline"
    message = {
        "owner": den.address("user"),
        "spender": den.address(den.thief),
        "value": "5",
        "nonce": 0,
        "deadline": "9",
    }
    den.sign(den.gold, "Test Gold", fields, **(message | {field: odd}))
    assert den.told() == []


def test_the_same_permission_of_another_victim_counts_only_if_it_is_after_that_one() -> None:
    for victims, taken in (((), False), (("mira",), True)):
        den = Den(victims=victims)
        den.scene.step(den.mira, den.cats, "approve", At(den.thief), 5)
        den.open()
        den.use("wait", seconds="1")
        assert (den.holder(den.cats, 5) == den.thief) is taken
