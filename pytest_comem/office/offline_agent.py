"""The offline agent: does a task's plain plan, with habits taken from what was recalled.

It calls no model. What it writes is decided by the plan and the recalled passages alone: with the
same passages it does the same, on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import BenchmarkDefect
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Call, Followed, Shown, Trajectory, Workbench
from pytest_comem.office.filling import Filling, NotSaved, saves_used, slot_of
from pytest_comem.office.operations import CallClass, Operation
from pytest_comem.office.placeholders import Placeholder, parts_of, texts_of
from pytest_comem.office.plan_problems import problems_of
from pytest_comem.office.slots.learning import Candidate, values
from pytest_comem.office.slots.passages import read_passages
from pytest_comem.streams.plans import Plan, PlanStep, Slot

#: Longest reply, in characters.
_REPLY: Final = 500


@final
class OfflineAgent:
    """Does tasks that have a plan, from any thread."""

    name = "offline"
    version = "1"

    def missing(self, shown: Shown) -> str | None:
        """Return why a task cannot be done: it has no plan."""
        if shown.plan is not None:
            return None
        return (
            f"task {shown.task.task_id} of {shown.participant.participant_id} has no plan.json, "
            "which the offline agent needs; name a language model or a program with --comem-agent"
        )

    def work(self, shown: Shown, bench: Workbench, meter: Meter) -> Trajectory:
        """Do the plan's steps in order; one that fails is recorded, and the next is done.

        :raises BenchmarkDefect: where the task has no plan, or one with placeholders that stand for
            nothing.
        """
        plan = shown.plan
        if plan is None:
            raise BenchmarkDefect(str(self.missing(shown)))
        _refuse_broken(shown, plan)
        learned = learn(shown, plan)
        filling = Filling(
            plan,
            {slot.name: learned.value_of(slot) for slot in plan.slots},
            {},
        )
        _Doing(plan, filling, frozenset(learned.taken), bench).do_all()
        calls = tuple(bench.calls())
        return Trajectory(
            calls=calls,
            reply=_reply(calls),
            followed=tuple(
                Followed(name, one.value, one.passage) for name, one in learned.taken.items()
            ),
            known=learned.known,
            tokens=_words(shown, calls),
        )


@final
@dataclass(frozen=True, slots=True)
class Learned:
    """What recalled passages fill.

    :param taken: by slot, in the plan's order.
    :param known: all values that could have been taken, the one taken first.
    """

    taken: Mapping[str, Candidate]
    known: Mapping[str, tuple[str, ...]]

    def value_of(self, slot: Slot) -> str:
        """Return a slot's value: the one taken, else the plain default."""
        return self.taken[slot.name].value if slot.name in self.taken else slot.default


def learn(shown: Shown, plan: Plan) -> Learned:
    """Return what the passages of a task fill of its plan's slots.

    A slot that only decides which steps are done takes no value that no step asks about: the agent
    has no way of following it.
    """
    passages = read_passages(shown.passages, shown.participant)
    taken: dict[str, Candidate] = {}
    known: dict[str, tuple[str, ...]] = {}
    for slot in plan.slots:
        doable = _doable(plan, slot)
        found = [
            one if doable is None else Candidate(doable[_plain(one.value)], one.passage)
            for one in values(slot, shown.task, passages)
            if doable is None or _plain(one.value) in doable
        ]
        if found:
            taken[slot.name] = found[0]
            known[slot.name] = tuple(dict.fromkeys(one.value for one in found))
    return Learned(taken, known)


def _doable(plan: Plan, slot: Slot) -> Mapping[str, str] | None:
    """Return the values that steps ask about, by their plain form; ``None`` where any will do."""
    asked = [
        value
        for step in plan.steps
        for condition in step.when
        if condition.slot == slot.name
        for value in condition.any_of
    ]
    if not asked or _is_written(plan, slot):
        return None
    return {_plain(value): value for value in (*asked, slot.default)}


def _is_written(plan: Plan, slot: Slot) -> bool:
    """Return whether some step writes with a slot's value, by name or as the one of its kind."""
    return any(
        isinstance(part, Placeholder) and part.kind != "value" and slot_of(plan, part) == slot
        for step in plan.steps
        for text in texts_of(step.arguments)
        for part in parts_of(text)
    )


def _plain(value: str) -> str:
    return " ".join(value.casefold().split())


def _refuse_broken(shown: Shown, plan: Plan) -> None:
    problems = problems_of(plan)
    if problems:
        raise BenchmarkDefect(
            f"the plan of task {shown.task.task_id} of {shown.participant.participant_id} cannot "
            f"be done: {'; '.join(problems[:3])}"
        )


@final
@dataclass(slots=True)
class _Doing:
    """A plan being done: steps that need nothing of each other go to the workbench together."""

    plan: Plan
    filling: Filling
    known: frozenset[str]
    bench: Workbench
    waiting: list[tuple[PlanStep, Operation]] = field(default_factory=list)

    def do_all(self) -> None:
        for number, step in enumerate(self.plan.steps, 1):
            if not self._wanted(step):
                continue
            if saves_used(step) & {one.save for one, _ in self.waiting}:
                self._flush()
            try:
                arguments = self.filling.arguments_of(number, step)
            except NotSaved:
                # The step that should have saved it failed, and stands in the record as such.
                continue
            self.waiting.append((step, Operation(step.do, arguments)))
        self._flush()

    def _wanted(self, step: PlanStep) -> bool:
        if step.unless_known is not None and step.unless_known in self.known:
            return False
        return all(
            self.filling.values[condition.slot] in condition.any_of for condition in step.when
        )

    def _flush(self) -> None:
        if not self.waiting:
            return
        results = self.bench.do_all([operation for _, operation in self.waiting])
        for (step, _), result in zip(self.waiting, results, strict=True):
            if step.save is not None and result.ok:
                self.filling.saved[step.save] = result.value
        self.waiting.clear()


def _reply(calls: Sequence[Call]) -> str:
    """Return what was written, in one line."""
    done = [
        call.text.split("\n", 1)[0].rstrip(":")
        for call in calls
        if call.ok and call.call_class is CallClass.EXECUTION
    ]
    failed = sum(not call.ok for call in calls)
    said = "; ".join(done) or "changed nothing"
    said += f"; {failed} of {len(calls)} steps failed" if failed else ""
    return printable(said)[:_REPLY]


def _words(shown: Shown, calls: Sequence[Call]) -> int:
    """Return the words of all that was read and done, the offline measure of tokens."""
    texts: list[Any] = [shown.task.title, shown.task.instruction, *shown.passages]
    texts += [text for one in shown.task.observations for text in (one.title, one.text)]
    texts += [call.text for call in calls]
    return sum(len(text.split()) for text in texts)
