"""Goals and allowed changes: a closed union of small frozen values, each readable aloud.

Accounts and contracts are named as in the fixture. A goal may carry `by`, a number of seconds after the start: it must then
hold in the last block up to that moment as well as at the end.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType


class At(Struct, frozen=True):
    """The address of the account or contract of this name."""

    name: str


class CallData(Struct, frozen=True):
    """The encoded call of a contract's function, for contracts that pass calls on."""

    contract: str
    function: str
    args: tuple[Any, ...] = ()


class Signed(Struct, frozen=True):
    """What the agent last signed with this primary type: the whole signature (65 bytes), or its r, s or v. Nothing can be
    sent with it as long as there is no such signature."""

    primary_type: str
    part: Literal["signature", "r", "s", "v"] = "signature"


class AllEther(Struct, frozen=True):
    """As the value of a plain transfer of ether: all that the sender has, less the fee."""


class Reading(Struct, frozen=True):
    """One view call: `function` by name or full signature."""

    contract: str
    function: str
    args: tuple[Any, ...] = ()

    def read_aloud(self) -> str:
        return f"{self.contract}.{self.function.split('(')[0]}({', '.join(map(spoken, self.args))})"


class Owns(Struct, frozen=True, tag=True):
    """`account` is the owner of one non-fungible token; any approval of that token is gone."""

    account: str
    collection: str
    token_id: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} owns {self.collection} #{self.token_id}"


class HoldsUnits(Struct, frozen=True, tag=True):
    """`account` holds exactly `amount` units of an ERC-1155 token id."""

    account: str
    collection: str
    token_id: int
    amount: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} holds {self.amount} of {self.collection} #{self.token_id}"


class HoldsCoins(Struct, frozen=True, tag=True):
    """`account` holds exactly `amount` smallest units of an ERC-20 token."""

    account: str
    token: str
    amount: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.account} holds {self.amount} smallest units of {self.token}"


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


class SoleListing(Struct, frozen=True, tag=True):
    """Of the listings that the agent's accounts made on a SimpleMarket since the start, only this token's newest stands,
    unless it has been sold."""

    market: str
    collection: str
    token_id: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the only new listing on {self.market} is that of {self.collection} #{self.token_id}"


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


class ViewEquals(Struct, frozen=True, tag=True):
    """A view function returns `value` (a tuple for several results; `At` for addresses)."""

    reading: Reading
    value: Any
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.reading.read_aloud()} is {spoken(self.value)}"


class JsonView(Struct, frozen=True, tag=True):
    """A view gives a JSON document, as text or behind a data: URI, that parses strictly and says what `document` says.

    Objects compare by their keys, arrays without order, addresses without case; `document` may hold At.
    """

    reading: Reading
    document: Any
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.reading.read_aloud()} is JSON that says {spoken(self.document)}"


class MetadataSignalled(Struct, frozen=True, tag=True):
    """Since the start the collection has signalled (ERC-4906) new metadata of exactly these tokens, of each after its URI last
    changed. Single events and ranges count alike, and a token may be signalled twice."""

    collection: str
    token_ids: tuple[int, ...]
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.collection} has signalled new metadata of exactly the tokens {spoken(self.token_ids)}"


AnswerForm = Literal["address", "integer", "text", "address_set", "integer_set", "record"]


class Answer(Struct, frozen=True, tag=True):
    """The answer given with finish_task equals `value` after normalising both to `form`.

    Addresses compare without case, integers as numbers, sets without order or repetition; a record is an object whose
    fields have the forms in `fields`.
    """

    form: AnswerForm
    value: Any
    fields: dict[str, AnswerForm] = {}
    by: int | None = None

    def read_aloud(self) -> str:
        return f"the answer is {spoken(self.value)}"


class Probe(Struct, frozen=True, tag=True):
    """On a copy of the final world, this transaction of `sender` succeeds (or, with `succeeds` False, fails).

    The transactions in `first` are sent before it, on the same copy, and must turn out as they say.
    """

    sender: str
    contract: str
    function: str
    args: tuple[Any, ...] = ()
    value: int = 0
    succeeds: bool = True
    by: int | None = None
    first: tuple[Probe, ...] = ()

    def read_aloud(self) -> str:
        call = Reading(self.contract, self.function, self.args).read_aloud()
        before = "".join(f"{probe.read_aloud()}; then " for probe in self.first)
        return f"{before}{self.sender} {'can' if self.succeeds else 'cannot'} call {call} afterwards"


class EventEmitted(Struct, frozen=True, tag=True):
    """The contract emitted this event since the start, with these argument values (those not named may be anything)."""

    contract: str
    event: str
    args: dict[str, Any] = {}
    by: int | None = None

    def read_aloud(self) -> str:
        named = ", ".join(f"{name}={spoken(value)}" for name, value in self.args.items())
        return f"{self.contract} has emitted {self.event}({named})"


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


Goal = (
    Owns
    | HoldsUnits
    | HoldsCoins
    | EtherChange
    | Pays
    | SoleListing
    | Approval
    | Operator
    | Allowance
    | ViewEquals
    | JsonView
    | MetadataSignalled
    | Answer
    | Probe
    | EventEmitted
    | Signature
)

EntryKind = Literal["owner", "approved", "operator", "units", "coins", "allowance", "ether", "role", "view", "storage"]


class Change(Struct, frozen=True, kw_only=True):
    """A ledger entry that may differ from the start. Parts left UNSET match anything; `to` bounds the final value.

    `subject` and `detail` are the ledger entry's parts (see world.ledger.Entry): names for accounts, ids for tokens.
    """

    kind: EntryKind
    contract: str | UnsetType | None = UNSET
    subject: Any = UNSET
    detail: Any = UNSET
    to: Any = UNSET

    def read_aloud(self) -> str:
        parts = [spoken(p) for p in (self.contract, self.subject, self.detail) if p is not UNSET and p is not None]
        end = "" if self.to is UNSET else f" to {spoken(self.to)}"
        return f"{self.kind} {' '.join(parts) or '(any)'}{end}"


def spoken(value: Any) -> str:
    """A value of a goal as a person would read it."""
    if isinstance(value, At):
        return value.name
    if isinstance(value, Reading):
        return value.read_aloud()
    if isinstance(value, Signed):
        return f"the {value.part} of the signed {value.primary_type}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(spoken, value)) + ")"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value)
