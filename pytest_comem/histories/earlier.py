"""Which earlier tasks bear on a task: they touched its files, wrote lines that it changes, or show
a habit that it follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.histories.differences import added_lines, cut, removed_lines
from pytest_comem.histories.habits import date_styles, number_styles
from pytest_comem.histories.items import Habit
from pytest_comem.histories.sessions import snippets_of
from pytest_comem.histories.work import Work
from pytest_comem.streams.hidden import Relevance, RelevantTask, Test
from pytest_comem.streams.schema import Session

#: Relevant tasks that are named, the nearest, and tasks that are named for one habit.
MOST: Final = 10
_A_HABIT: Final = 2
#: Shorter lines, in characters, stand in many files and come from no one task.
_SHORTEST: Final = 12
_SNIPPET: Final = 400


@final
class Earlier:
    """What the tasks so far have touched and written."""

    def __init__(self) -> None:
        self._sessions: dict[int, tuple[str, Session]] = {}
        self._touched: dict[str, list[int]] = {}
        self._lines: dict[tuple[str, str], int] = {}

    def learn(self, work: Work, task_id: str, session: Session) -> None:
        """Take note of a task."""
        self._sessions[work.number] = (task_id, session)
        for old, new in work.renamed.items():
            self._touched.setdefault(new, []).extend(self._touched.pop(old, ()))
            moved = [key for key in self._lines if key[0] == old]
            self._lines.update({(new, line): self._lines.pop((old, line)) for _, line in moved})
        for path in (*work.changed, *work.gone):
            self._touched.setdefault(path, []).append(work.number)
        for path, (before, after) in work.texts.items():
            for line in added_lines(before, after):
                if len(line.strip()) >= _SHORTEST:
                    self._lines[path, line.strip()] = work.number

    def relevance(self, work: Work, habits: Iterable[Habit]) -> Relevance:
        """Return the earlier tasks that bear on a task, nearest first.

        :param habits: that its rubric has items of.
        """
        blamed = self._blamed(work)
        shown = dict[int, list[Habit]]()
        for habit in habits:
            for number in habit.tasks[-_A_HABIT:]:
                shown.setdefault(number, []).append(habit)
        numbers = {*blamed, *self._touching(work), *shown}
        found = [
            self._relevant(number, work, blamed.get(number, []), shown.get(number, []))
            for number in sorted(numbers, reverse=True)[:MOST]
        ]
        return Relevance(relevant=tuple(found))

    def _relevant(
        self, number: int, work: Work, lines: Sequence[str], habits: Sequence[Habit]
    ) -> RelevantTask:
        task_id, session = self._sessions[number]
        paths = [*work.changed, *work.gone, *work.renamed]
        said = [*_signs(session, habits), *snippets_of(session, paths, lines)]
        return RelevantTask(
            task_id=task_id,
            dependency="convention" if habits else "file",
            snippets=tuple(dict.fromkeys(said)),
        )

    def _touching(self, work: Work) -> Iterator[int]:
        for path in (*work.changed, *work.gone, *work.renamed):
            yield from self._touched.get(path, ())

    def _blamed(self, work: Work) -> dict[int, list[str]]:
        """Return the lines that a task takes away, by the number of the task that wrote them."""
        came = {new: old for old, new in work.renamed.items()}
        found = dict[int, list[str]]()
        for path, (before, after) in work.texts.items():
            for line in removed_lines(before, after):
                number = self._lines.get((came.get(path, path), line.strip()))
                if number is not None:
                    found.setdefault(number, []).append(line)
        return found


def _signs(session: Session, habits: Sequence[Habit]) -> Iterator[str]:
    """Yield one line of a session for each habit that it shows."""
    lines = [
        line
        for message in session.messages
        if message.role == "assistant"
        for line in message.content.splitlines()
        if line.strip()
    ]
    for habit in habits:
        sign = next((line for line in lines if _shows(habit.item.test, line)), None)
        if sign is not None:
            yield cut(sign, _SNIPPET)


def _shows(test: Test | None, line: str) -> bool:
    arguments: Mapping[str, Any] = test.arguments if test else {}
    style = str(arguments.get("style"))
    match test.kind if test else "":
        case "date_style":
            return style in date_styles(line)
        case "number_style":
            return style in number_styles(line)
        case "line":
            return line.strip() == " ".join((arguments["lead"], arguments["equal"]))
        case "headings":
            return line.lstrip("# ").strip() in arguments["include"]
        case "name":
            return line.startswith("wrote ")
        case _:
            return False
