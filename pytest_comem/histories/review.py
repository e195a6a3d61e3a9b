"""The review of a draft: a line a task that a person corrects before the task is scored.

``review.jsonl`` is one JSON object a line (:class:`ReviewedTask`). It is applied to the draft,
which stays as it was, so that every correction can be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, NoReturn, final

from pydantic import Field, ValidationError

from pytest_comem.errors import DataError
from pytest_comem.histories.draft_stream import StreamDraft, TaskDraft, texts_by_id
from pytest_comem.histories.sessions import snippets_of, with_instruction
from pytest_comem.records.base import Id, Name, Record, Text
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.hidden import Relevance, RelevantTask, Rubric
from pytest_comem.suggest import did_you_mean

REVIEW_FILE: Final = "review.jsonl"
_MOST_BYTES: Final = 64 << 20


@final
class ReviewedTask(Record):
    """One line of ``review.jsonl``.

    :param reviewed: whether a person has read the line; a task is no target before.
    :param include: whether the task is in the stream at all.
    :param scored: whether it is a target once it is reviewed.
    :param relevant: earlier tasks that bear on it, nearest first.
    :param tests: what each check and preference item asks for, by its id. One that is taken out is
        dropped; the words may be corrected.
    """

    task_id: Id
    reviewed: bool
    include: bool
    scored: bool
    title: Name
    instruction: Text
    relevant: Annotated[tuple[Id, ...], Field(max_length=500)] = ()
    tests: dict[Id, Text] = Field(default_factory=dict)


def review_of(draft: StreamDraft, reviewed: bool) -> list[ReviewedTask]:
    """Return the review that changes nothing.

    :param reviewed: whether the draft is taken as it is.
    """
    return [
        ReviewedTask(
            task_id=one.task.task_id,
            reviewed=reviewed,
            include=True,
            scored=one.rubric is not None,
            title=one.task.title,
            instruction=one.task.instruction,
            relevant=tuple(each.task_id for each in one.relevance.relevant),
            tests=dict(texts_by_id(one.rubric)),
        )
        for one in draft.tasks
    ]


def written(review: Iterable[ReviewedTask]) -> str:
    """Return the text of ``review.jsonl``."""
    lines = (json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in review)
    return "".join(f"{line}\n" for line in lines)


def read_review(path: Path) -> list[tuple[int, ReviewedTask]]:
    """Return the lines of a review with their 1-based numbers; empty lines are skipped.

    :raises DataError: naming the line and what is wrong with it.
    """
    shown = path.name
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        text = raw.decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=shown) from None
    except UnicodeDecodeError:
        raise DataError("not UTF-8; save the file as UTF-8", file=shown) from None
    if len(raw) > _MOST_BYTES:
        raise DataError(f"larger than {_MOST_BYTES:,} bytes; is this the right file?", file=shown)
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found.append((number, _read_line(line, shown, number)))
    return found


def applied(
    draft: StreamDraft, review: Iterable[tuple[int, ReviewedTask]], shown: str = REVIEW_FILE
) -> StreamDraft:
    """Return a draft with a review's corrections.

    :param review: lines with their numbers.
    :param shown: the review's file in messages.
    :raises DataError: naming the line that does not go with the draft.
    """
    lines = {}
    known = {one.task.task_id: place for place, one in enumerate(draft.tasks)}
    for number, line in review:
        if line.task_id not in known:
            _refuse(shown, number, "task_id", _unknown("task of the draft", line.task_id, known))
        if line.task_id in lines:
            _refuse(shown, number, "task_id", f"task {line.task_id} is there a second time")
        lines[line.task_id] = (number, line)
    for name in known:
        if name not in lines:
            problem = f"task {name} is missing; to leave it out, say include: false"
            raise DataError(problem, file=shown)
    included = [one for one in draft.tasks if lines[one.task.task_id][1].include]
    if not included:
        raise DataError("no task is included; leave at least one in", file=shown)
    tasks = list[TaskDraft]()
    for one in included:
        number, line = lines[one.task.task_id]
        for field, problem in _problems(one, line, [each.task.task_id for each in tasks], lines):
            _refuse(shown, number, field, problem)
        tasks.append(_corrected(one, line, {each.task.task_id: each for each in tasks}))
    order = tuple(one.task.task_id for one in tasks)
    participant = draft.participant.model_copy(update={"order": order})
    return StreamDraft(participant, draft.preferences, tasks, draft.files)


def _problems(
    one: TaskDraft,
    line: ReviewedTask,
    before: Sequence[str],
    lines: Mapping[str, tuple[int, ReviewedTask]],
) -> Iterator[tuple[str, str]]:
    """Yield fields of a line, and what is wrong with each."""
    if line.scored and one.rubric is None:
        why = "no text file changes in it, its request says too little, or nothing tells it is done"
        yield "scored", f"task {line.task_id} cannot be scored: {why}"
    for name in line.tests:
        known = texts_by_id(one.rubric)
        if name not in known:
            yield "tests", _unknown(f"check or item of task {line.task_id}", name, known)
    if line.scored and one.rubric and not any(c.check_id in line.tests for c in one.rubric.checks):
        yield "tests", f"task {line.task_id} has no check left; say scored: false instead"
    for name in line.relevant:
        left_out = name in lines and not lines[name][1].include
        if name not in before and not left_out:
            yield "relevant", _unknown(f"task before {line.task_id}", name, before)


def _corrected(one: TaskDraft, line: ReviewedTask, before: Mapping[str, TaskDraft]) -> TaskDraft:
    scored = line.reviewed and line.scored
    changes = {"title": line.title, "instruction": line.instruction, "scored": scored}
    return TaskDraft(
        one.task.model_copy(update=changes),
        with_instruction(one.session, line.instruction),
        _relevance(one, line, before),
        one.before,
        one.after,
        one.rubric and _rubric(one.rubric, line.tests),
    )


def _rubric(rubric: Rubric, tests: Mapping[str, str]) -> Rubric:
    """Return a rubric with the tests that a review has left, in its words."""
    checks = tuple(
        one.model_copy(update={"text": tests[one.check_id]})
        for one in rubric.checks
        if one.check_id in tests
    )
    items = tuple(
        one.model_copy(update={"text": tests[one.item_id]})
        for one in rubric.preferences
        if one.item_id in tests
    )
    return rubric.model_copy(update={"checks": checks or rubric.checks, "preferences": items})


def _relevance(one: TaskDraft, line: ReviewedTask, before: Mapping[str, TaskDraft]) -> Relevance:
    known = {each.task_id: each for each in one.relevance.relevant}
    paths = sorted(one.after.files) if one.after else ()
    found = []
    for name in dict.fromkeys(line.relevant):
        if name not in before:
            continue
        said = snippets_of(before[name].session, paths)
        new = RelevantTask(task_id=name, snippets=tuple(said))
        found.append(known.get(name, new))
    return Relevance(relevant=tuple(found))


def _read_line(line: str, shown: str, number: int) -> ReviewedTask:
    try:
        return ReviewedTask.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        problem = clipped(str(first["msg"]))
        raise DataError(
            problem[:1].lower() + problem[1:], file=shown, line=number, field=clipped(field) or None
        ) from None


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = did_you_mean(clipped(name), names) if names else "there is none at all."
    return f"no {what} is called '{clipped(name)}'; {near}"


def _refuse(shown: str, line: int, field: str, problem: str) -> NoReturn:
    raise DataError(problem, file=shown, line=line, field=field)
