"""Workspace and Preference Score by checks first, and by a judge model where they leave room.

The checks bound the Workspace Score: below 60 while a minimum check fails, from 60 on when all
pass, from 80 on when all reference checks pass too, and below 80 while one of them fails. Within
this range the judge places it, citing files or checks. Of preference items the judge decides those
that have no test, one call an item; what a test found stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.prompts import Prompt
from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.llm.whole_reply import whole_object
from pytest_comem.office.base import Found, Grade, Hidden
from pytest_comem.office.checks.base import matching
from pytest_comem.office.grading import RuleGrader, preference_score
from pytest_comem.office.model_judging import OfficeJudge, number_of, reason_of, schema_of
from pytest_comem.office.model_material import (
    SHOWING,
    changed_files,
    changes_text,
    checks_text,
    items_text,
    task_text,
)
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import Files, read_tree
from pytest_comem.streams.hidden import (
    MINIMUM,
    REFERENCE,
    Check,
    Level,
    PreferenceItem,
)
from pytest_comem.streams.schema import Task

#: Citations of one judgement.
MOST_CITATIONS: Final = 20
#: To be raised when scores are made of judgements in another way.
_SCORING: Final = 1
#: By how much a score stays below a mark that is not reached.
_BELOW: Final = 0.1
_BEST: Final = 100.0

_TEXT: Final = {"type": "string"}
WORKSPACE_SCHEMA: Final = schema_of(
    score={"type": "number"}, citations={"type": "array", "items": _TEXT}
)
ITEM_SCHEMA: Final = schema_of(met={"type": "boolean"}, citation=_TEXT)


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of a workspace.

    :param score: 0 to 100, as it was given.
    :param citations: paths of files and ids of checks.
    """

    score: float
    citations: tuple[str, ...]
    reason: str


@final
class ModelGrader:
    """Decides by rules and a judge model; see :class:`pytest_comem.office.base.Grader`.

    :param rules: makes the checks.
    """

    def __init__(self, rules: RuleGrader, judge: OfficeJudge) -> None:
        self._rules = rules
        self._judge = judge
        self._workspace = Prompt.load("pytest_comem.office", "office_workspace")
        self._item = Prompt.load("pytest_comem.office", "office_preference")
        #: Changes with rules, prompts, model settings, and how scores are made.
        self.version: Final = judge.version_of(
            *(rules.name, rules.version, _SCORING, SHOWING),
            *(self._workspace.version, WORKSPACE_SCHEMA, self._item.version, ITEM_SCHEMA),
        )
        self.name: Final = f"{judge.name}@{self.version}"

    def grade(self, task: Task, hidden: Hidden, candidate: Path, meter: Meter) -> Grade:
        """Grade a final workspace.

        :raises InfrastructureError: of type ``judge`` where the model gives no readable verdict.
        :raises ModelCallError: where a call failed for good.
        """
        try:
            files = read_tree(candidate)
        except UnreadableError as error:
            problem = f"grader of task {task.task_id}: {error}"
            raise InfrastructureError(problem, type="grader") from error
        found = self._rules.grade_files(hidden, files)
        work = _Work(task, hidden, files)
        low, high = band(hidden.rubric.checks, found.checks)
        said = self._judged(work, found, low, high, meter)
        items = {
            item.item_id: self._decided(work, item, found.items[item.item_id], meter)
            for item in hidden.rubric.preferences
            if item.item_id in found.items
        }
        judged = {
            "score": said.score,
            "range": [low, high],
            "by_rules": found.workspace,
            "citations": list(said.citations),
            "reason": said.reason,
        }
        return Grade(
            min(max(said.score, low), high),
            preference_score(hidden.rubric, items),
            found.checks,
            items,
            {**found.evidence, "judge": judged},
        )

    def _judged(
        self, work: _Work, found: Grade, low: float, high: float, meter: Meter
    ) -> Judgement:
        checks = work.hidden.rubric.checks
        return self._judge.ask(
            self._workspace,
            {
                "task": task_text(work.task),
                "checks": checks_text(checks, found.checks),
                "low": f"{low:g}",
                "high": f"{high:g}",
                **work.sides(),
            },
            WORKSPACE_SCHEMA,
            partial(read_judgement, {*work.files.paths(), *found.checks}),
            meter,
        )

    def _decided(self, work: _Work, item: PreferenceItem, found: Found, meter: Meter) -> Found:
        """Return what an item comes to: what its test found, else what the judge says."""
        if item.test is not None:
            return found
        met, citation, reason = self._judge.ask(
            self._item,
            {"task": task_text(work.task), "item": items_text([item]), **work.sides(item)},
            ITEM_SCHEMA,
            partial(read_item, {*work.files.paths(), *work.reference}),
            meter,
        )
        said = f"the judge {self._judge.name} on {citation}: {reason or 'no reason given'}"
        return Found(met, said, {"citation": citation})


@final
class _Work:
    """One candidate beside the reference, as text."""

    def __init__(self, task: Task, hidden: Hidden, files: Files) -> None:
        self.task = task
        self.hidden = hidden
        self.files = files
        self.candidate = changed_files(hidden.before, files)
        self.reference = changed_files(hidden.before, Files(hidden.reference))

    def sides(self, item: PreferenceItem | None = None) -> dict[str, str]:
        """Return the blocks of both sides' changes, of an item's documents where it names some."""
        return {
            "candidate": changes_text("agent", _about(item, self.candidate)),
            "reference": changes_text("reference", _about(item, self.reference)),
        }


def _about(item: PreferenceItem | None, changes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the changes of the files that an item is about; all where none of its own is there."""
    if item is None or not item.documents:
        return changes
    paths = matching(item.documents, sorted(changes))
    return {path: changes[path] for path in paths} or changes


def band(checks: Collection[Check], found: Mapping[str, Found]) -> tuple[float, float]:
    """Return the lowest and highest Workspace Score that the checks leave."""
    minimum, reference = (
        [found[one.check_id].passed is True for one in checks if one.level is level]
        for level in (Level.MINIMUM, Level.REFERENCE)
    )
    if not all(minimum):
        return 0.0, MINIMUM - _BELOW
    low = MINIMUM if minimum else 0.0
    if not all(reference):
        return low, REFERENCE - _BELOW
    return (REFERENCE if reference else low), _BEST


def read_judgement(citable: Collection[str], text: str) -> Judgement:
    """Return what a reply says of a workspace.

    :param citable: paths of the candidate's files, and ids of checks.
    :raises UnreadableReply: where it is anything else; the problem never quotes it.
    """
    members = whole_object(text)
    score = number_of(members, "score", 0, _BEST)
    given = members.get("citations")
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise UnreadableReply("citations has to be a list of texts")
    cited = tuple(dict.fromkeys(one.strip() for one in given))
    if not 1 <= len(cited) <= MOST_CITATIONS:
        raise UnreadableReply(f"citations has to name from 1 to {MOST_CITATIONS} files or checks")
    for number, one in enumerate(cited, start=1):
        if one not in citable:
            raise UnreadableReply(
                f"citation {number} is neither the path of a file that the agent left nor the id "
                "of a check"
            )
    return Judgement(score, tuple(map(printable, cited)), reason_of(members))


def read_item(citable: Collection[str], text: str) -> tuple[bool, str, str]:
    """Return whether a reply says that an item is met, the file it cites, and the reason.

    :param citable: paths of the candidate's files, and of those that the reference changes.
    :raises UnreadableReply: where it is anything else; the problem never quotes it.
    """
    members = whole_object(text)
    met, citation = members.get("met"), members.get("citation")
    if not isinstance(met, bool):
        raise UnreadableReply("met has to be true or false, without quotation marks")
    if not isinstance(citation, str) or citation.strip() not in citable:
        raise UnreadableReply("citation is not the path of a file that was shown")
    return met, printable(citation.strip()), reason_of(members)
