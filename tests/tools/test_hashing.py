"""The hash_data tool: what can't be computed is told to the model, and ends nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.tools.toolbox import ERROR_LIMIT
from tests.world.scenes import Stand

STAND = Stand().open()


@pytest.mark.parametrize(("kind", "value"), [("string[]", []), ("bytes[2]", ["0x", "0x01"]), ("uint256[][]", [["1"]])])
def test_a_type_that_has_no_packed_encoding_is_refused_by_name(kind: str, value: list[Any]) -> None:
    """As Solidity has it: abi.encodePacked takes arrays of plain values only."""
    result = STAND.box.call("hash_data", {"method": "packed", "types": [kind], "values": [value]})
    assert result.error and kind in json.loads(result.text)["error"]


@pytest.mark.parametrize(
    "given",
    [
        {"method": "abi", "types": ["uint256" + "[]" * 50], "values": [[]]},
        {"method": "packed", "types": ["uint256" + "[]" * 3000], "values": [[]]},
        {"method": "call_data", "value": "f(uint256" + "[]" * 50 + ")", "values": [[]]},
        {"method": "abi", "types": ["uint256[99999999999]"], "values": [[]]},
    ],
)
def test_a_type_beyond_all_use_is_told_and_ends_nothing(given: dict[str, Any]) -> None:
    result = STAND.box.call("hash_data", given)
    assert result.error and len(result.text) < 2 * ERROR_LIMIT
