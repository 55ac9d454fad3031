"""What holds for every test."""

from __future__ import annotations

import sys

import pytest

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:
    pass  # the environments of the adapters have none, and no property tests
else:
    # How long an example takes says something of the machine, which others may be using, and nothing of what is tested.
    settings.register_profile("nftbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("nftbench")

PLAIN_RECURSION_LIMIT = sys.getrecursionlimit()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Puts the recursion limit back to what users have.

    eth-account, which tests compare with and nftbench never imports, brings py_ecc, which raises the limit to 100,000 when
    it is imported. With that, JSON that is nested too deeply ends the process where it would raise RecursionError.
    """
    sys.setrecursionlimit(PLAIN_RECURSION_LIMIT)
