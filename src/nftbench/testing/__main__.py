"""Runs the fault server: `python -m nftbench.testing --share 0.1`, or one fault each time with `--fault NAME`."""

from __future__ import annotations

import argparse
import sys

from nftbench.testing import FAULTS, FaultServer, mixed


def main(arguments: list[str] | None = None) -> int:
    """Prints the address and serves until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m nftbench.testing", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port to listen on (default: any free one)")
    parser.add_argument("--share", type=float, default=0.1, help="the share of requests that go wrong (default: 0.1)")
    parser.add_argument("--seed", type=int, default=0, help="what the faults are drawn from (default: 0)")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="this fault in every request")
    chosen = parser.parse_args(arguments)
    plan = [FAULTS[chosen.fault]()] if chosen.fault else mixed(chosen.share, chosen.seed)
    with FaultServer(plan, port=chosen.port, keep=1000) as server:
        print(server.url, flush=True)
        try:
            server.wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
