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
    The plan with its defaults scores less than that in something. Both only where the stream has
    plans at all: one that is made of somebody's history has none.
hidden
    No text of the hidden side stands in what an agent is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import BenchmarkDefect, DataError
from pytest_comem.office.base import Grade, Hidden
from pytest_comem.office.checks.registry import problem_of
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.leaks import leaks
from pytest_comem.office.operations import OPERATIONS, Operation
from pytest_comem.office.trials import Trials, told
from pytest_comem.office.workbench import BenchSettings
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import MINIMUM, REFERENCE, Check, PreferenceItem, Test
from pytest_comem.streams.hidden_files import load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_stream, stream_directories
from pytest_comem.streams.schema import Workspace
from pytest_comem.streams.workspaces import contents

_ALL: Final = 100.0
#: Mutations that are tried side by side.
_AT_ONCE: Final = 4


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
            yield Certificate(f"{stream.id}/{task.id}", _held(certifier, stream, task))


def _held(certifier: _Certifier, stream: Stream, task: StreamTask) -> tuple[Condition, ...]:
    """Return a task's conditions, up to where its material cannot be evaluated."""
    found: list[Condition] = []
    try:
        found.extend(certifier.conditions(stream, task))
    except BenchmarkDefect as error:
        found.append(Condition("material", "files, plan, rubric", (str(error),)))
    return tuple(found)


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
        yield Condition("hidden", "task, plan", tuple(leaks(task, known)))
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
        bench = Trials(self.settings, stream, task)
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
        bench: Trials,
        reference: Workspace,
        hidden: Hidden,
        best: Grade,
        tests: Mapping[str, Test],
    ) -> Iterator[str]:
        """Yield which mutations do not turn exactly their own test around."""
        names = [name for name in _outcomes(best) if tests[name].mutation]
        with ThreadPoolExecutor(_AT_ONCE, "comem-certify") as pool:
            work = [
                pool.submit(self._mutation, bench, reference, hidden, best, name, tests[name])
                for name in names
            ]
            for one in work:
                yield from one.result()

    def _mutation(
        self,
        bench: Trials,
        reference: Workspace,
        hidden: Hidden,
        best: Grade,
        name: str,
        test: Test,
    ) -> list[str]:
        operations = [Operation(one.do, one.arguments) for one in test.mutation]
        files, refused = bench.after(reference, operations)
        if refused:
            return [f"{name}: its mutation cannot be done: {refused}"]
        found, right = self.grader.grade_files(hidden, files), _outcomes(best)
        turned = [each for each, passed in _outcomes(found).items() if passed != right[each]]
        problems = []
        if name not in turned:
            problems = [f"{name}: its mutation does not turn it around ({_reason(found, name)})"]
        for other in turned:
            if other != name:
                why = _reason(found, other)
                problems.append(f"{name}: its mutation turns {other} around, too ({why})")
        return problems

    def _plans(self, bench: Trials, hidden: Hidden) -> Iterator[Condition]:
        plan = bench.task.plan
        if plan is None:
            if any(one.plan is not None for one in bench.stream.tasks):
                yield Condition("informed", "the plan", ("there is no plan.json",))
            return
        grades = []
        for one in (told(plan, hidden.rubric.choices), plan):
            files, failed = bench.played(one)
            grades.append((self.grader.grade_files(hidden, files), failed))
        (informed, failed), (plain, _) = grades
        problems = [*(f"a step fails: {each}" for each in failed), *_short_of_right(informed)]
        yield Condition("informed", _scores(informed), tuple(problems))
        less = plain.workspace < informed.workspace or _preference(plain) < _preference(informed)
        problem = "the plan with its defaults is as good as with the right choices"
        yield Condition("uninformed", _scores(plain), () if less else (problem,))


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


def _reason(grade: Grade, name: str) -> str:
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
