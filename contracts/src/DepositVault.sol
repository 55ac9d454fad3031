// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {ERC165, IERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";

/// @title A vault that keeps tokens for whoever sent them and gives them back to nobody else.
/// @notice A token arrives by `deposit` or by a safe transfer, which credits the sender. One sent by plain
/// `transferFrom` is credited to nobody and stays for good.
contract DepositVault is Ownable, ERC165, IERC721Receiver, IERC1155Receiver {
    bool public immutable acceptsAny;
    mapping(address collection => bool) private _accepted;
    mapping(address collection => mapping(uint256 tokenId => address)) private _depositors;
    mapping(address depositor => mapping(address collection => mapping(uint256 id => uint256))) private _credits;

    event Deposited(address indexed depositor, address indexed collection, uint256 indexed id, uint256 amount);
    event Withdrawn(address indexed depositor, address indexed collection, uint256 indexed id, uint256 amount);
    event CollectionAccepted(address indexed collection, bool accepted);

    error CollectionNotAccepted(address collection);
    error NotTheDepositor(address collection, uint256 id, address caller);
    error NotEnoughCredit(address collection, uint256 id, uint256 credit, uint256 asked);
    error NothingArrived(address collection, uint256 id);

    /// @param collections The only ones that the vault takes; an empty list means any.
    constructor(address owner_, address[] memory collections) Ownable(owner_) {
        acceptsAny = collections.length == 0;
        for (uint256 i = 0; i < collections.length; ++i) {
            _accepted[collections[i]] = true;
            emit CollectionAccepted(collections[i], true);
        }
    }

    function setAccepted(address collection, bool accepted) external onlyOwner {
        _accepted[collection] = accepted;
        emit CollectionAccepted(collection, accepted);
    }

    /// @notice Pulls an ERC-721 token that the caller holds and has approved for the vault.
    function deposit(address collection, uint256 tokenId) external {
        _credit721(collection, msg.sender, tokenId);
        IERC721(collection).transferFrom(msg.sender, address(this), tokenId);
    }

    /// @notice Pulls units of an ERC-1155 id; the vault must be the caller's operator there.
    function depositAmount(address collection, uint256 id, uint256 amount) external {
        IERC1155(collection).safeTransferFrom(msg.sender, address(this), id, amount, "");
    }

    function withdraw(address collection, uint256 tokenId) external {
        if (_depositors[collection][tokenId] != msg.sender) revert NotTheDepositor(collection, tokenId, msg.sender);
        delete _depositors[collection][tokenId];
        emit Withdrawn(msg.sender, collection, tokenId, 1);
        IERC721(collection).safeTransferFrom(address(this), msg.sender, tokenId);
    }

    function withdrawAmount(address collection, uint256 id, uint256 amount) external {
        uint256 credit = _credits[msg.sender][collection][id];
        if (credit < amount) revert NotEnoughCredit(collection, id, credit, amount);
        _credits[msg.sender][collection][id] = credit - amount;
        emit Withdrawn(msg.sender, collection, id, amount);
        IERC1155(collection).safeTransferFrom(address(this), msg.sender, id, amount, "");
    }

    function accepts(address collection) public view virtual returns (bool) {
        return acceptsAny || _accepted[collection];
    }

    function depositorOf(address collection, uint256 tokenId) external view returns (address) {
        return _depositors[collection][tokenId];
    }

    function creditOf(address depositor, address collection, uint256 id) external view returns (uint256) {
        return _credits[depositor][collection][id];
    }

    function onERC721Received(address, address from, uint256 tokenId, bytes calldata) external returns (bytes4) {
        if (IERC721(msg.sender).ownerOf(tokenId) != address(this)) revert NothingArrived(msg.sender, tokenId);
        _credit721(msg.sender, from, tokenId);
        return IERC721Receiver.onERC721Received.selector;
    }

    function onERC1155Received(address, address from, uint256 id, uint256 amount, bytes calldata)
        external
        returns (bytes4)
    {
        _credit1155(msg.sender, from, id, amount);
        return IERC1155Receiver.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(
        address,
        address from,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata
    ) external returns (bytes4) {
        for (uint256 i = 0; i < ids.length; ++i) {
            _credit1155(msg.sender, from, ids[i], amounts[i]);
        }
        return IERC1155Receiver.onERC1155BatchReceived.selector;
    }

    function supportsInterface(bytes4 interfaceId) public view override(ERC165, IERC165) returns (bool) {
        return interfaceId == type(IERC721Receiver).interfaceId || interfaceId == type(IERC1155Receiver).interfaceId
            || super.supportsInterface(interfaceId);
    }

    function _credit721(address collection, address depositor, uint256 tokenId) private {
        if (!accepts(collection)) revert CollectionNotAccepted(collection);
        _depositors[collection][tokenId] = depositor;
        emit Deposited(depositor, collection, tokenId, 1);
    }

    function _credit1155(address collection, address depositor, uint256 id, uint256 amount) private {
        if (!accepts(collection)) revert CollectionNotAccepted(collection);
        _credits[depositor][collection][id] += amount;
        emit Deposited(depositor, collection, id, amount);
    }
}
