"""The user's own signed orders on an exchange, a dozen and more of them, and some of other people's."""

from __future__ import annotations

from nftbench.tasks.drawing import DAY
from nftbench.tasks.goals import At
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.tasks.staging import PLAIN, dollars, named

FEE = 250
"""Basis points that the exchange keeps."""
CENT = ETHER // 100


class OwnOrders:
    """An exchange on which the user has sold for years. `collection` is what a case is about, `other` one with the same ids;
    `ids` are the user's tokens of both, `friend` somebody of the address book, `dead` the orders that are ended already."""

    def __init__(self, scene: Scene, wallets: tuple[str, ...] = ()) -> None:
        draw = scene.draw
        self.scene, self.friend, self.rival = scene, scene.person(), scene.person()
        self.sea = SeaportExchange(scene, fee=FEE, label=named(scene, "Exchange"))
        self.coin = dollars(scene)
        self.collection, self.other = (scene.collection(draw.choice(PLAIN)) for _ in range(2))
        scene.fill()
        self.ids = draw.shuffled(draw.numbers(10, 1000, 1400))
        for collection in (self.collection, self.other):
            scene.mint(collection, "user", sorted(self.ids))
            for who in ("user", self.rival, *wallets):
                self.sea.approve(who, collection)
        self.theirs = draw.numbers(4, 1401, 1700)
        scene.mint(self.collection, self.rival, self.theirs)
        scene.passing(draw.number(1, 3) * DAY)

    @property
    def where(self) -> str:
        """The exchange's name, as the wallet knows it."""
        return self.scene.labels[self.sea.seaport]

    @property
    def what(self) -> str:
        return self.scene.labels[self.collection]

    def price(self, low: int = 60, high: int = 300) -> int:
        """A price in wei that is a whole number of hundredths of an ether."""
        return self.scene.draw.number(low, high) * CENT

    def old_ones(self, token_id: int) -> None:
        """Orders for a token that are over: cancelled, past their end, and of an older counter."""
        sea, start = self.sea, self.scene.start
        sea.list("user", self.collection, token_id, self.price())
        sea.raise_counter("user")
        sea.cancel(sea.list("user", self.collection, token_id, self.price()))
        sea.list("user", self.collection, token_id, self.price(), ends=start - 2 * DAY)

    def kept(self, ids: list[int]) -> list[str]:
        """Orders that have nothing to do with the case: other tokens, bids, a bundle, and the same ids of the other collection."""
        sea = self.sea
        first, second, third = ids[:3]
        return [
            sea.list("user", self.collection, first, self.price()),
            sea.list("user", self.collection, second, self.price(), buyer=self.friend),
            sea.list("user", self.collection, third, self.price(150, 400), also=(sea.token(self.other, third),)),
            *(sea.list("user", self.other, token_id, self.price()) for token_id in self.ids[:2]),
        ]

    def of_others(self) -> None:
        """What the rival sells, which is nobody's business here."""
        for token_id in self.theirs[:2]:
            self.sea.list(self.rival, self.collection, token_id, self.price())

    def move(self, token_id: int, giver: str, taker: str) -> None:
        self.scene.step(giver, self.collection, "transferFrom", At(giver), At(taker), token_id)
