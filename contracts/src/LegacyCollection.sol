// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title A collection in the manner of 2017, before ERC-721 was final.
/// @notice Tokens move by `transfer`, or by `approve` and then `takeOwnership` from the other side. There are no
/// operators, no safe transfers and no interface detection, and no event argument is indexed.
contract LegacyCollection {
    string public name;
    string public symbol;
    address public owner;
    uint256 public totalSupply;

    mapping(uint256 tokenId => address holder) private _holderOf;
    mapping(address holder => uint256 count) private _tokenCount;
    mapping(uint256 tokenId => address taker) private _approvedFor;

    event Transfer(address from, address to, uint256 tokenId);
    event Approval(address owner, address approved, uint256 tokenId);

    constructor(string memory name_, string memory symbol_, address owner_) {
        name = name_;
        symbol = symbol_;
        owner = owner_;
    }

    function mint(address to, uint256 tokenId) external {
        require(msg.sender == owner, "Only the owner can mint");
        require(to != address(0), "Recipient is the zero address");
        require(_holderOf[tokenId] == address(0), "Token exists already");
        ++totalSupply;
        _move(address(0), to, tokenId);
    }

    function transfer(address to, uint256 tokenId) external {
        require(to != address(0) && to != address(this), "Recipient can not hold tokens");
        require(_holderOf[tokenId] == msg.sender, "Sender does not own this token");
        _move(msg.sender, to, tokenId);
    }

    /// @notice Lets `to` take the token; the zero address takes the permission back.
    function approve(address to, uint256 tokenId) external {
        require(_holderOf[tokenId] == msg.sender, "Sender does not own this token");
        require(to != msg.sender, "Sender owns this token already");
        _approvedFor[tokenId] = to;
        emit Approval(msg.sender, to, tokenId);
    }

    function takeOwnership(uint256 tokenId) external {
        require(_approvedFor[tokenId] == msg.sender, "Sender is not approved for this token");
        _move(_holderOf[tokenId], msg.sender, tokenId);
    }

    function ownerOf(uint256 tokenId) public view returns (address holder) {
        holder = _holderOf[tokenId];
        require(holder != address(0), "Token does not exist");
    }

    function balanceOf(address holder) external view returns (uint256) {
        return _tokenCount[holder];
    }

    /// @notice Who may take the token now; the zero address means nobody.
    function approvedFor(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approvedFor[tokenId];
    }

    function _move(address from, address to, uint256 tokenId) private {
        if (from != address(0)) {
            --_tokenCount[from];
            delete _approvedFor[tokenId];
        }
        ++_tokenCount[to];
        _holderOf[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }
}
