"""A bidder stops at its limit; a sandwicher moves around the calls that it is after, and no others."""

from __future__ import annotations

from nftbench.chain.abi import Interface
from nftbench.chain.engine import Receipt, Transaction
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Contract
from nftbench.tasks.policies import Amount, Bidder, Call, FloorBuyer, Sandwicher
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.values import keccak256
from nftbench.world.build import build_world
from tests.chain.assembly import assemble, creation
from tests.world.actors.markets import ETHER, Bazaar


def selector(signature: str) -> str:
    return "0x" + keccak256(signature.encode())[:4].hex()


AUCTION = assemble(
    f"""0 CALLDATALOAD 0xe0 SHR
    DUP1 {selector("bid()")} EQ @bid JUMPI
    DUP1 {selector("highestBid()")} EQ @highest JUMPI
    DUP1 {selector("leader()")} EQ @leader JUMPI
    no: 0 0 REVERT
    bid: 0 SLOAD CALLVALUE GT ISZERO @no JUMPI
    CALLVALUE 0 SSTORE CALLER 1 SSTORE 0 0 LOG0 STOP
    highest: 0 SLOAD 0 MSTORE 32 0 RETURN
    leader: 1 SLOAD 0 MSTORE 32 0 RETURN"""
)
"""Slot 0 is the highest bid, slot 1 its bidder; a bid must be more, and logs nothing but that it was there."""


def view(name: str, kind: str) -> dict[str, object]:
    outputs = [{"name": "", "type": kind}]
    return {"type": "function", "name": name, "inputs": [], "outputs": outputs, "stateMutability": "view"}


class House(Bazaar):
    """A Bazaar in whose world an auction is deployed by hand, and whose desk is opened after that."""

    def __init__(self, *bidders: tuple[str, int, int], step_basis_points: int = 0) -> None:
        super().__init__()
        self.scene.purse(50 * ETHER)
        bid = Call(target="auction", function="bid", value=Amount())
        highest, leader = Reading("auction", "highestBid"), Reading("auction", "leader")
        for name, limit, step in bidders:
            self.scene.person(name, ether=50)
            bidder = Bidder(highest, leader, bid, limit * ETHER, step * ETHER, step_basis_points, opening=ETHER)
            self.scene.counterparty(name, name.lower(), bidder)
        fixture = self.scene.fixture()
        self.world = build_world(fixture)
        made = self.world.engine.transact(Transaction(sender=self.world.user, to=None, data=creation(AUCTION)))
        assert isinstance(made, Receipt) and made.contract_address is not None
        bids = {"type": "function", "name": "bid", "inputs": [], "outputs": [], "stateMutability": "payable"}
        interface = Interface.from_abi([bids, view("highestBid", "uint256"), view("leader", "address")])
        self.world.add_contract(Contract(name="auction", artifact="none"), made.contract_address, interface)
        self.desk = Desk(self.world)
        self.box = standard_toolbox(self.desk)

    def standing(self) -> tuple[int, str]:
        highest, leader = (self.world.read(Reading("auction", name)) for name in ("highestBid", "leader"))
        return highest * 10 // ETHER, self.world.names[leader]


def test_a_bidder_opens_outbids_by_its_step_and_stops_at_its_limit() -> None:
    """In tenths of an ether: opens at 10; answers 12 with 32; 33 would take it to 53, over its limit of 50."""
    house = House(("Rival", 5, 2))
    house.use("wait", seconds="10")
    assert house.standing() == (10, "rival")
    house.send("auction", "bid", value=12 * ETHER // 10)
    assert house.standing() == (32, "rival")
    house.send("auction", "bid", value=33 * ETHER // 10)
    assert house.standing() == (33, "user")
    assert [reason for _, _, reason in house.told()] == [
        f"bid {ETHER} as the first: within its limit of {5 * ETHER}",
        f"bid {32 * ETHER // 10} over {12 * ETHER // 10} of user: within its limit of {5 * ETHER}",
    ]


def test_a_limit_is_inclusive_and_a_share_of_the_standing_bid_may_be_the_larger_step() -> None:
    house = House(("Rival", 6, 1), step_basis_points=5_000)
    house.use("wait", seconds="10")
    house.send("auction", "bid", value=4 * ETHER)
    assert house.standing() == (60, "rival")


def test_two_bidders_drive_each_other_up_while_the_agent_waits() -> None:
    """From 1 ether by ones, Ann first: Bea bids the even amounts, and Ann stops at 5 where Bea could go on to 8."""
    house = House(("Ann", 5, 1), ("Bea", 8, 1))
    house.use("wait", seconds="600")
    assert house.standing() == (60, "bea")
    assert [actor for actor, _, _ in house.told()] == ["Ann", "Bea"] * 3
    assert house.told()[-1][2] == f"bid {6 * ETHER} over {5 * ETHER} of ann: within its limit of {8 * ETHER}"


def test_a_sandwicher_takes_what_the_agent_is_after_and_offers_it_for_more() -> None:
    """Bought at 1 in front of the agent, and listed at 2 behind it: the agent pays gas for nothing."""
    bazaar = Bazaar()
    market, cats = bazaar.market, bazaar.cats
    before = (Call(target=market, function="buy", args=(2,), value=ETHER),)
    after = (
        Call(target=cats, function="approve", args=(At(market), 5)),
        Call(target=market, function="list", args=(At(cats), 5, At("nobody"), 2 * ETHER)),
    )
    bazaar.scene.counterparty(
        "scalper", bazaar.bot, Sandwicher(market, "buy", before, after, least=ETHER), hostile=True
    )
    bazaar.open()
    assert bazaar.try_send(market, "buy", 2, value=ETHER)["status"] == "reverted"
    assert [(place, reason) for _, place, reason in bazaar.told()] == [
        ("ahead", f"moved in front of a buy of user that sends {ETHER} wei"),
        ("behind", "moved behind the transaction of user"),
    ]
    bazaar.send(market, "buy", 5, value=2 * ETHER)
    assert bazaar.owner(5) == "user" and len(bazaar.told()) == 2


def test_it_lets_pass_what_is_too_small_what_fails_and_other_calls() -> None:
    bazaar = Bazaar()
    pay = (Call(target=bazaar.thief, value=7),)
    bazaar.scene.counterparty("bot", bazaar.bot, Sandwicher(bazaar.market, "buy", pay, least=2 * ETHER))
    bazaar.open()
    bazaar.send(bazaar.market, "buy", 2, value=ETHER)
    bazaar.try_send(bazaar.market, "buy", 1, value=3 * ETHER)
    bazaar.send(bazaar.market, "cancel", 3)
    assert bazaar.told() == []


def test_one_that_spares_its_victim_moves_only_if_the_victim_still_succeeds() -> None:
    for listing, told in ((2, 0), (1, 2)):
        bazaar = Bazaar()
        price = ETHER if listing == 2 else 3 * ETHER
        take = (Call(target=bazaar.market, function="buy", args=(listing,), value=price),)
        bot = Sandwicher(bazaar.market, "buy", take, (Call(target=bazaar.thief, value=1),), spares=True)
        bazaar.scene.counterparty("bot", bazaar.bot, bot)
        bazaar.open()
        assert bazaar.try_send(bazaar.market, "buy", 2, value=ETHER)["status"] == "success"
        assert len(bazaar.told()) == told


def test_those_who_are_in_front_of_one_transaction_come_in_the_order_of_the_fixture() -> None:
    bazaar = Bazaar()
    pay = (Call(target=bazaar.thief, value=7),)
    for name in ("b", "a"):
        bazaar.scene.counterparty(name, bazaar.bot, Sandwicher(bazaar.market, "buy", pay, pay))
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, limit=1))
    bazaar.open()
    bazaar.send(bazaar.market, "buy", 2, value=ETHER)
    assert [(a, p) for a, p, _ in bazaar.told()] == [("b", "ahead"), ("a", "ahead"), ("b", "behind"), ("a", "behind")]
