"""What one execution changed, read from revm's debug text of its journal.

pyrevm shows which storage slots changed nowhere else. The text of one account is

    0x<address>: Account { info: AccountInfo { balance: 1, nonce: 2, code_hash: 0x.., code: Some(..) }, storage: {
    7: StorageSlot { previous_or_original_value: 0, present_value: 5 }, ..}, status: AccountStatus(Created | Touched) }

and whole contracts stand in it as hexadecimal digits, so it is cut with plain string searches: a regular expression
over it costs as much as the execution itself.
"""

from __future__ import annotations

from msgspec import Struct

from nftbench.values import checksum

_STATE_START = "JournaledState { state: {"
_STORAGE = "}, storage: {"
_STATUS = "}, status: AccountStatus("
_INFO = ": Account { info: AccountInfo { balance: "
_NONCE = ", nonce: "
_CODE_HASH = ", code_hash: 0x"
_END = ") }"
_ADDRESS_SIZE = 42
_HASH_SIZE = 64
_CODE_LENGTH = "Analysed { len: "
_SLOT = ": StorageSlot { previous_or_original_value: "
_PRESENT = ", present_value: "


class TouchedAccount(Struct, frozen=True):
    """An account the execution loaded, as it stood at the end; `slots` holds the changed storage only.

    `destroyed` is SELFDESTRUCT by a contract created in the same transaction (EIP-6780): the account is to be deleted.
    `code_length` is 0 where the text gives none.
    """

    address: str
    balance: int
    nonce: int
    code_hash: str
    code_length: int
    created: bool
    destroyed: bool
    slots: list[tuple[int, int]]


def touched_accounts(text: str) -> list[TouchedAccount]:
    """Every account in the journal's text; ValueError if it isn't the text this was written for."""
    if not text.startswith(_STATE_START):
        raise ValueError(f"no journal text: {text[:80]!r}")
    found = []
    at = len(_STATE_START)
    while text.startswith("0x", at):
        account, at = _account(text, at)
        found.append(account)
    return found


def loaded_slots(text: str) -> set[tuple[str, int]]:
    """Every storage slot that was read or written, with its account; ValueError as in touched_accounts."""
    if not text.startswith(_STATE_START):
        raise ValueError(f"no journal text: {text[:80]!r}")
    found = set()
    at = len(_STATE_START)
    while text.startswith("0x", at):
        address = text[at : at + _ADDRESS_SIZE]
        storage_at = text.index(_STORAGE, at)
        status_at = text.index(_STATUS, storage_at)
        storage = text[storage_at + len(_STORAGE) : status_at]
        if storage:
            account = checksum(address)
            found |= {(account, int(item.partition(_SLOT)[0])) for item in storage.split(" }, ")}
        at = text.index(_END, status_at) + len(_END) + len(", ")
    return found


def _account(text: str, at: int) -> tuple[TouchedAccount, int]:
    """The account whose text starts at `at`, and where the next one's would start."""
    balance_at = at + _ADDRESS_SIZE + len(_INFO)
    nonce_at = text.index(_NONCE, balance_at)
    hash_at = text.index(_CODE_HASH, nonce_at)
    hash_end = hash_at + len(_CODE_HASH) + _HASH_SIZE
    storage_at = text.index(_STORAGE, hash_end)
    status_at = text.index(_STATUS, storage_at)
    status_end = text.index(_END, status_at)
    storage = text[storage_at + len(_STORAGE) : status_at]
    status = text[status_at + len(_STATUS) : status_end]
    created = "Created" in status
    account = TouchedAccount(
        checksum(text[at : at + _ADDRESS_SIZE]),
        int(text[balance_at:nonce_at]),
        int(text[nonce_at + len(_NONCE) : hash_at]),
        text[hash_end - _HASH_SIZE : hash_end],
        _code_length(text[hash_end:storage_at]) if created else 0,
        created,
        "SelfDestructed" in status,
        _changed_slots(storage) if storage else [],
    )
    return account, status_end + len(_END) + len(", ")


def _code_length(code: str) -> int:
    start = code.rfind(_CODE_LENGTH)
    if start < 0:
        return 0
    start += len(_CODE_LENGTH)
    return int(code[start : code.index(",", start)])


def _changed_slots(storage: str) -> list[tuple[int, int]]:
    slots = []
    for item in storage.split(" }, "):
        slot, _, values = item.partition(_SLOT)
        before, _, present = values.partition(_PRESENT)
        present = present.removesuffix(" }")
        if before != present:
            slots.append((int(slot), int(present)))
    return slots
