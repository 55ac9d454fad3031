"""The fault server as a library."""

from __future__ import annotations

import urllib.request

from nftbench.testing import FaultServer, faults


def fetch(url: str) -> bytes:
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as response:
        content: bytes = response.read()
        return content


def test_a_server_that_runs_for_long_keeps_only_the_last_requests() -> None:
    with FaultServer([faults.reply()], keep=3) as server:
        for number in range(8):
            fetch(f"{server.url}/{number}")
            assert len(server.received) == len(server.behaved) == min(number + 1, 3)
        assert [received.number for received in server.received] == [5, 6, 7]
        assert [received.path for received in server.received] == ["/5", "/6", "/7"]


def test_without_a_bound_everything_is_kept_and_a_plan_goes_by_its_number() -> None:
    with FaultServer([faults.reply("a"), faults.reply("b")]) as server:
        texts = [fetch(server.url) for _ in range(3)]
        assert len(server.received) == 3
    assert b'"content": "a"' in texts[0] and b'"content": "b"' in texts[1] and b'"content": "b"' in texts[2]
