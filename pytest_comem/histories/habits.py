"""What a participant always did in earlier edits, as far as it shows: drafts of root preferences.

A habit is what at least three earlier edits show and none contradicts. It becomes an item of a
task's rubric where the reference follows it (:mod:`pytest_comem.histories.items`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, final

from pytest_comem.histories.differences import added_lines
from pytest_comem.histories.work import Work
from pytest_comem.office.styles import dates_in, numbers_in

#: Showings that make a habit, and tasks that they come from.
LEAST: Final = 3
LEAST_TASKS: Final = 2
DOCUMENTS: Final = (".md", ".markdown", ".rst", ".txt", ".adoc", ".org", "")
#: Styles of dates that a check knows.
STYLES: Final = ("iso", "slash", "us", "dotted", "long")
_LEAD: Final = re.compile(r"^(?P<lead>[A-Z][A-Za-z ]{1,30}:) (?P<rest>\S.{0,120})$")
_BULLET: Final = re.compile(r"^\s{0,8}(?P<mark>[-*+]) \S")
_HEADING: Final = re.compile(r"^#{1,6} (?P<text>\S.{0,150})$")
_PERIOD: Final = re.compile(r"\d{4}(?:-\d{2}){0,2}")
_WIDTHS: Final = (72, 80, 100, 120)
_LONG_LINES: Final = 20


@final
@dataclass(slots=True)
class Tally:
    """What was seen of one thing: each value, with how often and in which tasks."""

    counts: Counter[str] = field(default_factory=Counter)
    tasks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def saw(self, value: str, task: int, times: int = 1) -> None:
        """Take note of a value."""
        self.counts[value] += times
        if task not in self.tasks[value]:
            self.tasks[value].append(task)

    def constant(self, least: int = LEAST) -> str:
        """Return the one value that was ever seen, often enough; empty where there is none."""
        if len(self.counts) != 1:
            return ""
        ((value, times),) = self.counts.items()
        return value if times >= least and len(self.tasks[value]) >= LEAST_TASKS else ""


@final
class Habits:
    """The habits that tasks so far have shown.

    :ivar dates: styles of dates in added lines.
    :ivar numbers: styles of numbers with a mark between thousands.
    :ivar bullets: marks of list items.
    :ivar width: narrowest usual width that added prose keeps to, as text.
    :ivar leads: what follows on lines such as ``Status: draft``, by their lead.
    :ivar headings: headings of new files, by their directory and heading.
    :ivar names: form of the names of new files, by their directory.
    """

    def __init__(self) -> None:
        self.dates = Tally()
        self.numbers = Tally()
        self.bullets = Tally()
        self.widths = Counter[int]()
        self.lines = 0
        self.leads: dict[str, Tally] = defaultdict(Tally)
        self.new_files: dict[str, list[int]] = defaultdict(list)
        self.headings: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.names: dict[str, Tally] = defaultdict(Tally)

    def learn(self, work: Work) -> None:
        """Take note of what a task's edits show."""
        for path, (before, after) in work.texts.items():
            if not is_document(path):
                continue
            added = added_lines(before, after)
            self._learn_lines(added, work.number)
            if path in work.new:
                place = directory_of(path)
                self.new_files[place].append(work.number)
                self.names[place].saw(form_of(path), work.number)
                for heading in headings_of(after):
                    self.headings[place, heading].append(work.number)

    def width(self) -> int:
        """Return the usual width that all prose so far keeps to; 0 where there is none."""
        if self.lines < _LONG_LINES:
            return 0
        longest = max(self.widths)
        return next((one for one in _WIDTHS if longest <= one), 0)

    def common_headings(self, place: str) -> Mapping[str, list[int]]:
        """Return the headings that every new file of a directory has had, with their tasks."""
        total = len(self.new_files.get(place, ()))
        if total < LEAST_TASKS:
            return {}
        return {
            heading: tasks
            for (where, heading), tasks in sorted(self.headings.items())
            if where == place and len(tasks) == total
        }

    def _learn_lines(self, added: list[str], task: int) -> None:
        for style in date_styles("\n".join(added)):
            self.dates.saw(style, task)
        for style in number_styles("\n".join(added)):
            self.numbers.saw(style, task)
        for line in added:
            bullet, lead = _BULLET.match(line), _LEAD.match(line)
            if bullet:
                self.bullets.saw(bullet["mark"], task)
            if lead:
                self.leads[lead["lead"]].saw(lead["rest"].strip(), task)
            if is_prose(line):
                self.lines += 1
                self.widths[len(line)] += 1


def is_document(path: str) -> bool:
    """Whether a file is one that people read."""
    return PurePosixPath(path).suffix.lower() in DOCUMENTS


def is_prose(line: str) -> bool:
    """Whether a line is text that could be broken: no table, no heading, no address."""
    return (
        bool(line.strip()) and not line.lstrip().startswith(("|", "#", "[")) and "://" not in line
    )


def directory_of(path: str) -> str:
    """Return the directory that a file lies in; ``.`` at the top."""
    return str(PurePosixPath(path).parent)


def form_of(path: str) -> str:
    """Return the form of a file's name: where its date stands, how its words are joined."""
    name = PurePosixPath(path)
    stem, periods = _PERIOD.subn("PERIOD", name.stem)
    rest = stem.replace("PERIOD", "")
    joined = "_" if "_" in rest else "-" if "-" in rest.strip("-") else "one word"
    case = "lower" if rest == rest.lower() else "mixed"
    place = (
        "first" if stem.startswith("PERIOD") else "last" if stem.endswith("PERIOD") else "inside"
    )
    dated = f"period {place}" if periods else "no period"
    return f"{dated}, {joined}, {case}, {name.suffix}"


def headings_of(text: str) -> list[str]:
    """Return the texts of a Markdown file's headings but the first, each once."""
    found = [match["text"].strip() for line in text.splitlines() if (match := _HEADING.match(line))]
    return list(dict.fromkeys(found[1:]))


def date_styles(text: str) -> Iterator[str]:
    """Yield the style of each date whose style is beyond doubt."""
    for date in dates_in(text):
        if len(date.styles) == 1:
            yield date.styles[0] if date.styles[0] in STYLES else "another"


def number_styles(text: str) -> Iterator[str]:
    """Yield the mark between thousands of each number that has one, as a style."""
    for number in numbers_in(text):
        styles = {style for style, _ in number.readings if len(style) > 2 and style[1] in ",.' "}
        if styles and not number.text[:1].isspace():
            mark = {style[1] for style in styles}
            if len(mark) == 1 and number.text.lstrip("+-").count(next(iter(mark))):
                yield f"1{next(iter(mark))}235"
