"""Scored predictions as files and on the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_comem.core.entries import Principal
from pytest_comem.core.replies import Reply
from pytest_comem.datasets.gatemem_predictions import Prediction
from pytest_comem.datasets.governance import (
    Annotation,
    Category,
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.errors import SettingsError
from pytest_comem.evaluators.governance import Scoring
from pytest_comem.metrics.predictions import ScoredPredictions, score_predictions
from pytest_comem.report.predictions import print_summary, write_scores


def scored(*, checkpoints: int, predictions: list[Prediction]) -> ScoredPredictions:
    """Return predictions scored on so many utility checkpoints of each of two domains."""
    annotation = Annotation(Category.UTILITY, "", "answer", ("blue",), (), (), "file:1")
    asker = Principal("p", "nurse")
    episodes = tuple(
        GovernanceEpisode(
            domain,
            domain,
            (),
            (),
            tuple(
                Checkpoint(f"{domain}{number}", asker, "What?", 0, annotation)
                for number in range(checkpoints)
            ),
        )
        for domain in ("medical", "office")
    )
    data = GovernanceData("tiny", episodes, {}, {}, ("not the release",))
    return score_predictions(data, predictions, Scoring.PAPER)


@pytest.fixture
def some() -> ScoredPredictions:
    """One right and one wrong prediction, one double, one stranger, four gaps."""
    given = [("medical0", "blue"), ("office0", "réd"), ("office0", "blue"), ("[bold]", "blue")]
    return scored(
        checkpoints=3,
        predictions=[Prediction(name, Reply("answer", text), None, 1) for name, text in given],
    )


def test_the_files_hold_rows_and_summary(tmp_path: Path, some: ScoredPredictions) -> None:
    """One JSON line a row, one JSON object as the summary, and no other file."""
    write_scores(some, tmp_path / "out", predictions=tmp_path / "predictions.jsonl")
    lines = (tmp_path / "out" / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == list(some.rows)
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == some.summary
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_the_predictions_are_never_overwritten(tmp_path: Path, some: ScoredPredictions) -> None:
    """A predictions file that bears the name of a result is left alone."""
    path = tmp_path / "scores.jsonl"
    path.write_text("mine")
    with pytest.raises(SettingsError, match="is the predictions file"):
        write_scores(some, tmp_path, predictions=path)
    assert path.read_text() == "mine"


def test_the_table_fits_and_says_what_did_not_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, some: ScoredPredictions
) -> None:
    """At 80 columns, without colour: metrics, then a line for everything left out."""
    monkeypatch.setenv("COLUMNS", "80")
    print_summary(some.summary)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert [line.split() for line in out.splitlines() if line.startswith("overall")] == [
        ["overall", "50.0", "-", "-", "0.0", "-", "-", "-", "-", "-", "2"]
    ]
    text = " ".join(out.split())
    assert "1 prediction for a checkpoint that already had one: left out, the first" in text
    assert "(office0)" in text
    assert "1 prediction for checkpoints the data does not have: left out ([bold])" in text
    assert "4 of 6 checkpoints have no prediction (medical1, medical2, office1 and 1 more)" in text
    assert "figures are over the 2 scored ones only" in text
    assert "warning: not the release" in text


def test_a_complete_file_has_nothing_to_report(capsys: pytest.CaptureFixture[str]) -> None:
    """Where everything counted, no such line is printed."""
    names = ("medical0", "office0")
    print_summary(
        scored(
            checkpoints=1,
            predictions=[Prediction(name, Reply("answer", "blue"), None, 1) for name in names],
        ).summary
    )
    out = capsys.readouterr().out
    assert "left out" not in out
    assert "no prediction" not in out
