"""The scorecard's text: what it says at several widths, and what it does not say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import UNREADABLE, made

from pytest_comem.core.notices import BROKEN, LOST
from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.core.steps import model_labels
from pytest_comem.datasets.governance import Category
from pytest_comem.engine.records import OUTCOMES, to_line, to_record
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.report.scorecard import print_run, render
from pytest_comem.report.tables import dollars

MODELS = ("openai/gpt-4o-mini", "anthropic/claude-3-5-haiku-latest")
WIDTHS = (80, 120, 200)
CATEGORIES = tuple(map(str, Category))
STATISTICS = {
    "retries": {"timeout": 1, "rate_limit": 12},
    "embedded": 1200,
    "embedding_tokens": 34567,
    "embedding_cost": None,
    "hits": 3,
    "misses": 2,
    "recorded": 1,
}


def card(outcomes: Iterable[Outcome], *, repeats: int = 1, **more: Any) -> str:
    """Return the scorecard of *outcomes*."""
    sheet = Sheet(repeats)
    for outcome in outcomes:
        sheet.add(outcome, outcome.step.label)
    given = {
        "unscored": {}, "scoring": "paper", "width": 80, "color": False, "attacks": False, **more
    }  # fmt: skip
    return render(sheet, **given)


def row(text: str, name: str, table: str) -> list[str]:
    """Return the cells of the first line that begins with *name* below the head of *table*."""
    lines = iter(text.splitlines())
    next(line for line in lines if line.startswith(table))
    found = next(line.strip() for line in lines if line.strip().startswith(name))
    return re.sub(r" ±", "±", found.removeprefix(name)).split()


def repeated(repeats: int = 3) -> list[Outcome]:
    """Return repeats of twelve steps on two systems with two models, all with calls."""
    labels = model_labels(MODELS, ["bm25", "rag-governed"])
    usage = {
        "ingest": Usage(0.5, 100, 0.001, 1),
        "answer": Usage(1.0, 1000, 0.01, 1, 1),
    }
    return [
        made(
            number,
            (number + repeat) % 4 > 0,
            category=CATEGORIES[number % 3],
            attack="direct_probe" if number % 3 else "",
            system=system,
            model=model,
            label=labels[model],
            domain=("medical", "office")[number % 2],
            repeat=repeat,
            usage=usage | {"judge": Usage(2.0, 10, None if "claude" in model else 0.00002, 1)},
        )
        for system in ("bm25", "rag-governed")
        for model in MODELS
        for repeat in range(repeats)
        for number in range(12)
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_too_wide_and_no_number_is_cut(width: int) -> None:
    """With models, repeats and calls, every metric is there in full at any usual width."""
    text = card(repeated(), repeats=3, width=width, attacks=True, statistics=STATISTICS)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    pairs = re.findall(r"\d+\.\d ±\d+\.\d(?!\d)", text)
    # Nine metrics for each of four rows with two domains and their mean; pass@1; one attack type.
    assert len(pairs) == 9 * 4 * 4 + 4 + 4
    assert text.count("±") == len(pairs) + 1
    for model in MODELS:
        assert model in re.sub(r"\s", "", text)


@pytest.mark.parametrize("width", WIDTHS)
def test_repeats_show_mean_interval_and_passing_always(width: int) -> None:
    """Nine of twelve steps pass each time, three of four for utility; three pass always."""
    text = card(repeated(), repeats=3, width=width)
    cells = row(text, "bm25", "system / domain")
    assert cells[0] == "75.0±0.0"
    assert row(text, "bm25", "3 repeats") == ["75.0±0.0", "25.0", "12", "0"]
    assert "pass^3" in text


def test_a_run_without_repeats_or_calls_has_neither_table() -> None:
    """It looks as it did before there were models."""
    text = card([made(1, True), made(2, False)])
    assert row(text, "bm25", "system / domain") == [
        "50.0",
        "-",
        "-",
        "0.0",
        "-",
        "50.0",
        "-",
        "-",
        "-",
        "2",
    ]
    assert row(text, "bm25", "per step")[-2:] == ["0", "0"]
    for word in ("±", "pass@1", "model calls", "cassette", "unparsable", "$"):
        assert word not in text


def test_the_legend_names_the_judge() -> None:
    """Scoring and judge stand together."""
    assert "paper scoring by rules-1;" in card([made(1, True)])


def test_costs_are_shown_by_phase_and_in_all() -> None:
    """Calls, tokens, dollars, seconds and retries of each phase that called a model."""
    text = card(repeated(1))
    assert row(text, "ingest", "model calls") == ["12", "1,200", "$0.0120", "6.0", "0"]
    assert row(text, "answer", "model calls") == ["12", "12,000", "$0.1200", "12.0", "12"]
    assert row(text, "judge", "model calls") == ["12", "120", "$0.00024", "24.0", "0"]
    assert row(text, "total", "model calls") == ["36", "13,320", "$0.1322", "42.0", "12"]
    assert not re.search(r"^  recall", text, re.MULTILINE)


def test_an_unknown_price_is_never_a_number() -> None:
    """Its phase, its system's total and the run's total are unknown."""
    text = card([one for one in repeated(1) if "claude" in one.model or one.system.name == "bm25"])
    below = text.partition(f"{MODELS[1]}\n  ingest")[2]
    judge = next(line for line in below.splitlines() if line.startswith("  judge"))
    total = next(line for line in below.splitlines() if line.startswith("  total"))
    assert judge.split()[3] == total.split()[3] == "unknown"
    assert row(text, "all", "model calls")[2] == "unknown"
    assert row(text, "total", "model calls")[2] == "$0.1322"


def test_unreadable_answers_have_a_column_where_there_are_any() -> None:
    """They are counted apart from unscored steps."""
    text = card([made(1, False, failure=UNREADABLE), made(2, True), made(3, None)])
    assert row(text, "bm25", "per step")[-2:] == ["1", "1"]
    assert "unparsable unscored" in text


def test_nothing_scored_shows_no_metrics() -> None:
    """One line says why, with the most frequent reason; what was spent is still shown."""
    usage = {"answer": Usage(1.0, 5, 0.25, 1, 4)}
    outcomes = [replace(made(number, None), usage=usage) for number in range(3)]
    unscored = {"a": "busy", "b": "the key was refused", "c": "the key was refused"}
    text = card(outcomes, unscored=unscored)
    assert text.splitlines()[0] == "No step was scored. For 2 of 3 steps: the key was refused"
    assert "3 steps are unscored" in text
    assert row(text, "total", "model calls") == ["3", "15", "$0.7500", "3.0", "12"]
    for word in ("MGS", "per step", "domain mean", "n: scored"):
        assert word not in text
    assert "For 3 of 3 steps: the model was busy" in card(outcomes)
    assert card([]).splitlines()[0] == "No step was scored, because none was recorded."


def test_equal_trouble_of_many_steps_is_told_once() -> None:
    """The step that a reason begins with does not make it another one."""
    unscored = {f"id-{number}": f"step s{number}, phase answer: gone" for number in range(9)}
    text = card([], unscored=unscored)
    assert text.splitlines()[0] == "No step was scored. For 9 of 9 steps: phase answer: gone"
    assert "9 because: phase answer: gone" in text


def test_a_sweep_of_many_systems_loses_no_column_of_attacks() -> None:
    """What has no room beside goes into a further table."""
    outcomes = [
        made(1, True, category=CATEGORIES[1], attack="direct_probe", system=f"system-{number:02}")
        for number in range(24)
    ]
    lines = card(outcomes, attacks=True).splitlines()
    found = [line.split() for line in lines if line.startswith("direct_probe")]
    assert len(found) > 1
    assert sum(len(cells) - 2 for cells in found) == 24
    assert max(map(len, lines)) <= 80


def test_what_the_calls_came_to_is_said() -> None:
    """Retries by type, embeddings with their price, and what the cassette did."""
    text = card([made(1, True)], statistics=STATISTICS)
    assert "1,200 texts, 34,567 tokens, unknown" in text
    assert "retries: 13 (12 rate_limit, 1 timeout)" in text
    assert "cassette: 3 replayed, 2 not found, 1 recorded" in text


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (None, "unknown"), (0.0, "$0.00"), (1234.5, "$1,234.50"), (1.0, "$1.00"),
        (0.5, "$0.5000"), (0.04848, "$0.0485"), (0.00123, "$0.0012"), (0.0000151, "$0.000015"),
        (3e-7, "$0.00000030"), (1e-9, "<$0.00000001"),
    ],
)  # fmt: skip
def test_dollars_have_the_digits_that_matter(cost: float | None, shown: str) -> None:
    """What is small is never shown as 0, and what is unknown never as a number."""
    assert dollars(cost) == shown


def test_the_report_prints_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the run directory alone, with the number of repeats and the calls of the manifest."""
    monkeypatch.setenv("COLUMNS", "120")
    outcomes = repeated(2)
    lines = "".join(to_line(to_record(outcome)) for outcome in outcomes)
    (tmp_path / OUTCOMES).write_text(lines, encoding="utf-8")
    finished = {"unscored": {"x": "never ran"}, "calls": STATISTICS}
    manifest = {"settings": {"repeats": 3}, "finished": finished}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    print_run(tmp_path)
    expected = card(
        outcomes,
        repeats=3,
        width=120,
        attacks=True,
        unscored=finished["unscored"],
        statistics=STATISTICS,
    )
    assert capsys.readouterr().out == expected
    assert "pass^3" in expected


def probed(number: int, notice: str | None, *, repeat: int | None = None) -> Outcome:
    """Return the last outcome of an episode, after which the memory was probed."""
    usage = {"recall": Usage(0.5), "probe": Usage(0.25)}
    outcome = made(number, True, usage=usage, repeat=repeat)
    step = replace(outcome.step, episode=f"episode-{number}")
    return replace(outcome, step=step, notice=notice)


def test_a_memory_that_may_have_lost_entries_is_named_with_its_episodes() -> None:
    """One line a system for what is gone and one for probes that broke, and the time it took."""
    quiet = card([probed(1, None), made(9, True)])
    assert "of the last entries" not in quiet
    assert "probe ms" in quiet
    text = card(
        [
            *(probed(number, f"{LOST} 3 recent entries was recallable") for number in (1, 2)),
            probed(3, f"{BROKEN}: it raised"),
            *(probed(number, None) for number in (4, 5)),
        ],
        width=200,
    )
    assert (
        "bm25: in 2 of 5 episodes nothing of the last entries was recallable after they were told; "
        "it may have lost them unseen"
    ) in text.splitlines()
    assert "bm25: in 1 of 5 episodes the probe after the last entry failed" in text
    assert row(text, "bm25", "per step")[4] == "250.00"


def test_each_repeat_of_an_episode_is_an_episode() -> None:
    """Each of them had a memory of its own."""
    gone = f"{LOST} a recent entry was recallable"
    text = card([probed(1, gone, repeat=0), probed(1, None, repeat=1)], repeats=2, width=200)
    assert "bm25: in 1 of 2 episodes nothing" in text


def test_a_run_without_probes_says_nothing_of_them() -> None:
    """It looks as it did before there were probes."""
    assert "probe" not in card([made(1, True), made(2, False)])


def short(width: int, *, domains: int = 1, attacks: bool = False) -> str:
    """Return the scorecard of 24 steps, an episode a domain."""
    outcomes = [
        made(
            number,
            number % 4 > 0,
            category=CATEGORIES[number % 3],
            domain=("medical", "office")[number % domains],
        )
        for number in range(24)
    ]
    return card(outcomes, width=width, attacks=attacks)


def test_a_system_s_metrics_have_intervals_in_two_lines() -> None:
    """Wilson's of 6 of 8 steps of an episode, at 80 columns for the system alone."""
    text = short(80)
    assert max(map(len, text.splitlines())) <= 80
    assert row(text, "95 % from", "system / domain")[0] == "40.9"
    assert row(text, "to", "system / domain")[0] == "92.9"
    assert text.count("95 % from") == 1
    assert "95 %: interval over the episodes" in text


@pytest.mark.parametrize("width", [80, 120, 200])
def test_every_row_has_an_interval_where_asked_for_or_where_there_is_room(width: int) -> None:
    """The system's, both domains' and their mean's; in one line where there is room."""
    text = short(width, domains=2, attacks=True)
    head = "95 % from" if width == 80 else "95 %  "
    assert text.count(head) == 4
    assert max(map(len, text.splitlines())) <= width
    if width > 80:
        assert text == short(width, domains=2)
        assert row(short(width), "95 %", "system / domain")[0] == "40.9-92.9"


def test_repeats_have_no_second_interval() -> None:
    """Their means have one of their own."""
    assert "95 % from" not in card(repeated(), repeats=3)
