"""Pages at their limits: hostile text, and four systems on as many steps as GateMem has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chromium import Reader
from html_pages import play, write_run
from made_outcomes import made
from tiny_project import checkpoint, episode, write_data

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.report.html.page import write_page

SCRIPT = "</script><script>window.hacked = 1</script><!--"
IMAGE = '<img src="x" onerror="window.hacked = 2">'
TURNED = "safe\u202egnp.exe"
HOSTILE = [
    SCRIPT,
    IMAGE,
    TURNED,
    "nul \x00 and bell \x07",
    "\U0001f600 \u200b\ufeff wide and unseen",
    "W" * 400,
    "</template></textarea></style>&lt;b&gt; $style ${style} javascript:alert(1)",
    "y" * 100_000,
]
#: A memory that hands over more than was told, and what no file can hold.
ADAPTER = """
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.simple import FullContext


class Mean(FullContext):
    def recall(self, query):
        more = (RecallItem("x" * 1_000_000), RecallItem("half \\ud83d of a pair", float("inf")))
        return Recall((*super().recall(query).items, *more))
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run on data that mean harm."""
    folder = tmp_path_factory.mktemp("hostile")
    mean = episode("mean", turns=len(HOSTILE))
    for turn, text in zip(mean["turns"], HOSTILE, strict=True):
        turn["text"] = text
        turn["speaker"]["principal_id"] = IMAGE
    asked: list[dict[str, Any]] = [
        checkpoint("mean", number + 1, len(HOSTILE), query_text=f"{text[:500]} what?")
        for number, text in enumerate(HOSTILE)
    ]
    asked[1]["judge_spec"] = {"include": ["(a+)+$", "<img", "\\"]}
    data = write_data(folder, [mean], asked)
    (folder / "mean.py").write_text(ADAPTER)
    run = play(folder, "--memory-system=mean:Mean", f"--comem-data={data}")
    write_page([run], folder / "report.html")
    return folder / "report.html"


@pytest.mark.parametrize("number", range(1, len(HOSTILE) + 1))
@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_text_stays_text(reader: Reader, hostile: Path, number: int, width: int) -> None:
    """Nothing of it runs, loads, turns round or pushes the page wide; all of it can be read."""
    reader.size(width)
    reader.open(hostile, f"#step=mean_Mean-medical-mean-ckpt_{number:02}")
    reader.until("!document.getElementById('panel').hidden")
    assert reader.js("window.hacked === undefined")
    assert (
        reader.js(
            "document.images.length + document.querySelectorAll('iframe, form[action]').length"
        )
        == 0
    )
    text = reader.panel()
    for part in (SCRIPT, IMAGE, "safe\\u202egnp.exe", "nul \\u0000 and bell \\u0007", "W" * 400):
        assert part in text
    assert "Show all 100,000 characters" in text
    assert "Show all 1,000,000 characters" in text
    assert "half \\ud83d of a pair" in text
    assert reader.js("document.documentElement.scrollWidth") == width
    assert reader.js("document.getElementById('panel').scrollWidth <= innerWidth")


def test_a_long_text_is_shown_when_asked_for(reader: Reader, hostile: Path) -> None:
    """A text of a megabyte is cut, and whole after a click."""
    reader.open(hostile, "#step=mean_Mean-medical-mean-ckpt_01")
    reader.until("!document.getElementById('panel').hidden")
    short = len(reader.panel())
    assert short < 200_000
    reader.click(".items .all")
    assert len(reader.panel()) > short + 90_000


def test_hostile_text_is_searched_and_filtered(reader: Reader, hostile: Path) -> None:
    """A search for markup finds the text, and the address holds it safely."""
    reader.open(hostile)
    reader.press("/")
    reader.press("window.hacked</script>")
    reader.until("location.hash.includes('hacked')")
    reader.until("/^[0-9]+ of 8$/.test(document.getElementById('found').textContent)")
    assert reader.js("window.hacked === undefined")


SYSTEMS = ("bm25", "full-context", "rag-policy", "rag-governed")
EPISODES, STEPS, ENTRIES = 91, 25, 150


def _outcomes() -> Iterator[Outcome]:
    """Yield 9,100 outcomes; one system exposes all of its 150 entries each time."""
    for system in SYSTEMS:
        for number in range(EPISODES):
            name = f"episode_{number:03}"
            told = [
                f"entry {place} of {name}: {hash_of(number, place)}" for place in range(ENTRIES)
            ]
            items = tuple(RecallItem(text, None, (f"t{at}",)) for at, text in enumerate(told))
            for place in range(STEPS):
                passed = (number + place + len(system)) % 3 > 0
                category = ("utility", "privacy", "safety")[place % 3]
                one = made(place, passed, system=system, category=category, attack=category)
                shown = items if system == "full-context" else items[place : place + 20]
                yield replace(
                    one,
                    step=replace(one.step, episode=name, id=f"{name}_ckpt_{place:02}"),
                    labels={**one.labels, "expected_action": "answer"},
                    query={
                        "text": f"{hash_of(place, number)} what?",
                        "requester": "a",
                        "role": "b",
                    },
                    recall=Recall(shown),
                )


def hash_of(*numbers: int) -> str:
    """Return words that do not compress to nothing."""
    return " ".join(f"{(number + 7) * 2654435761 % 10**12:x}" for number in numbers * 6)


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of four systems on more steps than GateMem has."""
    folder = tmp_path_factory.mktemp("big")
    write_page([write_run(folder / "run", _outcomes())], folder / "report.html")
    return folder / "report.html"


def test_four_systems_on_all_of_gatemem(reader: Reader, big: Path) -> None:
    """The page is under 15 MB, lists every step with few elements, and scrolls to the last one."""
    assert big.stat().st_size < 15e6
    reader.open(big)
    assert reader.found() == "9,100 of 9,100"
    assert reader.js("document.querySelectorAll('.rows .row').length") < 60
    reader.click("#list")
    reader.press("\ue010")
    assert (
        reader.until("document.querySelector('.row.active').getAttribute('aria-rowindex')")
        == "9101"
    )
    assert reader.js("document.querySelectorAll('.rows .row').length") < 60
    paint = reader.js("performance.getEntriesByName('comem-ready')[0].startTime")
    print(json.dumps({"bytes": big.stat().st_size, "milliseconds to scorecard and list": paint}))


def test_a_search_over_all_of_it(reader: Reader, big: Path) -> None:
    """One episode's steps are found among all, in the order of the suite."""
    reader.open(big, "#q=episode_042 ckpt_07")
    reader.until("document.getElementById('found').textContent === '4 of 9,100'")
    assert [
        row.split("what?")[1].startswith(name)
        for row, name in zip(reader.listed(), SYSTEMS, strict=True)
    ] == [True] * 4
