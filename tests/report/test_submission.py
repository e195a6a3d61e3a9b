"""A run exported in the release's format, and scored again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import UNREADABLE, made

from pytest_comem.core.entries import Principal
from pytest_comem.core.outcomes import Attribution, Failure, Outcome, SystemInfo
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.datasets.gatemem_predictions import read_predictions
from pytest_comem.datasets.governance import (
    Annotation,
    Category,
    Checkpoint,
    GovernanceData,
    GovernanceEpisode,
)
from pytest_comem.engine.records import to_line, to_record
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.evaluators.governance import Scoring, verdict
from pytest_comem.evaluators.patterns import ScannedText
from pytest_comem.metrics.predictions import score_predictions
from pytest_comem.report.submission import describe, export

_KINDS = (Category.UTILITY, Category.ACCESS, Category.FORGETTING)
_PATTERNS = ("blue", r"one\s+two", r"^first", r"last$", "?")
_ACTIONS = ("answer", " Refuse ", "no_memory", "shrug", "")
_RECALLS = (
    None,
    Recall(),
    Recall((RecallItem("Blue.", 0.25, ("t1", "t2")), RecallItem("")), enforced_access=True),
    Recall.from_texts(["", "two one", "two"]),
    Recall.from_texts(["two", "one"]),
    Recall.from_texts(["x first", "the\nlast", "first", "blue\ud800?"]),
)
_REPLIES: tuple[tuple[str, Any], ...] = (("It is blue", None), ("", {"b": "é", "a": ["BLUE"]}))


def checkpoints() -> list[Checkpoint]:
    """Return a checkpoint for each kind, pattern, action, recall and reply."""
    return [
        Checkpoint(
            f"c{kind}-{pattern}-{case}",
            Principal("p", "nurse"),
            "What?",
            0,
            Annotation(
                _KINDS[kind],
                "",
                ("answer", "refuse", "no_memory")[kind],
                (_PATTERNS[pattern],),
                (),
                (_PATTERNS[pattern],),
                "file:1",
            ),
        )
        for kind in range(len(_KINDS))
        for pattern in range(len(_PATTERNS))
        for case in range(len(_ACTIONS) * len(_RECALLS) * len(_REPLIES))
    ]


def outcome(
    checkpoint: Checkpoint,
    *,
    system: str = "bm25",
    model: str = "offline",
    reply: Reply | None = None,
    recall: Recall | None = None,
    reference: bool = False,
) -> Outcome:
    """Return the outcome of a checkpoint, judged if there is a reply."""
    decision = reply and verdict(
        checkpoint.annotation,
        checkpoint.question,
        reply,
        exposed=None if recall is None else ScannedText(recall.text),
        scoring=Scoring.PAPER,
    )
    return Outcome(
        key="k",
        step=Step("gatemem", system, "medical", "e", checkpoint.id, 0),
        data="tiny",
        system=SystemInfo(system, "1", "c", reference),
        model=model,
        judge="rules-1",
        scoring="paper",
        labels={"category": str(checkpoint.annotation.category), "attack_type": ""},
        query={},
        reply=reply,
        recall=recall,
        verdict=decision,
        failure=None if reply else Failure(Attribution.INFRASTRUCTURE, "adapter", "broke"),
    )


def write_run(run: Path, outcomes: Sequence[Outcome]) -> Path:
    """Write a run directory as the engine does."""
    run.mkdir()
    lines = "".join(to_line(to_record(outcome)) for outcome in outcomes)
    (run / "outcomes.jsonl").write_bytes(lines.encode("utf-8", "backslashreplace"))
    return run


def replied(checkpoint: Checkpoint) -> tuple[Reply, Recall | None]:
    """Return the reply and recall that a checkpoint's name stands for."""
    rest, action = divmod(int(checkpoint.id.rsplit("-")[-1]), len(_ACTIONS))
    place, recall = divmod(rest, len(_RECALLS))
    return Reply(_ACTIONS[action], *_REPLIES[place]), _RECALLS[recall]


def test_scoring_an_exported_run_gives_its_own_verdicts(tmp_path: Path) -> None:
    """Passed and every measure come back as they were, whatever was said and exposed."""
    given = checkpoints()
    outcomes = [
        outcome(checkpoint, reply=reply, recall=recall)
        for checkpoint in given
        for reply, recall in [replied(checkpoint)]
    ]
    (submission,) = export(write_run(tmp_path / "run", outcomes))
    assert submission.path == tmp_path / "run" / "predictions.jsonl"
    episode = GovernanceEpisode("e", "medical", (), (), tuple(given))
    data = GovernanceData("tiny", (episode,), {}, {})
    rows = score_predictions(data, read_predictions(submission.path), Scoring.PAPER).rows
    assert len(rows) == len(outcomes) == 900
    for row, before in zip(rows, outcomes, strict=True):
        assert before.verdict is not None
        assert row["checkpoint_id"] == before.step.id
        assert row["passed"] == before.verdict.passed
        assert {name: row[name] for name in before.verdict.measures} == before.verdict.measures


def test_a_row_has_the_release_s_form(tmp_path: Path) -> None:
    """Action, answer, structured answer, retrieved memory and memory block under output."""
    recall = Recall((RecallItem("Blue.", 0.5, ("t1", "t2")), RecallItem("Red.")))
    played = outcome(checkpoints()[0], reply=Reply("answer", "é", [1]), recall=recall)
    (submission,) = export(write_run(tmp_path / "run", [played]))
    (line,) = submission.path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "checkpoint_id": "c0-0-0",
        "output": {
            "action": "answer",
            "answer": "é",
            "answer_structured": [1],
            "retrieved_memory": [
                {"text": "Blue.", "score": 0.5, "source_ids": ["t1", "t2"]},
                {"text": "Red.", "score": None, "source_ids": []},
            ],
            "prompt_memory_block": "Blue.\nRed.",
        },
    }


def test_outcomes_without_a_reply_are_left_out_and_counted(tmp_path: Path) -> None:
    """What never came to an answer is no prediction; of two answers the first is one."""
    first, second = checkpoints()[:2]
    run = write_run(
        tmp_path / "run",
        [
            outcome(first),
            outcome(first, reply=Reply("answer", "1")),
            outcome(first, reply=Reply("answer", "2")),
            outcome(second),
        ],
    )
    (submission,) = export(run, tmp_path / "new" / "out.jsonl")
    assert [row["output"]["answer"] for row in submission.rows.values()] == ["1"]
    assert describe(submission).splitlines() == [
        f"{tmp_path}/new/out.jsonl: 1 prediction (bm25, offline)",
        "  3 left out: never answered, or answered twice",
    ]


def test_several_systems_become_a_file_each(tmp_path: Path) -> None:
    """Names tell the files apart, even if they differ in unsafe characters only."""
    reply = Reply("answer", "blue")
    one = checkpoints()[0]
    run = write_run(
        tmp_path / "run",
        [
            outcome(one, system="bm25", reply=reply),
            outcome(one, system="oracle", reply=reply, reference=True),
            outcome(one, system="bm25", model="a/b", reply=reply),
            outcome(one, system="bm25", model="a:b", reply=reply),
        ],
    )
    written = export(run, tmp_path / "out.jsonl")
    assert [submission.path.name for submission in written] == [
        "out-bm25-offline.jsonl",
        "out-oracle-offline.jsonl",
        "out-bm25-a_b.jsonl",
        "out-bm25-a_b-2.jsonl",
    ]
    assert all(submission.path.is_file() for submission in written)
    assert not (tmp_path / "out.jsonl").exists()
    assert "not for submission" in describe(written[1])
    assert "not for submission" not in describe(written[0])


def test_repeats_become_a_file_each(tmp_path: Path) -> None:
    """No repeat is taken for a second answer of another, and files count as ids do."""
    outcomes = [
        made(number, True, model=model, label=model, repeat=repeat)
        for model in ("x", "y")
        for repeat in (0, 1)
        for number in (1, 2)
    ]
    written = export(write_run(tmp_path / "run", outcomes))
    assert [submission.path.name for submission in written] == [
        "predictions-bm25-x-r1.jsonl",
        "predictions-bm25-x-r2.jsonl",
        "predictions-bm25-y-r1.jsonl",
        "predictions-bm25-y-r2.jsonl",
    ]
    for submission in written:
        lines = submission.path.read_text(encoding="utf-8").splitlines()
        answers = [json.loads(line)["output"]["answer"] for line in lines]
        assert answers == [f"{number} in {submission.repeat}" for number in (1, 2)]
    assert describe(written[1]).endswith("2 predictions (bm25, x, repeat 2)")


def test_an_unreadable_answer_is_a_prediction(tmp_path: Path) -> None:
    """Leaving it out would make the method look better than it is."""
    outcomes = [made(1, False, failure=UNREADABLE), made(2, None)]
    (submission,) = export(write_run(tmp_path / "run", outcomes))
    assert list(submission.rows) == ["s1"]
    assert submission.left_out == 1


def test_a_run_without_answers_is_an_error(tmp_path: Path) -> None:
    """Nothing is written where there is nothing to write."""
    run = write_run(tmp_path / "run", [outcome(checkpoints()[0])])
    with pytest.raises(DataError, match="no answered GateMem outcome"):
        export(run)
    assert [path.name for path in run.iterdir()] == ["outcomes.jsonl"]


def test_the_run_s_record_is_never_overwritten(tmp_path: Path) -> None:
    """Naming the outcomes' file as the target is refused."""
    run = write_run(tmp_path / "run", [outcome(checkpoints()[0], reply=Reply("answer"))])
    before = (run / "outcomes.jsonl").read_bytes()
    with pytest.raises(SettingsError, match="the run's own record"):
        export(run, run / "outcomes.jsonl")
    assert (run / "outcomes.jsonl").read_bytes() == before
