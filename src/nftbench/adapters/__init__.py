"""nftbench where people already work: an adapter a folder, each behind the extra of its name and imported by nothing else.

An adapter may import the one package that it is for, and everything of nftbench; the rest of nftbench knows nothing of either.
"""

from __future__ import annotations

from importlib.util import find_spec

from nftbench.errors import MissingExtra


def needs(package: str, extra: str) -> None:
    """MissingExtra, with the pip command that helps, unless the package is there. What an adapter calls before all else."""
    if find_spec(package) is None:
        raise MissingExtra(
            f"nftbench.adapters.{extra} needs {package}, which is not installed: pip install 'nftbench[{extra}]'"
        )
