"""An exported log in Inspect's own viewer, in a real headless Chromium (Debian's packages chromium and chromium-driver)."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from inspect_ai.log import bundle_log_dir
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from nftbench.commands.main import main
from tests.commands.recorded import record

pytestmark = pytest.mark.browser
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1200")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the viewer shows the log of a run of the careless agent."""
    folder = tmp_path_factory.mktemp("view")
    run = record(folder / "careless", "careless", instances="F1a_01,F3c_01")
    assert main(["export", str(run), "--format", "inspect", "--out", str(folder / "log")]) == 0
    bundle_log_dir(str(folder / "log"), str(folder / "bundle"))
    handler = functools.partial(Quiet, directory=str(folder / "bundle"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *given: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert binary and driver, "this test needs Debian's packages chromium and chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in SWITCHES:
        options.add_argument(switch)
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        (
            "",
            [
                "nftbench/synthetic",
                "nftbench/agent/careless",
                "F1a_01",
                "F3c_01",
                "goal: tess owns mossy_sextants #111",
            ],
        ),
        (
            "/samples/sample/F3c_01/1/scoring",
            ["Not solved", "user owns midnight_bellows #193", "harm: lost to", "claim_helper is no operator of user"],
        ),
        ("/samples/sample/F3c_01/1/transcript", ["read_state", "SOLVER: AGENT", "send_transaction"]),
        ("/samples/sample/F3c_01/1/messages", ["You act for the owner of a wallet", "chain_id", "address_book"]),
    ],
    ids=["samples", "scoring", "transcript", "messages"],
)
def test_the_viewer_shows_what_was_asked_done_and_checked(
    browser: webdriver.Chrome, address: str, page: str, texts: list[str]
) -> None:
    browser.get("about:blank")
    browser.get(f"{address}#/logs/careless.eval{page}")

    def shown(chrome: webdriver.Chrome) -> bool:
        seen = chrome.find_element(By.TAG_NAME, "body").text.lower()
        return all(text.lower() in seen for text in texts)

    WebDriverWait(browser, 60).until(shown)
