"""Rubrics by construction: of the candidates, those are kept that decide what they say.

A test is kept where the reference passes it, its own mutation makes it fail, that mutation turns no
other test of the rubric around, and no other's mutation turns it around. A check of the minimum
must also fail in the workspace before the task. So every drafted rubric certifies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.histories.candidates import minimum_checks, reference_checks
from pytest_comem.histories.drafting import Draft
from pytest_comem.histories.items import Habit
from pytest_comem.histories.work import Work
from pytest_comem.office.checks.base import CommandRan, Scene
from pytest_comem.office.checks.registry import decide, problem_of
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import Check, Level, Mutation, PreferenceItem, Rubric, Test

#: Checks of the minimum, one a file, and of the reference, a few a file.
_MOST_MINIMUM: Final = 8
_MOST_REFERENCE: Final = 12
_A_FILE: Final = 3
_MOST_ITEMS: Final = 20
#: Candidates that are tried out for one task.
_MOST_TRIED: Final = 300


def rubric_of(work: Work, draft: Draft, habits: Iterable[Habit]) -> Rubric | None:
    """Return a task's rubric; ``None`` where nothing shows that the task was done."""
    trials = _Trials(work)
    minimum = _kept(trials, minimum_checks(work, draft), _MOST_MINIMUM, 1)
    if not minimum:
        return None
    # Before the checks of the reference, so that no line of it is asked for that a habit decides.
    items = list[PreferenceItem]()
    for habit in habits:
        item = habit.item
        known = {(one.root, one.documents) for one in items}
        if len(items) >= _MOST_ITEMS or (item.root, item.documents) in known:
            continue
        if item.test is None or trials.takes(item.test, minimum=False):
            number = sum(one.root == item.root for one in items) + 1
            name = item.root if number == 1 else f"{item.root}-{number}"
            items.append(item.model_copy(update={"item_id": name}))
    reference = _kept(trials, reference_checks(work), _MOST_REFERENCE, _A_FILE)
    checks = [*_numbered("m", minimum), *_numbered("r", reference)]
    return Rubric(checks=tuple(checks), preferences=tuple(items))


def _numbered(letter: str, checks: Sequence[Check]) -> list[Check]:
    return [
        check.model_copy(update={"check_id": f"{letter}{number}"})
        for number, check in enumerate(checks, 1)
    ]


def _kept(trials: _Trials, candidates: Iterable[Check], most: int, a_file: int) -> list[Check]:
    """Return the candidates that are kept, at most some for the same file and kind of check."""
    found: list[Check] = []
    counts: dict[str, int] = {}
    for number, check in enumerate(candidates):
        # Words that are gone are counted apart from those that are there.
        about = f"{check.arguments['file']} {'none' in check.arguments}"
        if len(found) >= most or number >= _MOST_TRIED:
            break
        if counts.get(about, 0) < a_file and trials.takes(check, check.level is Level.MINIMUM):
            found.append(check)
            counts[about] = counts.get(about, 0) + 1
    return found


@final
class _Trials:
    """The tests of a rubric so far, each with the workspace that its mutation leaves."""

    def __init__(self, work: Work) -> None:
        self._before = Files(work.before)
        self._reference = Scene(self._before, Files(work.after), _no_command)
        self._initial = Scene(self._before, self._before, _no_command)
        self._kept: list[tuple[Test, Scene]] = []

    def takes(self, test: Test, minimum: bool) -> bool:
        """Keep a test that goes with the others, and return whether it does."""
        if problem_of(test) or not _passes(test, self._reference):
            return False
        if minimum and _passes(test, self._initial):
            return False
        files = mutated(self._reference.after.content, test.mutation)
        if files is None:
            return False
        scene = Scene(self._before, Files(files), _no_command)
        if _passes(test, scene) or not all(_passes(other, scene) for other, _ in self._kept):
            return False
        if not all(_passes(test, others) for _, others in self._kept):
            return False
        self._kept.append((test, scene))
        return True


def mutated(files: Mapping[str, bytes], mutation: Sequence[Mutation]) -> dict[str, bytes] | None:
    """Return files after operations, as a sandbox would do them; ``None`` where one is refused."""
    found = dict(files)
    for one in mutation:
        path, text = str(one.arguments["path"]), str(one.arguments.get("text", ""))
        if one.do == "write":
            found[path] = text.encode("utf-8")
        elif path not in found:
            return None
        elif one.do == "append":
            found[path] += text.encode("utf-8")
        elif one.do == "delete":
            del found[path]
        elif one.do == "move":
            to = str(one.arguments["to"])
            if to in found:
                return None
            found[to] = found.pop(path)
        elif one.do == "edit":
            old, new = (str(one.arguments[name]).encode("utf-8") for name in ("old", "new"))
            if found[path].count(old) != 1:
                return None
            found[path] = found[path].replace(old, new)
        else:
            raise ValueError(f"no operation {one.do!r} is drafted")
    return found


def _passes(test: Test, scene: Scene) -> bool:
    return decide(test, scene).passed is True


def _no_command(files: Files, command: str, add: Mapping[str, str], seconds: float) -> CommandRan:
    raise BenchmarkDefect("a drafted rubric runs no command")
