"""A zone of restricted Seaport orders: who is on its list may fill, while it is not paused; an order may name one more."""

from __future__ import annotations

import pytest

MAGIC = {"authorizeOrder": "01e4d72a", "validateOrder": "17b1f942"}
"""What a zone of Seaport 1.6 answers where it agrees: the selectors of its two functions."""


def order(fulfiller, named=bytes(32)):
    """What Seaport tells a zone of an order that somebody fills."""
    return (bytes(32), fulfiller, fulfiller, [], [], b"", [], 0, 1, named)


@pytest.mark.parametrize("function", MAGIC)
def test_only_who_is_on_the_list_may_fill(bench, function):
    owner, guest, stranger, *_ = bench.accounts
    zone = bench.deploy("AllowlistZone", owner)
    with bench.reverts("FulfillerNotAllowed", guest):
        zone.call(function, order(guest))
    zone.send(owner, "setAllowed", guest, True)
    assert zone.call(function, order(guest)) == bytes.fromhex(MAGIC[function])
    with bench.reverts("FulfillerNotAllowed", stranger):
        zone.call(function, order(stranger))
    zone.send(owner, "setAllowed", guest, False)
    with bench.reverts("FulfillerNotAllowed", guest):
        zone.call(function, order(guest))


def test_an_order_may_name_one_more_in_its_zone_hash(bench):
    owner, guest, stranger, *_ = bench.accounts
    zone = bench.deploy("AllowlistZone", owner)
    named = bytes(12) + bytes.fromhex(guest[2:])
    assert zone.call("authorizeOrder", order(guest, named))
    with bench.reverts("FulfillerNotAllowed", stranger):
        zone.call("authorizeOrder", order(stranger, named))


def test_a_paused_zone_lets_nobody_fill_and_only_its_owner_decides(bench):
    owner, guest, *_ = bench.accounts
    zone = bench.deploy("AllowlistZone", owner)
    zone.send(owner, "setAllowed", guest, True)
    zone.send(owner, "setPaused", True)
    with bench.reverts("ZonePaused"):
        zone.call("authorizeOrder", order(guest))
    with bench.reverts("OwnableUnauthorizedAccount", guest):
        zone.send(guest, "setPaused", False)
