"""A real browser that reads one page and says what it was like."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_SWITCHES = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--hide-scrollbars",
)
#: Seconds after which what has not come is taken for what never comes.
_PATIENCE = 20.0


def find_chromium() -> tuple[str, str] | str:
    """Return the paths of a Chromium and its driver, or what is missing."""
    names = ("chromium", "chromium-browser", "google-chrome")
    named = os.environ.get("COMEM_CHROMIUM")
    chromium = named or next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    if chromium is None:
        return "no Chromium here; install one, or name it in COMEM_CHROMIUM"
    if driver is None:
        return "no chromedriver on the path (Debian and Ubuntu: apt-get install chromium-driver)"
    return chromium, driver


def start(chromium: str, driver: str, profile: Path) -> Chrome:
    """Start a browser with an empty profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for switch in (*_SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


class Reader:
    """Somebody who reads a page: what they see, press and click."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self.address = ""

    def open(self, page: Path, place: str = "") -> None:
        """Open a page anew at a place of it, and wait until all of it is there."""
        self.driver.get("about:blank")
        self.troubles()
        self.address = page.resolve().as_uri()
        self.driver.get(self.address + place)
        self.until("document.documentElement.dataset.ready === 'yes'")

    def js(self, expression: str, *arguments: Any) -> Any:
        """Return the value of an expression."""
        return self.driver.execute_script(f"return {expression}", *arguments)

    def until(self, expression: str, *arguments: Any) -> Any:
        """Wait until an expression holds, and return its value."""
        end = time.monotonic() + _PATIENCE
        while not (found := self.js(expression, *arguments)):
            assert time.monotonic() < end, f"{expression} never held; it is at {self.place}"
            time.sleep(0.02)
        return found

    @property
    def place(self) -> str:
        """What follows the page's address."""
        return str(self.js("decodeURIComponent(location.hash)"))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def click(self, selector: str) -> None:
        """Click an element after bringing it into sight."""
        element = self.js("document.querySelector(arguments[0])", selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def choose(self, field: str, value: str) -> None:
        """Choose an option of a filter, and wait until the address says so."""
        self.driver.execute_script(
            "const s = document.querySelector(`[data-field='${arguments[0]}']`);"
            "s.value = arguments[1]; s.dispatchEvent(new Event('change', {bubbles: true}))",
            *(field, value),
        )

    def found(self) -> str:
        """Return how many steps are listed, of how many."""
        return str(self.js("document.getElementById('found').textContent"))

    def listed(self) -> list[str]:
        """Return the rows of the list that are in the page, as text."""
        rows = "[...document.querySelectorAll('.rows .row')].map((row) => row.textContent)"
        return [str(row) for row in self.js(rows)]

    def panel(self) -> str:
        """Return the text of the open panel; empty where none is open."""
        panel = "document.getElementById('panel')"
        return str(self.js(f"{panel}.hidden ? '' : {panel}.textContent"))

    def title(self) -> str:
        """Return the id of the open step."""
        return str(self.js("document.querySelector('#panel-title')?.textContent ?? ''"))

    def focused(self) -> str:
        """Return the id of the element with the focus."""
        return str(self.js("document.activeElement.id"))

    def size(self, width: int, height: int = 900) -> None:
        """Look through a window of this size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.command("Emulation.setDeviceMetricsOverride", mobile=width < 500, **metrics)

    def prefer(self, scheme: str) -> None:
        """Have the system prefer light or dark colours."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.command("Emulation.setEmulatedMedia", features=[feature])

    def command(self, name: str, **arguments: Any) -> None:
        """Give the browser a command of its own protocol."""
        self.driver.execute_cdp_cmd(name, arguments)

    def troubles(self) -> list[str]:
        """Return what the console said, and what was fetched besides the page itself."""
        said = [str(entry["message"]) for entry in self.driver.get_log("browser")]
        return said + [address for address in self._fetched() if not self._is_the_page(address)]

    def _is_the_page(self, address: str) -> bool:
        return address.split("#")[0] in (self.address, "about:blank")

    def _fetched(self) -> list[str]:
        messages = (json.loads(entry["message"])["message"] for entry in self._network())
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def _network(self) -> list[dict[str, Any]]:
        log: Callable[[str], list[dict[str, Any]]] = self.driver.get_log
        return log("performance")
