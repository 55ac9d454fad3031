// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";

/// @title A collection whose code runs behind proxies (ERC-1967) and clones (ERC-1167): what a constructor does is done
/// by `initialize`, once for each of them and never for the implementation itself.
contract UpgradeableCollection is ERC721Enumerable, Ownable, Initializable, UUPSUpgradeable {
    string private _nameHere;
    string private _symbolHere;
    string private _base;

    constructor() ERC721("", "") Ownable(msg.sender) {
        _disableInitializers();
    }

    function initialize(string calldata name_, string calldata symbol_, address owner_, string calldata baseURI_)
        external
        initializer
    {
        _nameHere = name_;
        _symbolHere = symbol_;
        _base = baseURI_;
        _transferOwnership(owner_);
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
    }

    function name() public view override returns (string memory) {
        return _nameHere;
    }

    function symbol() public view override returns (string memory) {
        return _symbolHere;
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// @title An ERC-1967 proxy in front of an UpgradeableCollection.
contract CollectionProxy is ERC1967Proxy {
    constructor(address implementation, bytes memory data) ERC1967Proxy(implementation, data) {}
}

/// @title Makes collections by cloning one implementation (ERC-1167).
contract CollectionFactory {
    address public immutable implementation;

    event CollectionCreated(address indexed collection, address indexed creator);

    constructor(address implementation_) {
        implementation = implementation_;
    }

    function create(string calldata name, string calldata symbol, address owner, string calldata baseURI)
        external
        returns (address collection)
    {
        collection = Clones.clone(implementation);
        emit CollectionCreated(collection, msg.sender);
        UpgradeableCollection(collection).initialize(name, symbol, owner, baseURI);
    }
}
