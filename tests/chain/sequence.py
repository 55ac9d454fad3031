"""One script of transactions for any two engines: what each step must come to is written beside it.

Contracts come from deployers that send nothing else, so every address is known before the script runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from nftbench.chain import artifacts
from nftbench.chain.engine import Transaction
from nftbench.values import WEI_PER_ETHER, checksum, keccak256
from tests.chain import contracts as small
from tests.chain.assembly import assemble, creation

GWEI = 10**9
PRICE, TIP = 4 * GWEI, GWEI
GAS = 1_000_000


def account(label: str) -> str:
    return checksum("0x" + keccak256(f"account {label}".encode())[-20:].hex())


def create_address(sender: str, nonce: int = 0) -> str:
    """Where CREATE puts a contract: the hash of the RLP list of sender and nonce (nonces under 128 only)."""
    assert 0 <= nonce < 128
    return checksum("0x" + keccak256(b"\xd6\x94" + bytes.fromhex(sender[2:]) + bytes([nonce or 0x80]))[-20:].hex())


def create2_address(sender: str, salt: int, code: bytes) -> str:
    preimage = b"\xff" + bytes.fromhex(sender[2:]) + salt.to_bytes(32, "big") + keccak256(code)
    return checksum("0x" + keccak256(preimage)[-20:].hex())


ALICE, BOB, CAROL, NEWCOMER, PENNILESS = (account(n) for n in ("alice", "bob", "carol", "newcomer", "penniless"))
EXACT, THRIFTY = account("exact"), account("thrifty")
FUNDS = {ALICE: 100 * WEI_PER_ETHER, BOB: 50 * WEI_PER_ETHER, CAROL: WEI_PER_ETHER}
# One pays for its transaction to the last wei; the other could not have paid for it twice.
FUNDS |= {EXACT: 21_000 * PRICE + 12345, THRIFTY: 300_000 * PRICE + 777}


class Step(Struct, frozen=True):
    """A transaction and how it must end: "success", "revert", "halt", or the reason it is refused for."""

    name: str
    transaction: Transaction
    ends: str = "success"


def word(value: int | str) -> bytes:
    return int(value, 16).to_bytes(32, "big") if isinstance(value, str) else value.to_bytes(32, "big")


def send(name: str, to: str | None, data: bytes = b"", *, ends: str = "success", **given: Any) -> Step:
    fields: dict[str, Any] = {
        "sender": ALICE,
        "gas_limit": GAS,
        "max_fee_per_gas": PRICE,
        "max_priority_fee_per_gas": TIP,
    } | given
    return Step(name, Transaction(to=to, data=data, **fields), ends)


def at(name: str) -> str:
    """The address of the contract of that name."""
    return create_address(account(f"deployer of {name}"))


def deploy(name: str, code: bytes, *, ends: str = "success", **given: Any) -> Step:
    return send(f"deploy {name}", None, code, ends=ends, sender=account(f"deployer of {name}"), **given)


def call(contract: str, function: str, arguments: Sequence[Any], **given: Any) -> Step:
    interface = artifacts.load(contract).interface
    data = interface.function(function).encode(arguments)
    name = f"{contract}.{function.partition('(')[0]} {given.get('note', '')}".strip()
    return send(name, at(contract), data, **{k: v for k, v in given.items() if k != "note"})


SMALL = {
    name: getattr(small, name) for name in dir(small) if name.isupper() and isinstance(getattr(small, name), bytes)
} | {
    "ECRECOVER": small.precompile_call(1),
    "SHA256": small.precompile_call(2),
    "RIPEMD160": small.precompile_call(3),
    "IDENTITY": small.precompile_call(4),
    "MODEXP": small.precompile_call(5),
    "BN_ADD": small.precompile_call(6),
    "BN_PAIRING": small.precompile_call(8),
    "BLAKE2": small.precompile_call(9),
    "STARVED_SHA256": small.precompile_call(2, gas=50),
}
"""Contracts that are deployed first, each from its own account."""

REAL: dict[str, tuple[Any, ...]] = {
    "OpenZeppelinCollection": ("Harbour", "HBR", ALICE, "ipfs://harbour/"),
    "SequentialCollection": ("Meadow", "MDW", ALICE, "ipfs://meadow/"),
    "SoladyCollection": ("Quarry", "QRY", ALICE, "ipfs://quarry/"),
    "MultiToken": ("Parts", "PRT", ALICE, "ipfs://parts/"),
    "PaymentToken": ("Coin", "CN", ALICE, 6),
    "AcceptingReceiver": (BOB,),
    "NoHookHolder": (BOB,),
    "RefusingReceiver": ("not here",),
    "WrongMagicReceiver": (),
    "DepositVault": (ALICE, []),
    "ConduitController": (),
    "Seaport": (at("ConduitController"),),
}
SIGNED = word(5) + word(27) + word(7) + word(9)


def script() -> Iterator[Step]:
    for part in (deployments, plain_transfers, refusals, executions, storage, creations, surroundings, tokens):
        yield from part()


def deployments() -> Iterator[Step]:
    for name, runtime in SMALL.items():
        yield deploy(name, creation(runtime))
    for name, arguments in REAL.items():
        yield deploy(name, artifacts.load(name).deployment(arguments), gas_limit=8_000_000)


def plain_transfers() -> Iterator[Step]:
    yield send("value to an account that never was", NEWCOMER, value=5 * WEI_PER_ETHER)
    yield send("value to a known account", BOB, value=1)
    yield send("nothing to a known account", BOB)
    yield send("nothing to an account that never was", account("nobody"))
    yield send("value to itself", ALICE, value=WEI_PER_ETHER)
    yield send("data to an account without code", BOB, b"\x00\x01" * 400)
    yield send("exactly what it costs", BOB, sender=EXACT, gas_limit=21_000, value=345)
    yield send("value to a contract that reverts", at("ECHO_REVERT"), value=7, ends="revert")
    yield send("the tip is all of the cap", BOB, max_fee_per_gas=2 * GWEI, max_priority_fee_per_gas=2 * GWEI)
    yield send("no tip", BOB, max_priority_fee_per_gas=0)
    yield send("an old sender's spending to the last coin", CAROL, sender=NEWCOMER, value=WEI_PER_ETHER)


def refusals() -> Iterator[Step]:
    yield send("a nonce of the past", BOB, nonce=0, ends="nonce_too_low")
    yield send("a nonce of the future", BOB, nonce=100, ends="nonce_too_high")
    yield send("another chain", BOB, chain_id=1, ends="wrong_chain_id")
    yield send("its own chain", BOB, chain_id=31337)
    fees: dict[str, Any] = {"max_fee_per_gas": 5, "max_priority_fee_per_gas": 0}
    yield send("a cap under the base fee", BOB, ends="fee_cap_below_base_fee", **fees)
    yield send("a tip over the cap", BOB, max_priority_fee_per_gas=PRICE + 1, ends="priority_fee_above_fee_cap")
    yield send("too little gas", BOB, gas_limit=20_999, ends="intrinsic_gas_too_low")
    yield send("just enough gas for the data", BOB, b"\x01" * 10, gas_limit=21_160)
    yield send("more gas than a block", BOB, gas_limit=30_000_001, ends="gas_limit_above_block_limit")
    yield send("no money at all", BOB, sender=PENNILESS, ends="insufficient_funds")
    yield send("more value than money", BOB, value=1000 * WEI_PER_ETHER, ends="insufficient_funds")
    yield send("one wei short", BOB, sender=CAROL, value=2 * WEI_PER_ETHER - GAS * PRICE + 1, ends="insufficient_funds")
    yield send("too much creation code", None, bytes(49_153), gas_limit=8 * GAS, ends="init_code_too_large")
    yield send("as much creation code as there may be", None, bytes(49_152), gas_limit=8 * GAS)
    yield send("nothing of that has used a nonce", BOB, value=3)


def executions() -> Iterator[Step]:
    for name in ("ENDLESS", "INVALID", "UNKNOWN_OPCODE", "UNDERFLOW", "BAD_JUMP"):
        yield send(f"halts: {name}", at(name), gas_limit=60_000, ends="halt", value=1)
    yield send("out of gas in the middle", at("FILLER"), word(9), gas_limit=100_000, ends="halt")
    reverts = {
        "without data": b"",
        "with a string": bytes.fromhex("08c379a0") + word(32) + word(4) + b"stop".ljust(32, b"\0"),
        "with a panic": bytes.fromhex("4e487b71") + word(0x11),
        "with a custom error": bytes.fromhex("7e273289") + word(99),
        "with raw bytes": b"\x01\x02\x03",
    }
    for name, data in reverts.items():
        yield send(f"reverts {name}", at("ECHO_REVERT"), data, ends="revert")
    yield send("reverts with a hundred kilobytes", at("LONG_REVERT"), ends="revert")
    yield send("returns a lot", at("ECHO"), bytes(range(256)) * 20)
    yield send("a revert inside is passed on", at("FORWARD"), word(at("ECHO_REVERT")) + b"inner", ends="revert")
    yield send("value through a contract", at("FORWARD"), word(BOB), value=99)
    yield send("value through a contract to nobody", at("FORWARD"), word(account("created by value")), value=99)
    yield send("a call through two contracts", at("FORWARD"), word(at("FORWARD")) + word(at("COUNTER")))
    yield send("borrowed code", at("DELEGATE"), word(at("COUNTER")))
    yield send("borrowed code that halts", at("DELEGATE"), word(at("INVALID")))
    yield send("a write under a static call", at("STATIC"), word(at("COUNTER")))
    yield send("a call of itself down to no gas", at("RECURSE"), gas_limit=8 * GAS)
    yield send("logs", at("LOGGER"), b"hello")
    precompiles = {"ECRECOVER": SIGNED, "SHA256": b"abc", "RIPEMD160": b"abc", "IDENTITY": b"abcd"}
    precompiles |= {"MODEXP": word(1) * 3 + b"\x03\x05\x07", "BN_ADD": bytes(128), "BN_PAIRING": b""}
    precompiles |= {"BLAKE2": word(12)[-4:] + bytes(209), "STARVED_SHA256": b"abc"}
    for name, data in precompiles.items():
        yield send(f"precompiled {name}", at(name), data)
    yield send("a precompiled contract by itself", checksum("0x" + "00" * 19 + "02"), b"abc", value=1)
    yield send("a precompiled contract with bad input", checksum("0x" + "00" * 19 + "09"), b"abc", ends="halt")


def storage() -> Iterator[Step]:
    for _ in range(3):
        yield send("a slot that is new, then known", at("COUNTER"))
    yield send("a slot written three times", at("THRICE"))
    for value in (5, 5, 6, 0, 0):
        yield send(f"{value} to a slot", at("WRITER"), word(2**255 + 1) + word(value))
    yield send("twenty slots set", at("FILLER"), word(7))
    yield send("twenty slots cleared, with a capped refund", at("FILLER"), word(0))
    for _ in range(2):
        yield send("transient storage starts empty", at("TRANSIENT"))
    yield send("new instructions", at("CANCUN"))
    yield send("who could not pay twice", at("COUNTER"), sender=THRIFTY, gas_limit=290_000)


def creations() -> Iterator[Step]:
    child = creation(small.COUNTER)
    yield send("a contract makes a contract", at("MAKER"), child, value=5)
    yield send("and another", at("MAKER"), child)
    yield send("a making that reverts", at("MAKER"), assemble("0 0 REVERT"))
    yield send("a contract at a chosen address", at("MAKER2"), child, value=3)
    yield send("a second one at the same address", at("MAKER2"), child, value=3)
    yield send("the child works", create2_address(at("MAKER2"), 7, child))
    yield send("created and destroyed at once", at("MAKE_AND_CALL"), creation(small.DESTRUCT), value=11)
    yield send("and once more in the same place", at("MAKE_AND_CALL"), creation(small.DESTRUCT), value=12)
    yield send("destroyed with its money", at("MAKE_AND_CALL"), creation(small.DESTRUCT_TO_SELF), value=13)
    yield send("money to where it was", create2_address(at("MAKE_AND_CALL"), 7, creation(small.DESTRUCT)), value=1)
    yield send("destroyed before it was finished", None, assemble("CALLER SELFDESTRUCT"), value=17)
    yield send("money for an old contract", at("DESTRUCT"), value=21)
    yield send("and again", at("DESTRUCT"))
    yield send("an old contract's money stays with it", at("DESTRUCT_TO_SELF"), value=23)
    yield send("a contract with money", None, creation(small.ECHO, "1 0 SSTORE"), value=31)
    yield send("an empty contract", None, b"", value=1)
    yield send("creation reverts", None, assemble("0xabcd 0 MSTORE 32 0 REVERT"), ends="revert", value=1)
    yield send("creation halts", None, assemble("1 0 SSTORE INVALID"), ends="halt")
    yield send("code that is too long", None, assemble("24577 0 RETURN"), gas_limit=8 * GAS, ends="halt")
    yield send("code that is just not too long", None, assemble("24576 0 RETURN"), gas_limit=8 * GAS)
    yield send("code that may not start so", None, assemble("0xEF 0 MSTORE8 1 0 RETURN"), ends="halt")
    yield send("code that the gas does not pay for", None, assemble("1000 0 RETURN"), gas_limit=200_000, ends="halt")


def surroundings() -> Iterator[Step]:
    yield send("what a contract sees", at("ENVIRONMENT"), value=41)
    yield send("through another contract", at("FORWARD"), word(at("ENVIRONMENT")), value=43)
    yield send("in its constructor", None, small.ENVIRONMENT, value=47)
    for seen in (BOB, at("COUNTER"), at("FORWARD"), account("nobody at all"), at("DESTRUCT")):
        yield send("what a contract sees of others", at("INSPECTOR"), word(seen))
    yield send("a tip of another kind", at("TIPPER"), value=1000)
    yield send("what it sees then", at("ENVIRONMENT"), sender=BOB)


def tokens() -> Iterator[Step]:
    yield call("OpenZeppelinCollection", "mint", (ALICE, 1))
    yield call("OpenZeppelinCollection", "mintBatch", (ALICE, list(range(2, 9))))
    yield call("OpenZeppelinCollection", "mint", (BOB, 20), sender=BOB, ends="revert", note="by another")
    yield call("OpenZeppelinCollection", "transferFrom", (ALICE, BOB, 1))
    yield call("OpenZeppelinCollection", "transferFrom", (ALICE, BOB, 1), ends="revert", note="twice")
    yield call("OpenZeppelinCollection", "approve", (BOB, 2))
    yield call("OpenZeppelinCollection", "transferFrom", (ALICE, CAROL, 2), sender=BOB)
    for receiver, ends in (("AcceptingReceiver", "success"), ("NoHookHolder", "revert")):
        arguments = (ALICE, at(receiver), 3)
        yield call("OpenZeppelinCollection", SAFE, arguments, ends=ends, note=f"to {receiver}")
    for receiver in ("RefusingReceiver", "WrongMagicReceiver"):
        yield call("OpenZeppelinCollection", SAFE, (ALICE, at(receiver), 4), ends="revert", note=f"to {receiver}")
    yield call("OpenZeppelinCollection", "burn", (5,))
    yield call("SequentialCollection", "setApprovalForAll", (BOB, True))
    yield call("SoladyCollection", "setApprovalForAll", (BOB, True))
    yield call("PaymentToken", "mint", (ALICE, 10**12))
    yield call("PaymentToken", "transfer", (BOB, 10**6))
    yield call("PaymentToken", "transfer", (BOB, 10**6), sender=CAROL, ends="revert", note="without any")
    yield call("MultiToken", "mint", (ALICE, 7, 50, b""))
    yield call("MultiToken", "safeBatchTransferFrom", (ALICE, BOB, [7], [51], b""), ends="revert", note="one short")
    yield call("MultiToken", "safeBatchTransferFrom", (ALICE, BOB, [7], [50], b""))
    yield call("OpenZeppelinCollection", SAFE, (ALICE, at("DepositVault"), 6), note="into a vault")
    yield call("DepositVault", "withdraw", (at("OpenZeppelinCollection"), 6), ends="revert", sender=BOB)


SAFE = "safeTransferFrom(address,address,uint256)"
SENDERS = tuple(account(f"deployer of {name}") for name in (*SMALL, *REAL))
FUNDS |= dict.fromkeys(SENDERS, WEI_PER_ETHER)
WATCHED = (*FUNDS, NEWCOMER, PENNILESS, *(at(name) for name in (*SMALL, *REAL)))
"""Accounts that both engines must agree about after every step."""
