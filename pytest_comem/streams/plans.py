"""What the offline agent can do of a task by itself: a plan with open slots.

A plan is the able but uninformed way to do the task. Where the participant has habits that nobody
states in the instruction, the plan has a *slot* with a plain default; recalled experience can fill
it. A language model never sees a plan.

Strings of a step's arguments may hold placeholders, which the agent replaces:

``{slot:NAME}``
    the slot's value as text.
``{date:2025-03-31}`` or ``{date:2025-03-31|SLOT}``
    the date in the style of the plan's slot of kind ``date_style`` (or the one named).
``{number:NAME}``, ``{number:1234.5}``, with ``|SLOT``
    a saved value or a number in the style of the slot of kind ``number_style``.
``{value:NAME}``
    a saved value as it is.
``{{`` and ``}}``
    braces.

An argument that is exactly one ``{value:...}`` keeps the value's type. Nothing is evaluated.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, final

from pydantic import Field, JsonValue

from pytest_comem.records.base import Id, Name, Record


class SlotKind(StrEnum):
    """What a slot can be filled with, and so how recalled passages are read for it.

    ``date_style``
        ``iso`` 2025-03-31, ``slash`` 31/03/2025, ``us`` 03/31/2025, ``dotted`` 31.03.2025,
        ``long`` 31 March 2025.
    ``number_style``
        1234.5 written in it: ``1234.5``, ``1,234.5``, ``1,234.50``, ``1 234,5``, ``1,235``,
        ``1.234,5`` and so on.
    ``file_name``
        a path; learned from the paths of files written in the past, with their period replaced by
        this task's (``Slot.period``) and their project by this task's.
    ``columns``
        names of columns in order, joined by ``|``; learned from header rows shown.
    ``line``
        text that follows ``Slot.lead`` on a line, such as what stands behind ``Prepared by:``.
    ``choice``
        one of ``Slot.options``, by the signs of each.
    """

    DATE_STYLE = "date_style"
    NUMBER_STYLE = "number_style"
    FILE_NAME = "file_name"
    COLUMNS = "columns"
    LINE = "line"
    CHOICE = "choice"


@final
class Slot(Record):
    """Something that a plan leaves open.

    :param default: what the agent does where nothing is recalled; the plain way.
    :param about: words of which a passage has to hold at least one to count; any passage counts
        where there are none.
    :param options: of a choice: literal phrases that give each option away, by the option. Case and
        runs of blanks do not matter.
    :param lead: of a line: what stands before it.
    :param period: of a file name: this task's, such as ``2025-03``, ``2025-Q1`` or ``2025-03-31``.
    :param words: of a file name: at least one has to be in the learned file's name.
    """

    name: Id
    kind: SlotKind
    default: Annotated[str, Field(max_length=2_000)]
    about: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    options: dict[Id, Annotated[tuple[Name, ...], Field(max_length=50)]] = Field(
        default_factory=dict
    )
    lead: Annotated[str, Field(max_length=200)] = ""
    period: Annotated[str, Field(max_length=20)] = ""
    words: Annotated[tuple[Name, ...], Field(max_length=50)] = ()


@final
class Condition(Record):
    """Whether a step is done: where a slot has one of these values."""

    slot: Id
    any_of: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]


@final
class PlanStep(Record):
    """One operation of a plan.

    :param do: name of an operation (:mod:`pytest_comem.office.operations`).
    :param arguments: with placeholders.
    :param save: name under which what it returns is kept.
    :param when: all have to hold.
    :param unless_known: the step explores: it is left out where this slot was filled from what was
        recalled.
    """

    do: Id
    arguments: dict[Id, JsonValue] = Field(default_factory=dict)
    save: Id | None = None
    when: Annotated[tuple[Condition, ...], Field(max_length=20)] = ()
    unless_known: Id | None = None


@final
class Plan(Record):
    """``plan.json``."""

    slots: Annotated[tuple[Slot, ...], Field(max_length=100)] = ()
    steps: Annotated[tuple[PlanStep, ...], Field(min_length=1, max_length=300)]
