"""A small EVM assembler, so that a test's contract can be read where it is used."""

from __future__ import annotations

_NAMES = {
    0x00: "STOP ADD MUL SUB DIV",
    0x10: "LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR",
    0x20: "KECCAK256",
    0x30: "ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE",
    0x3B: "EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH",
    0x40: "BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE",
    0x50: "POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0",
    0x80: "DUP1 DUP2 DUP3 DUP4 DUP5 DUP6",
    0x90: "SWAP1 SWAP2 SWAP3",
    0xA0: "LOG0 LOG1 LOG2 LOG3 LOG4",
    0xF0: "CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2",
    0xFA: "STATICCALL",
    0xFD: "REVERT INVALID SELFDESTRUCT",
}
_OPCODES = {name: start + offset for start, names in _NAMES.items() for offset, name in enumerate(names.split())}


def assemble(text: str) -> bytes:
    """Code from opcode names; a number is pushed, `name:` is a jump target, `@name` pushes its position."""
    labels: dict[str, int] = {}
    uses: list[tuple[int, str]] = []
    code = bytearray()
    for token in text.split():
        if token.endswith(":"):
            labels[token[:-1]] = len(code)
            code.append(_OPCODES["JUMPDEST"])
        elif token.startswith("@"):
            uses.append((len(code) + 1, token[1:]))
            code += b"\x61\x00\x00"
        elif token[0].isdigit():
            number = int(token, 0)
            size = max(1, (number.bit_length() + 7) // 8)
            code += bytes([0x5F + size]) + number.to_bytes(size, "big")
        else:
            code.append(_OPCODES[token])
    for position, label in uses:
        code[position : position + 2] = labels[label].to_bytes(2, "big")
    return bytes(code)


def creation(runtime: bytes, before: str = "") -> bytes:
    """Creation code that runs `before` and then leaves `runtime` behind."""
    tail = assemble("0 CODECOPY 0 RETURN")
    prefix = assemble(before)
    size = len(runtime).to_bytes(2, "big")
    position = (len(prefix) + 7 + len(tail)).to_bytes(2, "big")
    return prefix + b"\x61" + size + assemble("DUP1") + b"\x61" + position + tail + runtime
