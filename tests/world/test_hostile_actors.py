"""What thieves can do: sweep ether, use a signature once there is one, and try things out before they pay for them."""

from __future__ import annotations

from nftbench.tasks.goals import AllEther, At, Reading, Signed
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand


def test_a_sweeper_takes_all_ether_but_the_fee_and_moves_only_when_there_is_some() -> None:
    stand = Stand()
    empty = stand.scene.person("Empty", ether=0)
    sweep = Step(sender=empty, target=stand.thief, value=AllEther())
    stand.scene.actor("sweeper", Trigger(), sweep, repeat=True, hostile=True)
    stand.open()
    engine = stand.world.engine
    stand.use("wait", seconds="60")
    assert stand.desk.stage.moves == []
    before = engine.balance(stand.address(stand.thief))
    stand.use("send_transaction", to=stand.address(empty), value_wei=str(10**16))
    (move,) = stand.desk.stage.moves
    left, fee = engine.balance(stand.address(empty)), move.receipts[0].gas_used * move.receipts[0].effective_gas_price
    assert engine.balance(stand.address(stand.thief)) - before == 10**16 - fee - left
    assert fee + left == 21_000 * (2 * engine.block_at(move.before_block).base_fee + 10**9)


def test_what_a_sweeper_leaves_or_cant_sweep_pays_for_no_transfer_of_a_token() -> None:
    """A transfer costs more gas than the 21000 of a payment, at the same price: no drip of ether gets past the sweeper."""
    stand = Stand()
    empty = stand.scene.person("Empty", ether=0)
    stand.scene.mint(stand.cats, empty, [9])
    sweep = Step(sender=empty, target=stand.thief, value=AllEther())
    stand.scene.actor("sweeper", Trigger(), sweep, repeat=True, hostile=True)
    stand.open(controlled=(empty,))
    arguments = [stand.address(empty), stand.address("user"), "9"]
    for wei in [10**13] * 12 + [10**14, 10**15, 10**17]:
        stand.use("send_transaction", to=stand.address(empty), value_wei=str(wei))
        given = {"account": stand.address(empty), "to": stand.address(stand.cats), "function": "transferFrom"}
        outcome = stand.use("send_transaction", **given, arguments=arguments)
        assert outcome["status"] in ("refused", "reverted"), outcome
    assert stand.world.names[stand.world.read(Reading(stand.cats, "ownerOf", (9,)))] == empty


def test_a_step_that_would_fail_is_not_sent_and_takes_no_time() -> None:
    stand = Stand()
    bad = Step(sender=stand.thief, target=stand.cats, function="transferFrom", args=(At("user"), At(stand.thief), 1))
    stand.scene.actor("thief", Trigger(), bad, repeat=True, hostile=True)
    stand.open()
    stand.send(stand.cats, "approve", stand.mira, 1)
    assert stand.world.elapsed == 12 and stand.desk.stage.moves == []
    stand.send(stand.cats, "setApprovalForAll", stand.thief, True)
    assert stand.world.elapsed == 36 and [m.actor for m in stand.desk.stage.moves] == ["thief"]


def test_a_move_ends_at_the_first_step_that_would_fail_with_what_went_before_done() -> None:
    stand = Stand()
    good = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), 4))
    bad = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At("user"), At(stand.mira), 1))
    never = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), 5))
    stand.scene.actor("mira", Trigger(), good, bad, never)
    stand.open()
    stand.use("wait", seconds="60")
    (move,) = stand.desk.stage.moves
    assert len(move.receipts) == 1 and not move.signed
    owners = [stand.world.names[stand.world.read(Reading(stand.cats, "ownerOf", (i,)))] for i in (4, 5)]
    assert owners == ["user", stand.mira]


def test_a_step_with_a_signature_waits_for_the_signature() -> None:
    stand = Stand()
    parts = tuple(Signed("Permit", part) for part in ("v", "r", "s"))
    args = (At("user"), At(stand.mira), 5, 2**40, *parts)
    stand.scene.actor(
        "mira", Trigger(), Step(sender=stand.mira, target=stand.gold, function="permit", args=args), repeat=True
    )
    stand.open()
    stand.use("wait", seconds="60")
    assert stand.desk.stage.moves == []
    fields = [
        ("owner", "address"),
        ("spender", "address"),
        ("value", "uint256"),
        ("nonce", "uint256"),
        ("deadline", "uint256"),
    ]
    domain = {"name": "Test Gold", "version": "1", "chainId": 31337, "verifyingContract": stand.address(stand.gold)}
    message = {
        "owner": stand.address("user"),
        "spender": stand.address(stand.mira),
        "value": 5,
        "nonce": 0,
        "deadline": 2**40,
    }
    types = {"Permit": [{"name": n, "type": t} for n, t in fields]}
    stand.use(
        "sign_typed_data", typed_data={"types": types, "primaryType": "Permit", "domain": domain, "message": message}
    )
    (move,) = stand.desk.stage.moves
    assert move.signed and stand.world.read(Reading(stand.gold, "allowance", (At("user"), At(stand.mira)))) == 5
