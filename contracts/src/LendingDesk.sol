// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title A desk that keeps lent tokens and gives the borrower an IOU, itself a token, for the time of the loan.
/// @notice The lender recalls a token from its due time on; the holder of the IOU may end the loan sooner.
contract LendingDesk is ERC721 {
    struct Loan {
        address lender;
        uint64 dueAt;
        uint256 iou;
    }

    uint256 private _lastIou;
    mapping(address collection => mapping(uint256 tokenId => Loan)) private _loans;

    event Lent(address indexed lender, address indexed collection, uint256 indexed tokenId, uint256 iou, uint64 dueAt);
    event Returned(address indexed lender, address indexed collection, uint256 indexed tokenId);

    error NoSuchLoan(address collection, uint256 tokenId);
    error NotTheLender(address caller);
    error NotTheBorrower(address caller);
    error NotDue(uint64 dueAt);
    error DueInThePast(uint64 dueAt);

    constructor(string memory name_, string memory symbol_) ERC721(name_, symbol_) {}

    /// @notice Lends a token that the caller holds and has approved for the desk, until `dueAt` (Unix seconds).
    function lend(address collection, uint256 tokenId, address borrower, uint64 dueAt) external returns (uint256 iou) {
        if (dueAt <= block.timestamp) revert DueInThePast(dueAt);
        iou = ++_lastIou;
        _loans[collection][tokenId] = Loan(msg.sender, dueAt, iou);
        _mint(borrower, iou);
        emit Lent(msg.sender, collection, tokenId, iou, dueAt);
        IERC721(collection).transferFrom(msg.sender, address(this), tokenId);
    }

    /// @notice Takes a due token back to its lender.
    function recall(address collection, uint256 tokenId) external {
        Loan memory loan = _loan(collection, tokenId);
        if (loan.lender != msg.sender) revert NotTheLender(msg.sender);
        if (block.timestamp < loan.dueAt) revert NotDue(loan.dueAt);
        _close(collection, tokenId, loan);
    }

    /// @notice Ends a loan at once; the token goes back to its lender.
    function giveBack(address collection, uint256 tokenId) external {
        Loan memory loan = _loan(collection, tokenId);
        if (_ownerOf(loan.iou) != msg.sender) revert NotTheBorrower(msg.sender);
        _close(collection, tokenId, loan);
    }

    /// @return lender The zero address where there is no loan.
    function loans(address collection, uint256 tokenId)
        external
        view
        returns (address lender, address borrower, uint64 dueAt)
    {
        Loan memory loan = _loans[collection][tokenId];
        return (loan.lender, _ownerOf(loan.iou), loan.dueAt);
    }

    function _loan(address collection, uint256 tokenId) private view returns (Loan memory loan) {
        loan = _loans[collection][tokenId];
        if (loan.lender == address(0)) revert NoSuchLoan(collection, tokenId);
    }

    function _close(address collection, uint256 tokenId, Loan memory loan) private {
        delete _loans[collection][tokenId];
        _burn(loan.iou);
        emit Returned(loan.lender, collection, tokenId);
        IERC721(collection).transferFrom(address(this), loan.lender, tokenId);
    }
}
