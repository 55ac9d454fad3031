"""Goals about who may do what with whose assets: approvals, operators, allowances and signatures."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.goals.values import spoken


class Approval(Struct, frozen=True, tag=True):
    """The ERC-721 approved account of one token is `approved` (None: nobody)."""

    collection: str
    token_id: int
    approved: str | None = None
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the approved account of {self.collection} #{self.token_id} is {self.approved or 'nobody'}"


class Operator(Struct, frozen=True, tag=True):
    """`operator` may (or may not) move everything that `owner` has in a collection."""

    collection: str
    owner: str
    operator: str
    allowed: bool
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.operator} is {'an' if self.allowed else 'no'} operator of {self.owner} in {self.collection}"


class Allowance(Struct, frozen=True, tag=True):
    """`spender` may spend exactly `amount` smallest units of the ERC-20 tokens of `owner`."""

    token: str
    owner: str
    spender: str
    amount: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.spender} may spend {self.amount} smallest units of {self.token} of {self.owner}"


class Signature(Struct, frozen=True, tag=True):
    """`signer` (None: the user) signed typed data with this primary type and these message fields, and nothing else.

    `values` maps dotted paths of the message (or `domain.chainId` and the like) to what they must be, as At, int, bool,
    bytes or text; a field may write a number in decimal or hexadecimal, an address in any case. With `spent`, the
    agent has also handed it in to its contract, and it can't be handed in again.
    """

    primary_type: str
    values: dict[str, Any]
    by: int | None = None
    signer: str | None = None
    spent: bool = False

    def read_aloud(self) -> str:
        named = ", ".join(f"{path}={spoken(value)}" for path, value in self.values.items())
        return f"a {'spent ' * self.spent}{self.primary_type} signed by {self.signer or 'the user'} with {named}"
