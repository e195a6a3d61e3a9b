"""The seams of an office task: what an agent is shown, what it works on, what it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, final

from pytest_comem.llm.meter import Meter
from pytest_comem.office.operations import CallClass, Operation, Result
from pytest_comem.streams.hidden import Relevance, Rubric
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Participant, Task

#: Why an agent's work came to an end: by itself, or because a limit was reached.
Stopped: TypeAlias = Literal["finished", "steps", "time", "tokens", "unreadable", "limit"]


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """All that an agent gets.

    :param passages: what a memory system recalled, in its order; none without recall. Nothing else
        differs between the two runs of a task.
    :param plan: for the offline agent alone; ``None`` where the stream has none.
    """

    participant: Participant
    task: Task
    passages: tuple[str, ...] = ()
    plan: Plan | None = None


@final
@dataclass(frozen=True, slots=True)
class Call:
    """One operation that an agent did.

    :param text: the operation in words (:func:`pytest_comem.streams.traces.said_of`).
    :param ok: whether it was done.
    :param said: what came back, clipped.
    """

    operation: str
    call_class: CallClass
    text: str
    ok: bool
    said: str = ""


@final
@dataclass(frozen=True, slots=True)
class Followed:
    """A habit that an agent took from what was recalled.

    :param value: that it filled the slot with.
    :param passage: 0-based place of the passage in what was shown.
    """

    slot: str
    value: str
    passage: int


@final
@dataclass(frozen=True, slots=True)
class Trajectory:
    """What an agent did.

    :param reply: its last words; they are never graded.
    :param followed: by the offline agent alone.
    :param known: what recalled passages would have filled, by slot, in the order of preference:
        values that could have been taken, the one taken first.
    :param tokens: of the model, or words where none was called.
    """

    calls: tuple[Call, ...] = ()
    reply: str = ""
    stopped: Stopped = "finished"
    followed: tuple[Followed, ...] = ()
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tokens: int = 0


class Workbench(Protocol):
    """One task's workspace in its sandbox, and the record of what is done there.

    :ivar workspace: on the host.
    """

    workspace: Path

    def do(self, operation: Operation) -> Result:
        """Do an operation and record it.

        :raises InfrastructureError: where sandbox or tools broke; never for what an operation does
            not take, which is a result that is not ok.
        """

    def do_all(self, operations: Sequence[Operation]) -> Sequence[Result]:
        """Do operations in order, whatever comes of each, and record them; quicker than one by one.

        :raises InfrastructureError: as :meth:`do`.
        """

    def calls(self) -> Sequence[Call]:
        """Return what was done so far, in order."""


class OfficeAgent(Protocol):
    """Who does tasks; one serves all, from any thread."""

    @property
    def name(self) -> str:
        """Name, as the user gave it."""

    @property
    def version(self) -> str:
        """Changes whenever the same task may be done in another way."""

    def missing(self, shown: Shown) -> str | None:
        """Return why this agent cannot do a task at all, such as for want of a plan."""

    def work(self, shown: Shown, bench: Workbench, meter: Meter) -> Trajectory:
        """Do a task in its workspace.

        :raises InfrastructureError: where a model, sandbox or tool broke; never for bad work.
        """


@final
@dataclass(frozen=True, slots=True)
class Hidden:
    """What a grader knows of a task and nobody else.

    :param before: the canonical workspace before, and
    :param reference: after it: content by path.
    """

    rubric: Rubric
    relevance: Relevance
    before: Mapping[str, bytes]
    reference: Mapping[str, bytes]


@final
@dataclass(frozen=True, slots=True)
class Found:
    """What one check or preference item came to.

    :param passed: ``None`` where it needs a judge and there is none.
    :param reason: a clause for people, citing file and place.
    """

    passed: bool | None
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Grade:
    """What a final workspace is worth.

    :param workspace: Workspace Score, 0 to 100.
    :param preference: Preference Score, 0 to 100; ``None`` where no item applies or is decidable.
    :param checks: by id.
    :param items: by id, those that apply.
    """

    workspace: float
    preference: float | None
    checks: Mapping[str, Found]
    items: Mapping[str, Found]
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Grader(Protocol):
    """What decides on final workspaces."""

    @property
    def name(self) -> str:
        """Name, of the judge, ``rules`` without a model."""

    @property
    def version(self) -> str:
        """Changes whenever the same workspace may be graded in another way."""

    def grade(self, task: Task, hidden: Hidden, candidate: Path, meter: Meter) -> Grade:
        """Grade a final workspace, which is not changed.

        :param candidate: directory that an agent left, read with
            :mod:`pytest_comem.sandbox.reading` alone.
        :raises InfrastructureError: of type ``grader`` or of the judge's call, where it broke.
        :raises BenchmarkDefect: where the rubric itself cannot be evaluated.
        """


@final
@dataclass(frozen=True, slots=True)
class Run:
    """A task done once and graded: what is compared, and what diagnostics are taken from.

    :param changes: text of every file that is new or changed, by path, clipped; files that are no
        text are rendered as :mod:`pytest_comem.office.documents` does.
    """

    trajectory: Trajectory
    grade: Grade
    changes: Mapping[str, str] = field(default_factory=dict)


class Comparer(Protocol):
    """What says which of two runs of a task is better; blind, and never undecided."""

    @property
    def name(self) -> str:
        """Name, of the judge, ``rules`` without a model."""

    @property
    def version(self) -> str:
        """Changes whenever the same two runs may be decided in another way."""

    def with_recall_wins(
        self, task: Task, hidden: Hidden, with_recall: Run, without: Run, meter: Meter
    ) -> bool:
        """Return whether the run with recall is preferred.

        :raises InfrastructureError: where a judge's call broke.
        """


@final
@dataclass(frozen=True, slots=True)
class Ratings:
    """What a judge model says of recall and its use, each 1 to 5 (paper, "Diagnostics").

    :param relevance: of what was recalled.
    :param familiarity: with the environment, of the run with recall.
    :param robustness: against misleading recall.
    """

    relevance: float | None = None
    familiarity: float | None = None
    robustness: float | None = None


class Rater(Protocol):
    """What rates recall and its use by a model."""

    @property
    def name(self) -> str:
        """Name, of the judge."""

    @property
    def version(self) -> str:
        """Changes whenever it may rate the same in another way."""

    def rate(
        self, shown: Shown, hidden: Hidden, with_recall: Run, without: Run, meter: Meter
    ) -> Ratings:
        """Rate one task.

        :raises InfrastructureError: where a judge's call broke.
        """
