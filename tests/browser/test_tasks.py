"""A person reads the page of a run of office tasks in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from chromium import Reader
from html_pages import write_run
from made_tasks import run_of_four

from pytest_comem.report.html.page import write_page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of four systems."""
    folder = tmp_path_factory.mktemp("tasks")
    write_page([write_run(folder / "run", run_of_four())], folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_scores_are_seen_against_recalled_tokens(
    reader: Reader, page: Path, width: int, theme: str
) -> None:
    """Two planes with a point a system and one without recall; nothing is cut off."""
    reader.size(width)
    reader.prefer(theme)
    reader.open(page)
    planes = reader.js(
        "[...document.querySelectorAll('.trade .plane')].map(plane => "
        "[plane.querySelectorAll('.mark').length, plane.getAttribute('aria-label')])"
    )
    assert [marks for marks, _ in planes] == [5, 5]
    assert "Workspace and recalled tokens" in planes[0][1]
    assert "0 no recall: 0, 50.0; A none: 0, 50.0" in planes[0][1]
    assert "B stale: 1,500, 36.0" in planes[1][1]
    assert reader.js("document.documentElement.scrollWidth") <= width
    reader.js("document.querySelector('.after button').click()")
    assert reader.js("document.documentElement.scrollWidth") <= width


def test_more_tokens_stand_further_right(reader: Reader, page: Path) -> None:
    """And higher scores higher: the oracle recalls less than bm25 and scores more."""
    reader.open(page)
    places = reader.js(
        "[...document.querySelector('.trade .plane').querySelectorAll('g')].map(g => {"
        "const m = g.transform.baseVal.consolidate().matrix; return [m.e, m.f]; })"
    )
    alone, none, stale, bm25, oracle = places
    assert alone == none
    # 42 at no tokens, 326 at 2,000, the next round number; 240 at no points, 12 at 100.
    assert alone == pytest.approx([42, 126])
    assert stale[0] == pytest.approx(42 + 284 * 0.75)
    assert oracle[0] < bm25[0] < stale[0]
    assert oracle[1] < bm25[1] < alone[1] < stale[1]


def test_scores_gains_and_diagnostics_are_two_tables(reader: Reader, page: Path) -> None:
    """Gains have a sign and no bar; tokens have no arrow; the caption says what points are."""
    reader.open(page)
    heads = reader.js(
        "[...document.querySelectorAll('.scores')].map(table => "
        "[...table.querySelectorAll('thead th.number')].map(one => one.textContent))"
    )
    assert heads[0][:6] == [
        *("Workspace↑", "Preference↑", "Win↑", "dWorkspace↑", "dPreference↑", "RecallTokens")
    ]
    assert heads[1][-4:] == ["PSR↑", "RSP↓", "MITR↓", "scored"]
    gains = "[...document.querySelectorAll('tr.whole td[data-name=dWorkspace]')]"
    assert reader.js(f"{gains}.map(one => one.querySelector('.value').textContent)") == [
        *("0.0", "\N{MINUS SIGN}4.0", "+13.0", "+36.0")
    ]
    assert reader.js(f"{gains}.every(one => one.querySelector('svg') === null)") is True
    captions = reader.js(
        "[...document.querySelectorAll('.scores caption')].map(one => one.textContent)"
    )
    assert "dPreference: score points" in captions[0]
    assert "over tasks" in captions[1]


def test_a_row_is_unfolded_into_kinds_of_tasks(reader: Reader, page: Path) -> None:
    """In both tables at once, the same tasks without recall first."""
    reader.open(page)
    reader.js("document.querySelector('.after button').click()")
    shown = "getComputedStyle(document.querySelector('#diagnostics-contextweave tr.part')).display"
    assert reader.js(shown) != "none"
    names = reader.js(
        "[...document.querySelectorAll('#scores-contextweave tr.part th')].map(e => e.textContent)"
    )
    assert names[0] == "no recall"
    assert "distance: more than 10" in names
    assert "activity: Data Analysis" in names


def test_tasks_are_filtered_by_each_of_their_activities(reader: Reader, page: Path) -> None:
    """A task of two activities stands under both."""
    reader.open(page)
    options = reader.js(
        "[...document.querySelector('[data-field=\"is.activities\"]').options].map(o => o.value)"
    )
    assert options == ["", "Coding", "Data Analysis", "Debugging", "Review", "Writing"]
    reader.choose("is.activities", "Review")
    reader.until("location.hash.includes('Review')")
    assert reader.found() == "40 of 120"
