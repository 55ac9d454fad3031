"""When the artifacts are made again, and what a person reads where they can't be."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
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
    assert text.startswith("The contracts of nftbench can't be compiled, because npm ")
    return text


def test_a_registry_that_is_down_is_told_in_one_sentence(hatch_build, root, tmp_path):
    """Nothing listens on port 9 of this machine."""
    folder = package(root, tmp_path / "package", "registry=http://127.0.0.1:9/\n")
    with pytest.raises(hatch_build.CannotBuild) as caught:
        hatch_build.run_npm_ci(folder, tmp_path / "cache")
    assert "127.0.0.1:9" in one_sentence(caught) and "can be reached" in one_sentence(caught)


def serving(handler: type[http.server.BaseHTTPRequestHandler]) -> http.server.ThreadingHTTPServer:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def test_a_registry_that_refuses_is_told_in_one_sentence(hatch_build, root, tmp_path):
    server = serving(Unwilling)
    folder = package(root, tmp_path / "package", f"registry=http://127.0.0.1:{server.server_port}/\n")
    try:
        with pytest.raises(hatch_build.CannotBuild) as caught:
            hatch_build.run_npm_ci(folder, tmp_path / "cache")
    finally:
        server.shutdown()
        server.server_close()
    assert "403" in one_sentence(caught)


def packed(files: dict[str, bytes]) -> bytes:
    """A package as npm's registries serve them."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return held.getvalue()


def integrity(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


class Registry:
    """An npm registry on loopback with one package, `one` 1.0.0, and a project that names it with the hash of `right`."""

    def __init__(self, folder: Path, right: bytes, served: bytes) -> None:
        outer = self
        self.asked = 0

        class Handler(Unwilling):
            def do_GET(self) -> None:
                outer.asked += 1
                base = f"http://127.0.0.1:{outer.server.server_port}"
                version = {"name": "one", "version": "1.0.0", "dist": {"tarball": f"{base}/one/-/one-1.0.0.tgz"}}
                listing = {"name": "one", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
                body = served if self.path.endswith(".tgz") else json.dumps(listing).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = serving(Handler)
        self.package = folder / "package"
        self.package.mkdir()
        dependencies = {"one": "1.0.0"}
        entry = {"version": "1.0.0", "integrity": integrity(right)}
        lock = {
            "name": "p",
            "version": "1.0.0",
            "lockfileVersion": 3,
            "requires": True,
            "packages": {
                "": {"name": "p", "version": "1.0.0", "dependencies": dependencies},
                "node_modules/one": entry,
            },
        }
        (self.package / "package.json").write_text(
            json.dumps({"name": "p", "version": "1.0.0", "dependencies": dependencies}), "utf-8"
        )
        (self.package / "package-lock.json").write_text(json.dumps(lock), "utf-8")

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes, bytes], Registry]]:
    made: list[Registry] = []

    def make(right: bytes, served: bytes) -> Registry:
        made.append(Registry(tmp_path, right, served))
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{made[-1].server.server_port}/")
        return made[-1]

    yield make
    for registry in made:
        registry.close()


PACKAGE = {
    "package.json": b'{"name": "one", "version": "1.0.0", "bin": {"one": "cli.js"}}',
    "lib/One.sol": b"contract One {}",
    "cli.js": b"#!/usr/bin/env node\r\nrun()\n",
    ".gitignore": b"dist",
}


def test_an_altered_package_is_told_as_such_and_not_as_a_registry_that_is_away(hatch_build, registry, tmp_path):
    right = packed(PACKAGE)
    held = registry(right, packed({**PACKAGE, "lib/One.sol": b"contract One { backdoor }"}))
    with pytest.raises(hatch_build.CannotBuild) as caught:
        hatch_build.install_packages(held.package, tmp_path / "build")
    text = one_sentence(caught)
    assert "not the one that the lock file names" in text and "EINTEGRITY" in text and "can be reached" not in text
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["cache"]


@pytest.mark.parametrize(
    "alter",
    [
        lambda one: (one / "lib" / "One.sol").write_text("contract One { backdoor }"),
        lambda one: (one / "lib" / "More.sol").write_text("contract More {}"),
        lambda one: (one / "lib" / "One.sol").unlink(),
        lambda one: (one / "cli.js").write_bytes(b"#!/usr/bin/env node\nrun_more()\n"),
        lambda one: ((one.parent / "two").mkdir(), (one.parent / "two" / "index.js").write_text("")),
        lambda one: ((one / "lib" / "One.sol").unlink(), (one / "lib" / "One.sol").symlink_to("/etc/hostname")),
        lambda one: shutil.rmtree(one.parents[2] / "cache"),
        lambda one: [path.write_bytes(b"x") for path in (one.parents[2] / "cache").rglob("content-v2/sha512/*/*/*")],
    ],
    ids=["edited", "added", "removed", "edited command", "foreign package", "link", "no cache", "altered cache"],
)
def test_what_a_build_finds_under_build_is_compared_with_the_lock_files_hashes(
    hatch_build, registry, tmp_path, capsys, alter
):
    """An untouched one is used as it is; one that somebody changed is fetched again, and that is said."""
    right = packed(PACKAGE)
    held = registry(right, right)
    target = hatch_build.install_packages(held.package, tmp_path / "build")
    one, asked = target / "node_modules" / "one", held.asked
    assert hatch_build.install_packages(held.package, tmp_path / "build") == target and held.asked == asked
    assert capsys.readouterr().err == ""
    alter(one)
    assert hatch_build.install_packages(held.package, tmp_path / "build") == target
    assert "fetched again" in capsys.readouterr().err
    assert (one / "lib" / "One.sol").read_bytes() == PACKAGE["lib/One.sol"] and not (one / "lib" / "More.sol").exists()
    assert not (target / "node_modules" / "two").exists()


def test_a_home_that_cannot_be_written_is_no_obstacle(hatch_build, registry, tmp_path, monkeypatch):
    """As with `docker run -u 12345`: npm keeps all it keeps below the folder of the build."""
    right = packed(PACKAGE)
    held = registry(right, right)
    monkeypatch.setenv("HOME", "/proc/no-home")
    monkeypatch.delenv("npm_config_cache", raising=False)
    target = hatch_build.install_packages(held.package, tmp_path / "build")
    assert (target / "node_modules" / "one" / "lib" / "One.sol").exists()


def test_a_build_folder_that_cannot_be_written_is_told(hatch_build, root, tmp_path):
    (tmp_path / "build").write_text("a file in its place")
    with pytest.raises(hatch_build.CannotBuild, match="can't be written"):
        hatch_build.install_packages(root / "contracts", tmp_path / "build" / "npm")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /x/y\nnpm error errno -13\n"
            "npm error Error: EACCES: permission denied, mkdir '/x/y'",
            "could not write /x/y (npm said: EACCES Error: EACCES: permission denied, mkdir '/x/y')",
        ),
        (
            "npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write",
            "ENOSPC: no space left on device",
        ),
        (
            "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when they are in sync.",
            "refused the lock file",
        ),
        (
            "npm error code ENOTFOUND\nnpm error network request to https://r.example/solc failed, reason: ENOTFOUND",
            "could not fetch the packages they need",
        ),
        ("npm error code E404\nnpm error 404 Not Found - GET https://r.example/solc", "404 Not Found"),
        ("Segmentation fault", "Segmentation fault"),
        ("", "npm said: )"),
    ],
)
def test_npm_is_quoted_and_the_right_one_is_blamed(hatch_build, said, words):
    told = hatch_build.why_npm_failed(said)
    assert words in told and "\n" not in told
    assert ("can be reached" in told) == (not any(code in said for code in ("EACCES", "ENOSPC", "EUSAGE")))


def test_a_failed_fetch_leaves_nothing_that_a_later_build_would_trust(hatch_build, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "package.json").write_text('{"name": "broken", "dependencies": {"a": "1.0.0"}}', "utf-8")
    (broken / "package-lock.json").write_text('{"lockfileVersion": 3, "packages": {}}', "utf-8")
    with pytest.raises(hatch_build.CannotBuild):
        hatch_build.install_packages(broken, tmp_path / "build")
    assert [path.name for path in (tmp_path / "build").iterdir()] in ([], ["cache"])


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
