"""Each adapter's tests run in the environment of its extra, an example's in one with what it needs (`make test-ecosystem`);
elsewhere they are not collected."""

from __future__ import annotations

from importlib.util import find_spec

from tests.ecosystem.packages import ADAPTERS, EXAMPLES

collect_ignore = [folder for folder, package in {**ADAPTERS, **EXAMPLES}.items() if find_spec(package) is None]
