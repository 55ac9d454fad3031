"""Whoever hands out a task's tools hands out those of its world: with the order book's two where there is one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.environment import Env
from nftbench.run.exporting import task_rows
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.validation.leaks import survey
from nftbench.validation.rehearsal import Rehearsal
from tests.tasks.exchange import Stand
from tests.tools.test_orders import Counter

BOOK = ["list_orders", "post_order"]


@pytest.fixture
def with_a_book(monkeypatch: pytest.MonkeyPatch) -> Task:
    """F1a_01, played in a world with an exchange, under its own id."""
    known = catalog.task

    def told(name: str, suite_seed: int = 0) -> Task:
        return replace(known(name, suite_seed), fixture=Counter().scene.fixture())

    monkeypatch.setattr(catalog, "task", told)
    return told("F1a_01")


def names(tools: list[dict[str, Any]]) -> list[str]:
    return [tool["function"]["name"] for tool in tools]


def test_an_environment_and_an_export_tell_the_tools_of_the_task(with_a_book: Task) -> None:
    assert names(Env("F1a_01").tools)[-2:] == BOOK
    (row,) = task_rows([with_a_book], answers=False)
    assert names(json.loads(row["tools"]))[-2:] == BOOK


def test_a_task_without_a_book_has_none_of_it() -> None:
    assert not set(BOOK) & set(names(Env("F1a_01").tools))
    (row,) = task_rows([catalog.task("F1a_01", 0)], answers=False)
    assert not set(BOOK) & set(names(json.loads(row["tools"])))


def test_a_survey_for_leaks_reads_the_book(with_a_book: Task) -> None:
    stand = Stand()
    name = stand.sea.list(stand.mira, stand.cats, 1, 10**18)
    task = replace(with_a_book, fixture=stand.scene.fixture())
    order_hash = "0x" + stand.world().order(name).hash.hex()
    turn = type("Ended", (), {"name": "finish_task", "arguments": {}})()
    texts = list(survey(Rehearsal(task, (turn,))))
    assert sum(order_hash in text for text in texts) >= 2
