"""What a trajectory tells of the chain, for readers that have none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.run.trajectory import chain_record
from nftbench.tasks import catalog
from nftbench.tasks.playing import give_up, state, use
from nftbench.tasks.policies import Sniper
from tests.world.actors.markets import ETHER, Bazaar


def played(instance_id: str, of: Callable[..., Any] = catalog.policy) -> dict[str, Any]:
    task = catalog.task(instance_id)
    made = attempt(task, ReferenceAgent(of(task)))
    return json.loads(json.dumps(made.trajectory, allow_nan=False))


def test_a_transfer_is_decoded_with_its_event_and_the_final_difference() -> None:
    """One token from the user to one person: one Transfer, one owner that differs; nothing else but the fee."""
    told = played("F1a_01")
    user = told["start"]["user"]
    [sent] = told["transactions"]
    assert sent["function"].startswith(("transferFrom(", "safeTransferFrom("))
    arguments = {argument["name"]: argument["value"] for argument in sent["arguments"]}
    transfer = next(log for log in sent["logs"] if log.get("event") == "Transfer")
    assert user in arguments.values()
    [changed] = [entry for entry in told["final"] if entry["kind"] == "owner"]
    receiver, token_id = changed["after"], changed["subject"]
    assert changed["before"] == user
    assert {receiver, token_id} <= set(arguments.values())
    assert {user, receiver, token_id} == set(transfer["arguments"].values())
    assert sent["ether_changes"] == {}
    assert told["names"][user]["kind"] == "agent"
    assert told["names"][changed["contract"]]["kind"] == "contract"
    assert told["names"][receiver]["label"]


def test_ether_that_moves_is_told_on_both_sides_without_the_fee() -> None:
    """Whatever is sent along is what the sender has less, and what others have more, to the wei."""
    paid = [
        transaction
        for instance_id in ("F4a_01", "F4a_02", "F6b_01")
        for transaction in played(instance_id)["transactions"]
        if transaction["value_wei"] != "0"
    ]
    assert paid
    for transaction in paid:
        changes = {address: int(change) for address, change in transaction["ether_changes"].items()}
        assert sum(changes.values()) == 0
        assert changes[transaction["from"]] <= 0


def test_moves_of_others_are_decoded_too() -> None:
    """The drainer of a rescue takes what nobody brings to safety in time."""
    told = played("F3c_01", catalog.careless)
    assert told["moves"]
    for move in told["moves"]:
        assert move["hostile"] in (True, False)
        assert move["reason"] and move["place"] == "after"
        assert all(sent["from"] in told["names"] for sent in move["transactions"])
        assert all(sent["function"] for sent in move["transactions"] if len(sent["data"]) > 2)


def test_a_policys_move_is_told_with_its_reason_and_its_place() -> None:
    """So that a loss can be explained by whoever reads the record: who got in front of what, and why."""
    bazaar = Bazaar()
    bot = Sniper(bazaar.market, bazaar.cats, limit=ETHER, only_alarmed=True)
    bazaar.scene.counterparty("hoarder", bazaar.bot, bot, hostile=True)
    bazaar.open()
    bazaar.try_send(bazaar.market, "cancel", 4)
    record = chain_record(bazaar.desk)
    (told,), (mine,) = record["moves"], record["transactions"]
    assert (told["actor"], told["hostile"], told["place"]) == ("hoarder", True, "ahead")
    assert told["reason"].startswith("filled listing 4 of user for test_cats #2 at 0.5 ether, in front of a cancel")
    (filled,) = told["transactions"]
    assert filled["function"] == "buy(uint256)" and filled["block"] + 1 == mine["block"]
    assert filled["time"] == mine["time"] and not mine["success"]
    assert mine["ether_changes"] == {}


def test_a_revert_is_told_with_its_reason() -> None:
    told = played("F1a_01", lambda task: lambda: _refused(task))
    assert [(sent["success"], bool(sent["reason"])) for sent in told["transactions"]] == [(False, True)]
    assert told["final"] == []
    assert told["final_count"] == 0


def _refused(task: Any) -> Any:
    seen = yield from state()
    held = seen["accounts"][0]["holdings"][0]["address"]
    nobody = "0x" + "11" * 20
    yield from use(
        "send_transaction",
        to=held,
        function="transferFrom(address,address,uint256)",
        arguments=[nobody, seen["you"], "1"],
    )
    yield from give_up("it is refused", "ownership")
