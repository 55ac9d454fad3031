"""The rules a transaction must pass before it runs, and what it pays: the parts of Ethereum that pyrevm leaves out.

Rules are those of the Cancun hard fork. Gas prices are wei per gas.
"""

from __future__ import annotations

from msgspec import Struct

from nftbench.chain.engine import Refused, Transaction
from nftbench.chain.state import EMPTY_CODE_HASH, Account

MAX_INIT_CODE_SIZE = 49_152  # EIP-3860
ELASTICITY = 2  # EIP-1559
BASE_FEE_CHANGE_DENOMINATOR = 8  # EIP-1559

_TRANSACTION_GAS = 21_000
_CREATION_GAS = 32_000
_ZERO_BYTE_GAS = 4
_BYTE_GAS = 16  # EIP-2028
_INIT_CODE_WORD_GAS = 2  # EIP-3860
_NO_CODE = EMPTY_CODE_HASH.hex()


class Chain(Struct, frozen=True):
    """What validation needs to know of the chain; `tip` and `gas` are for a transaction that names none."""

    chain_id: int
    block_gas_limit: int
    tip: int
    gas: int


class Terms(Struct, frozen=True):
    """A transaction's choices with every default filled in; `price` is what one gas costs the sender in the end."""

    gas_limit: int
    max_fee: int
    max_tip: int
    price: int
    nonce: int


def intrinsic_gas(data: bytes, creates: bool) -> int:
    """The gas a transaction costs before its first instruction runs."""
    zeros = data.count(0)
    gas = _TRANSACTION_GAS + _ZERO_BYTE_GAS * zeros + _BYTE_GAS * (len(data) - zeros)
    if creates:
        gas += _CREATION_GAS + _INIT_CODE_WORD_GAS * ((len(data) + 31) // 32)
    return gas


def next_base_fee(base_fee: int, gas_used: int, block_gas_limit: int) -> int:
    """The base fee of the block after one that used `gas_used` (EIP-1559)."""
    target = block_gas_limit // ELASTICITY
    if gas_used == target:
        return base_fee
    change = base_fee * abs(gas_used - target) // target // BASE_FEE_CHANGE_DENOMINATOR
    return base_fee + max(change, 1) if gas_used > target else base_fee - change


def terms(transaction: Transaction, chain: Chain, base_fee: int, sender: Account) -> Terms | Refused:
    """The transaction's terms if a node would put it into its next block; the checks run in a node's order.

    ValueError for a number below zero, which no transaction can be written with.
    """
    given = transaction
    numbers = (given.value, given.gas_limit, given.max_fee_per_gas, given.max_priority_fee_per_gas, given.nonce)
    if any(number is not None and number < 0 for number in numbers):
        raise ValueError("no number in a transaction can be below zero")
    nonce = sender.nonce if given.nonce is None else given.nonce
    tip = given.max_priority_fee_per_gas
    max_fee = given.max_fee_per_gas
    if max_fee is None:
        max_fee = 2 * base_fee + (chain.tip if tip is None else tip)
    if tip is None:
        tip = min(chain.tip, max_fee)
    refused = _refused_identity(given, chain, sender, nonce) or _refused_fees(max_fee, tip, base_fee)
    if refused:
        return refused
    gas_limit = given.gas_limit
    if gas_limit is None:
        affordable = (sender.balance - given.value) // max_fee if max_fee else chain.gas
        gas_limit = max(min(chain.gas, affordable), intrinsic_gas(given.data, given.to is None))
    refused = _refused_gas(given, chain, sender, gas_limit, max_fee)
    return refused or Terms(gas_limit, max_fee, tip, min(max_fee, base_fee + tip), nonce)


def _refused_identity(given: Transaction, chain: Chain, sender: Account, nonce: int) -> Refused | None:
    if given.chain_id is not None and given.chain_id != chain.chain_id:
        text = f"the transaction is for chain id {given.chain_id} and this chain's id is {chain.chain_id}"
        return Refused("wrong_chain_id", text)
    if nonce < sender.nonce:
        return Refused("nonce_too_low", f"nonce {nonce} is used up: the sender's next nonce is {sender.nonce}")
    if nonce > sender.nonce:
        return Refused("nonce_too_high", f"nonce {nonce} is ahead of the sender's next nonce, {sender.nonce}")
    if sender.code_hash != _NO_CODE:  # EIP-3607
        return Refused("sender_has_code", f"{given.sender} is a contract, and a contract can't send a transaction")
    return None


def _refused_fees(max_fee: int, tip: int, base_fee: int) -> Refused | None:
    if tip > max_fee:
        text = f"the priority fee of {tip} wei per gas is above the fee cap of {max_fee} wei per gas"
        return Refused("priority_fee_above_fee_cap", text)
    if max_fee < base_fee:
        text = f"the fee cap of {max_fee} wei per gas is below the block's base fee of {base_fee} wei per gas"
        return Refused("fee_cap_below_base_fee", text)
    return None


def _refused_gas(given: Transaction, chain: Chain, sender: Account, gas_limit: int, max_fee: int) -> Refused | None:
    if gas_limit > chain.block_gas_limit:
        text = f"the gas limit of {gas_limit} is above the block's gas limit of {chain.block_gas_limit}"
        return Refused("gas_limit_above_block_limit", text)
    cost = gas_limit * max_fee + given.value
    if cost > sender.balance:
        text = (
            f"the sender holds {sender.balance} wei and the transaction may cost {cost} wei:"
            f" a value of {given.value} wei and {gas_limit} gas at up to {max_fee} wei each"
        )
        return Refused("insufficient_funds", text)
    if given.to is None and len(given.data) > MAX_INIT_CODE_SIZE:
        text = f"the creation code has {len(given.data)} bytes and at most {MAX_INIT_CODE_SIZE} are allowed"
        return Refused("init_code_too_large", text)
    needed = intrinsic_gas(given.data, given.to is None)
    if gas_limit < needed:
        text = f"the gas limit of {gas_limit} is below the {needed} gas that the transaction costs before it runs"
        return Refused("intrinsic_gas_too_low", text)
    return None
