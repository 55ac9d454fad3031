"""What the entry point `inspect_ai` loads: everything that `nftbench/...` names on Inspect's command line."""

from nftbench.adapters.inspect.agents import in_react, wallet_agent
from nftbench.adapters.inspect.metrics import feasible_success, pair_success, pairs_by_family
from nftbench.adapters.inspect.scoring import grade
from nftbench.adapters.inspect.suites import TASKS, world

__all__ = ["TASKS", "feasible_success", "grade", "in_react", "pair_success", "pairs_by_family", "wallet_agent", "world"]
