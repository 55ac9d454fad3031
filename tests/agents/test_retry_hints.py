"""How long a server asks to wait: both forms of Retry-After against a clock, capped."""

from __future__ import annotations

import pytest

from nftbench.agents.retry_hints import LONGEST_WAIT, retry_hint

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


def test_a_reset_time_inside_the_error_is_a_hint() -> None:
    assert retry_hint({}, {"headers": {"X-RateLimit-Reset": str(int((NOW + 9) * 1000))}}, NOW) == 9


def test_no_header_is_no_hint() -> None:
    assert retry_hint({}, {}, NOW) is None
