// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {WETH} from "solady/src/tokens/WETH.sol";

/// @title A currency on OpenZeppelin's ERC-20 with permits and as many decimals as its maker chose.
contract PaymentToken is ERC20Permit, Ownable {
    uint8 private immutable _decimals;

    constructor(string memory name_, string memory symbol_, address owner_, uint8 decimals_)
        ERC20(name_, symbol_)
        ERC20Permit(name_)
        Ownable(owner_)
    {
        _decimals = decimals_;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    function decimals() public view override returns (uint8) {
        return _decimals;
    }
}

/// @title A currency with the permits of before ERC-2612, as DAI has them: all or nothing, and with an expiry that may be none.
contract AllOrNothingPermitToken is ERC20, EIP712, Ownable {
    bytes32 private constant _PERMIT_TYPEHASH =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");

    mapping(address holder => uint256) public nonces;

    error PermitExpired(uint256 expiry);
    error InvalidPermit(address holder);

    constructor(string memory name_, string memory symbol_, address owner_)
        ERC20(name_, symbol_)
        EIP712(name_, "1")
        Ownable(owner_)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    /// @param expiry The last second at which it may be handed in; 0 for none.
    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (expiry != 0 && block.timestamp > expiry) revert PermitExpired(expiry);
        bytes32 digest =
            _hashTypedDataV4(keccak256(abi.encode(_PERMIT_TYPEHASH, holder, spender, nonce, expiry, allowed)));
        if (nonce != nonces[holder] || ECDSA.recover(digest, v, r, s) != holder) revert InvalidPermit(holder);
        ++nonces[holder];
        _approve(holder, spender, allowed ? type(uint256).max : 0);
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }
}

/// @title Ether as an ERC-20.
contract WrappedEther is WETH {}
