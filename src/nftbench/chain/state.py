"""The committed state of an embedded chain: kept in Python and mirrored into pyrevm's database.

Reads come from the Python side, for they must never load an account into pyrevm's journal (a loaded account is warm,
and warm accounts cost less gas). Every change leaves its old value in one undo log, from which snapshots, restores and
reads of past blocks are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyrevm
from msgspec import Struct

from nftbench.values import keccak256

EMPTY_CODE_HASH = keccak256(b"")
_EMPTY_CODE_HASH_HEX = EMPTY_CODE_HASH.hex()

# pyrevm's own type stub leaves out the balance.
account_info: Callable[..., Any] = pyrevm.AccountInfo


class Account(Struct, frozen=True):
    """One account: `balance` in wei, `code_hash` in hexadecimal digits without 0x."""

    balance: int = 0
    nonce: int = 0
    code_hash: str = _EMPTY_CODE_HASH_HEX


NO_ACCOUNT = Account()
Change = tuple[str, int | None, Any]


class KeptState(Struct, frozen=True):
    """A state at one moment. `analysed` has pyrevm's info of each code with the address that it came to first."""

    accounts: dict[str, Account]
    slots: dict[str, dict[int, int]]
    codes: dict[str, bytes]
    analysed: tuple[tuple[str, Any], ...]
    changes: tuple[Change, ...]


class State:
    """Accounts and storage over one pyrevm instance whose journal is empty whenever a method here is called."""

    def __init__(self, evm: pyrevm.EVM) -> None:
        self._evm = evm
        self._accounts: dict[str, Account] = {}
        self._slots: dict[str, dict[int, int]] = {}
        self._codes: dict[str, bytes] = {_EMPTY_CODE_HASH_HEX: b""}
        self._analysed: list[tuple[str, Any]] = []
        self._changes: list[Change] = []

    def __len__(self) -> int:
        """How many changes there were: a mark for rewind and the reads of the past."""
        return len(self._changes)

    def account(self, address: str, mark: int | None = None) -> Account:
        """The account now, or as it was when the state had `mark` changes."""
        if mark is not None:
            for changed, slot, old in self._changes[mark:]:
                if slot is None and changed == address:
                    past: Account = old
                    return past
        return self._accounts.get(address, NO_ACCOUNT)

    def code(self, address: str) -> bytes:
        return self._codes[self._accounts.get(address, NO_ACCOUNT).code_hash]

    def code_of_hash(self, code_hash: str) -> bytes:
        """Code by its hash in hexadecimal digits; KeyError for code that was never deployed here."""
        return self._codes[code_hash]

    def storage(self, address: str, slot: int) -> int:
        slots = self._slots.get(address)
        return slots.get(slot, 0) if slots else 0

    def add_code(self, address: str, code_hash: str, code: bytes, analysed: Any) -> None:
        """Make new code known; `analysed` is pyrevm's info with its jump table, so that no call analyses it again."""
        if code_hash not in self._codes:
            self._codes[code_hash] = code
            self._analysed.append((address, analysed))
            self._evm.insert_account_info(address, analysed)

    def keep(self) -> KeptState:
        """What the state is now, and what it was."""
        return KeptState(
            dict(self._accounts),
            {address: dict(slots) for address, slots in self._slots.items()},
            dict(self._codes),
            tuple(self._analysed),
            tuple(self._changes),
        )

    def take_over(self, kept: KeptState) -> None:
        """Become what another state was; for a state that is still empty."""
        evm = self._evm
        self._accounts, self._codes = dict(kept.accounts), dict(kept.codes)
        self._slots = {address: dict(slots) for address, slots in kept.slots.items()}
        self._analysed, self._changes = list(kept.analysed), list(kept.changes)
        for address, analysed in kept.analysed:
            evm.insert_account_info(address, analysed)
        for address, account in kept.accounts.items():
            self.write_account(address, account)
        for address, slots in kept.slots.items():
            for slot, value in slots.items():
                self._write_slot(address, slot, value)

    def set_account(self, address: str, account: Account) -> None:
        self._changes.append((address, None, self._accounts.get(address, NO_ACCOUNT)))
        self._accounts[address] = account
        self.write_account(address, account)

    def set_slot(self, address: str, slot: int, value: int) -> None:
        slots = self._slots.setdefault(address, {})
        self._changes.append((address, slot, slots.get(slot, 0)))
        slots[slot] = value
        self._write_slot(address, slot, value)

    def rewind(self, mark: int) -> None:
        """Take back every change made since the state had `mark` changes."""
        for (address, slot), old in self._before(mark).items():
            if slot is None:
                self._accounts[address] = old
                self.write_account(address, old)
            else:
                self._slots[address][slot] = old
                self._write_slot(address, slot, old)
        del self._changes[mark:]

    def changed_since(self, mark: int) -> dict[tuple[str, int | None], Any]:
        """What was written since the state had `mark` changes: accounts (slot None) and slots with their values now."""
        written = dict.fromkeys((address, slot) for address, slot, _ in self._changes[mark:])
        return {(a, s): self._accounts[a] if s is None else self._slots[a][s] for a, s in written}

    def differing_since(self, mark: int) -> dict[tuple[str, int | None], tuple[Any, Any]]:
        """The accounts (slot None) and slots that are not what they were when the state had `mark` changes: then and now."""
        now = self.changed_since(mark)
        return {key: (then, now[key]) for key, then in self._before(mark).items() if then != now[key]}

    def rewritten(self, spans: Iterable[tuple[int, int | None]], mark: int | None) -> dict[tuple[str, int], int]:
        """The slots that were last written within one of the spans of changes and are not what they were when the state had
        `mark` changes (None: as many as now), with what they held then."""
        first = len(self) if mark is None else mark
        then = self._before(first)
        last = {(a, s): at for at, (a, s, _) in enumerate(self._changes[first:], first) if s is not None}
        inside = {at for start, end in spans for at in range(start, len(self) if end is None else end)}
        return {(a, s): then[a, s] for (a, s), at in last.items() if at in inside and then[a, s] != self._slots[a][s]}

    def show_past(self, mark: int) -> list[tuple[str, int | None]]:
        """Put the values of the past into pyrevm's database alone; hand the result to show_present afterwards."""
        before = self._before(mark)
        for (address, slot), old in before.items():
            if slot is None:
                self.write_account(address, old)
            else:
                self._write_slot(address, slot, old)
        return list(before)

    def show_slots(self, values: Mapping[tuple[str, int], int]) -> list[tuple[str, int | None]]:
        """Put other values of slots into pyrevm's database alone; hand the result to show_present afterwards."""
        for (address, slot), value in values.items():
            self._write_slot(address, slot, value)
        return list(values)

    def show_present(self, displaced: list[tuple[str, int | None]]) -> None:
        for address, slot in displaced:
            if slot is None:
                self.write_account(address, self._accounts[address])
            else:
                self._write_slot(address, slot, self.storage(address, slot))

    def write_account(self, address: str, account: Account) -> None:
        """Put an account into pyrevm's database and nowhere else."""
        if account.code_hash == _EMPTY_CODE_HASH_HEX:
            self._evm.insert_account_info(address, account_info(account.balance, account.nonce))
        else:
            code_hash = bytes.fromhex(account.code_hash)
            self._evm.insert_account_info(address, account_info(account.balance, account.nonce, code_hash))

    def _before(self, mark: int) -> dict[tuple[str, int | None], Any]:
        before: dict[tuple[str, int | None], Any] = {}
        for address, slot, old in self._changes[mark:]:
            before.setdefault((address, slot), old)
        return before

    def _write_slot(self, address: str, slot: int, value: int) -> None:
        # The insert goes to the database and then loads the account; the revert unloads it, so nothing stays warm.
        evm = self._evm
        checkpoint = evm.snapshot()
        evm.insert_account_storage(address, slot, value)
        evm.revert(checkpoint)
