"""Players for tests, which Ray's workers import."""

from __future__ import annotations

import os
from collections.abc import Iterator

from nftbench.adapters.ray.orders import News, Order
from nftbench.adapters.ray.player import Player

DEADLY = "F1a_03"


class DeadlyPlayer(Player):
    """One attempt ends its process."""

    def play(self, order: Order) -> Iterator[News]:
        if order.job.instance_id == DEADLY:
            os._exit(1)
        yield from super().play(order)
