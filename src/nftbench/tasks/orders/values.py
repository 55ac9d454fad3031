"""What may stand in a step or a goal for an order that only the built world knows: its counter comes of a block hash."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

OrderForm = Literal["components", "parameters", "order", "advanced"]
"""OrderComponents (cancel, getOrderHash); OrderParameters; Order (fulfillOrder, validate); AdvancedOrder."""


class OrderOf(Struct, frozen=True):
    """An order of the fixture by its name, in the form that a function of Seaport takes.

    `signed` False leaves the signature empty (its offerer needs none; a validated order needs none). `part` is the fraction
    of it that an AdvancedOrder asks for, `extra_data` what it hands to the zone.
    """

    name: str
    form: OrderForm = "components"
    signed: bool = True
    part: tuple[int, int] = (1, 1)
    extra_data: bytes = b""


class OrderHash(Struct, frozen=True):
    """The order hash of an order of the fixture."""

    name: str


class SignatureOf(Struct, frozen=True):
    """The signature of an order of the fixture."""

    name: str


class ConduitKey(Struct, frozen=True):
    """The key of a conduit of the fixture, by its name; of nobody the empty key, which stands for the exchange itself."""

    name: str
