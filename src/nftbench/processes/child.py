"""What a worker process runs: the functions that its driver sends, one at a time, until the driver is gone.

`python -m nftbench.processes.child N`: N is the file descriptor of a socket to the driver. A driver that is killed closes it,
and the process leaves at once, whatever it is doing. Nothing of nftbench is imported before the first function is sent.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection

HELLO = b"nftbench"
"""The first message of a process that can work."""
DONE, RAISED, UNKNOWN = "done", "raised", "unknown"
"""What an answer begins with: a value follows; an exception and its traceback as text; the reason why the function can't be
found or told its arguments."""


def main(descriptor: int) -> None:
    """Answer until the driver is gone. Ctrl-C is the driver's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver: Connection = Connection(descriptor)
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(driver, asked), daemon=True).start()
    driver.send_bytes(HELLO)
    while True:
        driver.send_bytes(_answer(asked.get()))


def _listen(driver: Connection, asked: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            asked.put(driver.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def _answer(message: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(message)
    except BaseException as problem:
        return pickle.dumps((UNKNOWN, f"{type(problem).__name__}: {problem}"))
    try:
        return pickle.dumps((DONE, function(*arguments)))
    except BaseException as problem:
        return pickle.dumps((RAISED, portable(problem), "".join(traceback.format_exception(problem))))


def portable(problem: BaseException) -> BaseException:
    """The exception, or one that says the same where it would not survive the way to another process."""
    try:
        pickle.loads(pickle.dumps(problem))
    except BaseException:
        return RuntimeError(f"{type(problem).__name__}: {problem}")
    return problem


if __name__ == "__main__":
    main(int(sys.argv[1]))
