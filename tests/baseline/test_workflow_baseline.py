"""A baseline of workflows: small, the same bytes, and every figure comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_workflows import DEFECT, node, pairs, play

from pytest_comem.baseline.changes import changes
from pytest_comem.baseline.file import read_baseline, write_baseline
from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import DataError
from pytest_comem.metrics.comembench_counts import COMEMBENCH
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.paired import compare
from pytest_comem.metrics.sample import Sample


def written(outcomes: list[Outcome], path: Path) -> Path:
    """Write a baseline."""
    write_baseline(RecordedRun(Path("run"), {}, tuple(outcomes)), path)
    return path


def outcomes(kept: int = 7) -> list[Outcome]:
    """Return a run of twelve pairs, one node of which has no verdict."""
    found = [*pairs(12, kept, tokens=7), *play("cut", True, True)]
    return [*found[:-1], replace(found[-1], verdict=None)]


def test_every_figure_comes_back(tmp_path: Path) -> None:
    """Of metrics and intervals, and nothing differs from the run."""
    before = outcomes()
    back = list(read_baseline(written(before, tmp_path / "b.json")).outcomes)
    one, other = (Sample.of(each, COMEMBENCH) for each in (before, back))
    assert measure(one) == measure(other)
    assert all(found.p == 1.0 for found in compare(before, back, COMEMBENCH).differences.values())
    classes = {
        each.step.label: COMEMBENCH.failure_class(each) for each in before if not each.passed
    }
    assert classes == {
        each.step.label: COMEMBENCH.failure_class(each) for each in back if not each.passed
    }
    assert "misled" in classes.values()


def test_labels_of_an_episode_stand_once(tmp_path: Path) -> None:
    """And a flip of one node changes one line."""
    paths = [tmp_path / name for name in "ab"]
    written(outcomes(), paths[0])
    written(outcomes()[::-1], paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    text = paths[0].read_text()
    assert text.count('"f0.clean"') == 2  # the episode, and the instance among its labels
    lines = text.splitlines()
    flipped = [
        replace(each, verdict=replace(each.verdict, passed=False))
        if each.verdict and (each.labels["instance"], each.step.id) == ("f0.clean", "root")
        else each
        for each in outcomes()
    ]
    other = written(flipped, paths[1]).read_text().splitlines()
    assert sum(one != two for one, two in zip(lines, other, strict=True)) == 1


@pytest.mark.parametrize("damage", ["missing", "short", "number"])
def test_a_damaged_line_of_labels_is_refused(damage: str, tmp_path: Path) -> None:
    """Naming the file and the row."""
    path = written(outcomes(), tmp_path / "b.json")
    document = json.loads(path.read_text())
    steps = document["rows"][0]["steps"]["offline_retrieval"]["f0.clean"]
    if damage == "missing":
        del steps[""]
    else:
        steps[""] = steps[""][1:] if damage == "short" else [1, *steps[""][1:]]
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"rows\.0"):
        read_baseline(path)


def test_a_family_in_quarantine_is_kept_without_verdicts(tmp_path: Path) -> None:
    """Later runs are not held against what may be wrong."""
    defective = [*play("wrong", True, True)[:2], node("wrong", "end", False, failure=DEFECT)]
    path = written([*pairs(12, 12), *defective], tmp_path / "b.json")
    back = read_baseline(path)
    scored = {each.labels["pair"]: each.verdict is not None for each in back.outcomes}
    assert (scored["wrong"], scored["f0"]) == (False, True)


def test_more_tokens_are_no_regression() -> None:
    """With repeats metrics are compared as a whole; what workflows took is none of them."""
    before, after = (
        [each for repeat in range(2) for each in pairs(12, 12 - lost, tokens=tokens, repeat=repeat)]
        for tokens, lost in ((10, 0), (50, 12))
    )
    baseline = Baseline(RecordedRun(Path("run"), {}, tuple(before)), repeats=2)
    (row,) = baseline.rows
    worse = dict(changes(baseline, row, after).worse)
    assert "tokens" not in worse
    assert worse["ICS"] == 100.0
