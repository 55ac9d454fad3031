"""The page of `nftbench view` in a real browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from nftbench.commands.main import main
from nftbench.commands.view import handler_for
from nftbench.records.model import Check
from nftbench.report.document import report_on
from nftbench.report.page.build import page
from nftbench.report.page.packs import Attempt, packed
from nftbench.report.runs import Run
from tests.commands.recorded import record
from tests.report.attempts import result

pytestmark = pytest.mark.browser
HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'><svg onload=window.pwned=1>"
AXE = resources.files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
RUN_AXE = """const done = arguments[arguments.length - 1];
axe.run().then((found) => done(found.violations.map((v) => ({id: v.id, impact: v.impact, html: v.nodes[0].html}))));"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return (
        record(folder / "careless", "careless", instances="F1a*,F3c*,F4a*"),
        record(folder / "random", "random", "--trials", "2", instances="F1a*,F3c*"),
    )


def opened(browser: webdriver.Chrome, address: str) -> None:
    browser.get_log("browser")
    browser.get(address)
    WebDriverWait(browser, 30).until(
        lambda b: b.execute_script("return document.documentElement.dataset.ready") == "yes"
    )


def viewed(browser: webdriver.Chrome, tmp_path: Path, *runs: Path) -> None:
    file = tmp_path / "page.html"
    assert main(["view", *map(str, runs), "--out", str(file)]) == 0
    opened(browser, file.as_uri())


def complaints(browser: webdriver.Chrome) -> list[Any]:
    return [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def text(browser: webdriver.Chrome, selector: str) -> str:
    return browser.find_element(By.CSS_SELECTOR, selector).text


def test_figures_charts_and_attempts_are_there(
    browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    """24 attempts of one run and 32 of the other; each chart is drawn and has its table beside it."""
    viewed(browser, tmp_path, *runs)
    assert "56 of 56 attempts" in text(browser, "#count")
    figures = browser.find_elements(By.CSS_SELECTOR, "#charts figure")
    assert len(figures) >= 4
    for figure in figures:
        assert figure.find_elements(By.CSS_SELECTOR, ".chart svg path")
        assert figure.find_elements(By.CSS_SELECTOR, "details table")
    assert complaints(browser) == []


def test_the_table_filters_and_sorts_by_keyboard(
    browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    viewed(browser, tmp_path, *runs)
    words = browser.find_element(By.ID, "words")
    words.send_keys("F4a_0")
    assert "8 of 56 attempts" in text(browser, "#count")
    words.send_keys(Keys.CONTROL, "a")
    words.send_keys(Keys.DELETE)
    turns = browser.find_element(By.CSS_SELECTOR, '[data-sort="turns"]')
    turns.send_keys(Keys.ENTER)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    head = browser.switch_to.active_element.find_element(By.XPATH, "..")
    assert head.get_attribute("aria-sort") == "descending"
    column = [h.text.split(" ")[0] for h in browser.find_elements(By.CSS_SELECTOR, "#table thead th")].index(
        "turns"
    ) + 1
    cells = browser.find_elements(By.CSS_SELECTOR, f"#table tbody tr > :nth-child({column})")
    values = [int(cell.text) for cell in cells]
    assert values == sorted(values, reverse=True)


def test_a_trajectory_opens_with_its_transactions_moves_checks_and_the_end(
    browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    """The careless play of a rescue: the drainer's moves are told, and what was lost."""
    viewed(browser, tmp_path, runs[0])
    raw = json.loads((runs[0] / "F3c_01" / "trajectory.json").read_text())
    opener = next(b for b in browser.find_elements(By.CSS_SELECTOR, "button.open") if b.text == "F3c_01")
    opener.send_keys(Keys.ENTER)
    WebDriverWait(browser, 10).until(lambda b: "The end" in text(b, "#steps"))
    shown = text(browser, "#steps")
    assert browser.switch_to.active_element.get_attribute("id") == "detail-head"
    for turn in raw["turns"]:
        for call in turn["calls"]:
            assert f"Call {call['name']}" in shown
    for transaction in raw["transactions"]:
        assert transaction["hash"][:12] in shown
        assert transaction["function"] in shown
    for move in raw["moves"]:
        assert f"{move['actor']} moves" in shown
        assert f"Why: {move['reason']}" in shown
    assert "Checks, with what was expected and what was found" in shown
    browser.find_element(By.ID, "back").send_keys(Keys.ENTER)
    assert browser.switch_to.active_element.text == "F3c_01"
    assert complaints(browser) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_either_scheme(
    scheme: str, browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    viewed(browser, tmp_path, *runs)
    browser.find_element(By.CSS_SELECTOR, "button.open").click()
    WebDriverWait(browser, 10).until(lambda b: "The end" in text(b, "#steps"))
    browser.execute_script(AXE)
    found = browser.execute_async_script(RUN_AXE)
    assert [each for each in found if each["impact"] in ("serious", "critical")] == []
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


def hostile(value: Any) -> Any:
    """The same shape with a hostile text in place of every text."""
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, dict):
        return {key: hostile(item) for key, item in value.items()}
    return [hostile(item) for item in value] if isinstance(value, list) else value


def test_nothing_that_a_model_or_a_chain_wrote_can_run(
    browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    """A hostile text in every field of a real trajectory and of its result, and in the names of the run."""
    raw = json.loads((runs[0] / "F3c_01" / "trajectory.json").read_text())
    told = hostile(raw)
    for message, role in zip(told["messages"], ("system", "user"), strict=False):
        message["role"] = role
    check = Check("goal", HOSTILE, False, HOSTILE, HOSTILE)
    about = dict.fromkeys(("reason", "answer", "family", "difficulty", "error"), HOSTILE)
    one = result("F1a_01", ended_by="finish_task", harm=(HOSTILE,), tags=(HOSTILE,), checks=(check,), **about)
    run = Run(name=HOSTILE, record={"model": HOSTILE, "suite_version": HOSTILE}, results=(one,), planned=1)
    file = tmp_path / "hostile.html"
    file.write_text(page([report_on(run)], packed([[Attempt(0, one, told)]])), encoding="utf-8")
    opened(browser, file.as_uri())
    browser.find_element(By.CSS_SELECTOR, "button.open").click()
    WebDriverWait(browser, 10).until(lambda b: "The end" in text(b, "#steps"))
    assert HOSTILE in text(browser, "#steps")
    assert browser.execute_script("return window.pwned") is None
    assert browser.find_elements(By.CSS_SELECTOR, "#steps img, #steps script, #steps svg, header img") == []


def test_five_hundred_trajectories_load_in_two_seconds_and_under_25_megabytes(
    browser: webdriver.Chrome, tmp_path: Path, runs: tuple[Path, Path]
) -> None:
    """500 copies of real trajectories under names of their own, each in a pack of its own: nothing is shared between them."""
    names = [f"F1a_{n:04d}" for n in range(500)]
    sources = sorted(runs[1].glob("*/trajectory.json"))
    told = [json.loads(source.read_text()) for source in sources]
    results = tuple(result(name, n % 2 == 0) for n, name in enumerate(names))
    run = Run(name="many", record={}, results=results, planned=500)
    attempts = [[Attempt(0, each, told[n % len(told)])] for n, each in enumerate(results)]
    text_of = page([report_on(run)], packed(attempts))
    assert len(text_of.encode()) < 25_000_000
    file = tmp_path / "many.html"
    file.write_text(text_of, encoding="utf-8")
    opened(browser, file.as_uri())
    loaded = browser.execute_script("return performance.getEntriesByType('navigation')[0].duration")
    print(f"loaded in {loaded:.0f} ms, {len(text_of) / 1e6:.1f} MB")
    assert "500 of 500 attempts" in text(browser, "#count")


@pytest.fixture
def served(runs: tuple[Path, Path]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for([runs[0]], None))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_a_served_page_follows_the_run(browser: webdriver.Chrome, served: str, runs: tuple[Path, Path]) -> None:
    """A new result on disk shows up without anybody's doing."""
    opened(browser, served)
    assert "Following the run" in text(browser, "#live")
    before = text(browser, "#count")
    file = runs[0] / "F1a_01" / "result.json"
    file.write_bytes(file.read_bytes())
    file.touch()
    first = browser.execute_script("return performance.timeOrigin")
    WebDriverWait(browser, 20).until(lambda b: b.execute_script("return performance.timeOrigin") != first)
    WebDriverWait(browser, 20).until(lambda b: text(b, "#count") == before)
