"""`python -m nftbench`: the same as the `nftbench` command."""

import sys

from nftbench.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
