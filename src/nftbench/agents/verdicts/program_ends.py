"""What the end of an agent program's process means: its words against the tables, its exit code, and what the model said."""

from __future__ import annotations

import re

from nftbench.agents.failure import CLIFailure, FailureKind
from nftbench.agents.programs.outputs import Spoken
from nftbench.agents.programs.processes import Ended
from nftbench.agents.verdicts import allotments, overflow, wording
from nftbench.agents.verdicts.error_bodies import words_of

_BUSY = re.compile(r"\b429\b|rate.?limit|too many requests|overloaded|\b529\b|\b503\b")
_CUT = re.compile(
    r"output token (?:maximum|limit)|max(?:imum)?[ _]output[ _]tokens? .{0,20}(?:exceeded|reached)"
    r"|(?:response|reply|completion|output) (?:was |is )?(?:cut|truncated|exceeded the (?:maximum|\d+))"
)
_FULL = re.compile(r"ran out of room in the model'?s context")
REPEATED = frozenset({"busy", "length"})
"""Causes that are worth another attempt."""


def judge_end(name: str, ended: Ended, spoken: Spoken) -> CLIFailure | None:
    """What went wrong with a process, None if it said something that is a reply."""
    if ended.stopped:
        return CLIFailure("cli_error", f"{name} was stopped: {ended.stopped}", cause="timeout")
    if spoken.text and not spoken.error and ended.returncode == 0:
        return _notice(name, spoken)
    shown = wording.shown(spoken.error or ended.stderr or ended.stdout)
    kind, cause = _meaning(_words(ended, spoken), ended, spoken)
    said = shown or "nothing was said"
    return CLIFailure(kind, f"{name} ended with exit code {ended.returncode}: {said}", cause=cause)


def _notice(name: str, spoken: Spoken) -> CLIFailure | None:
    """A program's own notice that stands where the reply should: nothing was generated, or it tells when it goes on."""
    is_own = spoken.usage.get("completion_tokens") == 0 and len(spoken.text) <= allotments.LONGEST_NOTICE
    if (is_own and allotments.is_used_up(spoken.text.lower())) or allotments.is_notice(spoken.text):
        return CLIFailure(
            "auth_or_quota", f"{name} said in place of a reply: {wording.shown(spoken.text)}", cause="quota"
        )
    return None


def _words(ended: Ended, spoken: Spoken) -> str:
    """What the program itself said. Where the model's text was read from the output, the output is no sign, unless there
    is nothing else."""
    own = " ".join(part for part in (spoken.error, ended.stderr[-4000:]) if part.strip())
    return (own if own and spoken.text else f"{own} {ended.stdout[-2000:]}").lower()


def _overflows(words: str, error: str) -> bool:
    """Whether the conversation was too long for the model; two numbers count where the program tells them as its error."""
    return overflow.is_overflow(words_of(error or words), by_numbers=bool(error))


def _meaning(words: str, ended: Ended, spoken: Spoken) -> tuple[FailureKind, str]:
    """The first rule that holds decides; cause `exit` where the program merely ended badly."""
    is_rated = wording.is_rate_limit(words, frozenset()) or bool(re.search(r"\b429\b", words))
    if _CUT.search(words):
        return "model_format", "length"
    if allotments.is_used_up(words):
        return "auth_or_quota", "quota"
    if not is_rated and (_FULL.search(words) or _overflows(words, spoken.error)):
        return "context_limit", "context_limit"
    if wording.is_auth(words) or "/login" in words:
        return "auth_or_quota", "auth"
    if ended.returncode == 0 and not spoken.error:
        return "incomplete_output", "busy"
    if spoken.error or _BUSY.search(words) or allotments.is_soon_over(words):
        return "cli_error", "busy"
    return "cli_error", "exit"
