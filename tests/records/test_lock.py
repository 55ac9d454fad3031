"""One process at a time works in a run's folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nftbench.errors import FolderLost, Refusal
from nftbench.records.lock import locked

HOLDER = """
import sys, time
from pathlib import Path
from nftbench.records.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_at_once_and_a_kill_frees_the_folder(tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        with pytest.raises(Refusal, match="in use by another process"), locked(tmp_path):
            pass
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    with locked(tmp_path):
        pass


def test_the_same_process_is_refused_too_and_may_come_back_later(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(Refusal), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_a_folder_where_no_lock_can_lie_is_refused() -> None:
    with pytest.raises(Refusal, match="can't be written"), locked(Path("/proc/self")):
        pass


@pytest.mark.parametrize("how", ["folder removed", "folder replaced", "lock removed", "lock replaced", "folder moved"])
def test_a_lock_whose_file_is_no_longer_there_holds_nothing(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with locked(folder) as hold:
        hold.check()
        if how == "folder moved":
            folder.rename(tmp_path / "elsewhere")
        else:
            (folder / "run.lock").unlink()
        if how.startswith("folder"):
            shutil.rmtree(folder, ignore_errors=True)
        if how.endswith("replaced"):
            folder.mkdir(exist_ok=True)
            with locked(folder) as other:
                other.check()
                with pytest.raises(FolderLost, match="another process may work there"):
                    hold.check()
        with pytest.raises(FolderLost, match="nothing more is written"):
            hold.check()
