"""How each token contract is minted: one call for a list of ids, one call an id (and its traits), one call for a count of running
ids, or when it is made, from 1 on, to a list of holders among its terms.
"""

from __future__ import annotations

BATCH_MINTED = (
    "OpenZeppelinCollection",
    "SoladyCollection",
    "LockableCollection",
    "PausableCollection",
    "BlocklistCollection",
    "PermitCollection",
    "MetadataCollection",
    "RoyaltyCollection",
    "FilteredCollection",
    "CreatorTokenCollection",
    "NumberedCollection",
    "UpgradeableCollection",
    "UnindexedCollection",
    "CuratedCollection",
)
SINGLY_MINTED = ("LegacyCollection", "SoulboundCollection", "ForcedTransferCollection")
COUNT_MINTED = ("SequentialCollection", "RentableCollection", "RentalLockedCollection")
FILLABLE = ("OpenZeppelinCollection", "SoladyCollection")
MULTI_TOKENS = ("MultiToken", "SoladyMultiToken")
FIXED = ("EventlessCollection",)
TRAIT_MINTED = ("TraitCollection",)
TOKENS = BATCH_MINTED + COUNT_MINTED + SINGLY_MINTED + MULTI_TOKENS + FIXED + TRAIT_MINTED
