"""What the artifacts say about themselves, and that nothing in them may not be given away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ARTIFACTS = Path(__file__).resolve().parents[2] / "src" / "nftbench" / "artifacts"
FILES = sorted(path for path in ARTIFACTS.glob("*.json") if path.name != "manifest.json")
PERMISSIVE = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unlicense"}
LARGEST_CONTRACT = 24_576  # bytes of runtime code, EIP-170
WORDS_OF_A_LICENCE = {
    "MIT": "Permission is hereby granted, free of charge",
    "ISC": "Permission",
    "BSD-3-Clause": "BSD 3-Clause",
    "Apache-2.0": "Apache",
}


def load(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", FILES, ids=stem)
def test_artifact_names_its_source_compiler_and_licence(path):
    artifact = load(path)
    assert artifact["name"] == path.stem
    assert artifact["compiler"]["version"].startswith("0.8.")
    assert artifact["compiler"]["settings"]["optimizer"] == {"enabled": True, "runs": 200}
    assert artifact["compiler"]["settings"]["evmVersion"] == "cancun"
    source = artifact["source"]
    assert all(source[key] for key in ("package", "version", "path", "license"))
    assert len(artifact["sourceHash"]) == 64
    licences = {source["license"], *(part["license"] for part in source["includes"])}
    assert licences <= PERMISSIVE


@pytest.mark.parametrize("path", FILES, ids=stem)
def test_artifact_is_complete_code_that_a_chain_takes(path):
    artifact = load(path)
    for key in ("bytecode", "deployedBytecode"):
        assert artifact[key].startswith("0x")
        bytes.fromhex(artifact[key][2:])
    assert 0 < (len(artifact["deployedBytecode"]) - 2) // 2 <= LARGEST_CONTRACT
    assert {entry["type"] for entry in artifact["abi"]} <= {
        "constructor",
        "error",
        "event",
        "fallback",
        "function",
        "receive",
    }


def test_every_package_in_an_artifact_has_its_licence_beside_it():
    used = set()
    for path in FILES:
        source = load(path)["source"]
        for part in (source, *source["includes"]):
            used.add((part["package"], part["version"], part["license"]))
    used |= {
        ("echarts", "6.1.0", "Apache-2.0"),
        ("zrender", "6.1.0", "BSD-3-Clause"),
    }  # the script of the page of `view`
    others = {entry for entry in used if entry[0] != "nftbench"}
    assert {name for name, *_ in others} >= {"@openzeppelin/contracts", "erc721a", "solady", "@opensea/seaport-js"}
    expected = {}
    for name, version, licence in others:
        expected[f"{name.removeprefix('@').replace('/', '-')}-{version}.txt"] = licence
    assert {path.name for path in (ARTIFACTS / "licenses").iterdir()} == set(expected)
    for file, licence in expected.items():
        assert WORDS_OF_A_LICENCE[licence] in (ARTIFACTS / "licenses" / file).read_text("utf-8")


def test_own_contracts_are_under_the_projects_licence():
    own = [load(path)["source"] for path in FILES if load(path)["source"]["package"] == "nftbench"]
    assert len(own) > 30
    assert {source["license"] for source in own} == {"Apache-2.0"}
