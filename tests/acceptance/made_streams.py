"""Streams made by rule, of any length: small, valid, and the same for the same arguments.

Every task asks for a status report. Two projects take turns, each with its way of writing dates and
its signature, which the instruction never says: earlier reports of the project show both. Without
recall the plan's defaults reach Workspace 60 and Preference 50; with the habits, 80 and 100.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from pytest_comem.records.base import Record
from pytest_comem.streams import hidden, plans, schema
from pytest_comem.streams.traces import said_of

_START: Final = datetime(2025, 1, 6, 9, 0)
#: By project: how dates are written, and who signs.
_HABITS: Final = {"Harbour": ("dotted", "Ada Stone"), "Meadow": ("long", "Ben Field")}
_PROJECTS: Final = tuple(_HABITS)


def make_stream(
    destination: Path,
    participant: str = "made",
    tasks: int = 4,
    scored: Collection[int] | None = None,
    seed: int = 0,
) -> Path:
    """Write a stream and return its directory, ``destination / participant``.

    :param scored: 1-based numbers of the tasks that are targets; all where ``None``.
    :param seed: changes figures, not the shape.
    """
    directory = destination / participant
    names = tuple(task_name(number) for number in range(1, tasks + 1))
    person = schema.Participant(
        participant_id=participant,
        name="Ada Stone",
        role="reporter",
        about="Writes status reports.",
        projects=_PROJECTS,
        order=names,
        license="MIT",
        source="made for tests",
    )
    _write(directory / "participant.json", person)
    roots = tuple(
        hidden.RootPreference(preference_id=root, text=f"Keeps the project's {root}.")
        for root in ("dates", "titles")
    )
    _write(directory / "hidden/preferences.json", hidden.RootPreferences(preferences=roots))
    random = Random(f"{participant} {seed}")
    for number in range(1, tasks + 1):
        target = scored is None or number in scored
        _make_task(directory, number, target, random.randint(10, 99))
    return directory


def task_name(number: int) -> str:
    """Return the id of the task with a 1-based number."""
    return f"t{number:04}"


def _make_task(directory: Path, number: int, scored: bool, points: int) -> None:
    name, moment, project = task_name(number), _moment(number), _project(number)
    task = schema.Task(
        task_id=name,
        started=moment.isoformat(timespec="minutes"),
        project=project,
        title=f"Status {number:04}",
        instruction=f"Write the status of {project} of today to {_report(number)}. "
        f"The figures are in {_notes(number)}.",
        activities=(schema.Activity.WRITING,),
        scored=scored,
    )
    text = _text(number, points, _day(number), _HABITS[project][1])
    said = (
        ("user", task.instruction),
        ("assistant", said_of("write", {"path": _report(number), "text": text})),
        ("user", f"Good, that is how {project} wants it."),
    )
    messages = tuple(schema.Message.model_validate({"role": r, "content": c}) for r, c in said)
    here = directory / "tasks" / name
    _write(here / "task.json", task)
    _write(here / "session.json", schema.Session(session_id=name, messages=messages))
    if scored:
        notes = f"# Notes {number:04}\n\nOpen points: {points}\n"
        before = {_notes(number): _store(directory, _notes(number), notes)}
        after = before | {_report(number): _store(directory, _report(number), text)}
        _write(here / "workspace.json", schema.Workspace(files=before))
        _write(here / "plan.json", _plan(number, points))
        _write(here / "hidden/reference.json", schema.Workspace(files=after))
        _write(here / "hidden/rubric.json", _rubric(number, points))
        _write(here / "hidden/relevance.json", _relevance(number))


def _moment(number: int) -> datetime:
    return _START + timedelta(days=number)


def _project(number: int) -> str:
    return _PROJECTS[number % len(_PROJECTS)]


def _report(number: int) -> str:
    return f"reports/{number:04}.md"


def _notes(number: int) -> str:
    return f"notes/{number:04}.md"


def _day(number: int) -> str:
    """Return a task's day as its project writes it, whatever the locale."""
    moment = _moment(number)
    if _HABITS[_project(number)][0] == "dotted":
        return f"{moment.day:02}.{moment.month:02}.{moment.year}"
    months = "January February March April May June July August September October November December"
    return f"{moment.day} {months.split()[moment.month - 1]} {moment.year}"


def _text(number: int, points: int, day: str, signed: str) -> str:
    lines = (f"# Status {number:04}", f"Date: {day}", f"Open points: {points}")
    return "\n\n".join((*lines, f"Prepared by: {signed}")) + "\n"


def _plan(number: int, points: int) -> plans.Plan:
    day = f"{{date:{_moment(number).date().isoformat()}}}"
    text = _text(number, points, day, "{slot:signature}")
    slots: list[dict[str, Any]] = [
        {"name": "dates", "kind": "date_style", "default": "iso"},
        {"name": "signature", "kind": "line", "default": "the team", "lead": "Prepared by:"},
    ]
    steps: list[dict[str, Any]] = [
        {"do": "read", "arguments": {"path": _notes(number)}, "unless_known": "signature"},
        {"do": "write", "arguments": {"path": _report(number), "text": text}},
    ]
    return plans.Plan.model_validate_json(json.dumps({"slots": slots, "steps": steps}))


def _rubric(number: int, points: int) -> hidden.Rubric:
    path, (style, signed) = _report(number), _HABITS[_project(number)]
    title, wrong = f"Status {number:04}", _moment(number).date().isoformat()
    figure = f"Open points: {points}"
    rubric = {
        "checks": [
            {"check_id": "figure", "level": "minimum", "text": f"It says: {figure}"}
            | _test("contains", {"file": path, "all": [figure]}, figure, "Open points: none"),
            {"check_id": "signature", "level": "reference", "text": f"{signed} signs."}
            | _test(
                "line", {"file": path, "lead": "Prepared by:", "equal": signed}, signed, "Nobody"
            )
            | {"slots": ["signature"]},
        ],
        "preferences": [
            {"item_id": "dates", "root": "dates", "text": f"Dates are {style}."}
            | {
                "test": _test("date_style", {"file": path, "style": style}, _day(number), wrong)
                | {"slots": ["dates"]}
            },
            {"item_id": "title", "root": "titles", "text": f"Its title is: {title}"}
            | {"test": _test("headings", {"file": path, "first": title}, title, "Untitled")},
        ],
        "choices": {"dates": style, "signature": signed},
    }
    return hidden.Rubric.model_validate_json(json.dumps(rubric))


def _test(kind: str, arguments: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return a test and the edit that breaks it alone."""
    edit = {"do": "edit", "arguments": {"path": arguments["file"], "old": old, "new": new}}
    return {"kind": kind, "arguments": arguments, "mutation": [edit]}


def _relevance(number: int) -> hidden.Relevance:
    """Name the project's report before, where there is one, by the lines that show its habits."""
    before = number - len(_PROJECTS)
    if before < 1:
        return hidden.Relevance()
    snippets = (f"Date: {_day(before)}", f"Prepared by: {_HABITS[_project(before)][1]}")
    relevant = hidden.RelevantTask(task_id=task_name(before), snippets=snippets)
    return hidden.Relevance(relevant=(relevant,))


def _store(directory: Path, path: str, text: str) -> str:
    target = directory / "files" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="\n")
    return path


def _write(path: Path, record: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8", newline="\n")
