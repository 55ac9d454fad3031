// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title ERC-4494: approval of one token by its holder's signature.
interface IERC4494 {
    function permit(address spender, uint256 tokenId, uint256 deadline, bytes memory signature) external;

    function nonces(uint256 tokenId) external view returns (uint256);

    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @title A collection with ERC-4494 permits (EIP-712 version "1", named as the collection).
/// @notice A token's nonce goes up each time that it moves, which ends the permits signed before.
contract PermitCollection is ERC721, EIP712, Ownable, IERC4494 {
    bytes32 private constant _PERMIT_TYPEHASH =
        keccak256("Permit(address spender,uint256 tokenId,uint256 nonce,uint256 deadline)");

    mapping(uint256 tokenId => uint256) private _nonces;
    string private _base;

    error PermitExpired(uint256 deadline);
    error InvalidPermit(uint256 tokenId);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        EIP712(name_, "1")
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
    }

    function permit(address spender, uint256 tokenId, uint256 deadline, bytes memory signature) external {
        if (block.timestamp > deadline) revert PermitExpired(deadline);
        address holder = _requireOwned(tokenId);
        bytes32 digest =
            _hashTypedDataV4(keccak256(abi.encode(_PERMIT_TYPEHASH, spender, tokenId, _nonces[tokenId], deadline)));
        if (!SignatureChecker.isValidSignatureNow(holder, digest, signature)) revert InvalidPermit(tokenId);
        _approve(spender, tokenId, address(0));
    }

    function nonces(uint256 tokenId) external view returns (uint256) {
        _requireOwned(tokenId);
        return _nonces[tokenId];
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERC4494).interfaceId || super.supportsInterface(interfaceId);
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = super._update(to, tokenId, auth);
        if (from != address(0)) ++_nonces[tokenId];
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
