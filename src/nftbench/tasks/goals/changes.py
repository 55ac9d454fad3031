"""What may differ from the start beyond what the goals imply."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from nftbench.tasks.goals.values import spoken

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
