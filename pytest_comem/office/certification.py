"""Whether a scored task may count: its rubric decides what it says, and experience matters.

Of each scored task of a stream these conditions are held:

rubric
    All records are right, every check and item that is decided without a judge is of a known kind
    with right arguments, and has a mutation.
reference
    The reference workspace scores 80 or more, and passes every preference item that applies.
initial
    The workspace before the task scores below 60.
mutations
    Each test's mutation, applied to the reference, turns the result of exactly this test around,
    and of no other. (A ``better`` check that the reference does not pass is turned into a pass.)
informed
    The plan with the right choices scores 80 or more, and passes every preference item.
uninformed
    The plan with its defaults scores less than that in something.
hidden
    No text of the hidden side stands in what an agent is shown.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import DataError
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Grade, Hidden, Shown
from pytest_comem.office.checks.base import shown
from pytest_comem.office.checks.registry import problem_of
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.office.operations import OPERATIONS, Operation
from pytest_comem.office.workbench import BenchSettings, SandboxBench, open_bench
from pytest_comem.records.canonical import texts_of
from pytest_comem.sandbox.tree import Files, read_tree
from pytest_comem.streams.hidden import MINIMUM, REFERENCE, Check, PreferenceItem, Test
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_stream, stream_directories
from pytest_comem.streams.plans import Plan, SlotKind
from pytest_comem.streams.schema import Workspace
from pytest_comem.streams.workspaces import contents, lay_out

#: Shorter hidden texts may stand in a task by chance.
SHORTEST_HIDDEN: Final = 12
_ALL: Final = 100.0


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a certificate.

    :param detail: what was looked at.
    :param problems: everything that is wrong; none where it is met.
    """

    name: str
    detail: str
    problems: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """The conditions of one scored task, or of a stream that could not be read.

    :param name: participant and task, such as ``ada/t07``.
    """

    name: str
    conditions: tuple[Condition, ...]

    @property
    def granted(self) -> bool:
        """Whether every condition is met."""
        return all(one.met for one in self.conditions)


def certify(root: Path, sandbox: str = "auto") -> tuple[Certificate, ...]:
    """Return what :func:`certificates` yields."""
    return tuple(certificates(root, sandbox))


def certificates(root: Path, sandbox: str = "auto") -> Iterator[Certificate]:
    """Yield the certificate of every scored task of the streams of a directory, or of one stream.

    :param sandbox: kind of sandbox that mutations, plans and commands of checks run in.
    :raises DataError: where there is no stream.
    :raises SettingsError: where the kind of sandbox does not work here.
    :raises InfrastructureError: where a sandbox broke.
    """
    certifier = _Certifier(RuleGrader(sandbox), BenchSettings(sandbox))
    for directory in stream_directories(root):
        try:
            stream = load_stream(directory, OPERATIONS)
        except DataError as error:
            yield Certificate(directory.absolute().name, (_unreadable(error),))
            continue
        if not stream.targets:
            problem = ("none of its tasks is scored",)
            yield Certificate(stream.id, (Condition("rubric", "scored tasks", problem),))
        for task in stream.targets:
            yield Certificate(f"{stream.id}/{task.id}", tuple(certifier.conditions(stream, task)))


def _unreadable(error: DataError) -> Condition:
    return Condition("rubric", "files", (str(error),))


@final
@dataclass(frozen=True, slots=True)
class _Certifier:
    """Holds tasks against the conditions."""

    grader: RuleGrader
    settings: BenchSettings

    def conditions(self, stream: Stream, task: StreamTask) -> Iterator[Condition]:
        """Yield the conditions of one task; those after a broken rubric are not looked at."""
        try:
            known = load_hidden(stream, task, OPERATIONS)
        except DataError as error:
            yield _unreadable(error)
            return
        rubric = known.rubric
        tests = dict(_tests(rubric.checks, rubric.preferences))
        problems = tuple(_test_problems(tests))
        yield Condition("rubric", f"{len(tests)} tests", problems)
        yield Condition("hidden", "task, plan", tuple(_leaks(task, known)))
        if any(problem_of(test) for test in tests.values()) or task.workspace is None:
            return
        hidden = Hidden(
            rubric,
            known.relevance,
            before=contents(stream, task.workspace),
            reference=contents(stream, known.reference),
        )
        best = self.grader.grade_files(hidden, Files(hidden.reference))
        yield Condition("reference", _scores(best), tuple(_short_of_right(best)))
        yield self._initial(hidden)
        bench = _Benches(self.settings, stream, task)
        yield Condition(
            "mutations",
            f"{sum(bool(test.mutation) for test in tests.values())} on the reference",
            tuple(self._mutations(bench, known.reference, hidden, best, tests)),
        )
        yield from self._plans(bench, hidden)

    def _initial(self, hidden: Hidden) -> Condition:
        found = self.grader.grade_files(hidden, Files(hidden.before))
        problem = (f"the workspace before the task has a Workspace Score of {found.workspace:.0f}",)
        low = found.workspace < MINIMUM
        return Condition("initial", _scores(found), () if low else problem)

    def _mutations(
        self,
        bench: _Benches,
        reference: Workspace,
        hidden: Hidden,
        best: Grade,
        tests: Mapping[str, Test],
    ) -> Iterator[str]:
        """Yield which mutations do not turn exactly their own test around."""
        right = _outcomes(best)
        for name, test in tests.items():
            if not test.mutation or name not in right:
                continue
            files, refused = bench.after(
                reference, [Operation(one.do, one.arguments) for one in test.mutation]
            )
            if refused:
                yield f"{name}: its mutation cannot be done: {refused}"
                continue
            found = self.grader.grade_files(hidden, files)
            turned = [each for each, passed in _outcomes(found).items() if passed != right[each]]
            if name not in turned:
                said = shown(_found(found, name))
                yield f"{name}: its mutation changes nothing that it sees ({said})"
            for other in turned:
                if other != name:
                    said = shown(_found(found, other))
                    yield f"{name}: its mutation turns {other} around, too ({said})"

    def _plans(self, bench: _Benches, hidden: Hidden) -> Iterator[Condition]:
        plan = bench.task.plan
        if plan is None:
            yield Condition("informed", "the plan", ("there is no plan.json",))
            return
        grades = []
        for one in (_told(plan, hidden.rubric.choices), plan):
            files, failed = bench.played(one)
            grades.append((self.grader.grade_files(hidden, files), failed))
        (informed, failed), (plain, _) = grades
        problems = [*(f"a step fails: {each}" for each in failed), *_short_of_right(informed)]
        yield Condition("informed", _scores(informed), tuple(problems))
        less = plain.workspace < informed.workspace or _preference(plain) < _preference(informed)
        problem = "the plan with its defaults is as good as with the right choices"
        yield Condition("uninformed", _scores(plain), () if less else (problem,))


@final
@dataclass(frozen=True, slots=True)
class _Benches:
    """Sandboxes for one task."""

    settings: BenchSettings
    stream: Stream
    task: StreamTask

    def after(self, start: Workspace, operations: Iterable[Operation]) -> tuple[Files, str]:
        """Return the files after operations, and what could not be done."""
        with tempfile.TemporaryDirectory(prefix="comem-certify-") as place:
            with self._opened(start, Path(place)) as bench:
                results = bench.do_all(list(operations))
            refused = next((one.text for one in results if not one.ok), "")
            return read_tree(bench.workspace), shown(refused)

    def played(self, plan: Plan) -> tuple[Files, list[str]]:
        """Return the files after a plan, nothing recalled, and the steps that failed."""
        assert self.task.workspace is not None
        what = Shown(self.stream.participant, self.task.task, plan=plan)
        with tempfile.TemporaryDirectory(prefix="comem-certify-") as place:
            with self._opened(self.task.workspace, Path(place)) as bench:
                done = OfflineAgent().work(what, bench, Meter("certify"))
            failed = [f"{shown(one.text)}: {shown(one.said)}" for one in done.calls if not one.ok]
            return read_tree(bench.workspace), failed

    def _opened(self, start: Workspace, place: Path) -> AbstractContextManager[SandboxBench]:
        return open_bench(
            self.settings,
            self.task.task,
            lambda workspace: lay_out(self.stream, start, workspace),
            place,
            f"{self.stream.id}/{self.task.id}",
        )


def _tests(
    checks: Iterable[Check], preferences: Iterable[PreferenceItem]
) -> Iterator[tuple[str, Test]]:
    for check in checks:
        yield f"check {check.check_id}", check
    for item in preferences:
        if item.test is not None:
            yield f"item {item.item_id}", item.test


def _test_problems(tests: Mapping[str, Test]) -> Iterator[str]:
    for name, test in tests.items():
        if problem := problem_of(test):
            yield f"{name}: {problem}"
        if not test.mutation:
            yield f"{name}: has no mutation, so that nothing shows what it catches"


def _outcomes(grade: Grade) -> dict[str, bool]:
    """Return what was decided, by the names of :func:`_tests`."""
    found = {f"check {name}": one.passed for name, one in grade.checks.items()}
    found |= {f"item {name}": one.passed for name, one in grade.items.items()}
    return {name: passed for name, passed in found.items() if passed is not None}


def _found(grade: Grade, name: str) -> str:
    kind, _, own = name.partition(" ")
    return (grade.checks if kind == "check" else grade.items)[own].reason


def _short_of_right(grade: Grade) -> Iterator[str]:
    if grade.workspace < REFERENCE:
        yield f"a Workspace Score of {grade.workspace:.0f}, below {REFERENCE:.0f}"
        for name, one in grade.checks.items():
            if not one.passed:
                yield f"check {name}: {one.reason}"
    for name, one in grade.items.items():
        if one.passed is False:
            yield f"item {name}: {one.reason}"


def _preference(grade: Grade) -> float:
    return _ALL if grade.preference is None else grade.preference


def _scores(grade: Grade) -> str:
    preference = "none" if grade.preference is None else f"{grade.preference:.0f}"
    return f"Workspace {grade.workspace:.0f}, Preference {preference}"


def _told(plan: Plan, choices: Mapping[str, str]) -> Plan:
    """Return a plan whose defaults are the right values."""
    slots = [
        slot.model_copy(update={"default": choices.get(slot.name, slot.default)})
        for slot in plan.slots
    ]
    return plan.model_copy(update={"slots": tuple(slots)})


def _leaks(task: StreamTask, known: HiddenTask) -> Iterator[str]:
    """Yield hidden texts that stand in ``task.json`` or ``plan.json``."""
    open_files = {"task.json": task.task, "plan.json": task.plan}
    secrets = {
        **{f"the text of check {one.check_id}": one.text for one in known.rubric.checks},
        **{f"the text of item {one.item_id}": one.text for one in known.rubric.preferences},
        **{
            f"root preference {one.preference_id}": one.text
            for one in known.preferences.preferences
        },
        **dict(_choices(task, known)),
    }
    for file, record in open_files.items():
        if record is None:
            continue
        texts = list(texts_of(record.model_dump(mode="json")))
        for name, secret in secrets.items():
            if len(secret) >= SHORTEST_HIDDEN and any(secret in text for text in texts):
                yield f"{file}: shows {name}, {shown(secret)!r}"


def _choices(task: StreamTask, known: HiddenTask) -> Iterator[tuple[str, str]]:
    """Yield the right values that a plan has no reason to hold: those that are no option of it."""
    for slot in task.plan.slots if task.plan else ():
        value = known.rubric.choices.get(slot.name, "")
        if slot.kind is not SlotKind.CHOICE and value != slot.default:
            yield f"the right value of slot {slot.name}", value
