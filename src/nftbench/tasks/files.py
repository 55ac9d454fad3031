"""The files behind token URIs: folders on IPFS, by valid content identifiers, and the plain file of a token.

A content identifier is of version 1 (github.com/multiformats/cid): `b` for base 32, then the bytes 01 (version), 70 (dag-pb)
and a multihash, 12 20 and a SHA-256 digest.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b32encode

from nftbench.tasks.drawing import Draw

_VERSION, _DAG_PB, _SHA2_256, _LENGTH = 0x01, 0x70, 0x12, 0x20


def content_id(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return "b" + b32encode(bytes([_VERSION, _DAG_PB, _SHA2_256, _LENGTH]) + digest).decode().lower().rstrip("=")


def folder_of(content: str) -> str:
    """The URI of the folder with this content, which stands for whatever is in it."""
    return f"ipfs://{content_id(content)}/"


def folder(draw: Draw) -> str:
    """The URI of some folder."""
    return folder_of(str(draw.number(0, 2**128)))


def token_file(label: str, token_id: int) -> str:
    """What a token's URI leads to, as JSON: its name and an image."""
    name = f"{label} #{token_id}"
    return json.dumps({"name": name, "image": f"ipfs://{content_id(name)}"})
