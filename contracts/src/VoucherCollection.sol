// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Proceeds} from "./Proceeds.sol";

/// @title What the two voucher collections share: a signer, EIP-712 (version "1", named as the collection) and payment.
abstract contract SignedMint is ERC721, EIP712, Ownable, Proceeds {
    address public signer;
    string private _base;

    event SignerChanged(address indexed signer);

    error WrongSigner(address recovered, address signer);
    error VoucherExpired(uint256 deadline);
    error WrongPayment(uint256 sent, uint256 needed);

    constructor(string memory name_, string memory symbol_, address owner_, address signer_, string memory baseURI_)
        ERC721(name_, symbol_)
        EIP712(name_, "1")
        Ownable(owner_)
    {
        signer = signer_;
        _base = baseURI_;
    }

    function setSigner(address signer_) external onlyOwner {
        signer = signer_;
        emit SignerChanged(signer_);
    }

    function withdraw(address payable to) external onlyOwner {
        _withdrawEther(to);
    }

    function _check(bytes32 digest, bytes calldata signature, uint256 price, uint256 deadline) internal view {
        (address recovered,,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (recovered == address(0) || recovered != signer) revert WrongSigner(recovered, signer);
        if (block.timestamp > deadline) revert VoucherExpired(deadline);
        if (msg.value != price) revert WrongPayment(msg.value, price);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}

/// @title A collection whose tokens are minted against signed vouchers, each good once.
contract VoucherCollection is SignedMint {
    struct Voucher {
        address recipient;
        uint256 tokenId;
        uint256 price;
        uint256 nonce;
        uint256 deadline;
    }

    bytes32 private constant _VOUCHER_TYPEHASH =
        keccak256("Voucher(address recipient,uint256 tokenId,uint256 price,uint256 nonce,uint256 deadline)");

    mapping(uint256 nonce => bool) public nonceUsed;

    event VoucherRedeemed(uint256 indexed nonce, address indexed recipient, uint256 indexed tokenId);
    event VoucherVoided(uint256 indexed nonce);

    error VoucherUsed(uint256 nonce);

    constructor(string memory name_, string memory symbol_, address owner_, address signer_, string memory baseURI_)
        SignedMint(name_, symbol_, owner_, signer_, baseURI_)
    {}

    /// @notice Mints the voucher's token to its recipient. Anyone may pay for it and send it in.
    function redeem(Voucher calldata voucher, bytes calldata signature) external payable {
        _check(hashVoucher(voucher), signature, voucher.price, voucher.deadline);
        if (nonceUsed[voucher.nonce]) revert VoucherUsed(voucher.nonce);
        nonceUsed[voucher.nonce] = true;
        emit VoucherRedeemed(voucher.nonce, voucher.recipient, voucher.tokenId);
        _mint(voucher.recipient, voucher.tokenId);
    }

    function voidVoucher(uint256 nonce) external onlyOwner {
        nonceUsed[nonce] = true;
        emit VoucherVoided(nonce);
    }

    /// @notice The EIP-712 digest that the signer signs.
    function hashVoucher(Voucher calldata voucher) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(_VOUCHER_TYPEHASH, voucher)));
    }
}

/// @title The same without a memory: a voucher mints the next token each time that it is sent in.
contract OpenVoucherCollection is SignedMint {
    struct Voucher {
        address recipient;
        uint256 price;
        uint256 deadline;
    }

    bytes32 private constant _VOUCHER_TYPEHASH = keccak256("Voucher(address recipient,uint256 price,uint256 deadline)");

    uint256 public totalMinted;

    constructor(string memory name_, string memory symbol_, address owner_, address signer_, string memory baseURI_)
        SignedMint(name_, symbol_, owner_, signer_, baseURI_)
    {}

    function redeem(Voucher calldata voucher, bytes calldata signature) external payable returns (uint256 tokenId) {
        _check(hashVoucher(voucher), signature, voucher.price, voucher.deadline);
        tokenId = ++totalMinted;
        _mint(voucher.recipient, tokenId);
    }

    /// @notice The EIP-712 digest that the signer signs.
    function hashVoucher(Voucher calldata voucher) public view returns (bytes32) {
        return _hashTypedDataV4(keccak256(abi.encode(_VOUCHER_TYPEHASH, voucher)));
    }
}
