// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-7572, metadata of a whole contract.
interface IERC7572 {
    event ContractURIUpdated();

    function contractURI() external view returns (string memory);
}
