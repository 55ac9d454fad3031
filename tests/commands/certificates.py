"""A certificate that signs itself, made on the spot: no file holds a key, and no other package is needed."""

from __future__ import annotations

import base64

from Crypto.Hash import SHA256
from Crypto.PublicKey import RSA
from Crypto.Signature import pkcs1_15
from Crypto.Util.asn1 import DerBitString, DerNull, DerObject, DerObjectId, DerSequence, DerSetOf

_SHA256_WITH_RSA = "1.2.840.113549.1.1.11"
_COMMON_NAME = "2.5.4.3"


def self_signed(name: str) -> str:
    """Certificate (X.509, RFC 5280) and private key for a name, in PEM, valid from 2020 to 2049."""
    key = RSA.generate(2048)
    algorithm = DerSequence([DerObjectId(_SHA256_WITH_RSA).encode(), DerNull().encode()]).encode()
    text = DerObject(0x0C, name.encode()).encode()
    names = DerSequence(
        [DerSetOf([DerSequence([DerObjectId(_COMMON_NAME).encode(), text]).encode()]).encode()]
    ).encode()
    moments = [DerObject(0x17, moment).encode() for moment in (b"200101000000Z", b"491231235959Z")]
    body = DerSequence(
        [1, algorithm, names, DerSequence(moments).encode(), names, key.public_key().export_key("DER")]
    ).encode()
    signature = pkcs1_15.new(key).sign(SHA256.new(body))
    whole = DerSequence([body, algorithm, DerBitString(signature).encode()]).encode()
    return f"{_pem('CERTIFICATE', whole)}{key.export_key('PEM').decode()}\n"


def _pem(label: str, der: bytes) -> str:
    lines = base64.encodebytes(der).decode()
    return f"-----BEGIN {label}-----\n{lines}-----END {label}-----\n"
