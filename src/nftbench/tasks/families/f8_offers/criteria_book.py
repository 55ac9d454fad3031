"""An order book in which others bid for any token of a collection, or for any with a trait, by the lists that the exchange
publishes.

The traits stand on the chain. A bid for a trait has the root over the tokens that the list named when it was signed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import cycle
from typing import Unpack

from nftbench.tasks.drawing import moment
from nftbench.tasks.families.f8_offers.bid_book import Bid, BidBook, BidTerms
from nftbench.tasks.goals import At
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.orders import ConduitKey, OrderOf
from nftbench.tasks.scene import Scene

KINDS = {
    "Coat": ("Velvet", "Oilskin", "Tweed", "Linen", "Corduroy"),
    "Lantern": ("Copper", "Paper", "Storm", "Silver", "Glass"),
    "Familiar": ("Toad", "Heron", "Marten", "Beetle", "Lynx"),
}
"""What a token's traits may be: three values of each kind are in use in one collection."""
COAT, LANTERN, FAMILIAR = KINDS
_OTHERS = {COAT: (7, 7, 6), LANTERN: (6, 8, 6), FAMILIAR: (5, 8, 7)}
"""How many of the tokens that are not the user's have the first, the second and the third value."""
_MINE = {COAT: (0, 0, 2, 1), LANTERN: (0, 1, 1, 2), FAMILIAR: (0, 0, 1, 1)}
"""Which of the values the user's tokens have, in the order of `ids`."""


class CriteriaBook(BidBook):
    """The first two of the user's tokens have the same coat and the same familiar, and the first alone of all has a lantern of
    the first value; the familiar of the third value is nobody's but others'. Without `has_coat` the first token has the second
    coat instead. `lists` is where the exchange publishes them, `others` are the tokens that are not the user's."""

    def __init__(self, scene: Scene, *, has_coat: bool = True) -> None:
        self._has_coat = has_coat
        self.values = {kind: scene.draw.sample(values, 3) for kind, values in KINDS.items()}
        self._people = [scene.person(f"holder {number}", listed=False, ether=20) for number in range(1, 5)]
        self.others: list[int] = []
        self._cards: dict[int, dict[str, str]] = {}
        self._holders: dict[int, str] = {}
        super().__init__(scene)
        self.lists = f"{scene.folder(self.where)}traits.json"
        scene.uris[self.lists] = self._published()
        self.forms = cycle(self._forms())

    def _made(self) -> str:
        scene, label = self.scene, self.scene.draw.collection()
        args = (label, symbol_of(label), At("team"), f"{label}, with what they wear and carry")
        return scene.contract("TraitCollection", args, label=label)

    def _deal(self) -> None:
        draw = self.scene.draw
        many = sum(_OTHERS[COAT])
        self.others = [i for i in draw.shuffled(draw.numbers(many + len(self.ids), 1, 900)) if i not in self.ids][:many]
        self._cards = {token_id: {} for token_id in (*self.ids, *self.others)}
        for kind, values in self.values.items():
            mine = list(_MINE[kind])
            if kind == COAT and not self._has_coat:
                mine[0] = 1
            rest = draw.shuffled([place for place, count in enumerate(_OTHERS[kind]) for _ in range(count)])
            for token_id, place in zip(self._cards, (*mine, *rest), strict=True):
                self._cards[token_id][kind] = values[place]
        for number, token_id in enumerate(draw.shuffled(list(self._cards))):
            holder = "user" if token_id in self.ids else self._people[number % len(self._people)]
            self._mint(token_id, self._former if token_id == self.ids[0] else holder)

    def _mint(self, token_id: int, holder: str) -> None:
        self._holders[token_id] = holder
        card = tuple(self._cards[token_id].items())
        self.scene.step("team", self.collection, "mint", At(holder), token_id, card)

    def newer(self, count: int, kind: str, place: int) -> None:
        """Mint so many more tokens to others, which have this trait and which no list names."""
        draw = self.scene.draw
        ids = draw.numbers(count, 901, 950)
        for number, token_id in enumerate(ids):
            card = {each: draw.choice(values) for each, values in self.values.items()}
            self._cards[token_id] = card | {kind: self.values[kind][place]}
            self._mint(token_id, self._people[number])
        self.others += ids

    def with_trait(self, kind: str, place: int) -> tuple[int, ...]:
        """The tokens that have the first, the second or the third value (`place` 0 to 2) of a kind."""
        return tuple(sorted(i for i, card in self._cards.items() if card[kind] == self.values[kind][place]))

    def _published(self) -> str:
        lists = [
            {"trait": kind, "value": value, "token_ids": list(self.with_trait(kind, place))}
            for kind, values in self.values.items()
            for place, value in enumerate(values)
        ]
        address = self.scene.contract_address(self.collection)
        ordered = self.scene.draw.shuffled(lists)
        made = {"collection": address, "name": self.what, "as_of": moment(self.scene.time)}
        return json.dumps(made | {"lists": ordered}, indent=1)

    def _forms(self, *, together: bool = False) -> tuple[BidTerms, ...]:
        """What those want that come to nothing for another reason."""
        familiar, lantern = self.with_trait(FAMILIAR, 0), self.with_trait(LANTERN, 0)
        if together:
            two: BidTerms = {"amount": 2, "partial": True}
            return ({"among": (), **two}, {"among": familiar, **two})
        return ({"among": ()}, {"among": lantern}, {}, {"among": familiar})

    def in_twos(self) -> None:
        """Let those want two tokens each, by orders that may be filled in parts."""
        self.forms = cycle(self._forms(together=True))

    def excluding(self, prices: Sequence[int], **terms: Unpack[BidTerms]) -> None:
        """Bids whose roots do not have the first of the user's tokens, at these prices: for other traits, and for the coat as an
        older list had it."""
        older = tuple(i for i in self.with_trait(COAT, 0) if i not in self.ids)[2:]
        roots = (self.with_trait(LANTERN, 1), self.with_trait(COAT, 2), self.with_trait(FAMILIAR, 2), older)
        for among, price in zip(roots, prices, strict=True):
            whole: BidTerms = {**terms, "among": among}
            self.bid(price, **whole)

    def taken_by_another(self, bid: Bid, after: int) -> None:
        """Let somebody else who has a token of the list fill the bid so many seconds after the agent began."""
        sea, token_id = self.sea, next(i for i in bid.among or self.others if i not in self.ids)
        rival = self._holders[token_id]

        def ready() -> None:
            sea.approve(rival, self.collection)
            sea.approve(rival, sea.weth, amount=bid.price)

        self._ends.append(ready)
        args = (OrderOf(bid.name, "advanced"), bid.resolvers(token_id), ConduitKey(sea.conduit), At(rival))
        fill = Step(sender=rival, target=sea.seaport, function="fulfillAdvancedOrder", args=args)
        self.scene.actor("rival", Trigger(after=after), fill)
