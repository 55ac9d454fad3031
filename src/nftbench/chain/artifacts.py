"""Compiled contracts, as the package build leaves them beside this code."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct

from nftbench.chain.abi import Interface

_MANIFEST = "manifest"  # the build's own record of what it made


class UnknownArtifact(LookupError):
    """No contract of that name was built; the message has the near names, or says that nothing was built at all."""


class Artifact(Struct, frozen=True):
    """A compiled contract: `source` is its origin (package, version, path, license), `compiler` how it was built, `sources`
    the names of the files it is made of, its own first (see source_of).

    `abi` is the compiler's JSON; `runtime_code` has zeros where a constructor fills in immutable values.
    """

    name: str
    interface: Interface
    creation_code: bytes
    runtime_code: bytes
    abi: list[dict[str, Any]]
    compiler: dict[str, Any]
    source: dict[str, Any]
    source_hash: str
    sources: tuple[str, ...]

    def deployment(self, arguments: Sequence[Any] = ()) -> bytes:
        """The data of a transaction that creates this contract; EncodingError for arguments that don't fit."""
        return self.creation_code + self.interface.encode_constructor(arguments)


def names() -> tuple[str, ...]:
    """Every contract that was built, sorted."""
    folder = resources.files("nftbench") / "artifacts"
    if not folder.is_dir():
        return ()
    files = {file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json")}
    return tuple(sorted(files - {_MANIFEST}))


@cache
def load(name: str) -> Artifact:
    """The contract of that name; UnknownArtifact if there is none."""
    built = names()
    if name not in built:
        if not built:
            raise UnknownArtifact("no contracts were built: install nftbench again, which compiles them")
        near = difflib.get_close_matches(name, built, n=3, cutoff=0.4) or built
        raise UnknownArtifact(f"there is no contract {name!r}; near it: {', '.join(near)}")
    file = resources.files("nftbench") / "artifacts" / f"{name}.json"
    return parse(json.loads(file.read_text(encoding="utf-8")))


@cache
def source_of(file: str) -> str:
    """The Solidity text of one of an artifact's `sources`."""
    return (resources.files("nftbench") / "artifacts" / "sources" / file).read_text(encoding="utf-8")


def parse(document: dict[str, Any]) -> Artifact:
    """An artifact from its JSON document."""
    return Artifact(
        document["name"],
        Interface.from_abi(document["abi"]),
        bytes.fromhex(document["bytecode"].removeprefix("0x")),
        bytes.fromhex(document["deployedBytecode"].removeprefix("0x")),
        document["abi"],
        document["compiler"],
        document["source"],
        document["sourceHash"],
        tuple(document["sources"]),
    )
