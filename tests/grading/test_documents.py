"""Documents as a strict reader reads them; goals about documents and about metadata signals (ERC-4906, ERC-7572)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.grading.documents import NoDocument, document_of, says_the_same
from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, Change, EventEmitted, Goal, JsonView, MetadataSignalled, Reading, ViewEquals
from nftbench.tasks.model import Task
from tests.world.scenes import Stand

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


def in_base64(text: str) -> str:
    return "data:application/json;base64," + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' {"a":1}\n',
        in_base64('{"a": 1}'),
        "data:application/json,%7B%22a%22%3A1%7D",
        'data:application/json;utf8,{"a":1}',
    ],
)
def test_a_document_is_read_from_text_and_from_data_uris(text: str) -> None:
    assert document_of(text) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": "line\nbreak"}',
        '{"a": 1, "a": 1}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1} x',
        "data:application/json",
        "data:application/json;base64,###",
        "data:application/json;base64,/w==",
        "ipfs://somewhere",
        "[" * 100_000,
        "[" * 500 + "]" * 500,
        '{"a":' * 500 + "1" + "}" * 500,
        "data:application/json," + "[" * 500 + "]" * 500,
        "9" * 5000,
    ],
)
def test_what_a_strict_reader_refuses_is_no_document(text: str) -> None:
    with pytest.raises(NoDocument):
        document_of(text)


def test_a_view_that_gives_no_text_gives_no_document() -> None:
    with pytest.raises(NoDocument):
        document_of(7)


leaves = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
documents = st.recursive(
    leaves, lambda d: st.lists(d, max_size=4) | st.dictionaries(st.text(max_size=3), d, max_size=4), max_leaves=12
)


@given(documents)
def test_every_document_says_the_same_as_its_own_text_in_either_spelling(document: Any) -> None:
    for text in (json.dumps(document), json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)):
        assert says_the_same(document_of(in_base64(text)), document)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([1, 2, 2], [2, 1, 2], True),
        ([1, 2, 2], [1, 1, 2], False),
        ({"a": ADDRESS.lower()}, {"a": ADDRESS}, True),
        ({"a": "Text"}, {"a": "text"}, False),
        (750, 750.0, True),
        (750, "750", False),
        (True, 1, False),
        (None, "", False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([], {}, False),
    ],
)
def test_documents_compare_by_what_they_say(one: Any, other: Any, same: bool) -> None:
    assert says_the_same(one, other) is same


class Prints(Stand):
    """The stand with two creators' contracts of the user's: `prints` keeps JSON, `cards` keeps links and signals on demand."""

    def __init__(self) -> None:
        super().__init__()
        scene = self.scene
        args = ("Test Prints", "TP", At("team"), '{"name": "Prints"}')
        self.prints = scene.contract("OnchainJsonCollection", args, label="Test Prints")
        self.cards = scene.contract(
            "MetadataCollection", ("Test Cards", "TC", At("team"), "ipfs://a/", ""), label="Test Cards"
        )
        for token_id in (1, 2, 3, 4):
            scene.step("team", self.prints, "mint", At("user"), token_id, '{"name": "One"}')
            scene.watch(Reading(self.prints, "tokenURI", (token_id,)))
        scene.mint(self.cards, "user", [1, 2, 3, 4])
        for each in (self.prints, self.cards):
            scene.step("team", each, "transferOwnership", At("user"))
        self.open()

    def store(self, token_id: int, text: str) -> None:
        self.send(self.prints, "setTokenMetadata", token_id, text)

    def signal(self, first: int, last: int) -> None:
        self.send(self.cards, "emitBatchMetadataUpdate", first, last)

    def says(self, token_id: int, document: Any) -> Task:
        """The task of making one print's metadata say this."""
        goals: tuple[Goal, ...] = (JsonView(Reading(self.prints, "tokenURI", (token_id,)), document),)
        change = Change(kind="view", contract=self.prints, subject="tokenURI(uint256)", detail=(token_id,))
        return self.task(*goals, MetadataSignalled(self.prints, (token_id,)), allowed=(change,))

    def signalled(self, *token_ids: int, **fields: Any) -> Task:
        return self.task(MetadataSignalled(self.cards, token_ids), **fields)

    def graded(self, task: Task) -> Grade:
        ending = "finish_task" if task.feasible else "declare_infeasible"
        self.use(ending, **({"summary": "done"} if task.feasible else {"reason": "no"}))
        return grade(task, self.desk, ending)


@pytest.fixture
def stand() -> Prints:
    return Prints()


def test_a_stored_document_is_judged_by_what_it_says(stand: Prints) -> None:
    stand.store(2, '{"by":["%s"],\n"name":"Two"}' % stand.address("mira").lower())
    assert stand.graded(stand.says(2, {"name": "Two", "by": [At("mira")]})).success


@pytest.mark.parametrize("text", ['{"name": "Two",}', '{"name": "Two", "more": 1}', '{"name": "two"}', "{}", "Two"])
def test_a_stored_document_that_does_not_parse_or_says_something_else_fails(stand: Prints, text: str) -> None:
    stand.store(2, text)
    verdict = stand.graded(stand.says(2, {"name": "Two"}))
    assert [c.name for c in verdict.checks if not c.passed] == [
        "test_prints.tokenURI(2) is JSON that says {'name': 'Two'}"
    ]


def test_a_document_may_be_late_for_its_deadline(stand: Prints) -> None:
    task = stand.task(
        JsonView(Reading(stand.prints, "contractURI"), {"name": "P"}, by=3600),
        EventEmitted(stand.prints, "ContractURIUpdated"),
    )
    stand.use("wait", seconds="4000")
    stand.send(stand.prints, "setContractMetadata", '{"name": "P"}')
    assert [c.passed for c in stand.graded(task).checks][:3] == [True, False, True]


@pytest.mark.parametrize("signals", [[(2, 3)], [(2, 2), (3, 3)], [(3, 3), (2, 3)]])
def test_tokens_are_signalled_one_by_one_or_in_ranges(stand: Prints, signals: list[tuple[int, int]]) -> None:
    for first, last in signals:
        stand.signal(first, last)
    assert stand.graded(stand.signalled(2, 3)).success


def test_a_single_signal_counts_too(stand: Prints) -> None:
    stand.send(stand.cards, "emitMetadataUpdate", 2)
    assert stand.graded(stand.signalled(2)).success


@pytest.mark.parametrize(
    "signals", [[], [(2, 2)], [(2, 4)], [(1, 3)], [(2, 3), (4, 4)], [(0, 2**256 - 1)], [(0, 0), (2, 3)]]
)
def test_too_few_or_too_many_tokens_signalled_fail(stand: Prints, signals: list[tuple[int, int]]) -> None:
    for first, last in signals:
        stand.signal(first, last)
    assert not stand.graded(stand.signalled(2, 3)).success


@pytest.mark.parametrize("order", [["set", "signal"], ["signal", "set"], ["signal", "set", "signal"]])
def test_a_signal_before_the_uri_changed_does_not_count(stand: Prints, order: list[str]) -> None:
    for what in order:
        if what == "set":
            stand.send(stand.cards, "setBaseURI", "ipfs://b/")
        else:
            stand.signal(1, 4)
    task = stand.task(
        ViewEquals(Reading(stand.cards, "baseURI"), "ipfs://b/"), MetadataSignalled(stand.cards, (1, 2, 3, 4))
    )
    assert stand.graded(task).success is (order[-1] == "signal")


def test_a_signal_that_nobody_asked_for_breaks_the_frame(stand: Prints) -> None:
    stand.signal(1, 1)
    verdict = stand.graded(stand.task(ViewEquals(Reading(stand.cards, "baseURI"), "ipfs://a/")))
    assert [c.actual for c in verdict.checks if not c.passed] == ["BatchMetadataUpdate of test_cards"]


@pytest.mark.parametrize("function", ["setContractURI", "setTokenURI"])
def test_setting_what_is_there_again_signals_and_so_touches_an_infeasible_world(stand: Prints, function: str) -> None:
    args = [""] if function == "setContractURI" else [1, ""]
    stand.send(stand.cards, function, *args)
    task = stand.signalled(1, feasible=False, reason_classes=("locked",))
    assert not stand.graded(task).success


def test_an_infeasible_world_without_a_signal_is_untouched(stand: Prints) -> None:
    assert stand.graded(stand.signalled(1, feasible=False, reason_classes=("locked",))).success


def test_a_reading_among_arguments_stands_for_what_it_reads(stand: Prints) -> None:
    first_owner = Reading(stand.cats, "ownerOf", (1,))
    assert stand.world.resolve((first_owner, 5)) == (stand.world.user, 5)
    goal = ViewEquals(Reading(stand.cats, "balanceOf", (first_owner,)), 3)
    assert goal.read_aloud() == "test_cats.balanceOf(test_cats.ownerOf(1)) is 3"
    assert stand.graded(stand.task(goal)).success
