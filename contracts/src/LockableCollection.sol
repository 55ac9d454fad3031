// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {IERC5192} from "./IERC5192.sol";

/// @title A collection whose tokens can be locked, by their holder or by the issuer.
/// @notice Whoever locked a token unlocks it: a holder's lock is the holder's to lift, the issuer's only the issuer's.
/// A locked token neither moves nor burns.
contract LockableCollection is ERC721Enumerable, Ownable, IERC5192 {
    enum Lock {
        None,
        ByHolder,
        ByIssuer
    }

    mapping(uint256 tokenId => Lock) private _locks;
    string private _base;

    error TokenLocked(uint256 tokenId);
    error TokenNotLocked(uint256 tokenId);
    error NotTheHolder(uint256 tokenId, address caller);
    error NotTheLocker(uint256 tokenId, address caller);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
        emit Unlocked(tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
            emit Unlocked(tokenIds[i]);
        }
    }

    /// @notice The holder's own lock.
    function lock(uint256 tokenId) external {
        if (_requireOwned(tokenId) != msg.sender) revert NotTheHolder(tokenId, msg.sender);
        _lock(tokenId, Lock.ByHolder);
    }

    /// @notice The issuer's lock, which the holder can't lift.
    function lockByIssuer(uint256 tokenId) external onlyOwner {
        _requireOwned(tokenId);
        _lock(tokenId, Lock.ByIssuer);
    }

    function unlock(uint256 tokenId) external {
        address locker = lockedBy(tokenId);
        if (locker == address(0)) revert TokenNotLocked(tokenId);
        if (locker != msg.sender) revert NotTheLocker(tokenId, msg.sender);
        delete _locks[tokenId];
        emit Unlocked(tokenId);
    }

    function locked(uint256 tokenId) external view returns (bool) {
        _requireOwned(tokenId);
        return _locks[tokenId] != Lock.None;
    }

    /// @notice Who can unlock the token: its holder, the issuer, or the zero address where it is not locked.
    function lockedBy(uint256 tokenId) public view returns (address) {
        address holder = _requireOwned(tokenId);
        Lock kind = _locks[tokenId];
        if (kind == Lock.None) return address(0);
        return kind == Lock.ByHolder ? holder : owner();
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERC5192).interfaceId || super.supportsInterface(interfaceId);
    }

    function _lock(uint256 tokenId, Lock kind) private {
        if (_locks[tokenId] != Lock.None) revert TokenLocked(tokenId);
        _locks[tokenId] = kind;
        emit Locked(tokenId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        if (_locks[tokenId] != Lock.None) revert TokenLocked(tokenId);
        return super._update(to, tokenId, auth);
    }
}
