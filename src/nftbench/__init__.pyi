from typing import Any

from nftbench.environment import Env as Env
from nftbench.environment import Info as Info
from nftbench.environment import Step as Step
from nftbench.environment import replay as replay
from nftbench.episode.limits import Limits as Limits
from nftbench.errors import EpisodeOver as EpisodeOver
from nftbench.errors import EpisodeRunning as EpisodeRunning
from nftbench.errors import NftbenchError as NftbenchError
from nftbench.errors import NotAMessage as NotAMessage
from nftbench.errors import Refusal as Refusal
from nftbench.errors import UnknownInstance as UnknownInstance
from nftbench.recorded import RecordedRun as RecordedRun
from nftbench.recorded import load_run as load_run
from nftbench.records.model import Result as Result
from nftbench.run.runner import Attempt as Attempt
from nftbench.suites import Answers as Answers
from nftbench.suites import TaskView as TaskView
from nftbench.suites import instances as instances
from nftbench.suites import task as task

__version__: str

def tools() -> list[dict[str, Any]]: ...
