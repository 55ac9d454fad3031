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


@pytest.fixture(scope="module")
def sdist(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the sdist unpacks to."""
    out = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", out, root, cwd=out)
    (packed,) = out.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(out, filter="data")
    (folder,) = (path for path in out.iterdir() if path.is_dir())
    return folder


def test_sdist_holds_what_a_build_needs_and_the_artifacts(root, sdist):
    names = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*") if path.is_file()}
    needed = {"hatch_build.py", "pyproject.toml", "LICENSE", "contracts/package-lock.json", "contracts/compile.cjs"}
    assert needed | {"src/nftbench/chain/platforms.py", "requirements.lock", "Makefile"} <= names
    assert any(name.startswith("contracts/src/") for name in names)
    made = root / "src" / "nftbench" / "artifacts"
    assert {path.relative_to(root).as_posix() for path in made.rglob("*") if path.is_file()} <= names
    assert not [name for name in names if name.startswith(("build/", ".venv/", "runs/"))]


def test_the_artifacts_of_an_sdist_are_up_to_date_so_that_no_node_is_asked_for(hatch_build, sdist):
    assert hatch_build.build_artifacts(sdist) is False
    hook = hatch_build.ContractsBuildHook(str(sdist), {}, None, None, "", "wheel")
    assert hook.dependencies() == []
    (sdist / "contracts" / "src" / "New.sol").write_text("// changed", "utf-8")
    try:
        assert hook.dependencies() == [hatch_build.NODE]
    finally:
        (sdist / "contracts" / "src" / "New.sol").unlink()


@pytest.mark.slow
def test_an_sdist_is_installed_in_a_clean_environment_without_npms_registry(sdist, tmp_path):
    """`pip install .`, isolated build and all: nothing is fetched from npm, and no Node comes along."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    cut_off = {"npm_config_registry": "http://127.0.0.1:9/", "HOME": str(tmp_path / "home")}
    (tmp_path / "home").mkdir()
    run(python, "-m", "pip", "install", "-qq", ".", cwd=sdist, **cut_off)
    assert not (sdist / "build").exists()
    loaded = json.loads(run(python, "-c", LOAD, cwd=tmp_path))
    assert Path(loaded["file"]).is_relative_to(tmp_path / "venv")
    assert "evaluate" in run(tmp_path / "venv" / "bin" / "nftbench", "--help", cwd=tmp_path)
