"""F2c's cards and stalls: traits drawn for a collection, and a market whose listings come and go."""

from __future__ import annotations

from nftbench.tasks.drawing import Draw
from nftbench.tasks.goals import At
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.staging import market

TRAITS = {
    "Backdrop": ("Alley", "Attic", "Canyon", "Harbour", "Meadow", "Orchard", "Reef", "Tundra"),
    "Headgear": ("Beret", "Bowler", "Circlet", "Fez", "Hood", "Laurel", "Sou'wester", "Turban"),
    "Eyes": ("Amber", "Blind", "Crossed", "Jade", "Mirrored", "Sleepy", "Twin", "Violet"),
}
CENT = ETHER // 100


class Stall:
    """A market in a scene: who lists what there at which price, in wei, and what becomes of it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.market = market(scene, 100 * scene.draw.number(1, 4))
        self.label = scene.labels[self.market]
        self._sellers: list[str] = []

    def list(self, seller: str, collection: str, token_id: int, price: int, currency: str = "nobody") -> int:
        """List a token and let the market move it. Returns the listing's id."""
        self.scene.step(seller, collection, "approve", At(self.market), token_id)
        self.scene.step(seller, self.market, "list", At(collection), token_id, At(currency), price)
        self._sellers.append(seller)
        return len(self._sellers)

    def reprice(self, listing: int, price: int) -> None:
        self.scene.step(self._sellers[listing - 1], self.market, "setPrice", listing, price)

    def cancel(self, listing: int) -> None:
        self.scene.step(self._sellers[listing - 1], self.market, "cancel", listing)


def price_between(draw: Draw, low: int, high: int) -> int:
    """A price between so many hundredths of an ether, with four digits behind the point."""
    return draw.number(100 * low, 100 * high) * (CENT // 100)


def cards_with(draw: Draw, ids: list[int], kind: str, values: dict[str, int]) -> dict[int, dict[str, str]]:
    """Traits for each token, where `values` says how many have which value of one kind; the last one fills up."""
    wanted = [value for value, count in values.items() for _ in range(count)]
    wanted += [list(values)[-1]] * (len(ids) - len(wanted))
    cards = {token_id: {name: draw.choice(options) for name, options in TRAITS.items()} for token_id in ids}
    for token_id, value in zip(ids, wanted, strict=True):
        cards[token_id][kind] = value
    return cards
