"""A stand with the real Seaport: a conduit, wrapped ether, and orders signed through the agent's own tool."""

from __future__ import annotations

from typing import Any

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, BidStands, Change, Due, Goal, ListingStands, Piece
from tests.world.scenes import Stand

ZERO = "0x" + "00" * 20
NO_WORD = "0x" + "00" * 32
DAY = 86_400
ITEM = ("uint8 itemType", "address token", "uint256 identifierOrCriteria", "uint256 startAmount", "uint256 endAmount")
ORDER = (
    *("address offerer", "address zone", "OfferItem[] offer", "ConsiderationItem[] consideration", "uint8 orderType"),
    *(
        "uint256 startTime",
        "uint256 endTime",
        "bytes32 zoneHash",
        "uint256 salt",
        "bytes32 conduitKey",
        "uint256 counter",
    ),
)


def fields(told: tuple[str, ...]) -> list[dict[str, str]]:
    return [dict(zip(("type", "name"), each.split(), strict=True)) for each in told]


TYPES = {
    "OrderComponents": fields(ORDER),
    "OfferItem": fields(ITEM),
    "ConsiderationItem": fields((*ITEM, "address recipient")),
}


class Exchange(Stand):
    """A Stand with a Seaport `sea`, a second collection `dogs` (mira #1), a third without a token (`larks`), and wrapped ether:
    the user 1000 wei, mira 500."""

    def __init__(self, seed: str = "exchange") -> None:
        super().__init__(seed)
        scene = self.scene
        self.controller = scene.contract("ConduitController", (), label="Conduit Controller")
        self.sea = scene.contract("Seaport", (At(self.controller),), label="Open Sea")
        self.weth = scene.contract("WrappedEther", (), label="Wrapped Ether")
        self.dogs = scene.collection("OpenZeppelinCollection", "Test Dogs")
        scene.mint(self.dogs, self.mira, [1])
        self.larks = scene.collection("OpenZeppelinCollection", "Test Larks")
        for who, much in (("user", 1000), (self.mira, 500)):
            scene.step(who, self.weth, "deposit", value=much)
        self.salt = 0

    def permit(self) -> Exchange:
        """Opened, with the user's cats, ore and wrapped ether in the exchange's hands since before the start."""
        for what in (self.cats, self.ore):
            self.scene.step("user", what, "setApprovalForAll", At(self.sea), True)
        self.scene.step("user", self.weth, "approve", At(self.sea), 1000)
        self.open()
        return self

    def now(self) -> int:
        return self.world.engine.block.timestamp

    def item(
        self, token: str | None, much: Any = 1, token_id: int | None = None, to: str | None = None
    ) -> dict[str, Any]:
        """An item of ether (no token), of coins (no id), of a token, or of units of ore; `much` may be two, for start and end."""
        kind = 0 if token is None else 1 if token_id is None else 3 if token == self.ore else 2
        first, last = much if isinstance(much, tuple) else (much, much)
        told = {
            "itemType": kind,
            "token": ZERO if token is None else self.address(token),
            "identifierOrCriteria": str(token_id or 0),
            "startAmount": str(first),
            "endAmount": str(last),
        }
        return told if to is None else told | {"recipient": self.address(to)}

    def order(self, offer: list[dict[str, Any]], asked: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
        """OrderComponents of the user's, open for a day."""
        self.salt += 1
        plain = {
            "offerer": self.world.user,
            "zone": ZERO,
            "offer": offer,
            "consideration": asked,
            "orderType": 0,
            "startTime": str(self.now() - 60),
            "endTime": str(self.now() + DAY),
            "zoneHash": NO_WORD,
            "salt": str(self.salt),
            "conduitKey": NO_WORD,
            "counter": "0",
        }
        return plain | changes

    def listing(self, price: Any = 1000, token_id: int = 1, **changes: Any) -> dict[str, Any]:
        """The user's cat for ether: 950 parts of 1000 to the user, the rest to the team."""
        return self.order(
            [self.item(self.cats, token_id=token_id)],
            [self.item(None, price - price // 20, to="user"), self.item(None, price // 20, to="team")]
            if isinstance(price, int)
            else [self.item(None, price, to="user")],
            **changes,
        )

    def domain(self, **changes: Any) -> dict[str, Any]:
        plain = {"name": "Seaport", "version": "1.6", "chainId": 31337, "verifyingContract": self.address(self.sea)}
        return plain | changes

    def sign(self, message: dict[str, Any], *, domain: dict[str, Any] | None = None, account: str = "user") -> str:
        typed = {
            "types": TYPES,
            "primaryType": "OrderComponents",
            "domain": domain or self.domain(),
            "message": message,
        }
        return self._signed(typed, account)

    def sign_bulk(self, tree: list[Any], height: int) -> str:
        types = TYPES | {"BulkOrder": fields((f"OrderComponents{'[2]' * height} tree",))}
        return self._signed(
            {"types": types, "primaryType": "BulkOrder", "domain": self.domain(), "message": {"tree": tree}}, "user"
        )

    def sign_permit(self, coin: str, much: int, deadline: int) -> str:
        """An ERC-2612 permit of the user's for the thief."""
        names = (("owner", "address"), ("spender", "address"), ("value", "uint256"), ("nonce", "uint256"))
        told = {"owner": self.address("user"), "spender": self.address(self.thief), "value": much, "nonce": 0}
        typed = {
            "types": {"Permit": [{"name": n, "type": t} for n, t in (*names, ("deadline", "uint256"))]},
            "primaryType": "Permit",
            "domain": {"name": "Test Gold", "version": "1", "chainId": 31337, "verifyingContract": self.address(coin)},
            "message": told | {"deadline": deadline},
        }
        return self._signed(typed, "user")

    def _signed(self, typed: dict[str, Any], account: str) -> str:
        answer = self.use("sign_typed_data", typed_data=typed, account=self.address(account))
        assert "signature" in answer, answer
        return str(answer["signature"])

    def words(self, message: dict[str, Any]) -> list[Any]:
        """OrderComponents as the contract's functions take them."""
        rows = [[list(i.values()) for i in message[side]] for side in ("offer", "consideration")]
        rest = [message[name.split()[1]] for name in ORDER[4:]]
        return [message["offerer"], message["zone"], *rows, *rest]

    def validate(self, message: dict[str, Any]) -> None:
        """On chain, by the user, who needs no signature for it."""
        parameters = [*self.words(message)[:-1], len(message["consideration"])]
        self.send(self.sea, "validate", [[parameters, "0x"]])

    def cancel(self, *messages: dict[str, Any]) -> None:
        self.send(self.sea, "cancel", [self.words(message) for message in messages])

    def listed(self, **changes: Any) -> ListingStands:
        """The goal that `listing` reaches."""
        plain: dict[str, Any] = {
            "exchange": self.sea,
            "offer": (Piece(self.cats, token_id=1),),
            "due": (Due("user", Piece(None, 950)), Due("team", Piece(None, 50))),
        }
        return ListingStands(**plain | changes)

    def bid(self, **changes: Any) -> BidStands:
        """600 wei of wrapped ether for mira's cat #4, of which 30 go to the team."""
        plain: dict[str, Any] = {
            "exchange": self.sea,
            "price": Piece(self.weth, 600),
            "tokens": ((self.cats, 4),),
            "fees": (Due("team", Piece(self.weth, 30)),),
        }
        return BidStands(**plain | changes)

    def offer(self, token: dict[str, Any] | None = None, much: int = 600, **changes: Any) -> dict[str, Any]:
        """The order that `bid` asks for."""
        wanted = token or self.item(self.cats, token_id=4, to="user")
        return self.order([self.item(self.weth, much)], [wanted, self.item(self.weth, 30, to="team")], **changes)

    def grade(self, *goals: Goal, allowed: tuple[Change, ...] = (), **fields_: Any) -> Grade:
        self.use("finish_task", summary="done")
        return grade(self.task(*goals, allowed=allowed, **fields_), self.desk, "finish_task")


def failed(verdict: Grade) -> list[str]:
    """What failed, and what was found there."""
    return [f"{check.kind}: {check.actual}" for check in verdict.checks if not check.passed]
