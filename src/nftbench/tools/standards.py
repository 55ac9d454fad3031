"""The functions and events that standards declare, in short: what is listed by name only where a contract has it as declared."""

from __future__ import annotations

from collections.abc import Collection

from nftbench.chain.abi import Event, Function
from nftbench.tools.rendering import event_line

# ERC-165 interface identifiers, each from its EIP.
INTERFACE_IDS = {
    "ERC721": "80ac58cd",
    "ERC721Metadata": "5b5e139f",
    "ERC721Enumerable": "780e9d63",
    "ERC1155": "d9b67a26",
    "ERC2981 (royalties)": "2a55205a",
    "ERC4906 (metadata update)": "49064906",
    "ERC4907 (rental)": "ad092b5c",
    "ERC5192 (lock)": "b45a3c0e",
    "ERC4494 (permit)": "5604e225",
    "AccessControl": "7965db0b",
    "ERC721TokenReceiver": "150b7a02",
    "ERC1155TokenReceiver": "4e2312e0",
}

_ERC721 = (
    "approve(address,uint256) balanceOf(address) getApproved(uint256) isApprovedForAll(address,address) ownerOf(uint256)"
    " safeTransferFrom(address,address,uint256) safeTransferFrom(address,address,uint256,bytes)"
    " setApprovalForAll(address,bool) transferFrom(address,address,uint256)"
)
_ERC1155 = (
    "balanceOf(address,uint256) balanceOfBatch(address[],uint256[]) isApprovedForAll(address,address)"
    " safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"
    " safeTransferFrom(address,address,uint256,uint256,bytes) setApprovalForAll(address,bool)"
)
_ERC20 = (
    "allowance(address,address) approve(address,uint256) balanceOf(address) decimals() name() symbol() totalSupply()"
    " transfer(address,uint256) transferFrom(address,address,uint256)"
)
_ANY = {
    "ERC165": "supportsInterface(bytes4)",
    "ERC721Metadata": "name() symbol() tokenURI(uint256)",
    "ERC721Enumerable": "tokenByIndex(uint256) tokenOfOwnerByIndex(address,uint256) totalSupply()",
    "Ownable": "owner() renounceOwnership() transferOwnership(address)",
    "AccessControl": (
        "DEFAULT_ADMIN_ROLE() getRoleAdmin(bytes32) grantRole(bytes32,address) hasRole(bytes32,address)"
        " renounceRole(bytes32,address) revokeRole(bytes32,address)"
    ),
}
_EVENTS = frozenset(
    {
        "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
        "Transfer(address indexed from, address indexed to, uint256 value)",
        "Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
        "Approval(address indexed owner, address indexed spender, uint256 value)",
        "ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
        "ApprovalForAll(address indexed account, address indexed operator, bool approved)",
        "TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
        "TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
        "URI(string value, uint256 indexed id)",
        "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
        "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
        "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
        "RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
    }
)
_COIN = frozenset(_ERC20.split())


def standard_functions(functions: Collection[Function], claimed: Collection[str]) -> dict[str, tuple[Function, ...]]:
    """The functions that a contract has as a standard declares them, by the standard. `claimed` are the interfaces that it
    says it supports: without that claim, the functions of ERC-721 and ERC-1155 are none of a standard's."""
    wanted = dict(_ANY)
    if "ERC721" in claimed:
        wanted = {"ERC721": _ERC721, **wanted}
    if "ERC1155" in claimed:
        wanted = {"ERC1155": _ERC1155, **wanted}
    if not claimed and {f.signature for f in functions} >= _COIN:
        wanted = {"ERC20": _ERC20, **wanted}
    found: dict[str, tuple[Function, ...]] = {}
    taken: set[str] = set()
    for standard, signatures in wanted.items():
        declared = set(signatures.split()) - taken
        having = tuple(f for f in functions if f.signature in declared)
        if having:
            found[standard] = having
            taken |= {f.signature for f in having}
    return found


def is_standard_event(event: Event) -> bool:
    """Whether an event is one of the standards' with just their names for its arguments."""
    return event_line(event) in _EVENTS
