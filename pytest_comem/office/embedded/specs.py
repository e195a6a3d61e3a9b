"""How an author writes down a task of the embedded set, and short forms for what recurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final

from pytest_comem.office.operations import Operation
from pytest_comem.streams.hidden import (
    Check,
    Level,
    Mutation,
    PreferenceItem,
    RelevantTask,
    Test,
)
from pytest_comem.streams.plans import Condition, Plan, PlanStep, Slot, SlotKind
from pytest_comem.streams.schema import Activity, Observation, Resource

Dependency: TypeAlias = Literal["convention", "file", "procedure", "fact"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task with everything that is built from it.

    :param archived: patterns (``fnmatch``) of files that are gone when the task begins, such as
        finished reports, which would show how earlier ones were done.
    :param incoming: files that are new or replaced in the workspace when the task begins.
    :param plan: what is done; a scored task has one.
    :param choices: right values of the plan's slots; the reference is the plan done with them,
        and other slots at their defaults.
    :param edits: what the participant changes afterwards: part of the reference, and of the session
        in a user message.
    :param replies: closing words of the assistant, before the edits.
    :param remarks: what the participant says after the edits, a message each.
    :param relevant: with phrases for snippets; the message of that task's session that holds a
        phrase becomes the snippet (:func:`relevant`).
    """

    id: str
    started: str
    project: str | None
    title: str
    instruction: str
    activities: Sequence[Activity]
    observations: Sequence[Observation] = ()
    main: bool = True
    scored: bool = True
    resources: Sequence[Resource] = ()
    archived: Sequence[str] = ()
    incoming: Mapping[str, bytes | str] = field(default_factory=dict)
    plan: Plan | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    edits: Sequence[Operation] = ()
    remarks: Sequence[str] = ()
    replies: Sequence[str] = ()
    checks: Sequence[Check] = ()
    preferences: Sequence[PreferenceItem] = ()
    relevant: Sequence[RelevantTask] = ()


def step(
    do: str,
    /,
    *,
    save: str | None = None,
    when: Mapping[str, Sequence[str]] | None = None,
    unless_known: str | None = None,
    **arguments: Any,
) -> PlanStep:
    """Return a step of a plan; *when* maps slots to the values at which it is done."""
    conditions = tuple(
        Condition(slot=slot, any_of=tuple(values)) for slot, values in (when or {}).items()
    )
    return PlanStep(
        do=do, arguments=arguments, save=save, when=conditions, unless_known=unless_known
    )


def slot(name: str, kind: str, default: str, **more: Any) -> Slot:
    """Return a slot of a plan; lists may stand for tuples."""
    if "options" in more:
        more["options"] = {each: tuple(signs) for each, signs in more["options"].items()}
    lists: dict[str, Any] = {key: tuple(more[key]) for key in ("about", "words") if key in more}
    return Slot(name=name, kind=SlotKind(kind), default=default, **(more | lists))


def do(name: str, /, **arguments: Any) -> Operation:
    """Return an operation, for edits."""
    return Operation(name, arguments)


def broken(name: str, /, **arguments: Any) -> Mutation:
    """Return an operation of a mutation."""
    return Mutation(do=name, arguments=arguments)


def decided(
    kind: str,
    mutation: Mutation | Sequence[Mutation] = (),
    slots: Sequence[str] = (),
    **arguments: Any,
) -> Test:
    """Return the test of a preference item."""
    return Test(kind=kind, arguments=arguments, mutation=_many(mutation), slots=tuple(slots))


def check(
    check_id: str,
    level: str,
    text: str,
    kind: str,
    mutation: Mutation | Sequence[Mutation] = (),
    slots: Sequence[str] = (),
    **arguments: Any,
) -> Check:
    """Return a check of the Workspace Score: ``minimum``, ``reference`` or ``better``."""
    return Check(
        check_id=check_id,
        level=Level(level),
        text=text,
        kind=kind,
        arguments=arguments,
        mutation=_many(mutation),
        slots=tuple(slots),
    )


def item(
    item_id: str,
    root: str,
    text: str,
    test: Test | None = None,
    *,
    weight: float = 1.0,
    documents: Sequence[str] = (),
) -> PreferenceItem:
    """Return an item of the Preference Score."""
    return PreferenceItem(
        item_id=item_id, root=root, text=text, weight=weight, documents=tuple(documents), test=test
    )


def relevant(task_id: str, dependency: Dependency, *phrases: str) -> RelevantTask:
    """Return an earlier task that bears on a task.

    :param phrases: each is in some message of that task's session; the first such message, whole
        and word for word, becomes a snippet.
    """
    return RelevantTask(task_id=task_id, dependency=dependency, snippets=phrases)


def _many(mutation: Mutation | Sequence[Mutation]) -> tuple[Mutation, ...]:
    return (mutation,) if isinstance(mutation, Mutation) else tuple(mutation)
