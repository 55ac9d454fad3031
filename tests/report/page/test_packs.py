"""What a page holds of each attempt, and that nothing is dropped in silence."""

from __future__ import annotations

import base64
import gzip
import json
from hashlib import sha256
from typing import Any

import pytest

from nftbench.report.page import packs
from nftbench.report.page.packs import Attempt, packed
from tests.report.attempts import error, result


def unpacked(text: str) -> dict[str, Any]:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def trajectory(**fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "T"}], "turns": [], **fields}


def test_attempts_at_one_instance_share_a_pack_and_each_is_found_by_its_key() -> None:
    first, second = trajectory(turns=[{"reply": "one"}]), trajectory(turns=[{"reply": "two"}])
    group = [Attempt(0, result("F1a_01"), first), Attempt(1, result("F1a_01", trial=2), second)]
    page = packed([group, [Attempt(0, result("F1a_02"), trajectory())]])
    assert list(page.packs) == ["p0", "p1"]
    both = unpacked(page.packs["p0"])
    assert [both[row["key"]]["turns"][0]["reply"] for row in page.rows[:2]] == ["one", "two"]
    assert [row["at"] for row in page.rows] == [0, 1, 2]
    assert both["0:1"]["task"] == "T"


def test_what_has_no_trajectory_says_why() -> None:
    page = packed([[Attempt(0, error("F1a_01"), "it has no trajectory.json")]])
    assert page.packs == {}
    assert page.rows[0]["pack"] is None
    assert page.rows[0]["missing"] == "Its trajectory can't be shown: it has no trajectory.json."
    assert page.rows[0]["outcome"] == "error"


def test_beyond_its_room_a_page_says_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests in hexadecimal shrink by half at best, 64 * 60 of them to 1,920 bytes, in Base64 2,560: there is room for one."""
    monkeypatch.setattr(packs, "LARGEST_PACKS", 4_000)
    noise = ["".join(sha256(f"{k}{i}".encode()).hexdigest() for i in range(60)) for k in range(3)]
    groups = [[Attempt(0, result(f"F1a_0{k}"), trajectory(turns=[{"reply": text}]))] for k, text in enumerate(noise, 1)]
    page = packed(groups)
    kept = [row["instance"] for row in page.rows if row["pack"] is not None]
    left = [row for row in page.rows if row["pack"] is None]
    assert kept
    assert left
    assert all(f"--instances {row['instance']}" in row["missing"] for row in left)
    assert len(kept) + len(left) == 3


def test_a_call_is_tied_to_the_transaction_that_its_result_names() -> None:
    calls = [
        {
            "name": "send_transaction",
            "arguments": {},
            "result": '{"transaction": "0xabc", "block": "17"}',
            "error": False,
        }
    ]
    odd = [{"name": "x", "arguments": {}, "result": text, "error": True} for text in ("no json", "[1]", '{"block": 5}')]
    page = packed([[Attempt(0, result("F1a_01"), trajectory(turns=[{"calls": calls + odd}]))]])
    [turn] = unpacked(page.packs["p0"])["0:1"]["turns"]
    assert (turn["calls"][0]["hash"], turn["calls"][0]["block"]) == ("0xabc", 17)
    assert [call["result"] for call in turn["calls"][1:]] == ["no json", "[1]", '{"block": 5}']
