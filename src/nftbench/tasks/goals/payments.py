"""Goals about what was paid, and to whom."""

from __future__ import annotations

from msgspec import Struct


class EtherChange(Struct, frozen=True, tag=True):
    """The ether of `account` has changed by exactly `wei` since the start; fees that it paid are left out."""

    account: str
    wei: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the ether of {self.account} has changed by {self.wei} wei, fees left out"


class EtherSum(Struct, frozen=True, tag=True):
    """The ether of `account` has changed since the start by `wei` less what the `payees` have come to by it; fees are
    left out.

    For the sum over requests that each have their own part of it, where how much somebody is paid is judged on the payee's side.
    What actors have sent of themselves counts only with `others`.
    """

    account: str
    wei: int
    payees: tuple[str, ...] = ()
    others: bool = False
    by: int | None = None

    def read_aloud(self) -> str:
        less = f" less what {', '.join(self.payees)} have got" if self.payees else ""
        return f"the ether of {self.account} has changed by {self.wei} wei in all{less}, fees left out"


class Pays(Struct, frozen=True, tag=True):
    """`payer` has paid `payee`, and nobody else, from `least` to `most` smallest units of an ERC-20 `token` (None: wei of ether).

    What the payer has less, the payee has more; fees and what actors moved of themselves are left out. For prices that are
    only known when the payment is made: `told_by` names an event of the payee's and the argument that says what was to pay,
    and no more may then have been paid. Without `alone` the payer may have paid others, too, and only the payee is looked at.
    """

    payer: str
    payee: str
    most: int
    least: int = 0
    token: str | None = None
    told_by: tuple[str, str] | None = None
    alone: bool = True
    by: int | None = None

    def read_aloud(self) -> str:
        amount = str(self.most) if self.least == self.most else f"{self.least} to {self.most}"
        unit = f"smallest units of {self.token}" if self.token else "wei"
        return f"{self.payer} has paid {amount} {unit} to {self.payee}{' and nothing else' if self.alone else ''}"


class SpentAtMost(Struct, frozen=True, tag=True):
    """`account` has at most `most` smallest units of an ERC-20 `token` (None: wei of ether) less than at the start, and every
    transaction in which it paid brought a token, units or coins in to it.

    For solutions that the request leaves open. To whom the money goes is left open too: others may have more, together at
    most what was spent, and nobody else less. Fees and what actors moved of themselves are left out.
    """

    account: str
    most: int
    token: str | None = None
    by: int | None = None

    def read_aloud(self) -> str:
        unit = f"smallest units of {self.token}" if self.token else "wei"
        return f"{self.account} has spent at most {self.most} {unit}, each time for something that came in"


class OnlyFor(Struct, frozen=True, tag=True):
    """The token may leave the agent's accounts only if at least `least` smallest units of an ERC-20 `token` (None: wei of
    ether) come in to them in the same transaction; it need not leave them.

    A market may hold it in between: what counts is what comes in in all transactions that pass the token on, from the one
    in which it left for good. Fees are left out.
    """

    collection: str
    token_id: int
    least: int
    token: str | None = None
    by: int | None = None

    def read_aloud(self) -> str:
        unit = f"smallest units of {self.token}" if self.token else "wei"
        return f"{self.collection} #{self.token_id} is given away for no less than {self.least} {unit}"
