"""Where nftbench can't be installed, one sentence says so before anything is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nftbench.chain.platforms import obstacle

SCRIPT = Path(__file__).resolve().parents[2] / "src" / "nftbench" / "chain" / "platforms.py"
FITTING = [("linux", "x86_64", "glibc"), ("darwin", "arm64", ""), ("darwin", "x86_64", ""), ("win32", "AMD64", "")]
UNFIT = [
    ("linux", "aarch64", "glibc", "Linux aarch64"),
    ("linux", "x86_64", "musl", "musl"),
    ("linux", "x86_64", "", "musl"),
    ("linux", "armv7l", "glibc", "armv7l"),
    ("linux", "ppc64le", "glibc", "ppc64le"),
    ("win32", "ARM64", "", "ARM64"),
    ("freebsd14", "amd64", "", "freebsd14"),
]


@pytest.mark.parametrize(("system", "machine", "libc"), FITTING)
@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 9)])
def test_a_machine_with_a_wheel_is_fine(version: tuple[int, ...], system: str, machine: str, libc: str) -> None:
    assert obstacle(version, system, machine, libc) == ""


@pytest.mark.parametrize(("system", "machine", "libc", "named"), UNFIT)
def test_a_machine_without_one_is_named_with_those_that_have_one(
    system: str, machine: str, libc: str, named: str
) -> None:
    told = obstacle((3, 12, 1), system, machine, libc)
    assert (
        named in told
        and "Linux x86_64 (glibc), macOS x86_64 and arm64, Windows x86_64" in told
        and told.count(". ") == 0
    )


def test_a_python_of_32_bits_is_told() -> None:
    assert "32 bits" in obstacle((3, 12, 1), "win32", "AMD64", "", 32)


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 13, 0), (3, 14, 0), (2, 7, 18), (4, 11, 0)])
def test_another_python_is_named_with_the_ones_that_will_do(version: tuple[int, ...]) -> None:
    found = ".".join(map(str, version))
    told = obstacle(version, "linux", "x86_64", "glibc")
    assert told == f"nftbench needs Python 3.11 or 3.12, and this is Python {found}."


PRETENDING = """
import platform, runpy, shutil, sys
platform.machine = lambda: "aarch64"
shutil.which = lambda name: {cargo!r}
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.mark.parametrize(("cargo", "code"), [(None, 1), ("/usr/bin/cargo", 0)])
def test_it_is_told_before_anything_is_installed(cargo: str | None, code: int) -> None:
    """By the script that `make` and the build hook run; where Rust is there, pip may build what is missing."""
    program = PRETENDING.format(cargo=cargo, script=str(SCRIPT))
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code and len(done.stderr.splitlines()) == code
    assert code == 0 or "aarch64" in done.stderr


def test_an_engine_that_is_not_there_is_told_in_one_sentence() -> None:
    program = "import sys; sys.modules['pyrevm'] = None; import nftbench.chain.revm"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: pyrevm, the embedded EVM, can't be loaded" in done.stderr.splitlines()[-1]
