"""The coordinator's stream: it is shipped as its modules say, and holds what it should."""

from __future__ import annotations

from decimal import Decimal

import pytest
from embedded_streams import hidden_of, learned, said_in, shipped_stream

from pytest_comem.office.embedded.coordinator import money, portal
from pytest_comem.streams.loading import Stream
from pytest_comem.streams.workspaces import contents


@pytest.fixture(scope="module")
def stream() -> Stream:
    """Return the shipped stream."""
    return shipped_stream("coordinator")


def plan_default(stream: Stream, target: str, slot: str) -> str:
    """Return what a target's plan does where nothing is recalled."""
    plan = stream.task(target).plan
    assert plan is not None
    return next(each.default for each in plan.slots if each.name == slot)


@pytest.mark.parametrize("target", ["c04", "c05", "c08", "c09", "c13", "c14", "c15", "c16"])
def test_workspaces_show_no_earlier_paper(stream: Stream, target: str) -> None:
    """What was finished is put away, so that only what is recalled shows how it was made."""
    task = stream.task(target)
    assert task.workspace is not None
    texts = contents(stream, task.workspace)
    assert [path for path in texts if path.endswith((".docx", "minutes.md"))] == []
    assert [path for path, raw in texts.items() if b"Prepared by:" in raw] == []


@pytest.mark.parametrize(
    ("target", "source", "slot", "value"),
    [
        ("c05", "c02", "encoding", "cp1252"),
        ("c05", "c02", "people", "C"),
        ("c06", "c03", "rate", "11.50"),
        ("c08", "c04", "sheet", "Green"),
        ("c09", "c05", "rooms", "seats"),
        ("c14", "c01", "overhead", "12"),
        ("c15", "c09", "crew", "4"),
        ("c16", "c06", "overhead", "7"),
    ],
)
def test_what_was_said_once_decides_a_result(
    stream: Stream, target: str, source: str, slot: str, value: str
) -> None:
    """One earlier session says what the plan's default has wrong, and a Workspace check asks it."""
    rubric = hidden_of(stream, stream.task(target)).rubric
    assert learned(stream, target)[slot] != value
    assert learned(stream, target, source)[slot] == value == rubric.choices[slot]
    assert any(slot in check.slots for check in rubric.checks)


def test_her_own_edits_show_how_minutes_are_written(stream: Stream) -> None:
    """The first session states nothing; what she changed afterwards fills the slots."""
    edits = said_in(stream, "c01")[-3]
    assert edits.startswith("[2025-02-05, Lantern] Ines Halvorsen: I changed ")
    found = learned(stream, "c04", "c01")
    wanted = hidden_of(stream, stream.task("c04")).rubric.choices
    assert {name for name, value in found.items() if value == wanted[name]} >= {
        *("dates", "actions", "prepared", "name")
    }


@pytest.mark.parametrize(
    ("target", "old", "new", "slot"),
    [
        ("c13", "c04", "c10", "actions"),
        ("c13", "c04", "c12", "prepared"),
        ("c14", "c03", "c13", "opening"),
        ("c16", "c03", "c11", "rate"),
    ],
)
def test_what_was_changed_later_overrules_what_was_said_first(
    stream: Stream, target: str, old: str, new: str, slot: str
) -> None:
    """Alone, the older session misleads; with the newer one the right value is taken."""
    right = hidden_of(stream, stream.task(target)).rubric.choices[slot]
    assert learned(stream, target, old)[slot] not in (right, plan_default(stream, target, slot))
    assert learned(stream, target, old, new)[slot] == right


@pytest.mark.parametrize(
    ("target", "foreign", "own", "slot"),
    [
        ("c05", "c04", "c02", "dates"),
        ("c06", "c04", "c03", "dates"),
        ("c08", "c05", "c04", "amounts"),
        ("c11", "c10", "c03", "actions"),
        ("c11", "c05", "c03", "people"),
        ("c16", "c01", "c06", "overhead"),
    ],
)
def test_another_programmes_habits_mislead(
    stream: Stream, target: str, foreign: str, own: str, slot: str
) -> None:
    """A session of another programme gives a wrong value, one of its own overrules it."""
    right = hidden_of(stream, stream.task(target)).rubric.choices[slot]
    programmes = [stream.task(each).task.project for each in (target, foreign, own)]
    assert programmes[0] == programmes[2] != programmes[1]
    default = plan_default(stream, target, slot)
    assert learned(stream, target, foreign)[slot] not in (right, default)
    assert learned(stream, target, foreign, own)[slot] == right


@pytest.mark.parametrize("slot", ["c11 people", "c14 opening", "c16 rate"])
def test_sometimes_the_plain_way_is_right(stream: Stream, slot: str) -> None:
    """Nothing has to be recalled, and an old or foreign habit would be wrong."""
    target, name = slot.split()
    right = hidden_of(stream, stream.task(target)).rubric.choices[name]
    assert plan_default(stream, target, name) == right


def test_gold_is_computed_from_the_data() -> None:
    """Figures that checks ask for follow from the generated data, reckoned here another way."""
    crowns = Decimal("18400") + Decimal("31050") + Decimal("4830") + Decimal("9775")
    assert money.claimed("Fjellvik") == (crowns / Decimal("11.5")).quantize(Decimal("0.01"))
    assert money.claimed("Lindenau") == Decimal("3675.40")
    assert money.granted("Brattholm") == 6450
    assert [row[0] for row in portal.people(16) if row[4] != "C"] == [4, 5, 12]
    assert len(portal.coming(40)) == 33


def test_scores_need_recall_in_eight_tasks(stream: Stream) -> None:
    """Without recall the plain plan leaves slots wrong on which checks below *better* depend."""
    needing = []
    for task in stream.targets:
        rubric = hidden_of(stream, task).rubric
        plain = learned(stream, task.id)
        wrong = {name for name, value in rubric.choices.items() if plain[name] != value}
        if any(wrong & set(check.slots) for check in rubric.checks if check.level != "better"):
            needing.append(task.id)
    assert needing == ["c05", "c06", "c07", "c08", "c09", "c14", "c15", "c16"]
