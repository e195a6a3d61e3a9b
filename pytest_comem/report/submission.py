"""A run's predictions in the format of GateMem's release, for its public submission form.

A submission is about one method, so a run of several systems, models or repeats becomes one file
each, named after them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import safe
from pytest_comem.engine.records import OUTCOMES, read_outcomes
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.writing import write_files

DEFAULT_NAME: Final = "predictions.jsonl"
_SUITE: Final = "gatemem"


@final
@dataclass(slots=True)
class Submission:
    """The predictions of one system with one model in one repeat.

    :param path: the file.
    :param system: label of the memory system.
    :param model: name of the model.
    :param repeat: number of the repeat, 0-based, or ``None`` where the run repeats nothing.
    :param reference: the system sees hidden annotations, so this is nothing to submit.
    :param rows: predictions in the run's order, by checkpoint id.
    :param left_out: outcomes without a reply, or for a checkpoint that already had one.
    """

    path: Path
    system: str
    model: str
    repeat: int | None
    reference: bool
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: int = 0


def export(run: Path, out: Path | None = None) -> list[Submission]:
    """Write the answered GateMem outcomes of *run* and return what was written.

    :param out: the file; ``predictions.jsonl`` in the run directory when not given. With several
        systems, models or repeats ``-<system>-<model>`` comes before its suffix, with repeats
        ``-r<number>`` as well, counted from 1 as in the steps' ids.
    :raises DataError: where the run cannot be read or answered nothing.
    :raises SettingsError: where a file cannot be written.
    """
    target = out or (run if run.is_dir() else run.parent) / DEFAULT_NAME
    submissions = _collect(run, target)
    if not any(submission.rows for submission in submissions):
        raise DataError("holds no answered GateMem outcome; nothing to export", file=str(run))
    if len(submissions) > 1:
        _name_apart(submissions, target)
    source = (run / OUTCOMES if run.is_dir() else run).resolve()
    if any(submission.path.resolve() == source for submission in submissions):
        raise SettingsError(f"--out: {target} is the run's own record; name another file")
    write_files({submission.path: _lines(submission) for submission in submissions})
    return submissions


def describe(submission: Submission) -> str:
    """Return what was written for one system, model and repeat, and what was not."""
    count = len(submission.rows)
    repeat = "" if submission.repeat is None else f", repeat {submission.repeat + 1}"
    lines = [
        f"{submission.path}: {count} prediction{'' if count == 1 else 's'} ({submission.system}, "
        f"{submission.model}{repeat})"
    ]
    if submission.left_out:
        lines.append(f"  {submission.left_out} left out: never answered, or answered twice")
    if submission.reference:
        lines.append(f"  {submission.system} sees the hidden annotations: not for submission")
    return "\n".join(lines)


def _collect(run: Path, target: Path) -> list[Submission]:
    found: dict[tuple[str, str, int | None], Submission] = {}
    for outcome in read_outcomes(run):
        if outcome.step.suite != _SUITE:
            continue
        row = outcome.system.name, outcome.model, outcome.step.repeat
        submission = found.setdefault(row, Submission(target, *row, outcome.system.reference))
        if outcome.reply is None or outcome.step.id in submission.rows:
            submission.left_out += 1
        else:
            submission.rows[outcome.step.id] = to_row(outcome)
    return list(found.values())


def _name_apart(submissions: list[Submission], target: Path) -> None:
    taken: set[str] = set()
    for submission in submissions:
        repeat = "" if submission.repeat is None else f"-r{submission.repeat + 1}"
        method = f"{safe(submission.system)}-{safe(submission.model)}"
        name = wanted = f"{target.stem}-{method}{repeat}"
        number = 1
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        submission.path = target.with_name(name + target.suffix)


def to_row(outcome: Outcome) -> dict[str, Any]:
    """Return an answered outcome as one prediction row.

    The context keys are left out where the exposed context is not known.
    """
    reply, recall = outcome.reply, outcome.recall
    assert reply is not None
    output: dict[str, Any] = {
        "action": reply.action,
        "answer": reply.text,
        "answer_structured": reply.structured,
    }
    if recall is not None:
        output["retrieved_memory"] = [
            {"text": item.text, "score": item.score, "source_ids": list(item.source_ids)}
            for item in recall.items
        ]
        output["prompt_memory_block"] = recall.text
    return {"checkpoint_id": outcome.step.id, "output": output}


def _lines(submission: Submission) -> Iterator[str]:
    for row in submission.rows.values():
        yield json.dumps(row, ensure_ascii=False) + "\n"
