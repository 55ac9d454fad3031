"""How long a server asks to wait: both forms of Retry-After against a clock, capped."""

from __future__ import annotations

import pytest

from nftbench.agents.verdicts.retry_hints import LONGEST_WAIT, retry_hint, told_wait

NOW = 1_445_412_420.0
"""Wed, 21 Oct 2015 07:27:00 GMT, a minute before the date in the table."""


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("0.5", 0.5),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", 60),
        ("Wed, 21 Oct 2037 07:28:00 GMT", LONGEST_WAIT),
        ("57600", LONGEST_WAIT),
        ("1e999", None),
        ("nan", None),
        ("Wed, 21 Oct 2015 07:26:00 GMT", None),
        ("0", None),
        ("-1", None),
        ("soon", None),
        ("", None),
        ("Wed, 99 Oct 2015 99:28:00 GMT", None),
    ],
)
def test_both_forms_are_read_and_nonsense_is_no_hint(after: str, seconds: float | None) -> None:
    assert retry_hint({"retry-after": after}, {}, NOW) == seconds


def test_milliseconds_go_before_seconds() -> None:
    assert retry_hint({"retry-after-ms": "1500", "retry-after": "7"}, {}, NOW) == 1.5


def test_the_hint_that_a_litellm_proxy_passes_on_counts_unless_it_gives_its_own() -> None:
    assert retry_hint({"llm_provider-retry-after": "60"}, {}, NOW) == 60
    assert retry_hint({"llm_provider-retry-after": "60", "retry-after": "5"}, {}, NOW) == 5


def test_a_reset_time_inside_the_error_is_a_hint() -> None:
    assert retry_hint({}, {"headers": {"X-RateLimit-Reset": str(int((NOW + 9) * 1000))}}, NOW) == 9


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m30s"}, 90),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, LONGEST_WAIT),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "250ms"}, 0.25),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "20s"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "30"}, 30),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) + 45)}, 45),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW) - 45)}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "Wed, 21 Oct 2015 07:28:00 GMT"}, 60),
        ({"x-ratelimit-reset": "30"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "a while"}, None),
    ],
)
def test_the_reset_of_a_used_up_limit_is_a_hint(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_hint(headers, {}, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("please try again in 7s.", 7),
        ("please try again in 4.77s. need more?", 4.77),
        ("please try again in 6ms", 1),
        ("try again in 1m26.4s", 86.4),
        ("try again in 7m12s", LONGEST_WAIT),
        ("try again in 5 seconds. passed model=m", 5),
        ("please retry after 20 seconds", 20),
        ("retry in 34.07s", 34.07),
        ("wait for 2 minutes", LONGEST_WAIT),
        ("please try again after 1 seconds", 1),
        ("try again later", None),
        ("retry 3 times", None),
        ("limit 30000, requested 31000", None),
    ],
)
def test_what_an_error_says_in_words_is_a_hint_of_at_least_a_second(text: str, seconds: float | None) -> None:
    assert retry_hint({}, {}, NOW, text) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(("told", "seconds"), [("34s", 34), (20.0, 20), ("12", 12), (0, None), ({}, None), ([1], None)])
def test_what_an_error_says_in_its_fields_is_a_hint(told: object, seconds: float | None) -> None:
    assert retry_hint({}, {}, NOW, "", [told]) == seconds


def test_headers_go_before_fields_and_fields_before_words() -> None:
    assert retry_hint({"retry-after": "7"}, {}, NOW, "try again in 9s", ["8s"]) == 7
    assert retry_hint({}, {}, NOW, "try again in 9s", ["8s"]) == 8


def test_no_header_is_no_hint() -> None:
    assert retry_hint({}, {}, NOW) is None


RESETS = {"35s": 35, "35": 35, "2015-10-21T07:27:35Z": 35, "2015-10-21T09:27:35+02:00": 35, str(int(NOW) + 35): 35}


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize(
    "names",
    [
        ("x-ratelimit-remaining-{}", "x-ratelimit-reset-{}"),
        ("anthropic-ratelimit-{}-remaining", "anthropic-ratelimit-{}-reset"),
        ("llm_provider-x-ratelimit-remaining-{}", "llm_provider-x-ratelimit-reset-{}"),
        ("ratelimit-remaining-{}", "ratelimit-reset-{}"),
    ],
)
def test_of_two_limits_that_are_used_up_the_later_one_counts(reset: str, names: tuple[str, str]) -> None:
    headers = {
        names[0].format("requests"): "0",
        names[1].format("requests"): "2s",
        names[0].format("tokens"): "0",
        names[1].format("tokens"): reset,
    }
    assert retry_hint(headers, {}, NOW) == RESETS[reset]
    assert retry_hint({"retry-after": "2", **headers}, {}, NOW) == RESETS[reset], (
        "a limit that is not yet given back counts"
    )
    assert retry_hint({"retry-after": "90", **headers}, {}, NOW) == 90
    assert retry_hint({**headers, names[0].format("tokens"): "7"}, {}, NOW) == 2, "what is left over is no limit"


@pytest.mark.parametrize(
    "field",
    [
        {"ratelimit-remaining": "0", "ratelimit-reset": "30"},
        {"ratelimit": "limit=100, remaining=0, reset=30"},
        {"ratelimit": '"default";r=0;t=30'},
    ],
)
def test_the_fields_of_the_ietf_are_read(field: dict[str, str]) -> None:
    assert retry_hint(field, {}, NOW) == 30


def test_of_two_waits_in_words_the_longer_one_counts() -> None:
    assert retry_hint({}, {}, NOW, "requests: try again in 2s. tokens: try again in 35s.") == 35


def test_the_wait_that_is_told_is_known_in_full() -> None:
    assert told_wait({"retry-after": "57600"}, {}, NOW) == 57600
    assert told_wait({}, {}, NOW, "your quota will reset after 19h") == 19 * 3600
