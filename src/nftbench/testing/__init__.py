"""A chat server that misbehaves on purpose, on real sockets: to test agents, clients and nftbench itself.

    from nftbench.testing import FaultServer, faults

    with FaultServer([faults.html_502(), faults.reply("hello")]) as server:
        ask(server.url)            # gets a proxy's error page first, then an answer
        print(server.received)     # what was asked

`FAULTS` is the table of all faults by name; `mixed` draws from it at random. `python -m nftbench.testing --help` runs a
server from the command line. Nothing here is used by a normal run.
"""

from nftbench.testing import faults
from nftbench.testing.faults import FAULTS, mixed
from nftbench.testing.server import Behaviour, FaultServer, Received

__all__ = ["FAULTS", "Behaviour", "FaultServer", "Received", "faults", "mixed"]
