// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// What a Seaport 1.6 order gives and takes, as its zone is told of it.
struct SpentItem {
    uint8 itemType;
    address token;
    uint256 identifier;
    uint256 amount;
}

struct ReceivedItem {
    uint8 itemType;
    address token;
    uint256 identifier;
    uint256 amount;
    address payable recipient;
}

struct Schema {
    uint256 id;
    bytes metadata;
}

struct ZoneParameters {
    bytes32 orderHash;
    address fulfiller;
    address offerer;
    SpentItem[] offer;
    ReceivedItem[] consideration;
    bytes extraData;
    bytes32[] orderHashes;
    uint256 startTime;
    uint256 endTime;
    bytes32 zoneHash;
}

/// A zone for restricted Seaport orders: while it is not paused, the accounts on its list may fill them, and nobody else. An
/// order whose zone hash is not zero may be filled by the account whose address that hash holds, too.
contract AllowlistZone is Ownable {
    mapping(address account => bool) public allowed;
    bool public paused;

    event AllowedSet(address indexed account, bool allowed);
    event PausedSet(bool paused);

    error ZonePaused();
    error FulfillerNotAllowed(address fulfiller);

    constructor(address owner) Ownable(owner) {}

    function setAllowed(address account, bool isAllowed) external onlyOwner {
        allowed[account] = isAllowed;
        emit AllowedSet(account, isAllowed);
    }

    function setPaused(bool isPaused) external onlyOwner {
        paused = isPaused;
        emit PausedSet(isPaused);
    }

    function authorizeOrder(ZoneParameters calldata order) external view returns (bytes4) {
        _check(order);
        return this.authorizeOrder.selector;
    }

    function validateOrder(ZoneParameters calldata order) external view returns (bytes4) {
        _check(order);
        return this.validateOrder.selector;
    }

    function getSeaportMetadata() external pure returns (string memory name, Schema[] memory schemas) {
        return ("AllowlistZone", new Schema[](0));
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7
            || interfaceId
                == this.authorizeOrder.selector ^ this.validateOrder.selector ^ this.getSeaportMetadata.selector;
    }

    function _check(ZoneParameters calldata order) private view {
        if (paused) revert ZonePaused();
        bool named = order.zoneHash != 0 && order.zoneHash == bytes32(uint256(uint160(order.fulfiller)));
        if (!named && !allowed[order.fulfiller]) revert FulfillerNotAllowed(order.fulfiller);
    }
}
