"""One attempt of a run for the workers of its session: it is played, here or elsewhere, and what came of it is recorded."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from nftbench.records.model import Result
from nftbench.records.store import RunFolder
from nftbench.run.plan import Job
from nftbench.run.playing import Play
from nftbench.run.session import Session


class Performer(Struct, frozen=True, kw_only=True):
    """Makes attempts for the workers of a session, each in the worker's own thread. Wherever they are played, it is here that
    their files are written."""

    session: Session
    folder: RunFolder
    play: Play
    isolated: bool = True

    def __call__(self, job: Job) -> Result:
        """Make and record the attempt. What it may raise is told at executors.Perform."""
        attempted = self.play(job)
        result = replace(attempted.result, isolated=self.isolated)
        with self.session.recording():
            self.folder.write_attempt(result, attempted.trajectory)
        return result
