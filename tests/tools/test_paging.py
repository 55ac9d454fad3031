"""Pages of events are never cut, however long their rows; a creation is told without its code."""

from __future__ import annotations

import json

from nftbench.tools.toolbox import RESULT_LIMIT
from tests.world.scenes import Stand


def test_a_page_holds_whole_events_and_all_pages_hold_them_all() -> None:
    stand = Stand()
    for number in range(120):
        stand.scene.mint(stand.cats, stand.mira, [100 + number])
    stand.open()
    seen: list[str] = []
    pages, cursor = 0, {}
    while True:
        page = stand.use("get_logs", contract=stand.address(stand.cats), event="Transfer", **cursor)
        assert "note" not in page and len(json.dumps(page)) <= RESULT_LIMIT
        seen += [log["args"]["tokenId"] for log in page["logs"]]
        pages += 1
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [*map(str, range(1, 6)), *map(str, range(100, 220))]
    assert pages > 3 and page["total"] == "125"


def test_a_creation_names_the_contract_it_made() -> None:
    stand = Stand().open()
    address = stand.address(stand.cats)
    first = stand.use("get_logs", contract=address)["logs"][0]
    made = stand.use("get_transaction", hash=first["transaction"])
    assert (made["to"], made["creates"], made["from"]) == (None, address, stand.address("team"))
    assert int(made["code_bytes"]) > 1000 and "data" not in made
