"""Placeholders of a plan, and what is wrong with a plan."""

from __future__ import annotations

from typing import Any

import pytest
from made_plans import plan, slot, step

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.office.filling import Filling, NotSaved, saves_used
from pytest_comem.office.plan_problems import problems_of
from pytest_comem.streams.plans import Condition, Plan, Slot, SlotKind

DATES = slot(SlotKind.DATE_STYLE, "iso")
NUMBERS = slot(SlotKind.NUMBER_STYLE, "1234.5")
LINE = slot(SlotKind.LINE, "us", lead="By:")
VALUES = {"date_style": "long", "number_style": "1,234.50", "line": "Ada"}


def filled(text: Any, saved: dict[str, Any] | None = None, *slots: Slot) -> Any:
    """Return an argument filled in."""
    one = step("write", path="a.md", text=text)
    made = plan(slots or (DATES, NUMBERS, LINE), one)
    return Filling(made, VALUES, saved or {}).arguments_of(1, one)["text"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("By: {slot:line}", "By: Ada"),
        ("{date:2025-03-31}", "31 March 2025"),
        ("{date:2025-03-31|date_style}", "31 March 2025"),
        ("{number:1234.5} and {number:-2}", "1,234.50 and -2.00"),
        ("{number:lost|number_style}", "42.00"),
        ("{number:rows} of {number:text}", "7.00 of 1,234.50"),
        ("{value:lost}, {value:text}", "42, 1234.5"),
        ("{value:table}!", "a | 1\nb | 2!"),
        ("{{x}} }}{{", "{x} }{"),
        ("", ""),
    ],
)
def test_placeholders_become_text(text: str, written: str) -> None:
    """Slots, dates, numbers and saved values are put in; doubled braces are braces."""
    saved = {"lost": 42, "rows": [[7]], "text": "1234.5", "table": [["a", 1], ["b", 2]]}
    assert filled(text, saved) == written


def test_a_whole_argument_keeps_the_type_of_a_value() -> None:
    """An argument that is one saved value is that value; so are members of lists and objects."""
    assert filled("{value:n}", {"n": 3}) == 3
    assert filled([["{value:n}", 1, None]], {"n": 3}) == [[3, 1, None]]
    assert filled({"{slot:line}": "{value:n}"}, {"n": [1]}) == {"Ada": [1]}


@pytest.mark.parametrize("text", ["{value:n}", "{number:n}", "x {value:n}"])
def test_a_value_that_was_not_saved_is_told(text: str) -> None:
    """Where a step failed, those that need its value are not done; nothing is made up."""
    with pytest.raises(NotSaved):
        filled(text)


@pytest.mark.parametrize("value", [None, "many", [[1], [2]], True])
def test_what_is_no_number_is_none(value: Any) -> None:
    """A saved value of another type is no number."""
    with pytest.raises(NotSaved):
        filled("{number:n}", {"n": value})


@pytest.mark.parametrize(
    "text",
    [
        "{slot:other}",
        "{date:2025-02-30}",
        "{date:2025-03-31|line}",
        "{number:1|other}",
        "{open",
        "shut}",
        "{x}",
        "{eval:1}",
        "{slot:}",
    ],
)
def test_what_cannot_be_resolved_is_a_defect(text: str) -> None:
    """The step is named, both while a plan is done and when it is checked."""
    with pytest.raises(BenchmarkDefect, match=r"step 1 \(write\)"):
        filled(text)
    (problem,) = problems_of(plan([DATES, NUMBERS, LINE], step("write", path="a", text=text)))
    assert problem.startswith("step 1 (write): ")


def test_of_two_slots_of_a_kind_one_has_to_be_named() -> None:
    """Which of two date styles is meant is not guessed."""
    other = Slot(name="letters", kind=SlotKind.DATE_STYLE, default="us")
    with pytest.raises(BenchmarkDefect, match="name one"):
        filled("{date:2025-03-31}", None, DATES, other)
    assert filled("{date:2025-03-31|date_style}", None, DATES, other) == "31 March 2025"


def test_saves_used_are_found_anywhere() -> None:
    """Names of values are found in texts, members and names of members; literals are none."""
    one = step("write", path="{value:a}", text=[{"{value:b}": "{number:c}{number:1.5}{slot:d}"}])
    assert saves_used(one) == {"a", "b", "c"}


READ = step("read", path="a.md")
CHOICE = slot(SlotKind.CHOICE, "a", options={"a": ("A",), "b": ("B",)})


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (plan([DATES.model_copy(update={"default": "roman"})], READ), "slot date_style"),
        (plan([NUMBERS.model_copy(update={"default": "12"})], READ), "slot number_style"),
        (plan([slot(SlotKind.FILE_NAME, "a.md", period="soon")], READ), "'soon' is no period"),
        (plan([slot(SlotKind.COLUMNS, "a||b")], READ), "without a name"),
        (plan([slot(SlotKind.CHOICE, "a", options={"a": (" ",)})], READ), "blank"),
        (plan([slot(SlotKind.CHOICE, "a")], READ), "slot choice"),
        (plan([slot(SlotKind.LINE, "a")], READ), "slot line"),
        (plan([DATES, DATES], READ), "two slots"),
        (plan([], step("dance")), r"step 1 \(dance\)"),
        (plan([], step("read")), "path is missing"),
        (plan([], step("read", path="a", colour="b")), "no argument colour"),
        (plan([], step("read", path="a", unless_known="x")), "step 1"),
        (
            plan([CHOICE], step("read", path="a", when=(Condition(slot="choice", any_of=("c",)),))),
            "'c'",
        ),
        (plan([], step("read", path="{value:n}"), step("read", path="a", save="n")), "step 1"),
        (
            plan(
                [LINE],
                step("read", path="a", save="n", unless_known="line"),
                step("write", path="a", text="{value:n}"),
            ),
            "left out where a slot is known",
        ),
    ],
)
def test_problems_of_a_plan_are_found_beforehand(made: Plan, problem: str) -> None:
    """Each way in which a plan cannot be done is told, with its place."""
    found = problems_of(made)
    assert len(found) == 1
    with pytest.raises(AssertionError, match=problem):
        raise AssertionError(found[0])


def test_a_plan_that_can_be_done_has_no_problems() -> None:
    """What every kind of slot and placeholder is for passes."""
    made = plan(
        [DATES, NUMBERS, LINE, CHOICE, slot(SlotKind.FILE_NAME, "a.md", period="2025-Q1")],
        step("query", tables=[], statement="SELECT 1", save="n", unless_known="line"),
        step("query", tables=[], statement="SELECT 2", save="n"),
        step(
            "write",
            path="{slot:file_name}",
            text="{date:2025-01-31} {number:n} {number:2} {value:n} {{}}",
            when=(Condition(slot="choice", any_of=("a", "b")),),
        ),
    )
    assert problems_of(made) == []
