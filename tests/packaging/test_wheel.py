"""The wheel and the sdist as another machine gets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

LOAD = """
import json, nftbench
from pathlib import Path
from nftbench.chain import artifacts
loaded = artifacts.load("OpenZeppelinCollection")
print(json.dumps({"file": nftbench.__file__, "name": loaded.name, "code": len(loaded.creation_code)}))
"""


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Standard output of a process that must succeed."""
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**plain, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as the hook makes it, with this environment's own hatchling."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, root, cwd=out)
    (found,) = out.glob("*.whl")
    return found


def test_wheel_holds_the_artifacts_and_their_licences(root, wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    folder = root / "src" / "nftbench" / "artifacts"
    made = {f"nftbench/artifacts/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()}
    assert made <= names
    assert "nftbench/py.typed" in names
    assert not [name for name in names if name.startswith(("contracts/", "tests/", "hatch_build"))]
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: <3.13,>=3.11" in metadata


def test_installed_package_finds_its_own_artifacts(wheel, tmp_path):
    """Unpacked elsewhere and run from an empty folder: nothing of the checkout is in reach."""
    target = tmp_path / "site"
    run(
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--no-deps",
        "--no-index",
        "--target",
        target,
        wheel,
        cwd=tmp_path,
    )
    loaded = json.loads(run(sys.executable, "-c", LOAD, cwd=tmp_path, PYTHONPATH=str(target)))
    assert Path(loaded["file"]).is_relative_to(target)
    assert (loaded["name"], loaded["code"] > 5_000) == ("OpenZeppelinCollection", True)


def test_sdist_holds_what_a_build_needs_and_nothing_that_is_built(root, tmp_path):
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, root, cwd=tmp_path)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"hatch_build.py", "pyproject.toml", "LICENSE", "contracts/package-lock.json", "contracts/compile.cjs"}
    assert needed <= names
    assert any(name.startswith("contracts/src/") for name in names)
    assert not [name for name in names if name.startswith(("src/nftbench/artifacts/", "build/", ".venv/", "runs/"))]


@pytest.mark.slow
def test_wheel_built_from_the_sdist_works_in_a_fresh_environment(root, tmp_path):
    """From nothing: isolated builds, contracts compiled anew, dependencies from the index, the installed command."""
    run(sys.executable, "-m", "build", "--outdir", tmp_path, root, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-qq", wheel, cwd=tmp_path)
    loaded = json.loads(run(python, "-c", LOAD, cwd=tmp_path))
    assert Path(loaded["file"]).is_relative_to(tmp_path / "venv")
    assert "evaluate" in run(tmp_path / "venv" / "bin" / "nftbench", "--help", cwd=tmp_path)
