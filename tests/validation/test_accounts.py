"""Sums over the shown rows of events, against accounts that are done by hand."""

from __future__ import annotations

import json
from typing import Any

from nftbench.validation.accounts import held, owed
from nftbench.validation.replay import Trace, Turn
from nftbench.validation.solvable import unexplained

ANN, BEN, CID, SHOP, VAULT = (f"0x{n:040x}" for n in range(0xA1, 0xA6))
NOBODY = "0x" + "00" * 20
DAY, BEGIN = 86_400, 1_800_000_000


def row(block: int, time: int = 0, **args: str) -> dict[str, Any]:
    return {"contract": SHOP, "block": str(block), "time": str(time), "args": args}


SALES = [
    row(3, buyer=ANN, quantity="2", paid="200"),
    row(5, buyer=BEN, quantity="1", paid="80"),
    row(9, buyer=CID, quantity="3", paid="180"),
    row(7, customer=ANN, quantity="1", paid="70"),
    row(2, to=ANN, amount="9"),
    row(11, to=ANN, amount="25"),
]


def test_what_is_owed_is_paid_less_the_last_price_for_each_less_what_was_sent_back() -> None:
    """The last price is 180 / 3 = 60. Ann paid 270 for three, 90 too much, of which 25 came back later and 9 before; Ben 20."""
    found = owed(SALES)
    assert {90, 65, 56, 20} <= found
    assert not {91, 66, 81, 19, 57} & found


def terms(fewest: int) -> str:
    return f"From {BEGIN} to {BEGIN + 10 * DAY}; fewer than {fewest} days get nothing. What lies in {VAULT} is still counted."


MOVES = [
    row(1, BEGIN - 5 * DAY, **{"from": NOBODY, "to": ANN, "tokenId": "1"}),
    row(2, BEGIN - 5 * DAY, **{"from": NOBODY, "to": BEN, "tokenId": "2"}),
    row(3, BEGIN + 4 * DAY, **{"from": ANN, "to": BEN, "tokenId": "1"}),
    row(4, BEGIN + 5 * DAY, **{"from": BEN, "to": VAULT, "tokenId": "1"}),
    row(5, BEGIN + 9 * DAY, **{"from": BEN, "to": CID, "tokenId": "2"}),
    row(6, BEGIN + 12 * DAY, **{"from": BEN, "to": CID, "tokenId": "2"}),
]


def test_what_is_held_counts_by_the_second_in_the_period_and_in_the_vault_for_who_put_it_there() -> None:
    """Of 20 token-days Ann has 4, Ben 9 + 6, Cid 1, who is left out where two are needed: 4/19 and 15/19 of 1000."""
    assert {210, 789} <= held(MOVES, [terms(2)], {1000})
    assert not {200, 750, 50, 211, 790} & held(MOVES, [terms(2)], {1000})
    assert {200, 750, 50} <= held(MOVES, [terms(1)], {1000})


def paid(*amounts: str, value: str) -> Trace:
    turns = (
        Turn("get_logs", {}, json.dumps({"logs": SALES})),
        Turn("send_transaction", {"to": ANN, "arguments": [list(amounts)], "value_wei": value}, "{}"),
    )
    return Trace("Pay.", turns)


def test_a_payment_is_explained_with_its_amounts_and_their_sum() -> None:
    assert unexplained(paid("65", "20", value="85"), ("owed", "together")) == []
    assert len(unexplained(paid("65", "20", value="85"), ("owed",))) == 1
    assert len(unexplained(paid("65", "20", value="86"), ("owed", "together"))) == 1
    assert len(unexplained(paid("66", "20", value="86"), ("owed", "together"))) == 1
