"""Goals and allowed changes: a closed union of small frozen values, each readable aloud; a module a domain.

Accounts and contracts are named as in the fixture. A goal may carry `by`, a number of seconds after the start: it must then
hold in the last block up to that moment as well as at the end. How each kind is checked stands in `grading/checks/`, in the
module of the same name.
"""

from __future__ import annotations

from nftbench.tasks.goals.answers import Answer, AnswerForm
from nftbench.tasks.goals.assets import HoldsCoins, HoldsUnits, Owns, OwnsOneOf, Together
from nftbench.tasks.goals.changes import Change, EntryKind
from nftbench.tasks.goals.metadata import JsonView, MetadataSignalled, RoyaltyOfNew
from nftbench.tasks.goals.orders import (
    BidStands,
    CounterRaised,
    Due,
    ListingStands,
    OrdersDead,
    OrdersStand,
    OrderStatus,
    Piece,
    SoleListing,
)
from nftbench.tasks.goals.payments import EtherChange, EtherSum, OnlyFor, Pays, SpentAtMost
from nftbench.tasks.goals.permissions import Allowance, Approval, Operator, Signature
from nftbench.tasks.goals.prohibitions import Always, Never, SendsNothing
from nftbench.tasks.goals.state import EventEmitted, Probe, ViewEquals
from nftbench.tasks.goals.values import AllEther, At, CallData, Reading, Signed, spoken

Goal = (
    Owns
    | OwnsOneOf
    | Together
    | HoldsUnits
    | HoldsCoins
    | EtherChange
    | EtherSum
    | Pays
    | SpentAtMost
    | OnlyFor
    | SoleListing
    | ListingStands
    | BidStands
    | OrdersDead
    | OrdersStand
    | OrderStatus
    | CounterRaised
    | Approval
    | Operator
    | Allowance
    | ViewEquals
    | JsonView
    | MetadataSignalled
    | RoyaltyOfNew
    | Answer
    | Probe
    | EventEmitted
    | Signature
    | SendsNothing
    | Never
    | Always
)
"""Every kind of goal."""

__all__ = [
    "AllEther",
    "Allowance",
    "Always",
    "Answer",
    "AnswerForm",
    "Approval",
    "At",
    "BidStands",
    "CallData",
    "Change",
    "CounterRaised",
    "Due",
    "EntryKind",
    "EtherChange",
    "EtherSum",
    "EventEmitted",
    "Goal",
    "HoldsCoins",
    "HoldsUnits",
    "JsonView",
    "ListingStands",
    "MetadataSignalled",
    "Never",
    "OnlyFor",
    "Operator",
    "OrderStatus",
    "OrdersDead",
    "OrdersStand",
    "Owns",
    "OwnsOneOf",
    "Pays",
    "Piece",
    "Probe",
    "Reading",
    "RoyaltyOfNew",
    "SendsNothing",
    "Signature",
    "Signed",
    "SoleListing",
    "SpentAtMost",
    "Together",
    "ViewEquals",
    "spoken",
]
