// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";

/// @title A display shelf that books ERC-1155 items in one kind at a time and turns batches away.
contract SingleItemShelf is Ownable, ERC165, IERC1155Receiver {
    event Placed(address indexed from, address indexed collection, uint256 indexed id, uint256 amount);

    error OneKindAtATime();

    constructor(address owner_) Ownable(owner_) {}

    function onERC1155Received(address, address from, uint256 id, uint256 amount, bytes calldata)
        external
        returns (bytes4)
    {
        emit Placed(from, msg.sender, id, amount);
        return IERC1155Receiver.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        revert OneKindAtATime();
    }

    /// @notice Takes units off the shelf.
    function remove(address collection, uint256 id, uint256 amount, address to) external onlyOwner {
        IERC1155(collection).safeTransferFrom(address(this), to, id, amount, "");
    }

    function supportsInterface(bytes4 interfaceId) public view override(ERC165, IERC165) returns (bool) {
        return interfaceId == type(IERC1155Receiver).interfaceId || super.supportsInterface(interfaceId);
    }
}
