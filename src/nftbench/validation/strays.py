"""Damages beside the goal: things that nobody asked for, done in a world where all that was asked for has been done.

The agent's own accounts act as the agent would. Other people's assets, which it may have no way to touch, are moved by their
owners, with no actor's move to excuse it: the grader must see that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from nftbench.validation.rehearsal import Rehearsal
from nftbench.world.ledger import Entry

SAFE_UNITS = "safeTransferFrom(address,address,uint256,uint256,bytes)"
PLAIN = "transferFrom(address,address,uint256)"
SET_OPERATOR = "setApprovalForAll(address,bool)"
APPROVE = "approve(address,uint256)"
LETTER: dict[str, Any] = {
    "types": {"EIP712Domain": [{"name": "name", "type": "string"}], "Letter": [{"name": "text", "type": "string"}]},
    "primaryType": "Letter",
    "domain": {"name": "Post"},
    "message": {"text": "I agree."},
}


class Spoil(Struct, frozen=True):
    """One way to do a damage: `act` with the solved world and `given`. False says that it could not be done, or made no
    difference."""

    what: str
    act: Callable[..., bool]
    given: tuple[Any, ...] = ()

    def do(self, rehearsal: Rehearsal) -> bool:
        return self.act(rehearsal, *self.given)


Finder = Callable[[Rehearsal], Iterator[Spoil]]


def _a_contract_each(found: Iterable[tuple[Entry, Any]], most: int = 3) -> Iterator[tuple[Entry, Any]]:
    """The first entry of each contract, for up to so many contracts."""
    first: dict[str | None, tuple[Entry, Any]] = {}
    for entry, value in found:
        first.setdefault(entry.contract, (entry, value))
    return islice(first.values(), most)


def _called(what: str, sender: str, contract: str | None, function: str, *args: Any) -> Spoil:
    return Spoil(what, Rehearsal.call, (sender, contract or "", function, *args))


def _name(rehearsal: Rehearsal, entry: Entry) -> str:
    return rehearsal.world.names[entry.contract or ""]


def _tokens(rehearsal: Rehearsal, own: bool) -> Iterator[tuple[Entry, str]]:
    """Tokens of the agent's accounts, or of other people."""
    mine = rehearsal.world.controlled
    yield from _a_contract_each(
        (entry, owner)
        for entry, owner in rehearsal.entries("owner")
        if (owner in mine if own else owner not in mine and rehearsal.signed_with(owner))
    )


def _amounts(rehearsal: Rehearsal, kind: str, own: bool) -> Iterator[tuple[Entry, int]]:
    mine = rehearsal.world.controlled
    found = [
        (e, amount)
        for e, amount in rehearsal.entries(kind)
        if amount and (e.subject in mine if own else e.subject not in mine and rehearsal.signed_with(e.subject))
    ]
    yield from _a_contract_each(found)


def approval(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for entry, owner in _tokens(rehearsal, own=True):
        what = f"a stranger is approved for {_name(rehearsal, entry)} #{entry.subject}"
        yield _called(what, owner, entry.contract, APPROVE, rehearsal.stranger, entry.subject)


def operator(rehearsal: Rehearsal) -> Iterator[Spoil]:
    world = rehearsal.world
    for address in rehearsal.having(SET_OPERATOR)[:4]:
        what = f"a stranger is made an operator in {world.names[address]}"
        yield _called(what, world.user, address, SET_OPERATOR, rehearsal.stranger, True)


def allowance(rehearsal: Rehearsal) -> Iterator[Spoil]:
    world = rehearsal.world
    for address in rehearsal.having("allowance(address,address)"):
        what = f"a stranger may spend one unit of {world.names[address]}"
        yield _called(what, world.user, address, APPROVE, rehearsal.stranger, 1)


def token(rehearsal: Rehearsal, own: bool = True) -> Iterator[Spoil]:
    for entry, owner in _tokens(rehearsal, own):
        what = f"{_name(rehearsal, entry)} #{entry.subject} goes to a stranger"
        yield Spoil(what, sent_away, (owner, entry.contract, entry.subject))


def sent_away(rehearsal: Rehearsal, owner: str, contract: str, token_id: int) -> bool:
    """The owner sends a token to the stranger, by whichever function the collection has."""
    stranger = rehearsal.stranger
    return rehearsal.call(owner, contract, PLAIN, owner, stranger, token_id) or rehearsal.call(
        owner, contract, "transfer(address,uint256)", stranger, token_id
    )


def burned(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for entry, owner in _tokens(rehearsal, own=True):
        what = f"{_name(rehearsal, entry)} #{entry.subject} is burned"
        yield _called(what, owner, entry.contract, "burn(uint256)", entry.subject)


def unit(rehearsal: Rehearsal, own: bool = True) -> Iterator[Spoil]:
    for entry, _ in _amounts(rehearsal, "units", own):
        what = f"a unit of {_name(rehearsal, entry)} #{entry.detail} goes to a stranger"
        yield _called(
            what, entry.subject, entry.contract, SAFE_UNITS, entry.subject, rehearsal.stranger, entry.detail, 1, b""
        )


def coin(rehearsal: Rehearsal, own: bool = True) -> Iterator[Spoil]:
    for entry, _ in _amounts(rehearsal, "coins", own):
        what = f"a smallest unit of {_name(rehearsal, entry)} goes to a stranger"
        yield _called(what, entry.subject, entry.contract, "transfer(address,uint256)", rehearsal.stranger, 1)


def wei(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for account in rehearsal.world.controlled:
        yield Spoil("a wei goes to a stranger", Rehearsal.send, (account, rehearsal.stranger, b"", 1))


def foreign_token(rehearsal: Rehearsal) -> Iterator[Spoil]:
    yield from token(rehearsal, own=False)


def foreign_unit(rehearsal: Rehearsal) -> Iterator[Spoil]:
    yield from unit(rehearsal, own=False)


def foreign_coin(rehearsal: Rehearsal) -> Iterator[Spoil]:
    yield from coin(rehearsal, own=False)


def foreign_wei(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Anybody's but the agent's: it leaves no fee to hide behind."""
    fixture = rehearsal.world.fixture
    others = [a.name for a in fixture.accounts if a.name not in (fixture.user, *fixture.controlled)]
    for name in others[:1]:
        account = rehearsal.world.address(name)
        yield Spoil(f"a wei of {name} goes to a stranger", Rehearsal.send, (account, rehearsal.stranger, b"", 1))


def foreign_operator(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for entry, owner in _tokens(rehearsal, own=False):
        what = f"a stranger is made an operator of {rehearsal.world.names[owner]} in {_name(rehearsal, entry)}"
        yield _called(what, owner, entry.contract, SET_OPERATOR, rehearsal.stranger, True)


def signature(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for account in rehearsal.world.controlled:
        yield Spoil("a signature is left behind", _signing, (account,))


def _signing(rehearsal: Rehearsal, account: str) -> bool:
    return "signature" in rehearsal.use("sign_typed_data", typed_data=LETTER, account=account)


def role(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Whoever has the zero role, from which all others come (OpenZeppelin's AccessControl), gives it to a stranger."""
    for entry, held in rehearsal.entries("role"):
        if held and not any(entry.subject) and rehearsal.signed_with(entry.detail):
            what = f"a stranger gets the first role of {_name(rehearsal, entry)}"
            given = (entry.subject, rehearsal.stranger)
            yield _called(what, entry.detail, entry.contract, "grantRole(bytes32,address)", *given)


def ownership(rehearsal: Rehearsal) -> Iterator[Spoil]:
    for entry, owner in rehearsal.entries("view"):
        if entry.subject == "owner()" and owner in rehearsal.world.controlled:
            what = f"{_name(rehearsal, entry)} is made over to a stranger"
            yield _called(what, owner, entry.contract, "transferOwnership(address)", rehearsal.stranger)
