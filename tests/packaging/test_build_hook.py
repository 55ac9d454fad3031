"""When the artifacts are made again, and what a person reads where they can't be."""

from __future__ import annotations

import http.server
import json
import shutil
import threading
from pathlib import Path

import pytest


def stamp(hatch_build, contracts, artifacts):
    manifest = hatch_build.expected_manifest(hatch_build.inputs_digest(contracts), artifacts)
    (artifacts / "manifest.json").write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    "name", ["package.json", "package-lock.json", "catalog.json", "compile.cjs", "src/A.sol", "licenses/a.txt"]
)
def test_a_change_of_any_input_makes_the_artifacts_stale(hatch_build, contracts, artifacts, name):
    stamp(hatch_build, contracts, artifacts)
    assert hatch_build.is_current(contracts, artifacts)
    (contracts / name).write_text("something else", "utf-8")
    assert not hatch_build.is_current(contracts, artifacts)


def test_a_new_renamed_or_removed_source_makes_the_artifacts_stale(hatch_build, contracts, artifacts):
    before = hatch_build.inputs_digest(contracts)
    (contracts / "src" / "B.sol").write_text("", "utf-8")
    added = hatch_build.inputs_digest(contracts)
    (contracts / "src" / "B.sol").rename(contracts / "src" / "C.sol")
    renamed = hatch_build.inputs_digest(contracts)
    assert len({before, added, renamed}) == 3
    (contracts / "src" / "C.sol").unlink()
    assert hatch_build.inputs_digest(contracts) == before


def test_content_moved_from_one_source_to_the_next_counts_as_a_change(hatch_build, contracts):
    (contracts / "src" / "A.sol").write_text("ab", "utf-8")
    (contracts / "src" / "B.sol").write_text("c", "utf-8")
    before = hatch_build.inputs_digest(contracts)
    (contracts / "src" / "A.sol").write_text("a", "utf-8")
    (contracts / "src" / "B.sol").write_text("bc", "utf-8")
    assert hatch_build.inputs_digest(contracts) != before


def test_times_of_files_do_not_matter(hatch_build, contracts):
    before = hatch_build.inputs_digest(contracts)
    (contracts / "src" / "A.sol").touch()
    assert hatch_build.inputs_digest(contracts) == before


def test_a_missing_altered_or_foreign_artifact_makes_the_artifacts_stale(hatch_build, contracts, artifacts):
    stamp(hatch_build, contracts, artifacts)
    (artifacts / "A.json").write_text('{"altered": true}', "utf-8")
    assert not hatch_build.is_current(contracts, artifacts)
    stamp(hatch_build, contracts, artifacts)
    (artifacts / "licenses" / "a.txt").unlink()
    assert not hatch_build.is_current(contracts, artifacts)
    stamp(hatch_build, contracts, artifacts)
    (artifacts / "Old.json").write_text("{}", "utf-8")
    assert not hatch_build.is_current(contracts, artifacts)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "\x00"])
def test_an_unreadable_manifest_makes_the_artifacts_stale(hatch_build, contracts, artifacts, text):
    (artifacts / "manifest.json").write_text(text, "utf-8")
    assert not hatch_build.is_current(contracts, artifacts)


def test_new_artifacts_replace_the_old_ones_whole(hatch_build, contracts, artifacts, tmp_path):
    new = tmp_path / "new"
    (new / "licenses").mkdir(parents=True)
    (new / "B.json").write_text("[]", "utf-8")
    (new / "licenses" / "b.txt").write_text("ISC", "utf-8")
    hatch_build.replace_artifacts(new, artifacts, hatch_build.inputs_digest(contracts))
    names = sorted(path.relative_to(artifacts).as_posix() for path in artifacts.rglob("*") if path.is_file())
    assert names == ["B.json", "licenses/b.txt", "manifest.json"]
    assert hatch_build.is_current(contracts, artifacts)


def test_an_input_that_changes_during_the_build_is_built_again(hatch_build, contracts, artifacts, tmp_path):
    before = hatch_build.inputs_digest(contracts)
    (contracts / "src" / "Late.sol").write_text("// late", "utf-8")
    new = tmp_path / "new"
    new.mkdir()
    hatch_build.replace_artifacts(new, artifacts, before)
    assert not hatch_build.is_current(contracts, artifacts)


def test_artifacts_that_are_current_are_left_alone_without_npm(hatch_build, root):
    """The same call that the hook makes; it would take seconds, and a build folder, if anything were to do."""
    assert hatch_build.is_current(root / "contracts", root / "src" / "nftbench" / "artifacts")
    assert hatch_build.build_artifacts(root) is False


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 13, 0), (2, 7, 18), (4, 11, 0)])
def test_another_python_is_named_with_the_ones_that_will_do(hatch_build, version):
    found = ".".join(map(str, version))
    with pytest.raises(hatch_build.CannotBuild) as refused:
        hatch_build.check_python(version)
    assert str(refused.value) == f"nftbench needs Python 3.11 or 3.12, and this is Python {found}."


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 9)])
def test_supported_pythons_pass(hatch_build, version):
    hatch_build.check_python(version)


class Unwilling(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(403, "not today")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def package(root: Path, folder: Path, settings: str) -> Path:
    """A copy of the contracts' lock file with npm settings of its own."""
    folder.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(root / "contracts" / name, folder)
    (folder / ".npmrc").write_text(settings, "utf-8")
    return folder


def one_sentence(caught: pytest.ExceptionInfo[Exception]) -> str:
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("The contracts of nftbench can't be compiled, because npm could not fetch the packages")
    return text


def test_a_registry_that_is_down_is_told_in_one_sentence(hatch_build, root, tmp_path):
    """Nothing listens on port 9 of this machine."""
    settings = f"registry=http://127.0.0.1:9/\nfetch-retries=0\ncache={tmp_path / 'cache'}\n"
    folder = package(root, tmp_path / "package", settings)
    with pytest.raises(hatch_build.CannotBuild) as caught:
        hatch_build.run_npm_ci(folder)
    assert "127.0.0.1:9" in one_sentence(caught)


def test_a_registry_that_refuses_is_told_in_one_sentence(hatch_build, root, tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Unwilling)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = f"registry=http://127.0.0.1:{server.server_port}/\nfetch-retries=0\ncache={tmp_path / 'cache'}\n"
    folder = package(root, tmp_path / "package", settings)
    try:
        with pytest.raises(hatch_build.CannotBuild) as caught:
            hatch_build.run_npm_ci(folder)
    finally:
        server.shutdown()
        server.server_close()
    assert "403" in one_sentence(caught)


def test_a_failed_fetch_leaves_nothing_that_a_later_build_would_trust(hatch_build, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "package.json").write_text('{"name": "broken", "dependencies": {"a": "1.0.0"}}', "utf-8")
    (broken / "package-lock.json").write_text('{"lockfileVersion": 3, "packages": {}}', "utf-8")
    with pytest.raises(hatch_build.CannotBuild):
        hatch_build.install_packages(broken, tmp_path / "build")
    assert list((tmp_path / "build").iterdir()) == []


def test_a_contract_that_does_not_compile_is_reported_with_its_place(hatch_build, root, tmp_path):
    copy = tmp_path / "contracts"
    shutil.copytree(root / "contracts", copy, ignore=shutil.ignore_patterns("src", "anvil"))
    catalog = json.loads((copy / "catalog.json").read_text("utf-8"))
    (copy / "catalog.json").write_text(json.dumps({**catalog, "compiled": [], "shipped": []}), "utf-8")
    (copy / "src").mkdir()
    (copy / "src" / "Broken.sol").write_text("pragma solidity ^0.8.24;\ncontract Broken { uint x = ; }\n", "utf-8")
    packages = hatch_build.install_packages(root / "contracts", root / "build" / "npm")
    with pytest.raises(hatch_build.CannotBuild, match=r"src/Broken\.sol:2"):
        hatch_build.compile_contracts(copy, packages, tmp_path / "output")
