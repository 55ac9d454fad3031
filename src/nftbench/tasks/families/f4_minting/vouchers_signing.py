"""Mint vouchers as a team issues them: EIP-712 typed data, signed with a key of the scene, published as a document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nftbench.chain.keys import Key
from nftbench.chain.typed_data import typed_data_hash
from nftbench.tasks.model import CHAIN_ID
from nftbench.tasks.scene import Scene

NUMBERED = {"recipient": "address", "tokenId": "uint256", "price": "uint256", "nonce": "uint256", "deadline": "uint256"}
UNNUMBERED = {"recipient": "address", "price": "uint256", "deadline": "uint256"}


class Voucher(Struct, frozen=True):
    """A voucher's fields in the order of its type, and its signature."""

    fields: dict[str, Any]
    signature: bytes

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What redeem takes."""
        return (tuple(self.fields.values()), self.signature)


def typed_data(domain: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    kinds = NUMBERED if "nonce" in fields else UNNUMBERED
    return {
        "types": {"Voucher": [{"name": name, "type": kind} for name, kind in kinds.items()]},
        "primaryType": "Voucher",
        "domain": domain,
        "message": fields,
    }


def domain_of(scene: Scene, collection: str, chain_id: int = CHAIN_ID) -> dict[str, Any]:
    """The domain that the collection has on the chain of this id."""
    return {
        "name": scene.labels[collection],
        "version": "1",
        "chainId": str(chain_id),
        "verifyingContract": scene.contract_address(collection),
    }


def issue(scene: Scene, signer: str, domain: dict[str, Any], **fields: Any) -> Voucher:
    """A voucher signed with the key of the account `signer`; fields in the order of its type."""
    digest = typed_data_hash(typed_data(domain, fields))
    return Voucher(fields, Key.derive(scene.seed, signer).sign_digest(digest))


def document(domain: dict[str, Any], vouchers: Sequence[Voucher], **more: str) -> str:
    """Vouchers under one domain as JSON, numbers as decimal strings."""
    issued = [
        {
            "voucher": {k: str(v) if isinstance(v, int) else v for k, v in one.fields.items()},
            "signature": "0x" + one.signature.hex(),
        }
        for one in vouchers
    ]
    return json.dumps({"domain": domain, **more, "vouchers": issued}, indent=1)
