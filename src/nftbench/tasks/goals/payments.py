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


class Pays(Struct, frozen=True, tag=True):
    """`payer` has paid `payee`, and nobody else, from `least` to `most` smallest units of an ERC-20 `token` (None: wei of ether).

    What the payer has less, the payee has more; fees and what actors moved of themselves are left out. For prices that are
    only known when the payment is made: `told_by` names an event of the payee's and the argument that says what was to pay,
    and no more may then have been paid.
    """

    payer: str
    payee: str
    most: int
    least: int = 0
    token: str | None = None
    told_by: tuple[str, str] | None = None
    by: int | None = None

    def read_aloud(self) -> str:
        amount = str(self.most) if self.least == self.most else f"{self.least} to {self.most}"
        unit = f"smallest units of {self.token}" if self.token else "wei"
        return f"{self.payer} has paid {amount} {unit} to {self.payee} and nothing else"
