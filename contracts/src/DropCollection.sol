// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ERC721A} from "erc721a/contracts/ERC721A.sol";
import {ERC721AQueryable} from "erc721a/contracts/extensions/ERC721AQueryable.sol";
import {Proceeds} from "./Proceeds.sol";

/// @title A public drop in phases, each with its time, price and limit for a wallet.
/// @notice A limit counts what a wallet has claimed in the phase, whatever it has sold or got since.
contract DropCollection is ERC721AQueryable, Ownable, Pausable, Proceeds {
    /// Times are Unix seconds, the end excluded; the price is wei for a token; a walletLimit of 0 means none.
    struct Phase {
        uint64 startsAt;
        uint64 endsAt;
        uint128 price;
        uint32 walletLimit;
    }

    uint256 public immutable maxSupply;
    Phase[] private _phases;
    mapping(uint256 phase => mapping(address wallet => uint256)) private _claimed;
    string private _base;

    event PhasesChanged(uint256 count);
    event Claimed(address indexed wallet, uint256 indexed phase, uint256 quantity, uint256 paid);

    error NoActivePhase(uint256 time);
    error NoSuchPhase(uint256 phase);
    error WrongPayment(uint256 sent, uint256 needed);
    error WalletLimitExceeded(uint256 limit, uint256 claimed, uint256 asked);
    error SoldOut(uint256 left, uint256 asked);

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        uint256 maxSupply_,
        Phase[] memory phases_,
        string memory baseURI_
    ) ERC721A(name_, symbol_) Ownable(owner_) {
        maxSupply = maxSupply_;
        _setPhases(phases_);
        _base = baseURI_;
    }

    /// @notice Mints to the caller in the phase of now, against its exact price.
    function mint(uint256 quantity) external payable whenNotPaused {
        uint256 phase = activePhase();
        Phase memory terms = _phases[phase];
        uint256 needed = terms.price * quantity;
        if (msg.value != needed) revert WrongPayment(msg.value, needed);
        uint256 claimed = _claimed[phase][msg.sender];
        if (terms.walletLimit != 0 && claimed + quantity > terms.walletLimit) {
            revert WalletLimitExceeded(terms.walletLimit, claimed, quantity);
        }
        _claimed[phase][msg.sender] = claimed + quantity;
        _mintWithinSupply(msg.sender, quantity);
        emit Claimed(msg.sender, phase, quantity, msg.value);
    }

    function airdrop(address to, uint256 quantity) external onlyOwner {
        _mintWithinSupply(to, quantity);
    }

    function burn(uint256 tokenId) external {
        _burn(tokenId, true);
    }

    /// @notice Replaces the phases. Claims stay counted under their phase's number.
    function setPhases(Phase[] calldata phases_) external onlyOwner {
        _setPhases(phases_);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function withdraw(address payable to) external onlyOwner {
        _withdrawEther(to);
    }

    /// @notice The number of the first phase that is open now.
    function activePhase() public view returns (uint256) {
        for (uint256 i = 0; i < _phases.length; ++i) {
            if (_phases[i].startsAt <= block.timestamp && block.timestamp < _phases[i].endsAt) return i;
        }
        revert NoActivePhase(block.timestamp);
    }

    function phaseCount() external view returns (uint256) {
        return _phases.length;
    }

    function phaseTerms(uint256 phase) external view returns (Phase memory) {
        if (phase >= _phases.length) revert NoSuchPhase(phase);
        return _phases[phase];
    }

    function claimedBy(address wallet, uint256 phase) external view returns (uint256) {
        return _claimed[phase][wallet];
    }

    function totalMinted() external view returns (uint256) {
        return _totalMinted();
    }

    function _setPhases(Phase[] memory phases_) private {
        delete _phases;
        for (uint256 i = 0; i < phases_.length; ++i) {
            _phases.push(phases_[i]);
        }
        emit PhasesChanged(phases_.length);
    }

    function _mintWithinSupply(address to, uint256 quantity) private {
        uint256 left = maxSupply - _totalMinted();
        if (quantity > left) revert SoldOut(left, quantity);
        _mint(to, quantity);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _startTokenId() internal pure override returns (uint256) {
        return 1;
    }
}
