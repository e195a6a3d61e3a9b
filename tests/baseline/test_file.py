"""The baseline's file: the same results make the same bytes, and everything comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import UNREADABLE, made
from made_runs import all_but, made_run, recorded_run

from pytest_comem.baseline.file import read_baseline, write_baseline
from pytest_comem.baseline.standing import step_id
from pytest_comem.core.outcomes import Outcome, Verdict
from pytest_comem.engine.records import OUTCOMES, to_line, to_record
from pytest_comem.engine.runs import RecordedRun, incomparable
from pytest_comem.errors import DataError
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import suite_metrics

GATEMEM = suite_metrics("gatemem")


def kept(outcomes: list[Outcome], path: Path, **manifest: Any) -> RecordedRun:
    """Return what is read back of a baseline of *outcomes*."""
    write_baseline(RecordedRun(Path("run"), manifest, tuple(outcomes)), path)
    return read_baseline(path)


def told(outcome: Outcome) -> tuple[Any, ...]:
    """Return of an outcome what a baseline promises to keep."""
    return (
        step_id(outcome),
        outcome.repeat,
        outcome.verdict and (outcome.verdict.passed, dict(outcome.verdict.measures)),
        GATEMEM.failure_class(outcome),
        dict(outcome.labels),
        outcome.system,
        outcome.model,
        outcome.judge,
        outcome.scoring,
        outcome.data,
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_everything_that_metrics_need_comes_back(tmp_path: Path, repeats: int) -> None:
    """Results, classes, labels and measures of every step and repeat are those of the run."""
    outcomes = made_run(lambda e, p, r: None if (e, p) == (1, 1) else (e + p + r) % 3 > 0,
                        repeats=repeats)  # fmt: skip
    outcomes[2] = replace(made(0, False, failure=UNREADABLE), step=outcomes[2].step)
    found = kept(outcomes, tmp_path / "b.json")
    assert sorted(map(told, found.outcomes), key=repr) == sorted(map(told, outcomes), key=repr)
    (row,) = found.rows
    assert Sample.of(found.rows[row], GATEMEM).values() == Sample.of(outcomes, GATEMEM).values()


def test_the_bytes_depend_on_the_results_alone(tmp_path: Path) -> None:
    """The order of the outcomes changes nothing, and one flip changes one line."""
    first, second, third = (tmp_path / name for name in "abc")
    kept(made_run(), first)
    kept(made_run()[::-1], second)
    kept(made_run(all_but((3, 4))), third)
    assert first.read_bytes() == second.read_bytes()
    lines = [path.read_text().splitlines() for path in (first, third)]
    assert [a for a, b in zip(*lines, strict=True) if a != b] == [
        '      "e3_ckpt_4": ["pass", "privacy", "", "pass 0100"],'
    ]
    assert '      "e3_ckpt_4": ["fail", "privacy", "", "access_leak 0011"],' in lines[1]


def test_repeats_are_a_rate(tmp_path: Path) -> None:
    """With repeats a step's line says how often it passed of the times it was scored."""
    path = tmp_path / "b.json"
    kept(made_run(lambda e, p, r: None if r == 4 else r > 0, repeats=5), path)
    rows = json.loads(path.read_text())["rows"]
    assert rows[0]["steps"]["medical"]["e0"]["e0_ckpt_0"][0] == "3/4"


def test_a_missing_repeat_stays_missing(tmp_path: Path) -> None:
    """A repeat that was never recorded is no outcome when read back."""
    outcomes = [one for one in made_run(repeats=2) if one.repeat == 1 or one.step.episode != "e0"]
    found = kept(outcomes, tmp_path / "b.json")
    assert len(found.outcomes) == len(outcomes)


def test_measures_that_are_numbers_come_back(tmp_path: Path) -> None:
    """A measure that is no truth value is kept as the number it is."""
    one = made(0, True)
    one = replace(one, verdict=Verdict(True, "", {"share": 0.25, "right": True, "none": None}))
    (found,) = kept([one], tmp_path / "b.json").outcomes
    assert found.verdict
    assert found.verdict.measures == {"share": 0.25, "right": True, "none": None}


def test_nothing_that_was_said_is_kept(tmp_path: Path) -> None:
    """Questions, answers, contexts, costs, times and names of runs are not in the file."""
    path = tmp_path / "b.json"
    kept(made_run(), path, run="abc123", started="2026-01-01", data={"gatemem": {"revision": "r"}})
    text = path.read_text()
    assert not any(word in text for word in ("Where?", "abc123", "2026", "key-"))


def test_the_data_comes_along(tmp_path: Path) -> None:
    """Revision and checksums are compared as those of a run are."""
    data = {"gatemem": {"revision": "r", "checksums": {"f": "1"}, "order": ["e0"]}}
    found = kept(made_run(), tmp_path / "b.json", data=data)
    other = {"gatemem": {"revision": "r", "checksums": {"f": "2"}}}
    now = RecordedRun(Path("now"), {"data": other}, tuple(made_run()))
    assert any("data file f" in line for line in incomparable(found, now))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """Quotes, line breaks, control characters and half characters come back as they were."""
    one = made(0, True, domain='a"\n\x1b[2J\ud800', model="m\\")
    (found,) = kept([one], tmp_path / "b.json").outcomes
    assert (found.step.domain, found.model) == (one.step.domain, one.model)


def test_a_run_and_its_file_of_outcomes_are_baselines_too(tmp_path: Path) -> None:
    """A run directory and its outcomes.jsonl are read without making a baseline first."""
    lines = "".join(to_line(to_record(one)) for one in made_run())
    (tmp_path / OUTCOMES).write_text(lines, encoding="utf-8")
    for path in (tmp_path, tmp_path / OUTCOMES):
        assert len(read_baseline(path).outcomes) == len(made_run())


def damage(text: str, **changes: Any) -> str:
    """Return a baseline with top-level fields of another value."""
    return json.dumps({**json.loads(text), **changes})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-30], "not JSON"),
        (lambda text: "[]", "not a baseline"),
        (lambda text: damage(text, format="other"), "not a baseline"),
        (lambda text: damage(text, version=9), "form 9"),
        (lambda text: damage(text, data=3), "damaged"),
        (lambda text: damage(text, rows=[{}]), "rows.0"),
        (lambda text: text.replace("pass 1000", "pass 10x0", 1), "rows.0"),
        (lambda text: text.replace("pass 1000", "pass 1", 1), "rows.0"),
        (lambda text: text.replace('"utility", "", "pass', '"utility", "pass', 1), "rows.0"),
        (lambda text: text.replace('["pass"', '["fail"', 1), "contradicts itself"),
        (lambda text: text.replace("pass 1000", "access_leak 1000", 1), "contradicts itself"),
        (lambda text: text.replace('"pass 1000"', "null", 1), "contradicts itself"),
        (lambda text: text.replace('"repeats": 1', '"repeats": 2', 1), "contradicts itself"),
        (lambda text: text.replace('"category"', '"kind"', 1), "category"),
        (lambda text: text.replace('"gatemem",', '"gatemen",', 1), "did you mean gatemem"),
        (lambda text: text.replace('"name": "bm25"', '"name": 4', 1), "are texts"),
        (lambda text: damage(text, rows=json.loads(text)["rows"] * 2), "stands in it twice"),
        (lambda text: text.replace("{", '{"version": 1,', 1), "'version' stands twice"),
        (lambda text: f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> mine\n", "conflict marks"),
        (lambda text: "[" * 100_000, "not JSON"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(tmp_path: Path, change: Any, said: str) -> None:
    """What is wrong is said with the file, and how to make it again."""
    path = tmp_path / "b.json"
    one = made(0, True)
    verdict = Verdict(True, "", dict.fromkeys("abcd", False) | {"a": True})
    write_baseline(recorded_run([replace(one, verdict=verdict)]), path)
    path.write_text(change(path.read_text()))
    with pytest.raises(DataError, match=said) as error:
        read_baseline(path)
    assert str(path) in str(error.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    """A missing file is an error that names it."""
    with pytest.raises(DataError, match=r"b\.json.*cannot be read"):
        read_baseline(tmp_path / "b.json")


def test_a_run_without_outcomes_makes_none(tmp_path: Path) -> None:
    """Nothing recorded is nothing to keep."""
    with pytest.raises(DataError, match="no step was recorded"):
        write_baseline(recorded_run([]), tmp_path / "b.json")


def test_a_row_that_was_judged_in_two_ways_makes_none(tmp_path: Path) -> None:
    """Outcomes of one row under two scorings are no baseline."""
    mixed = [made(0, True), replace(made(1, True), scoring="release-gated")]
    with pytest.raises(DataError, match="differ in scoring"):
        write_baseline(recorded_run(mixed), tmp_path / "b.json")
