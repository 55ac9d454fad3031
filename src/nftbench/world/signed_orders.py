"""Signed orders of a fixture as the chain takes them: they are made while the world is built."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.chain.seaport import Components
from nftbench.tasks.orders import OrderOf


class SignedOrder(Struct, frozen=True):
    """An order of the fixture, with all that only the built world knows. `components` is the ABI's tuple, `exchange` an
    address, `signature` what the exchange takes with it (empty: none is needed, or none was made)."""

    name: str
    exchange: str
    components: Components
    hash: bytes
    signature: bytes

    @property
    def offerer(self) -> str:
        return str(self.components[0])

    @property
    def parameters(self) -> Components:
        """OrderParameters: they have the number of consideration items where the components have the counter."""
        return parameters_of(self.components)

    def told(self, wanted: OrderOf) -> tuple[Any, ...]:
        """In the form that is wanted."""
        signature = self.signature if wanted.signed else b""
        match wanted.form:
            case "components":
                return self.components
            case "parameters":
                return self.parameters
            case "order":
                return (self.parameters, signature)
        return (self.parameters, *wanted.part, signature, wanted.extra_data)


def parameters_of(components: Components) -> Components:
    """OrderParameters of OrderComponents."""
    return (*components[:-1], len(components[3]))
