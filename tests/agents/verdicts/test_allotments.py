"""What is used up for hours or days, and what only a moment: sentences of the programs, and generated neighbours of them."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.verdicts.allotments import is_notice, is_used_up, told_wait

SAID = """
You've reached your session limit, resets 4:10pm
You've hit your session limit · resets 4:10pm (Europe/Berlin)
You've hit your weekly limit · resets Mon 12:00am
You've hit your limit · resets 3pm
5-hour limit reached ∙ resets 3am
Opus weekly limit reached ∙ resets Oct 6, 1pm
Claude AI usage limit reached|1749924000
You're out of extra usage · resets 6pm
You've hit your Opus limit · resets Oct 9
Credit balance is too low
You've hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at 3:05 PM.
You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.
Quota exceeded. Check your plan and billing details.
Your workspace is out of credits. Ask your workspace owner to refill in order to continue.
You hit your spend cap set by the owner of your workspace.
You have exhausted your capacity on this model. Your quota will reset after 19h12m30s.
You have exhausted your daily quota on this model.
Usage limit reached for gemini-2.5-pro.
Qwen OAuth quota exceeded: Your free daily quota has been reached.
Your Qwen API quota has been exhausted. Please wait until your quota resets.
insufficient_quota: Free allocated quota exceeded.
week allocated quota exceeded
Insufficient balance. Manage your billing here
Monthly usage limit reached
Subscription quota exceeded. Retry in 2h 30min
Free usage exceeded, add credits
5-hour usage limit reached. It will reset in 2 hours 3 minutes.
You have reached your monthly spending limit
You have no credits left
No premium requests remaining on your plan
rate limit reached, try again in 43000 seconds
""".strip().splitlines()
PASSING = """
429 rate limit
API Error: 529 overloaded
This request would exceed your account's rate limit. Please try again later.
Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 30000. Please try again in 1.3s
exceeded retry limit, last status: 429 Too Many Requests
Selected model is at capacity. Please try a different model.
No capacity available for model gemini-2.5-pro on the server
You have exhausted your capacity on this model. Your quota will reset after 2s.
You exceeded your current quota, please check your plan. Please retry in 34.07s.
Quota exceeded for quota metric 'Generate Content API requests per minute'
Claude's response exceeded the 6000 output token maximum.
Your input exceeds the context window of this model
your prompt exceeded the model's context limit
Approaching your usage limit
You've used 90% of your weekly limit
max turns limit reached
Your session has ended
Too many concurrent requests on your plan
request timed out: time limit exceeded
""".strip().splitlines()

WHOSE = (
    "your session",
    "your weekly",
    "your 5-hour",
    "5h",
    "monthly",
    "your daily",
    "the account's monthly",
    "your plan's",
    "your opus",
    "your free",
    "your workspace",
    "seven-day",
    "this month's spending",
    "today's",
)
WHAT = ("limit", "quota", "usage limit", "allowance", "credits")
STATES = (
    "{} reached",
    "{} exceeded",
    "{} is exhausted",
    "You've hit {}",
    "You have reached {}",
    "You are out of {}",
    "{} is used up",
    "You have used up {}",
    "{} has been depleted",
    "Error: {} has been reached",
)
RESETS = (
    "",
    ". Resets 4:10pm",
    " · resets 3am (UTC)",
    ". Try again in 19h",
    ". It will reset after 2 days 3 hours",
    ". Resets on Mon",
    ". Please try again tomorrow",
)
GENERATED = list(itertools.product(WHOSE, WHAT, STATES, RESETS))
MOMENTS = (
    "retry in 2s",
    "try again in 34.07s",
    "reset after 800ms",
    "try again in 3 minutes",
    "please wait 10 seconds",
)


@pytest.mark.parametrize("text", SAID)
def test_a_plan_that_is_used_up_is_known(text: str) -> None:
    assert is_used_up(text.lower())


@pytest.mark.parametrize("text", PASSING)
def test_what_passes_and_what_is_of_one_request_is_none(text: str) -> None:
    assert not is_used_up(text.lower())


def test_every_subject_with_every_state_in_every_order_is_known() -> None:
    missed = [
        said
        for whose, what, state, reset in GENERATED
        if not is_used_up((said := state.format(f"{whose} {what}") + reset).lower())
    ]
    assert missed == [] and len(GENERATED) == 14 * 5 * 10 * 7


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_limit_that_names_no_period_and_lifts_in_a_moment_is_none(moment: str) -> None:
    chance = random.Random(7)
    for state in STATES:
        whose = chance.choice(("your", "your account's", "your model", "your user"))
        assert not is_used_up(f"{state.format(whose + ' limit')}. {moment}".lower())


@given(
    st.integers(0, 40),
    st.integers(0, 23),
    st.integers(0, 59),
    st.sampled_from(["{}d{}h{}m", "{} days {} hours {} minutes"]),
)
def test_a_wait_is_told_in_its_units(days: int, hours: int, minutes: int, form: str) -> None:
    assert (
        told_wait(f"your quota will reset after {form.format(days, hours, minutes)}.")
        == days * 86400 + hours * 3600 + minutes * 60
    )


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert type(is_used_up(text.lower())) is bool and type(is_notice(text)) is bool


def test_long_texts_are_read_in_time_that_grows_with_them() -> None:
    """A table that backtracks would not come back from these."""
    for piece in ("your ", "limit reached ", "reset in 1 ", "2h 3m ", "your-", "available "):
        assert type(is_used_up(piece * 2000)) is bool
