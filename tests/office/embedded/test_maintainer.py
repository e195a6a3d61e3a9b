"""The maintainer's stream: what is shipped is what its modules say, and it holds what it should."""

from __future__ import annotations

from decimal import Decimal

import pytest
from embedded_streams import filled, hidden_of, learned, right, said_in, shipped_stream

from pytest_comem.office.embedded.maintainer.benchmark_data import (
    CASES,
    as_csv,
    counted,
    mean,
    runs_of,
    shown,
)
from pytest_comem.office.embedded.maintainer.chatter import CHATTER
from pytest_comem.streams.hidden import Level
from pytest_comem.streams.loading import Stream
from pytest_comem.streams.workspaces import contents


@pytest.fixture(scope="module")
def stream() -> Stream:
    """Return the shipped stream."""
    return shipped_stream("maintainer")


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
