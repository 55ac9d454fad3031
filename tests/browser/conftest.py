"""A real headless Chromium (Debian's packages chromium and chromium-driver)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000")


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert binary and driver, "the browser tests need Debian's packages chromium and chromium-driver"
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    chrome.set_script_timeout(120)
    yield chrome
    chrome.quit()
