"""Signed orders of Seaport as a fixture's data: what they are made of, and the values that steps and goals name them by."""

from __future__ import annotations

from nftbench.tasks.orders.model import Item, ItemType, Order, OrderType, PostOrder, SignOrders
from nftbench.tasks.orders.values import ConduitKey, OrderHash, OrderOf, SignatureOf

__all__ = [
    "ConduitKey",
    "Item",
    "ItemType",
    "Order",
    "OrderHash",
    "OrderOf",
    "OrderType",
    "PostOrder",
    "SignOrders",
    "SignatureOf",
]
