"""`nftbench evaluate`: run tasks and grade them. Also `python -m nftbench.evaluate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from nftbench import __version__, starting

if __name__ == "__main__":
    starting.be_quiet()  # before the imports that take time

from nftbench.errors import NftbenchError
from nftbench.grading import GRADER_VERSION
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import command_line, evaluate_parser
from nftbench.run.away import elsewhere_for
from nftbench.run.backends import backend_factory
from nftbench.run.config import configure
from nftbench.run.open_keys import open_keys
from nftbench.run.runner import attempt
from nftbench.run.sources import refuse_secrets
from nftbench.run.suite import FAILED, INTERRUPTED, OK, Parts, Terminal, run_suite
from nftbench.tasks import catalog


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments (None: those of the process) and return its exit code.

    0: every task is scored. 1: refused, stopped, or a task in error. 130: interrupted.
    """
    arguments = command_line(argv)
    err = Screen(sys.stderr)
    try:
        refuse_secrets(arguments, os.environ)
        flags = evaluate_parser().read(arguments)
        if flags is None:
            return OK
        config = configure(flags, catalog, os.environ)
        terminal = Terminal(Screen(sys.stdout), err, arguments, quiet=flags.quiet, as_json=flags.json)
        for sentence in open_keys(config.source, os.environ):
            terminal.tell(f"nftbench: {printable(sentence, 2000)}")
        parts = Parts(
            catalog=catalog,
            backends=backend_factory,
            attempt=attempt,
            elsewhere=elsewhere_for(config),
            suite_version=catalog.SUITE_VERSION,
            grader_version=GRADER_VERSION,
            nftbench_version=__version__,
        )
        return run_suite(config, parts, terminal)
    except NftbenchError as refusal:
        err.line(f"nftbench: {printable(str(refusal), 2000)}")
        return FAILED
    except KeyboardInterrupt:
        err.line("nftbench: interrupted; the same command goes on")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(starting.run(main))
