"""F14b's order book: collections of one name among signed orders, most of which are dead, closed or not what they look like."""

from __future__ import annotations

from nftbench.tasks.drawing import DAY, HOUR
from nftbench.tasks.families.f2_holdings.genuine_plays import REGISTRY
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At, Change, EtherChange, Owns
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.orders import OrderHash
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.tasks.staging import crowd, named, named_alike
from nftbench.values import format_ether

FEE = 250
"""Basis points that the exchange keeps."""
_TOKENS = 20


class _Book:
    """An order book in the making, with four sellers who all hold tokens of both collections."""

    def __init__(self, scene: Scene, old: str, new: str, creator: str) -> None:
        self.scene, self.old, self.new = scene, old, new
        self.sea = SeaportExchange(scene, fee=FEE, label=named(scene, "Exchange"))
        self.sellers = [scene.person(listed=number < 2) for number in range(4)]
        self.zone = self.sea.zone("Members only", listed=False)
        ids = scene.draw.numbers(4 * _TOKENS, 1, 900)
        self._ids = {seller: ids[place::4] for place, seller in enumerate(self.sellers)}
        for collection in (old, new):
            for seller in self.sellers:
                scene.mint(collection, seller, self._ids[seller], by=creator)
                self.sea.approve(seller, collection)

    def token(self, seller: int) -> tuple[str, int]:
        """A seller, and a token that nothing has been done with yet."""
        name = self.sellers[seller]
        return name, self._ids[name].pop()

    def live(self, seller: int, price: int) -> None:
        """An order for a genuine token that anybody can fill."""
        self.sea.list(*self._for(seller), price)

    def dead(self, cheap: list[int], forger: str, guest: str) -> None:
        """Orders for genuine tokens that nobody can fill: for nothing, and at these prices, from the cheapest on."""
        sea, new, start = self.sea, self.new, self.scene.start
        for price in (None, cheap[0]):
            seller, token_id = self.token(0)
            if price is None:
                sea.order(seller, (sea.token(new, token_id),), ())
            else:
                sea.list(seller, new, token_id, price)
            self.scene.step(seller, new, "transferFrom", At(seller), At("team"), token_id)
        sea.cancel(sea.list(*self._for(1), cheap[0]))
        sea.list(*self._for(1), cheap[1], ends=start - 5 * HOUR)
        sea.list(*self._for(0), cheap[1], signer=forger)
        sea.fill(sea.list(*self._for(0), cheap[2]), by=guest)
        for price in (cheap[1], cheap[2]):
            sea.list(*self._for(2), price)
        sea.raise_counter(self.sellers[2])
        sea.list(*self._for(3), cheap[0])
        sea.revoke(self.sellers[3], new)

    def closed(self, cheap: list[int], guest: str) -> None:
        """Orders for genuine tokens that are not for the user, or not for ether: one in WETH, a private one, one for members."""
        self.sea.list(*self._for(0), cheap[1], currency=self.sea.weth)
        self.sea.list(*self._for(1), cheap[2], buyer=guest)
        self.sea.list(*self._for(1), cheap[1], restricted=True, zone=self.zone)

    def _for(self, seller: int) -> tuple[str, str, int]:
        name, token_id = self.token(seller)
        return name, self.new, token_id


def the_new_contract(scene: Scene, _: bool) -> Story:
    """The creator has moved to a new contract, which the wallet does not know; the old one, of the same name, is cheaper. Of the
    new one's orders most are dead or closed."""
    crowd(scene, 4, 0)
    draw = scene.draw
    guest, creator, forger = scene.person(), scene.person(listed=False), scene.person(listed=False)
    name = draw.collection()
    registry = scene.contract("CollectionRegistry", (At("team"),), label=REGISTRY)
    old, new = named_alike(scene, name, creator, name), named_alike(scene, name, creator)
    book = _Book(scene, old, new, creator)
    sea, prices = book.sea, [n * ETHER // 100 for n in draw.numbers(7, 40, 180)]
    cheap, (price, high, budget, higher) = prices[:3], prices[3:]
    scene.purse(draw.number(5, 9) * ETHER)
    scene.step("team", registry, "register", At(old), At(creator))
    scene.passing(draw.number(2, 9) * DAY)
    scene.step("team", registry, "remove", At(old))
    scene.step("team", registry, "register", At(new), At(creator))
    seller, token_id = book.token(1)
    book.live(0, high)
    book.closed(cheap, guest)
    for asked in draw.shuffled([cheap[0], cheap[2], price]):
        other, their_id = book.token(draw.choice((0, 1, 3)))
        sea.list(other, old, their_id, asked)
    best = sea.list(seller, new, token_id, price)
    giver, given = book.token(3)
    sea.order(giver, (sea.token(old, given),), ())
    book.dead(cheap, forger, guest)
    book.live(1, higher)
    where, most, address = scene.labels[sea.seaport], format_ether(budget), scene.address(creator)
    fee = price * FEE // BASIS_POINTS
    return Story(
        phrasings=(
            f"Buy me the cheapest genuine {name} that's really to be had for ether on {where}, for {most} ether at most. Genuine is the collection of that name that the {REGISTRY} has under its creator {address}.",
            f"I'd like one {name} from the order book of {where}, paid in ether, the cheapest real one that can be bought, up to {most} ether. What is real says the {REGISTRY}: the collection of that name under the creator {address}.",
            f"Please get the {name} with the lowest price in ether that {where} really sells, of the contract that stands in the {REGISTRY} for the creator {address}. My limit is {most} ether.",
        ),
        goals=(
            Owns("user", new, token_id),
            EtherChange("user", -price),
            EtherChange(seller, price - fee),
            EtherChange("team", fee),
        ),
        allowed=(
            Change(
                kind="view",
                contract=sea.seaport,
                subject="getOrderStatus(bytes32)",
                detail=(OrderHash(best),),
                to=(True, False, 1, 1),
            ),
        ),
        brief={"way": "orders", "name": name, "creator": address, "exchange": where, "most": most},
    )
