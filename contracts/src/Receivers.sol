// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";

/// @title An ether jar without receiver hooks and without a way to send a token on: what lands here stays.
contract NoHookHolder is Ownable {
    event Received(address indexed from, uint256 amount);

    error EtherNotSent();

    constructor(address owner_) Ownable(owner_) {}

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    function withdraw(address payable to, uint256 amount) external onlyOwner {
        (bool sent,) = to.call{value: amount}("");
        if (!sent) revert EtherNotSent();
    }
}

/// @title A receiver that turns every safe transfer away, saying why.
contract RefusingReceiver is IERC721Receiver {
    string public reason;

    constructor(string memory reason_) {
        reason = reason_;
    }

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        revert(reason);
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external view returns (bytes4) {
        revert(reason);
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        view
        returns (bytes4)
    {
        revert(reason);
    }
}

/// @title A receiver with a mistake in it: its hooks answer, with a value that no token accepts.
contract WrongMagicReceiver {
    bytes4 private constant _ANSWER = 0xffffffff;

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return _ANSWER;
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return _ANSWER;
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return _ANSWER;
    }
}

/// @title A treasury: takes any token and lets its owner send it on.
contract AcceptingReceiver is ERC721Holder, ERC1155Holder, Ownable {
    constructor(address owner_) Ownable(owner_) {}

    function release(address collection, uint256 tokenId, address to) external onlyOwner {
        IERC721(collection).safeTransferFrom(address(this), to, tokenId);
    }

    function releaseAmount(address collection, uint256 id, uint256 amount, address to) external onlyOwner {
        IERC1155(collection).safeTransferFrom(address(this), to, id, amount, "");
    }
}

/// @title A receiver that keeps nothing: what it gets by a safe transfer goes on to `destination` at once.
contract ForwardingReceiver is ERC1155Holder, IERC721Receiver {
    address public immutable destination;

    constructor(address destination_) {
        destination = destination_;
    }

    function onERC721Received(address, address, uint256 tokenId, bytes calldata) external returns (bytes4) {
        IERC721(msg.sender).transferFrom(address(this), destination, tokenId);
        return IERC721Receiver.onERC721Received.selector;
    }

    function onERC1155Received(address, address, uint256 id, uint256 amount, bytes memory)
        public
        override
        returns (bytes4)
    {
        IERC1155(msg.sender).safeTransferFrom(address(this), destination, id, amount, "");
        return IERC1155Receiver.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(
        address,
        address,
        uint256[] memory ids,
        uint256[] memory amounts,
        bytes memory
    ) public override returns (bytes4) {
        IERC1155(msg.sender).safeBatchTransferFrom(address(this), destination, ids, amounts, "");
        return IERC1155Receiver.onERC1155BatchReceived.selector;
    }
}
