"""A browser, and pages for it to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Reader, find_chromium, start
from html_pages import play

from pytest_comem.report.html.page import write_page


@pytest.fixture(scope="session")
def _reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")
    found = find_chromium()
    if isinstance(found, str):
        pytest.skip(found)
    driver = start(*found, tmp_path_factory.mktemp("profile"))
    yield Reader(driver)
    driver.quit()


@pytest.fixture
def reader(_reader: Reader) -> Iterator[Reader]:
    """A browser of 1280 by 900; whatever a test does, nothing is fetched and nothing goes wrong."""
    _reader.size(1280)
    _reader.prefer("light")
    yield _reader
    assert _reader.troubles() == []


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs on the embedded data: 2 systems, 20 items a query and 3."""
    folder = tmp_path_factory.mktemp("two")
    systems = "--memory-system=bm25,rag-governed"
    runs = [
        play(folder / "many", systems),
        play(folder / "few", systems, "--comem-top-k=3"),
    ]
    write_page(runs, folder / "report.html")
    return folder / "report.html"
