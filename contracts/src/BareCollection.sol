// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title An ERC-721 in all but its events, which it leaves to those who build on it.
/// @notice For collections whose logs tell less than the standard asks, or nothing.
abstract contract BareCollection is Ownable {
    string public name;
    string public symbol;
    uint256 public totalSupply;
    string private _base;

    mapping(uint256 tokenId => address) private _owners;
    mapping(address owner => uint256) private _balances;
    mapping(uint256 tokenId => address) private _approved;
    mapping(address owner => mapping(address operator => bool)) private _operators;

    error NoSuchToken(uint256 tokenId);
    error TokenExists(uint256 tokenId);
    error NotAllowed(address caller, uint256 tokenId);
    error WrongOwner(address from, uint256 tokenId);
    error InvalidReceiver(address to);

    constructor(string memory name_, string memory symbol_, address owner_, string memory base_) Ownable(owner_) {
        name = name_;
        symbol = symbol_;
        _base = base_;
    }

    function approve(address approved, uint256 tokenId) external {
        address holder = ownerOf(tokenId);
        if (msg.sender != holder && !_operators[holder][msg.sender]) revert NotAllowed(msg.sender, tokenId);
        _approved[tokenId] = approved;
        _sayApproved(holder, approved, tokenId);
    }

    function setApprovalForAll(address operator, bool allowed) external {
        _operators[msg.sender][operator] = allowed;
        _sayOperator(msg.sender, operator, allowed);
    }

    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        safeTransferFrom(from, to, tokenId, "");
    }

    function safeTransferFrom(address from, address to, uint256 tokenId, bytes memory data) public {
        transferFrom(from, to, tokenId);
        if (to.code.length == 0) return;
        bytes4 answer = IERC721Receiver(to).onERC721Received(msg.sender, from, tokenId, data);
        if (answer != IERC721Receiver.onERC721Received.selector) revert InvalidReceiver(to);
    }

    function transferFrom(address from, address to, uint256 tokenId) public {
        if (ownerOf(tokenId) != from) revert WrongOwner(from, tokenId);
        if (to == address(0)) revert InvalidReceiver(to);
        if (msg.sender != from && msg.sender != _approved[tokenId] && !_operators[from][msg.sender]) {
            revert NotAllowed(msg.sender, tokenId);
        }
        delete _approved[tokenId];
        --_balances[from];
        ++_balances[to];
        _owners[tokenId] = to;
        _sayTransferred(from, to, tokenId);
    }

    function balanceOf(address holder) external view returns (uint256) {
        return _balances[holder];
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approved[tokenId];
    }

    function isApprovedForAll(address holder, address operator) external view returns (bool) {
        return _operators[holder][operator];
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return string.concat(_base, Strings.toString(tokenId));
    }

    function ownerOf(uint256 tokenId) public view returns (address holder) {
        holder = _owners[tokenId];
        if (holder == address(0)) revert NoSuchToken(tokenId);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IERC721).interfaceId
            || interfaceId == 0x5b5e139f;
    }

    function _mint(address to, uint256 tokenId) internal {
        if (to == address(0)) revert InvalidReceiver(to);
        if (_owners[tokenId] != address(0)) revert TokenExists(tokenId);
        ++totalSupply;
        ++_balances[to];
        _owners[tokenId] = to;
        _sayTransferred(address(0), to, tokenId);
    }

    function _sayTransferred(address from, address to, uint256 tokenId) internal virtual;

    function _sayApproved(address holder, address approved, uint256 tokenId) internal virtual;

    function _sayOperator(address holder, address operator, bool allowed) internal virtual;
}
