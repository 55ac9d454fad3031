"""`nftbench serve-openenv` where the package that it needs is not installed."""

from __future__ import annotations

import subprocess
import sys


def test_without_the_package_one_sentence_tells_how_to_get_it() -> None:
    """Its own tests, with the package, are in tests/ecosystem/openenv."""
    hide = (
        "import sys, importlib.util as util\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'openenv': raise ModuleNotFoundError(name)\n"
        "import nftbench.adapters as adapters\n"
        "real = adapters.find_spec\n"
        "adapters.find_spec = lambda name: None if name == 'openenv' else real(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from nftbench.commands.main import main\n"
        "sys.exit(main(['serve-openenv', '--http', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "pip install 'nftbench[openenv]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_its_flags_are_told_without_the_package() -> None:
    command = [sys.executable, "-m", "nftbench", "serve-openenv", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "--sessions" in done.stdout
