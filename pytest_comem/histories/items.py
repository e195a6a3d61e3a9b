"""Habits as root preferences, and as items of a task's rubric where the reference follows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, final

from pytest_comem.histories.candidates import rewritten
from pytest_comem.histories.differences import added_lines
from pytest_comem.histories.habits import (
    Habits,
    Tally,
    date_styles,
    directory_of,
    form_of,
    headings_of,
    is_document,
    is_prose,
    number_styles,
)
from pytest_comem.histories.patterns import is_named_by_habit, literal, pattern_of
from pytest_comem.histories.work import Work
from pytest_comem.office.styles import dates_in
from pytest_comem.streams.hidden import Mutation, PreferenceItem, RootPreference, Test

_LEAST_NAMES: Final = 2
_OTHER_DATES: Final = {"iso": "31.12.1999", "dotted": "1999-12-31"}


@final
@dataclass(frozen=True, slots=True)
class Habit:
    """An item that a habit comes to in a task.

    :param tasks: numbers of the tasks that have shown it, in order.
    """

    root: RootPreference
    item: PreferenceItem
    tasks: tuple[int, ...]


def habits_in(work: Work, habits: Habits) -> Iterator[Habit]:
    """Yield the habits, as known before a task, that its documents follow."""
    for path, (before, after) in work.texts.items():
        if is_document(path):
            added = added_lines(before, after)
            yield from _dates(work, path, after, added, habits)
            yield from _numbers(work, path, after, added, habits)
            yield from _lines(work, path, after, added, habits)
            yield from _new_file(work, path, after, habits)
            yield from _unchecked(path, added, habits)


def _dates(work: Work, path: str, after: str, added: list[str], habits: Habits) -> Iterator[Habit]:
    style = habits.dates.constant()
    if not style or style == "another" or set(date_styles("\n".join(added))) != {style}:
        return
    first = next(iter(dates_in("\n".join(added))))
    other = _OTHER_DATES.get(style, "1999-12-31")
    mutation = rewritten(path, after, first.text, other)
    least = sum(date.can_be(style) for date in dates_in(after))
    test = _test("date_style", {"file": pattern_of(work, path), "style": style}, mutation)
    text = f"Dates are written in the style {style}."
    if least:
        yield _habit("dates", path, text, test, habits.dates, style)


def _numbers(
    work: Work, path: str, after: str, added: list[str], habits: Habits
) -> Iterator[Habit]:
    style = habits.numbers.constant()
    if not style or set(number_styles("\n".join(added))) != {style}:
        return
    wrong = "1234567.5" if style[1] != "'" else "1,234,567.50"
    mutation = (Mutation(do="append", arguments={"path": path, "text": f"\nSum: {wrong}\n"}),)
    test = _test("number_style", {"file": pattern_of(work, path), "style": style}, mutation)
    text = f'Thousands are parted by "{style[1]}".'
    yield _habit("numbers", path, text, test, habits.numbers, style)


def _lines(work: Work, path: str, after: str, added: list[str], habits: Habits) -> Iterator[Habit]:
    for lead, tally in sorted(habits.leads.items()):
        value = tally.constant(_LEAST_NAMES)
        whole = f"{lead} {value}"
        if not value or whole not in (line.strip() for line in added):
            continue
        mutation = rewritten(path, after, whole, f"{lead} something else")
        arguments = {"file": pattern_of(work, path), "lead": lead, "equal": value}
        text = f'A line that begins with "{lead}" goes on with "{value}".'
        name = f"line-{_slug(lead)}"
        yield _habit(name, path, text, _test("line", arguments, mutation), tally, value)


def _new_file(work: Work, path: str, after: str, habits: Habits) -> Iterator[Habit]:
    if path not in work.new:
        return
    place = directory_of(path)
    for heading, tasks in habits.common_headings(place).items():
        if heading in headings_of(after):
            mutation = rewritten(path, after, heading, "Something else")
            arguments = {"file": pattern_of(work, path), "include": [heading]}
            test = _test("headings", arguments, mutation)
            text = f'A new file in {place} has the heading "{heading}".'
            root = RootPreference(preference_id=f"heading-{_slug(f'{place} {heading}')}", text=text)
            yield Habit(root, _item(root, path, test), tuple(tasks))
    form = habits.names[place].constant(_LEAST_NAMES) if place in habits.names else ""
    if form and form == form_of(path) and is_named_by_habit(work, path):
        if pattern_of(work, path) == literal(path):
            return
        other = str(PurePosixPath(path).with_name(f"untitled{PurePosixPath(path).suffix}"))
        mutation = (Mutation(do="move", arguments={"path": path, "to": other}),)
        arguments = {"file": pattern_of(work, path), "equal": path}
        text = f"A new file in {place} is called as those before it: {form}."
        test = _test("name", arguments, mutation)
        yield _habit(f"names-{_slug(place)}", path, text, test, habits.names[place], form)


def _unchecked(path: str, added: list[str], habits: Habits) -> Iterator[Habit]:
    """Yield habits that only a judge can decide on."""
    mark = habits.bullets.constant()
    own = {line.lstrip()[:2].strip() for line in added if line.lstrip()[:2] in ("- ", "* ", "+ ")}
    if mark and own == {mark}:
        text = f'Items of lists begin with "{mark}".'
        yield _habit("bullets", path, text, None, habits.bullets, mark)
    width = habits.width()
    prose = [line for line in added if is_prose(line)]
    if width and prose and max(map(len, prose)) <= width:
        text = f"Lines of text have at most {width} characters."
        root = RootPreference(preference_id=f"width-{width}", text=text)
        yield Habit(root, _item(root, path, None), ())


def _habit(name: str, path: str, text: str, test: Test | None, tally: Tally, value: str) -> Habit:
    root = RootPreference(preference_id=name, text=text)
    return Habit(root, _item(root, path, test), tuple(tally.tasks[value]))


def _item(root: RootPreference, path: str, test: Test | None) -> PreferenceItem:
    return PreferenceItem(
        item_id="draft",
        root=root.preference_id,
        text=root.text,
        documents=(literal(path),),
        test=test,
    )


def _test(kind: str, arguments: Mapping[str, Any], mutation: tuple[Mutation, ...]) -> Test:
    return Test(kind=kind, arguments=dict(arguments), mutation=mutation)


def _slug(text: str) -> str:
    plain = "".join(one if one.isascii() and one.isalnum() else "-" for one in text.lower())
    return "-".join(part for part in plain.split("-") if part)[:60] or "top"
