"""Goals about what tokens and collections say of themselves."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.goals.values import Reading, spoken


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


class RoyaltyOfNew(Struct, frozen=True, tag=True):
    """Tokens that do not exist yet will owe `basis_points` of a price to `receiver` (ERC-2981): what a collection's default
    is, whatever was set for single tokens."""

    collection: str
    receiver: str
    basis_points: int
    by: int | None = None

    def read_aloud(self) -> str:
        return f"new tokens of {self.collection} owe {self.basis_points} basis points to {self.receiver}"
