"""Each adapter's tests run in the environment of its extra (`make test-ecosystem`); elsewhere they are not collected."""

from __future__ import annotations

from importlib.util import find_spec

PACKAGES = {"inspect": "inspect_ai", "openenv": "openenv"}
"""The package that the tests of a folder need."""

collect_ignore = [folder for folder, package in PACKAGES.items() if find_spec(package) is None]
