"""What a final workspace is worth by rules alone: Workspace and Preference Score of the paper.

Workspace Score, 0 to 100: while a minimum check fails, 60 times the share of minimum checks that
pass, and so below 60; with all of them, 60 and up to 20 for the share of reference checks; with all
of those too, 80 and up to 20 for the share of better checks.

Preference Score, 0 to 100: the weight of the items that pass, of all that apply and can be decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Found, Grade, Hidden
from pytest_comem.office.checks.base import Runs, Scene, matching
from pytest_comem.office.checks.registry import decide
from pytest_comem.office.checks.running import CommandRunner
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import Files, read_tree
from pytest_comem.streams.hidden import (
    MINIMUM,
    REFERENCE,
    Check,
    Level,
    PreferenceItem,
    Rubric,
)
from pytest_comem.streams.schema import Task

RULES_NAME: Final = "rules"
RULES_VERSION: Final = "1"
_BEST: Final = 100.0


@final
class RuleGrader:
    """Decides by the rubric's tests; see :class:`pytest_comem.office.base.Grader`.

    Items that only a judge can decide are found undecided, and count neither way.

    :param sandbox: kind of sandbox that checks run commands in, or ``auto``.
    :raises SettingsError: where it does not work here.
    """

    name: Final = RULES_NAME
    version: Final = RULES_VERSION

    def __init__(self, sandbox: str = "auto") -> None:
        self._run = CommandRunner(sandbox)

    def grade(self, task: Task, hidden: Hidden, candidate: Path, meter: Meter) -> Grade:
        """Grade a final workspace."""
        try:
            files = read_tree(candidate)
        except UnreadableError as error:
            problem = f"grader of task {task.task_id}: {error}"
            raise InfrastructureError(problem, type="grader") from error
        return self.grade_files(hidden, files)

    def grade_files(self, hidden: Hidden, files: Files) -> Grade:
        """Grade files that were read before."""
        return grade_files(hidden, files, self._run)


def grade_files(hidden: Hidden, files: Files, run: Runs) -> Grade:
    """Return what the rules find.

    :param run: runs the commands of checks.
    :raises BenchmarkDefect: where a test of the rubric is wrong.
    :raises InfrastructureError: where a command's sandbox broke.
    """
    scene = Scene(Files(hidden.before), files, run)
    rubric = hidden.rubric
    checks = {one.check_id: decide(one, scene) for one in rubric.checks}
    items = {
        item.item_id: _item(item, scene)
        for item in rubric.preferences
        if applicable(item, hidden.before, hidden.reference)
    }
    return Grade(
        workspace_score(rubric.checks, checks),
        preference_score(rubric, items),
        checks,
        items,
        {"changed": scene.changed[:50]},
    )


def _item(item: PreferenceItem, scene: Scene) -> Found:
    if item.test is None:
        return Found(None, "only a judge can decide it, and there is none")
    return decide(item.test, scene)


def applicable(
    item: PreferenceItem, before: Mapping[str, bytes], reference: Mapping[str, bytes]
) -> bool:
    """Return whether an item applies: the reference adds, changes or removes a file it is about."""
    if not item.documents:
        return True
    touched = [
        path for path in sorted({*before, *reference}) if before.get(path) != reference.get(path)
    ]
    return bool(matching(item.documents, touched))


def workspace_score(checks: Iterable[Check], found: Mapping[str, Found]) -> float:
    """Return the Workspace Score, 0 to 100; a level without checks is reached."""
    every = list(checks)
    minimum, reference, better = (
        _share([found[one.check_id] for one in every if one.level is level])
        for level in (Level.MINIMUM, Level.REFERENCE, Level.BETTER)
    )
    if minimum is not None and minimum < 1:
        return MINIMUM * minimum
    if reference is not None and reference < 1:
        return MINIMUM + (REFERENCE - MINIMUM) * reference
    return REFERENCE + (_BEST - REFERENCE) * (better or 0.0)


def _share(found: list[Found]) -> float | None:
    return sum(one.passed is True for one in found) / len(found) if found else None


def preference_score(rubric: Rubric, found: Mapping[str, Found]) -> float | None:
    """Return the Preference Score, 0 to 100; ``None`` where nothing applies or is decided.

    :param found: of the items that apply, by id.
    """
    weights = {item.item_id: item.weight for item in rubric.preferences}
    decided = {name: one.passed for name, one in found.items() if one.passed is not None}
    total = sum(weights[name] for name in decided)
    if not total:
        return None
    return _BEST * sum(weights[name] for name, good in decided.items() if good) / total
