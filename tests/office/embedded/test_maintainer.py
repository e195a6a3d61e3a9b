"""The maintainer's stream: what is shipped is what its modules say, and it holds what it should."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from pytest_comem.locations import fixture_path
from pytest_comem.office.base import Hidden, Shown
from pytest_comem.office.embedded.files import same
from pytest_comem.office.embedded.maintainer.benchmark_data import (
    CASES,
    as_csv,
    counted,
    mean,
    runs_of,
    shown,
)
from pytest_comem.office.embedded.maintainer.chatter import CHATTER
from pytest_comem.office.embedded.shipping import ship
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.offline_agent import learn
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.entries import entries_of
from pytest_comem.streams.hidden import Level
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_stream
from pytest_comem.streams.schema import Activity
from pytest_comem.streams.workspaces import contents

SHIPPED: Final = fixture_path("contextweave") / "maintainer"


@pytest.fixture(scope="module")
def stream() -> Stream:
    """Return the shipped stream."""
    return load_stream(SHIPPED, tuple(OPERATIONS))


def hidden_of(stream: Stream, task: StreamTask) -> HiddenTask:
    """Return what is hidden of a task."""
    return load_hidden(stream, task, tuple(OPERATIONS))


def said_in(stream: Stream, task_id: str) -> list[str]:
    """Return the entries of a task's session."""
    task = stream.task(task_id)
    return [entry.text for entry in entries_of(stream.participant, task.task, task.session)]


def filled(stream: Stream, target: str, passages: list[str]) -> dict[str, str]:
    """Return how the offline agent fills a target's slots from passages."""
    task = stream.task(target)
    assert task.plan is not None
    seen = Shown(stream.participant, task.task, tuple(passages), task.plan)
    found = learn(seen, task.plan)
    return {slot.name: found.value_of(slot) for slot in task.plan.slots}


def learned(stream: Stream, target: str, *from_tasks: str) -> dict[str, str]:
    """Return how the offline agent fills a target's slots from all that some tasks say."""
    return filled(stream, target, [text for each in from_tasks for text in said_in(stream, each)])


def right(stream: Stream, target: str, slot: str) -> str:
    """Return the right value of a target's slot."""
    return hidden_of(stream, stream.task(target)).rubric.choices[slot]


def distances(stream: Stream, task: StreamTask) -> list[int]:
    """Return how many tasks back what is relevant to a task lies, the nearest first."""
    at = stream.positions
    relevance = hidden_of(stream, task).relevance
    return [at[task.id] - at[each.task_id] for each in relevance.relevant]


def files_of(directory: Path) -> dict[str, bytes]:
    """Return every file of a directory by its path."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_what_is_shipped_is_what_the_modules_say(tmp_path: Path) -> None:
    """Building the stream anew gives the shipped files, and no other."""
    built, shipped = files_of(ship("maintainer", tmp_path / "stream")), files_of(SHIPPED)
    assert sorted(built) == sorted(shipped)
    assert [name for name in built if not same(built[name], shipped[name])] == []


def test_sixteen_tasks_over_five_months_of_which_eleven_are_scored(stream: Stream) -> None:
    """The stream is as long as the embedded set needs, and its tasks are in time order."""
    days = [date.fromisoformat(task.task.started[:10]) for task in stream.tasks]
    assert (len(stream.tasks), len(stream.targets)) == (16, 11)
    assert days == sorted(set(days))
    assert (days[-1] - days[0]).days > 150


def test_every_activity_has_a_scored_task(stream: Stream) -> None:
    """All nine labels of the paper occur among the targets."""
    found = {label for task in stream.targets for label in task.task.activities}
    assert found == set(Activity)


def test_dependencies_are_near_and_far(stream: Stream) -> None:
    """Distances go from one to more than ten, those of the nearest relevant task as well."""
    every = [distances(stream, task) for task in stream.targets]
    nearest = [found[0] for found in every]
    assert (min(nearest), max(nearest)) == (1, 13)
    assert len({distance for found in every for distance in found}) >= 8


@pytest.mark.parametrize("pattern", ["announce/", "loadline/reports/", "notes/2025-"])
def test_workspaces_show_no_earlier_paper(stream: Stream, pattern: str) -> None:
    """Where a task asks for one more of something, earlier ones have been put away."""
    asked = 0
    for task in stream.targets:
        assert task.workspace is not None
        before = contents(stream, task.workspace)
        reference = contents(stream, hidden_of(stream, task).reference)
        if any(path.startswith(pattern) for path in set(reference) - set(before)):
            asked += 1
            assert [path for path in before if path.startswith(pattern)] == [], task.id
    assert asked


@pytest.mark.parametrize(
    ("target", "source", "slot", "value"),
    [
        ("m06-bench-february", "m03-bench-january", "left_out", "warmup"),
        ("m06-bench-february", "m03-bench-january", "heron", "1.25"),
        ("m07-spell-long", "m05-talk", "removal", "1.6"),
        ("m08-quillspan-1-4", "m01-fractions", "version", "stamp"),
        ("m09-quoting", "m04-last-batch", "note", "changes"),
        ("m10-python-3-8", "m05-talk", "counts", "real"),
        ("m11-ferrybox-0-9", "m09-quoting", "release", "collect"),
        ("m15-review-quillspan", "m02-review-ferrybox", "dependency", "never"),
    ],
)
def test_what_was_said_once_decides_a_result(
    stream: Stream, target: str, source: str, slot: str, value: str
) -> None:
    """One earlier session says what the plan's default has wrong, and a Workspace check asks it."""
    rubric = hidden_of(stream, stream.task(target)).rubric
    assert learned(stream, target)[slot] != value
    assert learned(stream, target, source)[slot] == value == rubric.choices[slot]
    assert any(slot in check.slots and check.level != Level.BETTER for check in rubric.checks)


@pytest.mark.parametrize(
    ("target", "source", "slots"),
    [
        (
            "m08-quillspan-1-4",
            "m01-fractions",
            {"dates", "announcement", "questions", "changes_heading"},
        ),
        ("m06-bench-february", "m03-bench-january", {"report", "numbers", "measured"}),
        ("m14-parse-all", "m07-spell-long", {"stacklevel"}),
        ("m15-review-quillspan", "m02-review-ferrybox", {"review", "opening", "form"}),
    ],
)
def test_her_own_edits_show_habits(
    stream: Stream, target: str, source: str, slots: set[str]
) -> None:
    """What she changed and renamed afterwards, alone and without a word on it, fills slots."""
    edits = [text for text in said_in(stream, source) if ": I changed " in text]
    plain, found = filled(stream, target, []), filled(stream, target, edits)
    for slot in slots:
        assert plain[slot] != found[slot] == right(stream, target, slot), slot


@pytest.mark.parametrize(
    ("target", "old", "new", "slot"),
    [
        ("m13-bench-may", "m03-bench-january", "m12-mails", "heron"),
        ("m13-bench-may", "m06-bench-february", "m12-mails", "measured"),
        ("m14-parse-all", "m05-talk", "m12-mails", "removal"),
        ("m16-ferrybox-0-10", "m09-quoting", "m12-mails", "dates"),
        ("m16-ferrybox-0-10", "m11-ferrybox-0-9", "m12-mails", "questions"),
    ],
)
def test_what_was_changed_later_overrules_what_was_said_first(
    stream: Stream, target: str, old: str, new: str, slot: str
) -> None:
    """Alone, the older session misleads; with the newer one, in any order, the value is right."""
    wanted = right(stream, target, slot)
    assert learned(stream, target, old)[slot] not in (wanted, learned(stream, target)[slot])
    assert learned(stream, target, old, new)[slot] == wanted
    assert learned(stream, target, new, old)[slot] == wanted


@pytest.mark.parametrize(
    ("target", "foreign", "own", "slot"),
    [
        ("m09-quoting", "m01-fractions", "m04-last-batch", "place"),
        ("m09-quoting", "m07-spell-long", "m04-last-batch", "issue"),
        ("m11-ferrybox-0-9", "m01-fractions", "m09-quoting", "dates"),
        ("m11-ferrybox-0-9", "m01-fractions", "m09-quoting", "questions"),
    ],
)
def test_another_packages_habits_mislead(
    stream: Stream, target: str, foreign: str, own: str, slot: str
) -> None:
    """A session on another package gives a wrong value, one of its own overrules it."""
    projects = [stream.task(each).task.project for each in (target, foreign, own)]
    assert projects[0] == projects[2] != projects[1]
    wanted = right(stream, target, slot)
    assert learned(stream, target, foreign)[slot] != wanted
    assert learned(stream, target, foreign, own)[slot] == wanted


@pytest.mark.parametrize(
    ("target", "misleading", "slot"),
    [
        ("m04-last-batch", "m01-fractions", "place"),
        ("m09-quoting", "m01-fractions", "issue"),
        ("m11-ferrybox-0-9", "m01-fractions", "dates"),
        ("m13-bench-may", "m03-bench-january", "heron"),
        ("m16-ferrybox-0-10", "m09-quoting", "dates"),
    ],
)
def test_sometimes_the_plain_way_is_right(
    stream: Stream, target: str, misleading: str, slot: str
) -> None:
    """Nothing has to be recalled, and an old or foreign habit is wrong."""
    wanted = right(stream, target, slot)
    assert learned(stream, target)[slot] == wanted
    assert learned(stream, target, misleading)[slot] != wanted


def test_the_relevant_sessions_teach_every_slot(stream: Stream) -> None:
    """The snippets alone, of each target, fill its slots with the right values."""
    for task in stream.targets:
        found = hidden_of(stream, task)
        texts = [text for each in found.relevance.relevant for text in each.snippets]
        assert filled(stream, task.id, texts) == dict(found.rubric.choices), task.id


def test_chatter_teaches_nothing(stream: Stream) -> None:
    """What else she says has much the same words, and fills no slot of any target."""
    words = [text for each in CHATTER.values() for text in each]
    for task in stream.targets:
        assert filled(stream, task.id, words) == filled(stream, task.id, []), task.id


def test_gold_is_computed_from_the_data() -> None:
    """A slow clock that is set right tells what a right clock tells, and warm-ups never count."""
    for case in CASES:
        slow, sound = counted(runs_of(2, True), True, case), counted(runs_of(2, False), False, case)
        assert slow == sound
        assert len(slow) == 6
    assert counted(runs_of(2, True), False) != counted(runs_of(2, False), False)
    # 1180 + 2 * 20 and 35, 70, 105 on petrel; 15 more of each on heron.
    assert mean(counted(runs_of(2, True), True, "parse")) == Decimal("1297.5")
    assert shown(Decimal("1297.5")) == "1,297.5"
    assert as_csv(runs_of(2, True)).startswith(b"run;case;host;kind;millis\n1;parse;petrel;warmup;")


def test_references_reach_the_papers_quality_and_beginnings_do_not(stream: Stream) -> None:
    """Every reference scores at least 80 and satisfies every item; every beginning is below 60."""
    grader = RuleGrader()
    for task in stream.targets:
        found = hidden_of(stream, task)
        assert task.workspace is not None
        before, after = contents(stream, task.workspace), contents(stream, found.reference)
        hidden = Hidden(found.rubric, found.relevance, before, after)
        reference = grader.grade_files(hidden, Files(after))
        assert (reference.workspace >= 80, reference.preference) == (True, 100), task.id
        assert grader.grade_files(hidden, Files(before)).workspace < 60, task.id
