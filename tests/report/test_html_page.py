"""What an HTML page of runs holds, taken apart without a browser."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from html_pages import chunks, write_run
from made_outcomes import UNREADABLE, made

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.core.replies import Reply
from pytest_comem.engine.runs import read_run
from pytest_comem.errors import SettingsError
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import suite_metrics
from pytest_comem.report.html.assets import digest
from pytest_comem.report.html.page import page, write_page


def outcomes(system: str = "bm25", *, flipped: int = -1) -> list[Outcome]:
    """Return twelve outcomes, four of each category, half of which pass."""
    return [
        made(
            number,
            (number % 2 == 0) is not (number == flipped),
            system=system,
            category=("utility", "privacy", "safety")[number % 3],
            attack=("", "impersonation", "post_delete")[number % 3],
            domain=("medical", "office")[number // 6],
            usage={"answer": Usage(0.5, 10, 0.25, 1, 0)},
        )
        for number in range(12)
    ]


def made_page(folder: Path, *runs: list[Outcome]) -> str:
    """Return the page of runs with these outcomes."""
    for number, each in enumerate(runs):
        write_run(folder / f"r{number}", each)
    return "".join(page([read_run(folder / f"r{number}") for number in range(len(runs))]))


def index_of(text: str) -> dict[str, Any]:
    """Return what the page shows before a step is opened."""
    found: dict[str, Any] = chunks(text)["index"]
    return found


class _Elements(HTMLParser):
    """Collects elements with an address, and inline code."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: dict[str, str] = {}
        self.policy = ""
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note addresses, the policy, and which script or style begins."""
        given = dict(attrs)
        self.addresses += [given[name] or "" for name in ("src", "href") if name in given]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        code = tag == "style" or (tag == "script" and "type" not in given)
        self._open = tag if code else ""

    def handle_data(self, data: str) -> None:
        """Keep the text of what is open."""
        if self._open:
            self.inline[self._open] = self.inline.get(self._open, "") + data

    def handle_endtag(self, tag: str) -> None:
        """Nothing is open any more."""
        self._open = ""


def test_a_page_names_no_other_file_and_allows_only_its_own_code(tmp_path: Path) -> None:
    """The policy allows exactly the style and the script that are in the page, and no network."""
    elements = _Elements()
    elements.feed(made_page(tmp_path, outcomes()))
    assert elements.addresses == ["#steps"]
    assert elements.policy.startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        assert f"{tag}-src '{digest(elements.inline[tag])}'" in elements.policy
    assert "unsafe" not in elements.policy
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(",
        elements.inline["script"],
    )


def test_the_same_runs_make_the_same_page(tmp_path: Path) -> None:
    """Nothing of when and where the page is made is in it."""
    write_run(tmp_path / "run", outcomes())
    write_page([tmp_path / "run"], tmp_path / "one.html")
    write_page([tmp_path / "run"], tmp_path / "deep" / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "deep" / "two.html").read_bytes()
    assert str(tmp_path) not in (tmp_path / "one.html").read_text()


def test_scorecards_hold_the_metrics_with_their_intervals(tmp_path: Path) -> None:
    """Values, limits and counts are those of the statistics, of all steps and by domain."""
    found = outcomes()
    (card,) = index_of(made_page(tmp_path, found))["cards"]
    assert (card["steps"], card["scored"], card["passed"]) == (12, 12, 6)
    assert [scope["name"] for scope in card["scopes"]] == [
        *("all steps", "medical", "office", "mean of domains"),
    ]
    expected = measure(Sample.of(found, suite_metrics("gatemem")))
    shown = card["scopes"][0]["metrics"]
    assert shown.keys() == expected.keys()
    for name, (value, low, high, of, method) in shown.items():
        one = expected[name]
        assert (value, low, high) == pytest.approx((one.value, one.low, one.high))
        assert (of, method) == (one.of, one.method)
    assert card["usage"] == [["answer", 6.0, 120, 3.0, 12, 0]]


def test_unscored_steps_stand_there_with_their_reasons(tmp_path: Path) -> None:
    """A step without a verdict counts neither way, and says which trouble it was."""
    text = made_page(tmp_path, [made(0, True), made(1, None), made(2, False, failure=UNREADABLE)])
    index = index_of(text)
    (card,) = index["cards"]
    assert (card["steps"], card["scored"]) == (3, 2)
    assert card["unscored"] == [["infrastructure/rate_limit", 1]]
    results = index["cases"]["runs"][0]
    kinds = [index["words"][kind] if kind >= 0 else "" for kind in results["kind"]]
    assert list(zip(results["result"], kinds, strict=True)) == [
        (0, ""),
        (2, "infrastructure/rate_limit"),
        (1, "unparsable"),
    ]
    assert chunks(text)["e0"]["cells"]["1"]["0"]["failure"][2] == "the model was busy"


def test_failures_are_broken_down_by_attack_type(tmp_path: Path) -> None:
    """Each cell is failed and scored steps of an attack type on a system."""
    (attack,) = index_of(made_page(tmp_path, outcomes()))["breakdowns"]
    assert attack["kinds"] == ["impersonation", "post_delete"]
    assert attack["cells"] == [[0, 0, [[2, 4], [2, 4]]]]


def test_two_runs_stand_beside_each_other(tmp_path: Path) -> None:
    """A step of both is one case with two results; the flip is counted in the comparison."""
    index = index_of(made_page(tmp_path, outcomes(), outcomes(flipped=4)))
    first, second = (run["result"] for run in index["cases"]["runs"])
    assert [place for place in range(12) if first[place] != second[place]] == [4]
    (compared,) = index["comparisons"]
    assert (compared["lost"], compared["gained"], compared["common"]) == (1, 0, 12)
    assert {each["metric"] for each in compared["differences"]} >= {"U", "A", "F", "MGS"}
    assert ["domain", "medical", 1, 0] in compared["groups"]


def test_runs_that_replaced_a_system_are_compared_too(tmp_path: Path) -> None:
    """Where each run has one row, they are one row of the page whatever they are called."""
    index = index_of(made_page(tmp_path, outcomes(), outcomes("other")))
    (row,) = index["rows"]
    assert [side["system"] for side in row["sides"]] == ["bm25", "other"]
    assert len(index["comparisons"]) == 1


def test_what_cannot_be_compared_is_shown_apart_and_said(tmp_path: Path) -> None:
    """Runs by other scorings share no case and no comparison; the page says why."""
    other = [replace(each, scoring="release-gated") for each in outcomes()]
    index = index_of(made_page(tmp_path, outcomes(), other))
    assert len(index["cases"]["step"]) == 24
    assert index["comparisons"] == []
    assert any("scoring" in note for note in index["notes"])


def test_texts_of_an_episode_are_held_once(tmp_path: Path) -> None:
    """A memory that exposes the same again and again costs numbers, and nothing gets lost."""
    items = tuple(RecallItem(f"text {number} of it", 0.5, (f"t{number}",)) for number in range(9))
    asked = [
        replace(
            made(number, True),
            recall=Recall(items[: number + 1]),
            reply=Reply("answer", "text 1 of it\nand more"),
        )
        for number in range(9)
    ]
    details = chunks(made_page(tmp_path, asked))["e0"]
    assert Counter(details["texts"]).most_common(1)[0][1] == 1
    last = details["cells"]["8"]["0"]
    assert [details["texts"][text] for text, _, _ in last["items"]] == [item.text for item in items]
    assert [sources for _, _, sources in last["items"]] == [[f"t{number}"] for number in range(9)]
    assert [details["texts"][line] for line in last["said"]] == ["text 1 of it", "and more"]


def test_any_text_is_held_as_it_is(tmp_path: Path) -> None:
    """Markup, controls and halves of characters come back unchanged and end nothing."""
    texts = [
        "</script><b>",
        "\x00\u202e",
        "half \ud83d",
        "\U0001f600",
        "a" * 1_000_000,
        "$style ${x}",
    ]
    asked = [
        replace(made(number, True), reply=Reply("answer", text))
        for number, text in enumerate(texts)
    ]
    text = made_page(tmp_path, asked)
    assert "</script><b>" not in text
    details = chunks(text)["e0"]
    said = [details["texts"][details["cells"][str(number)]["0"]["said"][0]] for number in range(6)]
    assert said == texts


def test_keys_of_the_environment_stay_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that a memory handed over is blackened, also in the compressed data."""
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-0123456789")
    leaky = replace(made(0, True), reply=Reply("answer", "it is sk-very-secret-0123456789"))
    details = chunks(made_page(tmp_path, [leaky]))["e0"]
    assert details["texts"] == ["it is <SOME_API_KEY>"]


def test_a_run_named_twice_is_refused(tmp_path: Path) -> None:
    """The page of a run beside itself says nothing."""
    run = write_run(tmp_path / "run", outcomes())
    with pytest.raises(SettingsError, match="named more than once"):
        write_page([run, tmp_path / "." / "run"], tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_repeats_and_models_are_cases_of_their_own(tmp_path: Path) -> None:
    """Two models and two repeats make four cases of a step, each with the label pytest has."""
    asked = [
        made(0, True, model=model, label=label, repeat=repeat)
        for model, label in (("m/a", "a"), ("m/b", "b"))
        for repeat in (0, 1)
    ]
    index = index_of(made_page(tmp_path, asked))
    labels = [
        f"{index['rows'][row]['sides'][0]['head']}-{index['steps']['tail'][step]}"
        for step, row in zip(index["cases"]["step"], index["cases"]["row"], strict=True)
    ]
    assert sorted(labels) == sorted(each.step.label for each in asked)
