"""How a process takes Ctrl-C while it starts and while it ends: it leaves at once, with one line and no traceback.

Imports take some tenths of a second, in which Python would answer with a traceback of whatever it was importing. Nothing but
the standard library's smallest modules is imported here.
"""

import os
import signal
from collections.abc import Callable

INTERRUPTED = 130
_WORDS = b"nftbench: interrupted\n"


def be_quiet() -> None:
    """From here on Ctrl-C ends the process without a traceback, unless it is ignored, as under nohup."""
    if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
        signal.signal(signal.SIGINT, _leave)


def run(main: Callable[[], int]) -> int:
    """The exit code of a command that has been loaded; within it Ctrl-C is a KeyboardInterrupt, afterwards it is quiet."""
    try:
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        be_quiet()


def _leave(number: int, frame: object) -> None:
    try:
        os.write(2, _WORDS)
    finally:
        os._exit(INTERRUPTED)
