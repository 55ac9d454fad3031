"""nftbench as tasks of Inspect (`inspect eval nftbench/synthetic`), and its runs as logs that `inspect view` opens.

What an agent of one's own takes from here: `wallet_tools()`, the tools of the sample that is running; see docs/inspect.md.
"""

from nftbench.adapters import needs

needs("inspect_ai", "inspect")

from nftbench.adapters.inspect.agents import in_react, wallet_agent  # noqa: E402
from nftbench.adapters.inspect.scoring import grade  # noqa: E402
from nftbench.adapters.inspect.tools import wallet_tools  # noqa: E402

__all__ = ["grade", "in_react", "wallet_agent", "wallet_tools"]
