"""The `nftbench` command, also as `python -m nftbench`."""

import importlib
import sys

from nftbench import starting


def main() -> int:
    """Load the commands and run the one that is named."""
    starting.be_quiet()
    return starting.run(importlib.import_module("nftbench.commands.main").main)


if __name__ == "__main__":
    sys.exit(main())
