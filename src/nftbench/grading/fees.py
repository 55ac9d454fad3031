"""What the agent's own transactions cost in fees, so that ether can be compared without them."""

from __future__ import annotations

from nftbench.tools.toolbox import Desk


def fees_paid(desk: Desk, account: str, block: int | None = None) -> int:
    """Wei that `account` paid in fees for the agent's transactions, up to and with a block."""
    return sum(
        receipt.gas_used * receipt.effective_gas_price
        for receipt in desk.receipts
        if receipt.sender == account and (block is None or receipt.block_number <= block)
    )
