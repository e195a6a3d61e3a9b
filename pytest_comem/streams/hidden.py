"""What no agent and no memory may see of a task: reference, rubric, relevance labels.

Files of a task's ``hidden`` directory::

    reference.json     Workspace: all files after the task, as they ought to be
    rubric.json        Rubric
    relevance.json     Relevance

and ``hidden/preferences.json`` of the stream (:class:`RootPreferences`). No module of the public
side imports this one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, final

from pydantic import Field, JsonValue

from pytest_comem.records.base import Id, Name, Record, Text

#: Workspace Scores of the paper: minimum completion, and the reference's quality.
MINIMUM: Final = 60.0
REFERENCE: Final = 80.0


class Level(StrEnum):
    """What a check of the workspace counts for."""

    MINIMUM = "minimum"
    REFERENCE = "reference"
    BETTER = "better"


@final
class Mutation(Record):
    """One operation on the reference workspace (:mod:`pytest_comem.office.operations`)."""

    do: Id
    arguments: dict[Id, JsonValue] = Field(default_factory=dict)


class Test(Record):
    """Something of a final workspace that can be decided without a model.

    :param kind: name of a kind of check (:mod:`pytest_comem.office.checks`).
    :param arguments: of the kind.
    :param mutation: operations after which the reference workspace fails exactly this one.
    :param slots: of the plan, that it depends on: a solver that knows their right values passes.
    """

    kind: Id
    arguments: dict[Id, JsonValue]
    mutation: Annotated[tuple[Mutation, ...], Field(max_length=20)] = ()
    slots: Annotated[tuple[Id, ...], Field(max_length=20)] = ()


@final
class Check(Test):
    """A check of the Workspace Score.

    :param text: what it asks for, as a judge model and a reader are told.
    """

    check_id: Id
    level: Level
    text: Text


@final
class PreferenceItem(Record):
    """An item of the Preference Score.

    :param root: the participant's root preference that it comes from.
    :param text: what it asks of the document changes, as a judge model is told.
    :param weight: relative to the task's other items.
    :param documents: patterns (``fnmatch``) of paths; the item applies where the reference changes
        a file that matches one. Always, where there are none.
    :param test: how it is decided without a model; ``None`` where only a judge can.
    """

    item_id: Id
    root: Id
    text: Text
    weight: Annotated[float, Field(gt=0, le=100)] = 1.0
    documents: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    test: Test | None = None


@final
class Rubric(Record):
    """``rubric.json``.

    :param choices: the right value of each slot of the plan, as text.
    """

    checks: Annotated[tuple[Check, ...], Field(min_length=1, max_length=100)]
    preferences: Annotated[tuple[PreferenceItem, ...], Field(max_length=100)] = ()
    choices: dict[Id, str] = Field(default_factory=dict)


@final
class RootPreference(Record):
    """Something the participant wants of all work, or of some.

    :param project: where it holds; everywhere where ``None``.
    """

    preference_id: Id
    text: Text
    project: Name | None = None


@final
class RootPreferences(Record):
    """``hidden/preferences.json`` of a stream."""

    preferences: Annotated[tuple[RootPreference, ...], Field(max_length=200)]


@final
class RelevantTask(Record):
    """An earlier task that bears on this one.

    :param dependency: what of it: a convention, a file, a way of doing something, a fact.
    :param snippets: of its session, word for word, that say it.
    """

    task_id: Id
    dependency: Literal["convention", "file", "procedure", "fact"] = "convention"
    snippets: Annotated[tuple[Text, ...], Field(max_length=50)] = ()


@final
class Relevance(Record):
    """``relevance.json``: the relevant earlier tasks, nearest first."""

    relevant: Annotated[tuple[RelevantTask, ...], Field(max_length=500)] = ()
