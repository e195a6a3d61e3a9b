"""Participants, tasks, plans and workbenches that tests of the offline agent are about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

from pytest_comem.office.base import Call
from pytest_comem.office.inside import office_tools
from pytest_comem.office.operations import OPERATIONS, Operation, Result
from pytest_comem.office.slots.learning import Candidate, values
from pytest_comem.office.slots.passages import Passage, read_passages
from pytest_comem.streams.plans import Plan, PlanStep, Slot, SlotKind
from pytest_comem.streams.schema import Activity, Participant, Task
from pytest_comem.streams.traces import said_of

ADA = Participant(
    participant_id="ada",
    name="Ada",
    role="analyst",
    about="Looks after figures.",
    projects=("Harbour", "North Light"),
    order=("t01",),
    license="MIT",
    source="made for tests",
)


def task(project: str | None = "Harbour", instruction: str = "Do the report.") -> Task:
    """Return a task of a project."""
    return Task(
        task_id="t01",
        started="2025-03-03T09:00",
        project=project,
        title="Report",
        instruction=instruction,
        activities=(Activity.WRITING,),
    )


def read(*texts: str) -> list[Passage]:
    """Return passages as the agent reads them."""
    return read_passages(texts, ADA)


def slot(kind: SlotKind, default: str = "x", **more: Any) -> Slot:
    """Return a slot called by its kind."""
    return Slot(name=kind.value, kind=kind, default=default, **more)


def offered(one: Slot, *texts: str, project: str | None = "Harbour") -> list[str]:
    """Return what passages offer for a slot, the value to take first."""
    return [candidate.value for candidate in values(one, task(project), read(*texts))]


def candidates(one: Slot, *texts: str, project: str | None = "Harbour") -> list[Candidate]:
    """Return the same with the passages' places."""
    return values(one, task(project), read(*texts))


def step(do: str, /, **more: Any) -> PlanStep:
    """Return a step; what is no field of one is an argument."""
    fields = {name: more.pop(name) for name in ("save", "when", "unless_known") if name in more}
    return PlanStep(do=do, arguments=more, **fields)


def plan(slots: Sequence[Slot], *steps: PlanStep) -> Plan:
    """Return a plan."""
    return Plan(slots=tuple(slots), steps=steps)


@final
class DirectoryBench:
    """A workbench on a directory, for operations on files that tests trust.

    :ivar batches: names of the operations that came together.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.batches: list[list[str]] = []
        self._calls: list[Call] = []

    def do(self, operation: Operation) -> Result:
        """Do an operation."""
        return self.do_all([operation])[0]

    def do_all(self, operations: Sequence[Operation]) -> Sequence[Result]:
        """Do operations in order."""
        self.batches.append([operation.name for operation in operations])
        asked = [{"name": one.name, "arguments": dict(one.arguments)} for one in operations]
        results = [Result(**one) for one in office_tools.perform(self.workspace, asked)]
        for operation, result in zip(operations, results, strict=True):
            kind = OPERATIONS[operation.name].call_class
            text = said_of(operation.name, operation.arguments)
            self._calls.append(Call(operation.name, kind, text, result.ok, result.text))
        return results

    def calls(self) -> Sequence[Call]:
        """Return what was done."""
        return self._calls
