"""Reading from a text whether what an account or a plan allows is used up, so that no wait of seconds or minutes helps.

A sentence says so with a subject (whose limit, or over which period) and a state (reached, exhausted, out of ...), in either
order, or with any limit and a wait that is long or ends at a time of day. Texts are matched in lower case. A limit that a
minute lifts (a rate), and one of a request's size, is none of this.
"""

from __future__ import annotations

import re

from nftbench.agents.verdicts import wording

LONG_WAIT = 900.0
"""Seconds. A wait that a text tells and that is no shorter is for the person who pays, not for a retry."""
LONGEST_NOTICE = 500
"""Characters of a text that is a notice and nothing else."""

_PERIOD = (
    r"(?:session|hourly|daily|weekly|monthly|yearly|annual|today'?s|(?:this |per |each )(?:day|week|month|session)"
    r"|(?:\d+|one|two|three|five|seven|few)[ -]?(?:h|hrs?|hours?|days?|weeks?|months?))"
)
_OWNER = (
    r"(?:your|you have|plan'?s?|account'?s?|subscription|workspace|organi[sz]ation'?s?|team'?s?|seat|users?|opus|sonnet|haiku"
    r"|claude|codex|gemini|qwen|copilot|zen|chatgpt|pro|max|usage|premium|free|included|trial|spend(?:ing)?|billing|coding|oauth"
    r"|extra|prepaid|allocated|model)"
)
_ALLOWED = (
    r"(?:limits?|quotas?|allowances?|caps?|capacity|allotments?|allocations?|balance|credits?|usage|budget|tier"
    r"|(?<=premium )requests?|(?<=free )(?:requests?|messages?|tokens?))"
)
_SUBJECT = re.compile(
    rf"(?<![\w-])(?:{_PERIOD}|{_OWNER})"
    r"(?:(?:['’]s)?[ _-](?!(?:and|or|but|to|the|for|is|has|was|of|on|in)\b)[\w'’.-]{1,24}){0,3}?"
    rf"[ _-]{_ALLOWED}(?!\w)|(?<!\w)(?:credits?|usage)(?= (?:left|remaining))|(?<=out of )(?:credits?|usage|quota)(?!\w)"
)
_STATE = re.compile(
    r"(?<!\w)(?:reached|hit|exceed(?:ed|s|ing)?|exhausted|depleted|consumed|surpassed|insufficient|expired|empty|drained"
    r"|used (?:up|all)|used 100 ?%|run out|ran out|runs out|out of|gone over|went over|is over|over (?:your|the|its)|maxed out"
    r"|spent|not enough|(?:no|0|zero)(?: more)?(?: [\w-]+){0,3} (?:left|remain(?:s|ing)?|available)|too low"
    r"|is (?:zero|0)|all gone|no more|no longer)(?!\w)"
)
_REACH = 70
"""Characters between a subject and its state."""
_PASSING = re.compile(
    r"rate[ _-]?limit|requests? limit|per[ _-]?(?:min|sec)|/ ?(?:min|sec|s\b)|\b(?:tpm|rpm|qps)\b|minute|concurren|burst|throttl"
    r"|\bcontext|\btokens? (?:limit|max)|\boutput\b|\binput\b|\bprompt\b|max_\w*tokens|\bturns?\b|\blength\b|\bsize\b"
    r"|time ?(?:limit|out)|\bmemory\b|\bbuffer|retr(?:y|ies)\b.{0,8}limit|recursion|\bdepth\b|\bfiles?\b|\bdisk\b"
)
"""What is lifted in a moment, and what is about one request."""
_ANY_LIMIT = re.compile(
    r"\blimit|\bquota|\bcapacity|\busage\b|\bcredits?\b|\b429\b|too many requests|throttl|\ballowance"
)
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")
_WARNING = re.compile(
    r"\b(?:approaching|nearing|close to|almost|nearly|soon|used \d{1,2} ?%|\d{1,2} ?% (?:used|left|remaining))"
)
"""A limit that is near is not reached."""
_AGAIN = (
    r"(?:re-?sets?|resetting|try(?:ing)? (?:it )?again|retry(?:[ _-]?after)?|wait|available|renews?|refresh(?:es)?|resumes?"
    r"|back|until|lifted)"
)
_AMOUNT = re.compile(rf"\b{_AGAIN}\b[^.;\n]{{0,40}}?(?<![\w:.])((?:\d+(?:\.\d+)?[ ]?[a-z]+[ ,]*(?:and )?)+)")
_PART = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]+)")
_SECONDS = (
    (re.compile(r"ms|milli\w*"), 0.001),
    (re.compile(r"s|secs?|seconds?"), 1.0),
    (re.compile(r"m|mins?|minutes?"), 60.0),
    (re.compile(r"h|hrs?|hours?"), 3600.0),
    (re.compile(r"d|days?"), 86_400.0),
    (re.compile(r"w|wks?|weeks?"), 604_800.0),
    (re.compile(r"months?"), 2_592_000.0),
)
_MOMENT = re.compile(
    rf"\b{_AGAIN}\b[^.;\n]{{0,30}}?(?<!\w)"
    r"(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\d{1,2}:\d\d\b|20\d\d-\d\d-\d\d|midnight|tomorrow|next (?:day|week|month)"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d)"
    r"|\blimit reached\|1\d{9}\b"
)


def is_used_up(text: str) -> bool:
    """Whether the text (lower case) says that what an account or a plan allows is used up."""
    text = "\n".join(sentence for sentence in _SENTENCE_END.split(text) if not _WARNING.search(sentence))
    wait = told_wait(text)
    if wait is not None and wait >= LONG_WAIT and _ANY_LIMIT.search(text):
        return True
    soon = wait is not None and not names_moment(text)
    if wording.is_quota(text, frozenset(), is_soon_over=soon):
        return True
    return not soon and any(_holds(found, text) for found in _SUBJECT.finditer(text))


def is_soon_over(text: str) -> bool:
    """Whether the text speaks of a limit, and of a wait that is worth waiting for."""
    return 0 < (told_wait(text) or 0) < LONG_WAIT and bool(_ANY_LIMIT.search(text))


def is_notice(text: str) -> bool:
    """Whether a text is nothing but such a notice, with the time of the reset: what some programs print as if it were the
    model's reply. A call, which every reply should hold, is none."""
    folded = text.strip().lower()
    if not folded or "{" in folded or len(folded) > LONGEST_NOTICE:
        return False
    return (names_moment(folded) or (told_wait(folded) or 0) >= LONG_WAIT) and is_used_up(folded)


def told_wait(text: str) -> float | None:
    """The longest wait, in seconds, that the text asks for in units of time; None where it tells none."""
    waits = [seconds for found in _AMOUNT.finditer(text) if (seconds := _seconds(found.group(1))) is not None]
    return max(waits, default=None)


def names_moment(text: str) -> bool:
    """Whether the text tells a time of day or a date from which on it can go on."""
    return bool(_MOMENT.search(text))


def _holds(subject: re.Match[str], text: str) -> bool:
    """Whether a state stands near the subject, and the subject is none of a moment or of one request."""
    start, end = max(0, subject.start() - _REACH), subject.end() + _REACH
    near = _sentence(text, start, end, subject)
    if not _STATE.search(near):
        return False
    return bool(re.search(_PERIOD, subject.group())) or not _PASSING.search(near)


def _sentence(text: str, start: int, end: int, subject: re.Match[str]) -> str:
    """What stands around the subject, no further than its sentence goes."""
    before = re.split(r"[.;!?\n](?=\s)|\n", text[start : subject.start()])[-1]
    after = re.split(r"[.;!?\n](?=\s)|\n", text[subject.start() : end])[0]
    return before + after


def _seconds(text: str) -> float | None:
    total, known = 0.0, False
    for amount, unit in _PART.findall(text):
        factor = next((seconds for pattern, seconds in _SECONDS if pattern.fullmatch(unit)), None)
        if factor is None:
            break
        total, known = total + float(amount) * factor, True
    return total if known else None
