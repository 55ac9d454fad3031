"""How long a world with Seaport takes to build: `python -m benchmarks.bench_markets [WORLDS]`.

Its scene is of the size of a case: an exchange with two conduits, a zone, two currencies, 20 signed orders, half of them dead.
Processor time, because a busy machine stretches the wall clock.
"""

from __future__ import annotations

import statistics
import sys
import time

from nftbench.tasks.drawing import Draw
from nftbench.tasks.markets import coin
from nftbench.tasks.model import Fixture
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.world.build import build_world


def fixture(seed: str) -> Fixture:
    scene = Scene(Draw(seed), seed)
    cats = scene.collection()
    dollars = coin(scene, "Harbour Dollar")
    sea = SeaportExchange(scene, fee=250)
    old, zone = sea.add_conduit("Old conduit"), sea.zone()
    sellers = [scene.person() for _ in range(5)]
    for place, seller in enumerate(sellers):
        scene.mint(cats, seller, list(range(10 * place + 1, 10 * place + 5)))
    scene.fill()
    for seller in sellers:
        sea.approve(seller, cats)
    names = [
        sea.list(seller, cats, 10 * place + i, ETHER + i, currency=dollars if i == 4 else None, royalty=("team", 500))
        for place, seller in enumerate(sellers)
        for i in (1, 2, 3, 4)
    ]
    sea.list(sellers[0], cats, 1, ETHER // 2, conduit=old)
    sea.list(sellers[1], cats, 11, ETHER // 2, zone=zone, restricted=True)
    sea.cancel(names[0])
    sea.fill(names[4], by=sellers[0])
    sea.raise_counter(sellers[2])
    sea.revoke(sellers[3], cats)
    sea.retire(old)
    return scene.fixture()


def main(worlds: int) -> None:
    taken = []
    for number in range(worlds + 1):
        made = fixture(f"bench {number}")
        began = time.process_time()
        build_world(made)
        taken.append(1000 * (time.process_time() - began))
    first, rest = taken[0], taken[1:]
    print(f"first {first:.1f} ms; then median {statistics.median(rest):.1f} ms, least {min(rest):.1f} ms of {worlds}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
