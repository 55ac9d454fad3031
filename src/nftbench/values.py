"""Addresses, hashes and amounts: the plain values every layer passes around.

Addresses are EIP-55 checksummed strings everywhere inside nftbench, so that equal accounts are equal strings. Amounts of
ether are whole wei. Times are whole seconds since the Unix epoch.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from Crypto.Hash import keccak as _keccak

ZERO_ADDRESS = "0x" + "00" * 20
WEI_PER_ETHER = 10**18
UINT256_MAX = 2**256 - 1

_DIGITS = re.compile(r"([0-9]+)")
_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")


def in_order(name: str) -> tuple[Any, ...]:
    """The key that sorts names by the numbers within them: F2 before F14."""
    parts = _DIGITS.split(name)
    parts[1::2] = [part.lstrip("0") for part in parts[1::2]]
    return tuple((len(part), part) if place % 2 else part for place, part in enumerate(parts)), name


def keccak256(data: bytes) -> bytes:
    """The 32-byte Keccak-256 digest that Ethereum uses (the original padding, not SHA-3's)."""
    digest = _keccak.new(digest_bits=256)
    digest.update(data)
    return digest.digest()


@lru_cache(maxsize=65536)
def checksum(address: str) -> str:
    """The EIP-55 spelling of a 0x-prefixed 20-byte address in any case; ValueError for anything else."""
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address!r} is no address: 0x and 40 hexadecimal digits are needed")
    digits = address[2:].lower()
    mask = keccak256(digits.encode()).hex()
    return "0x" + "".join(d.upper() if m >= "8" else d for d, m in zip(digits, mask, strict=False))


@lru_cache(maxsize=65536)
def address_from_bytes(raw: bytes) -> str:
    """The checksummed address in the last 20 of the given bytes (an ABI word or a log topic)."""
    return checksum("0x" + raw[-20:].hex())


def is_checksum_valid(address: str) -> bool:
    """Whether mixed-case text keeps EIP-55; all-lower and all-upper spellings carry no checksum and pass."""
    digits = address[2:]
    return digits in (digits.lower(), digits.upper()) or checksum(address) == address


def parse_units(text: str, decimals: int) -> int:
    """The whole number of smallest units in a decimal amount, as `0.8` with 18 decimals; ValueError if it is not whole."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is no decimal number") from None
    sign, digits, exponent = amount.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{text!r} is no finite number")
    whole = int("".join(map(str, digits)) or "0")
    shift = exponent + decimals
    if shift < 0:
        whole, rest = divmod(whole, 10**-shift)
        if rest:
            raise ValueError(f"{text!r} has more than {decimals} decimals")
    else:
        whole *= int(10**shift)
    return -whole if sign else whole


def format_units(amount: int, decimals: int) -> str:
    """The shortest exact decimal text of a whole number of smallest units: the inverse of parse_units."""
    sign, digits = ("-", str(-amount)) if amount < 0 else ("", str(amount))
    if decimals == 0:
        return sign + digits
    digits = digits.rjust(decimals + 1, "0")
    whole, fraction = digits[:-decimals], digits[-decimals:].rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def format_ether(wei: int) -> str:
    """Wei as a decimal amount of ether, exact."""
    return format_units(wei, 18)


def created_address(creator: str, nonce: int) -> str:
    """Where CREATE puts the contract that `creator` makes at this nonce: keccak of RLP([creator, nonce]) (Yellow Paper, 7)."""
    number = b"" if nonce == 0 else nonce.to_bytes((nonce.bit_length() + 7) // 8, "big")
    encoded = number if len(number) == 1 and number[0] < 0x80 else bytes([0x80 + len(number)]) + number
    body = b"\x94" + bytes.fromhex(creator[2:]) + encoded
    return address_from_bytes(keccak256(bytes([0xC0 + len(body)]) + body))


def look_alike(address: str, prefix: int, suffix: int) -> str:
    """The address that has the first `prefix` and the last `suffix` hex digits of another and is otherwise anything, as somebody
    finds it who tries many keys; always the same one. ValueError unless both together leave some digits over."""
    if prefix < 0 or suffix < 0 or prefix + suffix > 38:
        raise ValueError(
            f"{prefix} and {suffix} digits in common are too many: an address has 40, and two at least must differ"
        )
    digits = checksum(address)[2:].lower()
    middle = keccak256(f"{digits} {prefix} {suffix}".encode()).hex()[prefix : 40 - suffix]
    return checksum("0x" + digits[:prefix] + middle + digits[40 - suffix :])
