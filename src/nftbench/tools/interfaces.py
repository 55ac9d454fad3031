"""What is known of a contract's interface: its own where it is verified, and that of the implementation behind a proxy."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from nftbench.chain.abi import Interface
from nftbench.values import address_from_bytes
from nftbench.world.world import World

_IMPLEMENTATION_SLOT = 0x360894A13BA1A3210667C828492DB98DCA3E2076CC3735A920A3CA505D382BBC
"""keccak256("eip1967.proxy.implementation") - 1 (ERC-1967)."""
_CLONE = re.compile(
    rb"\x36\x3d\x3d\x37\x3d\x3d\x3d\x36\x3d\x73(.{20})\x5a\xf4\x3d\x82\x80\x3e\x90\x3d\x91\x60\x2b\x57\xfd\x5b\xf3",
    re.DOTALL,
)
"""The whole code of a minimal proxy (ERC-1167)."""


class Proxy(Struct, frozen=True):
    """A contract that runs another one's code: by which standard, and whose."""

    standard: str
    implementation: str


def proxy_at(world: World, address: str) -> Proxy | None:
    """Whether there is a proxy at an address, by its code or by its storage."""
    clone = _CLONE.match(world.engine.code(address))
    if clone:
        return Proxy("ERC-1167", address_from_bytes(clone[1]))
    stored = world.engine.storage(address, _IMPLEMENTATION_SLOT)
    return Proxy("ERC-1967", address_from_bytes(stored.to_bytes(32, "big"))) if 0 < stored < 2**160 else None


def is_verified(world: World, address: str) -> bool:
    """Whether the source at the address is verified."""
    contract = world.contracts.get(address)
    return contract is not None and contract.verified


def interface_of(world: World, address: str) -> Interface | None:
    """The functions and events known of a contract; None where neither its source nor its implementation's is verified."""
    own = world.interfaces[address] if is_verified(world, address) else None
    if own is not None and not own.has_fallback:
        return own
    if own is None and address in world.contracts:
        return None
    proxy = proxy_at(world, address)
    behind = world.interfaces[proxy.implementation] if proxy and is_verified(world, proxy.implementation) else None
    if own is None or behind is None:
        return own or behind
    return _together(own, behind)


@lru_cache(maxsize=256)
def _together(own: Interface, behind: Interface) -> Interface:
    functions = {f.signature: f for f in (*behind.functions, *own.functions)}
    events = {e.signature: e for e in (*behind.events, *own.events)}
    return Interface(functions.values(), events.values(), (*own.errors, *behind.errors))
