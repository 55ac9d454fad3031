"""The machines that pyrevm, the embedded EVM, comes for as a wheel. Run by its path, it tells before anything is installed."""

from __future__ import annotations

import platform
import shutil
import struct
import sys

PYTHONS = ((3, 11), (3, 12))
MACHINES = (("linux", "x86_64"), ("darwin", "x86_64"), ("darwin", "arm64"), ("win32", "amd64"))
"""As sys.platform and platform.machine() name them, in lower case; on Linux with glibc."""
TABLE = "Linux x86_64 (glibc), macOS x86_64 and arm64, Windows x86_64"


def obstacle(version: tuple[int, ...], system: str, machine: str, libc: str, bits: int = 64) -> str:
    """One sentence on why nftbench can't be installed on such a machine; "" if it can. `libc` is "glibc" or anything else."""
    if tuple(version[:2]) not in PYTHONS:
        return f"nftbench needs Python 3.11 or 3.12, and this is Python {'.'.join(str(part) for part in version[:3])}."
    known = {"aarch64": "arm64"}.get(machine.lower(), machine.lower()) if system != "linux" else machine.lower()
    fits = (system, known) in MACHINES and bits == 64 and (system != "linux" or libc == "glibc")
    if fits:
        return ""
    name = f"{'Linux' if system == 'linux' else system} {machine}"
    if system == "linux" and libc != "glibc":
        name += " without glibc (musl)"
    if bits != 64:
        name += f" with a Python of {bits} bits"
    return (
        f"nftbench needs pyrevm, which has no wheel for this machine ({name}), but only for {TABLE}: use one of these, or a "
        "container for linux/amd64, or install Rust's cargo, with which pip builds pyrevm from source."
    )


def obstacle_here() -> str:
    """The same for this machine; where Rust's cargo is there, only its Python counts."""
    sentence = obstacle(
        sys.version_info[:3], sys.platform, platform.machine(), platform.libc_ver()[0], struct.calcsize("P") * 8
    )
    return "" if sentence and sys.version_info[:2] in PYTHONS and shutil.which("cargo") else sentence


if __name__ == "__main__":
    told = obstacle_here()
    if told:
        print(told, file=sys.stderr)
        sys.exit(1)
