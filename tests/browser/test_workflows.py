"""A person reads the page of a run with workflows in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import Reader
from html_pages import write_run
from made_workflows import node, pairs

from pytest_comem.report.html.page import write_page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three systems, one of which has too few pairs; the memory delivers inputs."""
    folder = tmp_path_factory.mktemp("workflows")
    outcomes = [
        *pairs(12, 12, system="apart", handoff="memory"),
        *pairs(12, 4, system="shares", handoff="memory"),
        *pairs(4, 4, system="short", handoff="memory"),
        node("f0", "extra", False, False, system="apart", handoff="memory"),
    ]
    write_page([write_run(folder / "run", outcomes)], folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_sharing_is_seen_against_isolation(
    reader: Reader, page: Path, width: int, theme: str
) -> None:
    """A point with both intervals a system; whoever has no place is named; nothing is cut off."""
    reader.size(width)
    reader.prefer(theme)
    reader.open(page)
    plane = "document.querySelector('.trade .plane')"
    assert reader.js(f"{plane}.querySelectorAll('.mark').length") == 2
    assert reader.js(f"{plane}.querySelectorAll('.whisker').length") == 4
    said = reader.js(f"{plane}.getAttribute('aria-label')")
    assert "A apart" in said
    assert "33.3" in said
    told = reader.js(f"{plane}.querySelector('desc').textContent")
    assert "sharing as VHS" in told
    assert "short" in reader.js("document.querySelector('.trade .hint').textContent")
    assert reader.js("document.documentElement.scrollWidth") <= width


def test_a_point_stands_where_its_values_are(reader: Reader, page: Path) -> None:
    """Whoever keeps all pairs stands above whoever keeps a third, within the axes."""
    reader.open(page)
    places = reader.js(
        "[...document.querySelectorAll('.trade .plane g')].map(g => {"
        "const m = g.transform.baseVal.consolidate().matrix; return [m.e, m.f]; })"
    )
    (apart, shares) = places
    # In the units of the drawing: 12 at 100 %, 240 at 0 %.
    assert apart[1] == pytest.approx(12)
    assert shares[1] == pytest.approx(240 - 228 * 4 / 12, abs=0.5)
    assert shares[0] < apart[0]


def test_a_workflow_is_filtered_by_each_of_its_topologies(reader: Reader, page: Path) -> None:
    """They are chain and reuse, each by itself, and the panel names the family."""
    reader.open(page)
    options = reader.js(
        "[...document.querySelector('[data-field=\"is.topology\"]').options].map(o => o.value)"
    )
    assert options == ["", "chain", "reuse"]
    everything = reader.found()
    reader.choose("is.topology", "reuse")
    reader.until("location.hash.includes('reuse')")
    assert reader.found() == everything


def test_strata_are_folded_below_the_systems(reader: Reader, page: Path) -> None:
    """Topologies and operators with their metrics; tokens are a number without a bar."""
    reader.open(page)
    assert reader.js("getComputedStyle(document.querySelector('tr.part')).display") == "none"
    reader.js("document.querySelector('.after button').click()")
    names = reader.js("[...document.querySelectorAll('tr.part th')].map(one => one.textContent)")
    assert "operator: wrong_entity" in names
    assert "topology: chain" in names
    tokens = "document.querySelector('td[data-name=tokens]')"
    assert reader.js(f"{tokens}.querySelector('.value').textContent") == "33"
    assert reader.js(f"{tokens}.querySelector('svg') === null") is True
    assert "over families" in reader.js("document.querySelector('.scores caption').textContent")
