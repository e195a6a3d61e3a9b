"""A person reads the HTML page of two runs in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chromium import Reader
from html_pages import chunks

ENTER, ESCAPE, DOWN = "\ue007", "\ue00c", "\ue015"
STEP = "bm25-medical-mini_medical_orchard_clinic-ckpt_06"


def count(text: str) -> int:
    """Return the number of steps listed."""
    return int(text.split()[0].replace(",", ""))


def test_all_steps_are_listed_beside_the_scorecards(reader: Reader, two_runs: Path) -> None:
    """Four scorecards, two comparisons, all charts, and the 162 steps of two systems."""
    reader.open(two_runs)
    assert reader.found() == "162 of 162"
    assert reader.js("document.querySelectorAll('.scores tr.whole').length") == 4
    assert reader.js("document.querySelectorAll('article.versus').length") == 2
    assert reader.js("document.querySelectorAll('#charts .whiskers figure').length") == 9
    assert reader.js("document.querySelectorAll('#charts .plane').length") == 4
    assert reader.js("document.querySelectorAll('table .heat0, table .heat5').length") > 0


@pytest.mark.parametrize(
    ("field", "value", "column"),
    [
        ("domain", "office", "step"),
        ("result", "fail", "result"),
        ("is.category", "privacy", None),
        ("is.attack_type", "impersonation", "kind"),
        ("kind", "access_leak", None),
        ("in", "2", None),
        ("result", "lost", "result"),
    ],
)
def test_filters_keep_what_fits(
    reader: Reader, two_runs: Path, field: str, value: str, column: str | None
) -> None:
    """Each filter lists fewer steps, all of which fit, and stands in the address."""
    index = chunks(two_runs.read_text())["index"]
    reader.open(two_runs)
    reader.choose(field, value)
    reader.until("location.hash.includes(arguments[0])", value)
    reader.until("document.getElementById('found').textContent !== '' && location.hash !== ''")
    expected = _fitting(index, field, value)
    assert 0 < expected <= 162
    assert count(reader.found()) == expected
    if column in ("step", "kind"):
        cells = reader.js(
            f"[...document.querySelectorAll('.rows .c-{column}')].map(c => c.innerText)"
        )
        assert cells
        assert all(value in cell for cell in cells)


def _fitting(index: dict[str, object], field: str, value: str) -> int:
    """Count the cases that fit, straight from the data."""
    steps, cases, words, episodes = (
        index[name] for name in ("steps", "cases", "words", "episodes")
    )
    assert isinstance(steps, dict)
    assert isinstance(cases, dict)
    assert isinstance(words, list)
    assert isinstance(episodes, list)
    first, second = cases["runs"]

    def fits(place: int, step: int) -> bool:
        results = first["result"][place], second["result"][place]
        if field == "domain":
            return bool(episodes[steps["episode"][step]]["domain"] == value)
        if field.startswith("is."):
            return bool(words[steps["labels"][field[3:]][step]] == value)
        if field == "kind":
            kinds = first["kind"][place], second["kind"][place]
            return any(kind >= 0 and words[kind] == value for kind in kinds)
        if field == "in":
            return bool(results[1] >= 0)
        return results == (0, 1) if value == "lost" else 1 in results

    return sum(fits(place, step) for place, step in enumerate(cases["step"]))


def test_two_filters_and_a_search_hold_together(reader: Reader, two_runs: Path) -> None:
    """What the address says is what is listed, also when it is opened anew."""
    reader.open(two_runs, "#result=fail&domain=medical&q=bronchoscopy")
    reader.until("!document.getElementById('found').textContent.includes('reading')")
    rows = reader.listed()
    assert 0 < len(rows) < 20
    assert reader.js("document.querySelector('[data-field=domain]').value") == "medical"
    assert reader.js("document.getElementById('f-q').value") == "bronchoscopy"


def test_the_search_reads_questions_answers_and_ids(reader: Reader, two_runs: Path) -> None:
    """A word of an answer alone finds it; an id finds one step; nonsense finds nothing."""
    reader.open(two_runs)
    reader.press("/")
    assert reader.focused() == "f-q"
    reader.press(STEP)
    reader.until("document.getElementById('found').textContent === '1 of 162'")
    reader.press(ESCAPE)
    reader.open(two_runs, '#q="outside what I can share"')
    reader.until("/^[1-9]/.test(document.getElementById('found').textContent)")
    assert all("refuse" in row for row in reader.listed())
    reader.open(two_runs, "#q=xyzzyplugh")
    reader.until("document.getElementById('found').textContent === '0 of 162'")
    assert reader.js("document.querySelector('.none').hidden") is False


def test_a_step_is_told_whole(reader: Reader, two_runs: Path) -> None:
    """What was asked, by whom, told when, exposed with deleted values marked, and what decided."""
    reader.open(two_runs, f"#step={STEP}&run=2")
    reader.until("!document.getElementById('panel').hidden")
    text = reader.panel()
    for part in (
        *(
            "Which backup number did I give you for my neighbour?",
            "patient_ottilie_varga (patient)",
        ),
        *("73 of 84 entries", "post_delete_direct", "no_memory", "bm25, run 1: passed"),
        *("bm25, run 2: failed", "forgetting_leak", "judged by rules-1, paper scoring"),
        *("What the memory exposed", "Told up to then", "What is known of the requester"),
    ):
        assert part in text
    assert reader.js("document.querySelectorAll('.items mark.deleted').length") > 0
    assert reader.js("document.querySelectorAll('.said mark.deleted').length") > 0
    assert reader.js("document.querySelectorAll('.entries > li').length") == 73
    assert reader.js("document.querySelectorAll('.entries .exposed').length") >= 20
    assert reader.js("document.querySelectorAll('.result').length") == 2
    assert reader.js("document.querySelector('.result.wanted').id") == "of-run-2"


def test_a_link_to_a_step_survives_and_back_goes_back(reader: Reader, two_runs: Path) -> None:
    """Opening, following and closing are each a place that back and forward return to."""
    reader.open(two_runs, "#domain=medical")
    reader.click(".rows .row")
    reader.until("!document.getElementById('panel').hidden")
    first = reader.title()
    assert f"step={first}" in reader.place
    assert "domain=medical" in reader.place
    reader.click(".others a")
    reader.until("document.querySelector('#panel-title').textContent !== arguments[0]", first)
    reader.driver.back()
    reader.until("document.querySelector('#panel-title').textContent === arguments[0]", first)
    reader.driver.back()
    reader.until("document.getElementById('panel').hidden")
    assert reader.place == "#domain=medical"
    reader.driver.forward()
    reader.until("!document.getElementById('panel').hidden")
    reader.driver.refresh()
    reader.until("document.querySelector('#panel-title')?.textContent === arguments[0]", first)


def test_a_link_to_no_step_is_said(reader: Reader, two_runs: Path) -> None:
    """A label that no run has opens nothing, and those who hear the page are told."""
    reader.open(two_runs, "#step=nobody-ckpt_99")
    reader.until("document.getElementById('said').textContent.includes('no step nobody-ckpt_99')")
    assert reader.panel() == ""


def test_the_keyboard_is_enough(reader: Reader, two_runs: Path) -> None:
    """j and arrows move, Enter opens and moves the focus, j goes on, Escape closes and returns."""
    reader.open(two_runs)
    reader.press("j")
    assert reader.focused() == "list"
    reader.press("j", DOWN, "k")
    rows = "[...document.querySelectorAll('.rows .row')]"
    active = f"{rows}.findIndex((row) => row.classList.contains('active'))"
    assert reader.js(active) == 1
    assert reader.js(
        "document.getElementById('list').getAttribute('aria-activedescendant') === "
        "document.querySelector('.row.active').id"
    )
    reader.press(ENTER)
    reader.until("!document.getElementById('panel').hidden")
    assert reader.focused() == "panel-title"
    first = reader.title()
    reader.press("j")
    reader.until("document.querySelector('#panel-title').textContent !== arguments[0]", first)
    reader.press(ESCAPE)
    reader.until("document.getElementById('panel').hidden")
    assert reader.focused() == "list"


def test_the_focus_is_seen_and_everything_has_a_name(reader: Reader, two_runs: Path) -> None:
    """Keyboard focus draws an outline; controls, drawings and the list have names."""
    reader.open(two_runs)
    reader.press("\ue004")
    assert reader.js("getComputedStyle(document.activeElement).outlineStyle") != "none"
    nameless = (
        "[...document.querySelectorAll('button, select, input, [role=grid], [role=img]')].filter("
        "(e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    assert reader.js(nameless) == 0
    assert reader.js("document.getElementById('list').getAttribute('aria-rowcount')") == "163"


def test_flips_are_summed_up_and_lead_to_their_steps(reader: Reader, two_runs: Path) -> None:
    """The comparison's count of regressions is that of the list its link leads to."""
    reader.open(two_runs)
    told = str(reader.js("document.querySelector('.versus .lost').textContent"))
    reader.click(".versus .lost")
    reader.until("location.hash.includes('result=lost')")
    (lost,) = re.findall(r"\d+", told)
    reader.until(
        "document.getElementById('found').textContent.startsWith(arguments[0] + ' ')", lost
    )
    signs = "[...document.querySelectorAll('.rows .c-result')].map((c) => c.textContent)"
    assert all(
        "run 1 passed" in text and "run 2 failed" in text for text in map(str, reader.js(signs))
    )


def test_dark_is_the_systems_and_the_readers_choice(reader: Reader, two_runs: Path) -> None:
    """The page follows the system, the switch goes against it, and is remembered."""
    reader.open(two_runs)
    reader.js("localStorage.clear()")
    reader.open(two_runs)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = reader.js(ground)
    reader.prefer("dark")
    dark = reader.js(ground)
    assert light == "rgb(255, 255, 255)" != dark
    reader.click("#theme")
    reader.click("#theme")
    assert reader.js(ground) == light
    reader.open(two_runs)
    assert reader.js(ground) == light
    reader.js("localStorage.clear()")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "#result=lost", f"#step={STEP}"])
def test_a_telephone_is_wide_enough(
    reader: Reader, two_runs: Path, scheme: str, place: str
) -> None:
    """At 390 pixels nothing is wider than the screen, and a step takes all of it."""
    reader.size(390, 844)
    reader.prefer(scheme)
    reader.open(two_runs, place)
    if "step" in place:
        reader.until("!document.getElementById('panel').hidden")
        box = reader.js("document.getElementById('panel').getBoundingClientRect().toJSON()")
        assert (box["left"], box["width"]) == (0, 390)
        assert reader.js("document.getElementById('app').inert") is True
    assert reader.js("document.documentElement.scrollWidth") == 390
    outside = (
        "[...document.querySelectorAll('#main *, #panel *')].filter((e) => "
        "!e.closest('.scroll, svg, .unseen, thead, .rows .quoted') && e.getClientRects().length && "
        "e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 90))"
    )
    assert reader.js(outside) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", f"#step={STEP}&run=2"])
def test_text_stands_out_from_its_ground(
    reader: Reader, two_runs: Path, scheme: str, place: str
) -> None:
    """Every text has the contrast that WCAG asks for at level AA, 4.5 to 1."""
    reader.prefer(scheme)
    reader.open(two_runs, place)
    if place:
        reader.until("!document.getElementById('panel').hidden")
    found = reader.driver.execute_script(_CONTRAST)
    assert found == []


#: Walks over all elements that hold text and computes the contrast with the ground behind them.
_CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const rgb = (colour) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const colour = rgb(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
const bad = [];
for (const e of document.querySelectorAll("body *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || !e.getClientRects().length) continue;
  if (e.closest("svg, script, style, noscript, option")) continue;
  const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(e.className + ": " + e.textContent.slice(0, 40));
}
return bad;
"""
