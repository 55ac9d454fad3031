"""Where attempts run: threads of this process. Each takes jobs until there are none left, or the run stops."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable

from nftbench.agents.failure import CLIFailure
from nftbench.errors import BenchmarkDefect, CannotRead, CannotWrite, FolderLost, RunStopped
from nftbench.records.model import Result
from nftbench.run.plan import Job
from nftbench.run.session import Abandoned, Session, Share

Perform = Callable[[Job], Result]
"""Makes one attempt and records it. Raises Abandoned, RunStopped, CLIFailure (kinds that stop a run), OSError (a file
is refused), FolderLost or BenchmarkDefect.
"""

_REMEDIES = {
    "auth_or_quota": "the key or the account's credit was refused",
    "spend_limit": "the spend limit is reached",
}

_OF_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


class ThreadExecutor:
    """Worker threads that never keep the process from leaving: one that hangs in a call is left behind."""

    def __init__(self, session: Session, perform: Perform, workers: int, *, shared_out: bool = False) -> None:
        """`shared_out`: all trials of an instance go to one worker, while each has something to do."""
        shares = [Share(number, workers) if shared_out else None for number in range(workers)]
        self._threads = [
            threading.Thread(target=_work, args=(session, perform, share), name=f"worker-{number}", daemon=True)
            for number, share in enumerate(shares, 1)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait at most that long for a worker to end; whether all of them have."""
        alive = next((thread for thread in self._threads if thread.is_alive()), None)
        if alive is not None:
            alive.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)


def _work(session: Session, perform: Perform, share: Share | None) -> None:
    try:
        while (job := session.take(share)) is not None:
            _attend(session, perform, job)
    except FolderLost as lost:
        session.stop(str(lost), at_once=True)
    except OSError as problem:
        session.stop(refused_file(problem), at_once=True)


def _attend(session: Session, perform: Perform, job: Job) -> None:
    result = None
    try:
        result = perform(job)
    except Abandoned:
        pass
    except CLIFailure as failure:
        session.stop(f"{_REMEDIES.get(failure.kind, failure.kind)} ({failure.detail})")
    except RunStopped as stopped:
        session.stop(str(stopped), at_once=isinstance(stopped, FolderLost))
    except BenchmarkDefect as defect:
        session.stop(f"a fault of nftbench itself at {job.instance_id}: {defect}", crash=defect, at_once=True)
    except OSError as problem:
        session.stop(refused_file(problem), at_once=True)
    except BaseException as problem:
        session.stop(
            f"a fault of nftbench itself at {job.instance_id}: {type(problem).__name__}: {problem}",
            crash=problem,
            at_once=True,
        )
    if result is None:
        session.drop(job)
    else:
        session.finish(job, result)


def refused_file(problem: OSError) -> str:
    """The sentence for a file that the system refused."""
    file = f" {problem.filename}" if problem.filename else ""
    is_write = isinstance(problem, CannotWrite) or problem.errno in _OF_WRITING
    what = "written" if is_write else "read" if isinstance(problem, CannotRead) else "used"
    return f"a file{file} could not be {what}: {problem.strerror or problem}"
