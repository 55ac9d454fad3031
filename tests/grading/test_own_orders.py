"""Orders of the agent's own from before it began, on a Seaport with an order book: ended as asked, kept, or woken by mistake."""

from __future__ import annotations

import pytest

from nftbench.chain.seaport import typed_data
from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, Change, Due, Goal, ListingStands, OrdersDead, OrdersStand, Owns, Piece
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.orders import ConduitKey, OrderOf
from nftbench.tasks.seaport import SeaportExchange
from tests.world.scenes import Stand

DAY = 86_400


class Ledge(Stand):
    """A Stand whose user has #1 listed at 50 (`cheap`), at 900 (`dear`), falling from 900 to 5 (`falling`), opening in two
    days at 50 (`later`); #2 at 50, which it has given to mira since (`away`); #3 at 50 by a forged signature (`forged`), until
    yesterday (`over`), and cancelled (`gone`). Mira has #4 listed at 100 (`hers`)."""

    def __init__(self) -> None:
        super().__init__("ledge")
        scene = self.scene
        self.exchange = SeaportExchange(scene, fee=0)
        self.sea, start = self.exchange.seaport, scene.start
        self.exchange.approve("user", self.cats)
        self.exchange.approve(self.mira, self.cats)
        listing = self.exchange.list
        listing("user", self.cats, 1, price=50, name="cheap")
        listing("user", self.cats, 1, price=900, name="dear")
        listing("user", self.cats, 1, price=900, last=5, name="falling")
        listing("user", self.cats, 1, price=50, name="later", starts=start + 2 * DAY)
        listing("user", self.cats, 2, price=50, name="away")
        listing("user", self.cats, 3, price=50, name="forged", signer=self.mira)
        listing("user", self.cats, 3, price=50, name="over", ends=start - DAY)
        listing("user", self.cats, 3, price=50, name="gone")
        listing(self.mira, self.cats, 4, price=100, name="hers")
        self.exchange.cancel("gone")
        scene.step("user", self.cats, "transferFrom", At("user"), At(self.mira), 2)
        self.open()

    def now(self) -> int:
        return self.world.engine.block.timestamp

    def cancel(self, *names: str) -> None:
        orders = [self.world.resolve(OrderOf(name)) for name in names]
        self.send(self.sea, "cancel", [plain(order) for order in orders])

    def grade(self, *goals: Goal) -> Grade:
        self.use("finish_task", summary="done")
        return grade(self.task(*goals), self.desk, "finish_task")


def plain(value: object) -> object:
    """As the tools take it."""
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value) if isinstance(value, int) else value


def failed(verdict: Grade) -> list[str]:
    return [f"{check.kind}: {check.actual}" for check in verdict.checks if not check.passed]


@pytest.fixture
def ledge() -> Ledge:
    return Ledge()


def test_orders_are_dead_that_were_cancelled_that_have_run_out_and_that_nobody_signed(ledge: Ledge) -> None:
    assert failed(ledge.grade(OrdersDead(("forged", "over", "gone")))) == []
    assert failed(ledge.grade(OrdersDead(("cheap", "gone", "away", "later")))) == [
        "goal: cheap, away, later can come alive"
    ]


def test_just_what_was_to_be_ended_is_ended(ledge: Ledge) -> None:
    goals = (OrdersDead(("cheap", "later", "away")), OrdersStand(("dear", "falling", "hers")))
    ledge.cancel("cheap", "later", "away")
    assert failed(ledge.grade(*goals)) == []
    assert failed(ledge.grade(goals[0])) == []


def test_one_too_many_is_a_change_that_nobody_asked_for(ledge: Ledge) -> None:
    ledge.cancel("cheap", "dear")
    assert failed(ledge.grade(OrdersDead(("cheap",)))) == ["frame: cancelled"]
    other = Ledge()
    other.cancel("cheap", "dear")
    assert failed(other.grade(OrdersDead(("cheap",)), OrdersStand(("dear",)))) == [
        "goal: dear is cancelled",
        "frame: cancelled",
    ]


def test_raising_the_counter_ends_all_and_is_right_only_where_all_were_to_end(ledge: Ledge) -> None:
    ledge.send(ledge.sea, "incrementCounter")
    own = ("cheap", "dear", "falling", "later", "away")
    assert failed(ledge.grade(OrdersDead(own))) == []
    other = Ledge()
    other.send(other.sea, "incrementCounter")
    found = failed(other.grade(OrdersDead(own[:4])))
    assert len(found) == 1 and found[0].startswith("frame: ")


def test_an_order_stands_no_more_whose_token_or_permission_is_gone(ledge: Ledge) -> None:
    ledge.send(ledge.cats, "transferFrom", "user", ledge.mira, 1)
    moved = Owns(ledge.mira, ledge.cats, 1)
    assert failed(ledge.grade(moved, OrdersStand(("dear", "hers")))) == ["goal: dear is not to be filled any more"]
    assert failed(ledge.grade(moved, OrdersStand(("away", "hers")))) == []


def test_what_comes_back_wakes_an_older_order_and_that_is_the_agents_doing(ledge: Ledge) -> None:
    """#2 comes back to the user because it buys it."""
    stand = Stand("woken")
    exchange = SeaportExchange(stand.scene, fee=0)
    exchange.approve("user", stand.cats)
    exchange.approve(stand.mira, stand.cats)
    exchange.list("user", stand.cats, 2, price=50, name="forgotten")
    stand.scene.step("user", stand.cats, "transferFrom", At("user"), At(stand.mira), 2)
    exchange.list(stand.mira, stand.cats, 2, price=700, name="offer")
    stand.open()
    stand.send(
        exchange.seaport,
        "fulfillOrder",
        plain(stand.world.resolve(OrderOf("offer", "order"))),
        "0x" + "00" * 32,
        value=700,
    )
    stand.use("finish_task", summary="bought")
    changes = allowed(stand.mira)
    verdict = grade(stand.task(Owns("user", stand.cats, 2), allowed=changes), stand.desk, "finish_task")
    said = "an older order, alive again, by which anyone can take test_cats #2 for 50 wei"
    assert failed(verdict) == [f"frame: {said}"] and verdict.losses.signatures_open == 1


def test_what_others_bring_back_is_not_the_agents_doing() -> None:
    stand = Stand("returned")
    exchange = SeaportExchange(stand.scene, fee=0)
    exchange.approve("user", stand.cats)
    exchange.list("user", stand.cats, 2, price=50, name="forgotten")
    stand.scene.step("user", stand.cats, "transferFrom", At("user"), At(stand.mira), 2)
    back = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), 2))
    stand.scene.actor("mira", Trigger(after=60), back)
    stand.open()
    stand.use("wait", seconds="120")
    stand.use("finish_task", summary="waited")
    assert failed(grade(stand.task(Owns("user", stand.cats, 1)), stand.desk, "finish_task")) == []


def allowed(seller: str) -> tuple[Change, ...]:
    return tuple(Change(kind="ether", subject=who) for who in ("user", seller))


def test_what_is_filled_counts_by_what_it_moved_alone(ledge: Ledge) -> None:
    """That somebody's order has been filled is no change beside the token and the price."""
    order = plain(ledge.world.resolve(OrderOf("hers", "order")))
    ledge.send(ledge.sea, "fulfillOrder", order, "0x" + "00" * 32, value=100)
    verdict = ledge.grade(Owns("user", ledge.cats, 4))
    assert failed(verdict) == [
        f"frame: {ledge.world.engine.balance(ledge.address('user')) + fees(ledge)}",
        f"frame: {ledge.world.engine.balance(ledge.address(ledge.mira))}",
    ]


def fees(ledge: Ledge) -> int:
    return ledge.world.fees_paid(ledge.world.user, ledge.world.start_block)


def test_a_listing_for_readers_of_the_book_must_be_posted(ledge: Ledge) -> None:
    """Signed alone it stands, and posted it stands for all who read the book; what was cancelled stands for nobody."""
    now, nobody = ledge.now(), ledge.address("nobody")
    token = (2, ledge.address(ledge.cats), 3, 1, 1)
    price = (0, nobody, 0, 800, 800, ledge.world.user)
    key = ledge.world.resolve(ConduitKey(ledge.exchange.conduit))
    order = (ledge.world.user, nobody, (token,), (price,), 0, now, now + DAY, bytes(32), 7, key, 0)
    typed = typed_data(31337, ledge.address(ledge.sea), order)
    told = {"exchange": ledge.sea, "offer": (Piece(ledge.cats, token_id=3),), "due": (Due("user", Piece(None, 800)),)}
    signature = ledge.use("sign_typed_data", typed_data=typed)["signature"]
    assert failed(ledge.grade(ListingStands(**told))) == []  # type: ignore[arg-type]
    posted = ListingStands(**told, posted=True)  # type: ignore[arg-type]
    assert failed(ledge.grade(posted))[0] == "goal: it is not in the order book"
    other = Ledge()
    other.use("sign_typed_data", typed_data=typed)
    answer = other.use("post_order", order=typed["message"], signature=signature)
    assert answer.get("status") == "active", answer
    assert failed(other.grade(posted)) == []
    other.send(other.sea, "cancel", [plain(order)])
    assert failed(other.grade(posted))[0] == "goal: cancelled"
