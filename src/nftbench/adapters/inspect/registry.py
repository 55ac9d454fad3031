"""What the entry point `inspect_ai` loads: everything that `nftbench/...` names on Inspect's command line."""

from nftbench.adapters.inspect.agents import in_react, wallet_agent
from nftbench.adapters.inspect.metrics import feasible, pairs
from nftbench.adapters.inspect.recordings import Recording
from nftbench.adapters.inspect.scoring import grade
from nftbench.adapters.inspect.suites import ABSENT, TASKS, world

__all__ = ["ABSENT", "TASKS", "Recording", "feasible", "grade", "in_react", "pairs", "wallet_agent", "world"]
