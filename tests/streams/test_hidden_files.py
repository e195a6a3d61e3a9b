"""The hidden side of a task: held against the public one, and named where it does not fit."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stream_edits import edit, refused

from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import load_stream
from pytest_comem.streams.workspaces import contents


def load(made: Path, task: str = "t0004") -> HiddenTask:
    """Return what is hidden of a task."""
    stream = load_stream(made)
    return load_hidden(stream, stream.task(task), OPERATIONS)


def test_all_four_parts_are_loaded(made: Path) -> None:
    """Rubric, labels, reference and root preferences, of this task."""
    hidden = load(made)
    assert [one.check_id for one in hidden.rubric.checks] == ["figure", "signature"]
    assert [one.root for one in hidden.rubric.preferences] == ["dates", "titles"]
    assert [one.task_id for one in hidden.relevance.relevant] == ["t0002"]
    assert len(hidden.preferences.preferences) == 2
    reference = contents(load_stream(made), hidden.reference)
    assert list(reference) == ["notes/0004.md", "reports/0004.md"]
    assert b"Ada Stone" in reference["reports/0004.md"]


RUBRIC = "tasks/t0004/hidden/rubric.json"
RELEVANCE = "tasks/t0004/hidden/relevance.json"
WHO = "participant ada, task t0004:"


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            RUBRIC,
            lambda it: it["checks"][1].update(check_id="figure"),
            f"ada/{RUBRIC}: field checks: {WHO} two checks have the id figure; ids are unique",
        ),
        (
            RUBRIC,
            lambda it: it["preferences"][1].update(item_id="dates"),
            f"ada/{RUBRIC}: field preferences: {WHO} two items have the id dates; ids are unique",
        ),
        (
            RUBRIC,
            lambda it: it["checks"][1].update(level="best"),
            f"ada/{RUBRIC}: field checks.1.level: {WHO} input should be 'minimum', 'reference' or "
            "'better'",
        ),
        (
            RUBRIC,
            lambda it: it["preferences"][0].update(root="date"),
            f"ada/{RUBRIC}: field preferences.0.root: {WHO} no root preference is called 'date'; "
            "did you mean dates?",
        ),
        (
            RUBRIC,
            lambda it: it["checks"][1].update(slots=["signatur"]),
            f"ada/{RUBRIC}: field checks.1.slots: {WHO} no slot of the plan is called 'signatur'; "
            "did you mean signature?",
        ),
        (
            RUBRIC,
            lambda it: it["preferences"][0]["test"].update(slots=["x"]),
            f"ada/{RUBRIC}: field preferences.0.test.slots: {WHO} no slot of the plan is called "
            "'x'; choose from dates, signature.",
        ),
        (
            RUBRIC,
            lambda it: it["choices"].update(sign="x"),
            f"ada/{RUBRIC}: field choices: {WHO} no slot of the plan is called 'sign'; did you "
            "mean signature?",
        ),
        (
            RUBRIC,
            lambda it: it["checks"][0]["mutation"][0].update(do="edits"),
            f"ada/{RUBRIC}: field checks.0.mutation: {WHO} no operation is called 'edits'; did you "
            "mean edit",
        ),
        (
            RELEVANCE,
            lambda it: it["relevant"][0].update(task_id="t0004"),
            f"ada/{RELEVANCE}: field relevant.0.task_id: {WHO} task t0004 is not before this one",
        ),
        (
            RELEVANCE,
            lambda it: it["relevant"][0].update(task_id="t0005"),
            f"ada/{RELEVANCE}: field relevant.0.task_id: {WHO} task t0005 is not before this one",
        ),
        (
            RELEVANCE,
            lambda it: it["relevant"][0].update(task_id="t0022"),
            f"ada/{RELEVANCE}: field relevant.0.task_id: {WHO} no task is called 't0022'; did you "
            "mean t0002",
        ),
        (
            RELEVANCE,
            lambda it: it["relevant"].append(it["relevant"][0]),
            f"ada/{RELEVANCE}: field relevant: {WHO} task t0002 is listed twice for a "
            "convention; put the snippets together",
        ),
        (
            RELEVANCE,
            lambda it: it["relevant"][0].update(snippets=["prepared by: Ada Stone"]),
            f"ada/{RELEVANCE}: field relevant.0.snippets: {WHO} no message of task t0002 holds "
            "'prepared by: Ada Stone' word for word",
        ),
        (
            "tasks/t0004/hidden/reference.json",
            lambda it: it["files"].update(x="../x"),
            f"ada/tasks/t0004/hidden/reference.json: field files.x: {WHO} '../x' is not normalised",
        ),
        (
            "hidden/preferences.json",
            lambda it: it["preferences"].append(it["preferences"][0]),
            "ada/hidden/preferences.json: field preferences: participant ada: two root preferences "
            "have the id dates; ids are unique",
        ),
        (
            "hidden/preferences.json",
            lambda it: it["preferences"][1].update(project="Port"),
            "ada/hidden/preferences.json: field preferences.1.project: participant ada: no project "
            "of the participant is called 'Port'",
        ),
        (
            "hidden/preferences.json",
            lambda it: it.update(note=1),
            "ada/hidden/preferences.json: field note: participant ada: extra inputs are not",
        ),
    ],
    ids=range(17),
)
def test_errors_say_where(
    made: Path, file: str, change: Callable[[Any], object], message: str
) -> None:
    """File, field, participant and task, and the nearest right name."""
    edit(made / file, change)
    assert refused(lambda: load(made)).startswith(message)


def test_a_task_may_bear_on_another_in_two_ways(made: Path) -> None:
    """As a convention and as a file, say, each with its snippets."""
    edit(
        made / RELEVANCE,
        lambda it: it["relevant"].append({**it["relevant"][0], "dependency": "file"}),
    )
    assert [one.dependency for one in load(made).relevance.relevant] == ["convention", "file"]


def test_a_snippet_may_not_span_messages(made: Path) -> None:
    """It is of one message, as a memory could have kept it."""
    stream = load_stream(made)
    messages = [one.content for one in stream.task("t0002").session.messages]
    joined = f"{messages[1][-10:]}\n{messages[2][:10]}"
    edit(made / RELEVANCE, lambda it: it["relevant"][0].update(snippets=[messages[1], joined]))
    assert "word for word" in refused(lambda: load(made))
    edit(made / RELEVANCE, lambda it: it["relevant"][0].update(snippets=messages))
    assert load(made).relevance.relevant[0].snippets == tuple(messages)


def test_a_choice_is_an_option(made: Path) -> None:
    """The right value of a slot of kind choice is one of the plan's options."""
    slot = {"name": "how", "kind": "choice", "default": "a", "options": {"a": [], "b": []}}
    edit(made / "tasks/t0004/plan.json", lambda it: it["slots"].append(slot))
    edit(made / RUBRIC, lambda it: it["choices"].update(how="c"))
    said = refused(lambda: load(made))
    assert (
        said == f"ada/{RUBRIC}: field choices.how: {WHO} no option is called 'c'; choose from a, b."
    )
    edit(made / RUBRIC, lambda it: it["choices"].update(how="b"))
    assert load(made).rubric.choices["how"] == "b"


def test_without_a_plan_nothing_can_name_slots(made: Path) -> None:
    """A rubric for models alone names none, and then it loads."""
    (made / "tasks/t0004/plan.json").unlink()
    assert "no slot of the plan is called 'dates'; there is none at all." in refused(
        lambda: load(made)
    )

    def forget(rubric: Any) -> None:
        rubric["choices"] = {}
        for test in (*rubric["checks"], *(item["test"] for item in rubric["preferences"])):
            test["slots"] = []

    edit(made / RUBRIC, forget)
    assert load(made).rubric.choices == {}


@pytest.mark.parametrize("file", ["rubric.json", "relevance.json", "reference.json"])
def test_missing_and_linked_files_are_named(made: Path, tmp_path: Path, file: str) -> None:
    """No label is taken to be empty because its file is gone, and no link is followed."""
    path = made / "tasks/t0004/hidden" / file
    path.rename(tmp_path / "kept")
    said = refused(lambda: load(made))
    assert said.startswith(f"ada/tasks/t0004/hidden/{file}: {WHO} the file cannot be read")
    path.symlink_to(tmp_path / "kept")
    assert "symbolic link" in refused(lambda: load(made))


def word(path: str, old: str, new: str) -> Callable[[Path], object]:
    """Return a change of a file's text."""

    def change(made: Path) -> None:
        text = (made / path).read_text("utf-8")
        assert old in text
        (made / path).write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    "change",
    [
        word(RUBRIC, "It says", "It reads"),
        word(RELEVANCE, '"convention"', '"fact"'),
        word("files/reports/0004.md", "Ada", "Eva"),
        word("hidden/preferences.json", "Keeps", "Holds"),
    ],
)
def test_the_digest_is_of_everything_hidden(made: Path, change: Callable[[Path], object]) -> None:
    """Rubric, labels, roots, and the bytes of the reference."""
    stream = load_stream(made)
    before = load(made).digest(stream)
    change(made)
    assert load(made).digest(stream) != before


def test_the_digest_of_the_reference_is_of_its_bytes(made: Path) -> None:
    """The same from another directory."""
    before = load(made).reference_digest(load_stream(made))
    shutil.copytree(made, made.parent.parent / "copy")
    stream = load_stream(made.parent.parent / "copy")
    assert load_hidden(stream, stream.task("t0004")).reference_digest(stream) == before
