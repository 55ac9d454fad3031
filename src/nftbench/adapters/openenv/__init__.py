"""nftbench as an environment of OpenEnv, for its clients and for the trainers that read it; see docs/openenv.md.

`nftbench serve-openenv` serves it; `WalletEnvironment` is it, for servers of one's own.
"""

from nftbench.adapters import needs

needs("openenv", "openenv")

from nftbench.adapters.openenv.environment import TaskObservation, WalletEnvironment, WalletState  # noqa: E402
from nftbench.adapters.openenv.server import application  # noqa: E402

__all__ = ["TaskObservation", "WalletEnvironment", "WalletState", "application"]
