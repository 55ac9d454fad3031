// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "solady/src/auth/Ownable.sol";
import {ERC1155} from "solady/src/tokens/ERC1155.sol";

/// @title Editions on solady's ERC-1155. It keeps no supplies.
contract SoladyMultiToken is ERC1155, Ownable {
    string public name;
    string public symbol;
    string private _uri;

    constructor(string memory name_, string memory symbol_, address owner_, string memory uri_) {
        name = name_;
        symbol = symbol_;
        _uri = uri_;
        _initializeOwner(owner_);
    }

    function mint(address to, uint256 id, uint256 amount, bytes calldata data) external onlyOwner {
        _mint(to, id, amount, data);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts, bytes calldata data)
        external
        onlyOwner
    {
        _batchMint(to, ids, amounts, data);
    }

    function burn(address from, uint256 id, uint256 amount) external {
        _burn(msg.sender, from, id, amount);
    }

    function setURI(string calldata uri_) external onlyOwner {
        _uri = uri_;
    }

    /// @notice One address for all ids; a client puts the id in place of `{id}`.
    function uri(uint256) public view override returns (string memory) {
        return _uri;
    }
}
