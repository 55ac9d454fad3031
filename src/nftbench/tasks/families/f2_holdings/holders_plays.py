"""F2b played: replaying logs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import by_brief, events, finish, give_up, looks, use, view, wait_until
from nftbench.values import ZERO_ADDRESS


def _burned(_: dict[str, Any], address: str, __: dict[str, Any]) -> Play:
    logs = yield from events(address, event="Transfer", where={"to": ZERO_ADDRESS})
    yield from finish("Transfers to the zero address.", [_arguments(log)[2] for log in logs])


def _arguments(log: dict[str, Any]) -> list[str]:
    """Sender, receiver and token of a transfer, whatever the contract calls them."""
    return list(log["args"].values())


def _owners(address: str, block: int) -> Any:
    """The owner of each token after a block, by its transfers."""
    owners: dict[str, str] = {}
    for log in (yield from events(address, event="Transfer", to_block=block)):
        _, to, token_id = _arguments(log)
        owners[token_id] = to
    return {token_id: owner for token_id, owner in owners.items() if owner != ZERO_ADDRESS}


def _holders(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    holders = set((yield from _owners(address, brief["block"])).values())
    if len(holders) < brief.get("at_least", 0):
        yield from give_up(f"only {len(holders)} wallets held a token after block {brief['block']}", "limit")
    else:
        yield from finish("The holders after that block.", sorted(holders))


def _never_left(_: dict[str, Any], address: str, __: dict[str, Any]) -> Play:
    kept: dict[str, bool] = {}
    for log in (yield from events(address, event="Transfer")):
        source, to, token_id = _arguments(log)
        kept[token_id] = source == ZERO_ADDRESS or (kept[token_id] and source == to)
    yield from finish("Tokens without a transfer to somebody else.", [i for i, stayed in kept.items() if stayed])


def _units(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    block, token_id = brief["block"], brief["token_id"]
    logs = yield from events(address, to_block=block)
    moves = [log["args"] for log in logs if log["event"] in ("TransferSingle", "TransferBatch")]
    parties = sorted({party for args in moves for party in (args["from"], args["to"])} - {ZERO_ADDRESS})
    amounts = yield from view(address, "balanceOfBatch", parties, [token_id] * len(parties), block=block)
    units = {party: int(amount) for party, amount in zip(parties, amounts, strict=True) if int(amount)}
    yield from finish("Balances after that block.", {"holders": list(units), "units": str(sum(units.values()))})


def _freeze(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    for look in looks(brief["expected"], brief["deadline"]):
        yield from wait_until(look)
        frozen = yield from events(address, event="MetadataFrozen")
        if frozen:
            holders = set((yield from _owners(address, int(frozen[0]["block"]))).values())
            yield from finish("The holders in the block of the freeze.", sorted(holders))
            return
    yield from give_up("the metadata is still not frozen at the deadline", "time")


def _first_page(address: str, event: str) -> Any:
    return (yield from use("get_logs", contract=address, event=event))["logs"]


def _moved_once(_: dict[str, Any], address: str, __: dict[str, Any]) -> Play:
    ids = Counter(_arguments(log)[2] for log in (yield from _first_page(address, "Transfer")))
    yield from finish("Tokens with one transfer.", [token_id for token_id, times in ids.items() if times == 1])


def _receivers(_: dict[str, Any], address: str, __: dict[str, Any]) -> Play:
    logs = yield from _first_page(address, "Transfer")
    yield from finish("Everybody who received one.", sorted({log["args"]["to"] for log in logs}))


def _received(_: dict[str, Any], address: str, __: dict[str, Any]) -> Play:
    moves = [log["args"] for log in (yield from _first_page(address, "TransferSingle"))]
    units = sum(int(move["value"]) for move in moves if move.get("value"))
    receivers = sorted({move["to"] for move in moves})
    yield from finish("Everybody who received some.", {"holders": receivers, "units": str(units)})


play = by_brief(
    "ask", {"burned": _burned, "holders": _holders, "never_left": _never_left, "units": _units, "freeze": _freeze}
)
"""Replays the collection's logs up to the moment that is meant."""

careless = by_brief(
    "ask",
    {
        "burned": _burned,
        "holders": _receivers,
        "never_left": _moved_once,
        "units": _received,
        "freeze": _receivers,
    },
)
"""Takes one look at the logs as they are now, and counts whoever received something."""
