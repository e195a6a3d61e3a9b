"""What recalled passages offer for a slot, in the order in which it would be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, final

from pytest_comem.office.slots import choices, columns, file_names, lines, written
from pytest_comem.office.slots.passages import Passage, in_order
from pytest_comem.streams.plans import Slot, SlotKind
from pytest_comem.streams.schema import Task


class Learner(Protocol):
    """How passages are read for one kind of slot."""

    def __call__(self, slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
        """Return what one passage offers for a slot, best first; nothing where it says nothing."""


@final
@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that a slot can be filled with.

    :param passage: 0-based place, in what was recalled, of the passage that offers it.
    """

    value: str
    passage: int


LEARNERS: Final[Mapping[SlotKind, Learner]] = {
    SlotKind.DATE_STYLE: written.date_styles,
    SlotKind.NUMBER_STYLE: written.number_styles,
    SlotKind.FILE_NAME: file_names.file_names,
    SlotKind.COLUMNS: columns.columns,
    SlotKind.LINE: lines.lines,
    SlotKind.CHOICE: choices.choices,
}


def values(slot: Slot, task: Task, passages: Sequence[Passage]) -> list[Candidate]:
    """Return what passages offer for a slot, the one to take first.

    :param passages: as :func:`pytest_comem.office.slots.passages.read_passages` returns them.
    """
    learn = LEARNERS[slot.kind]
    return [
        Candidate(value, passage.index)
        for passage in in_order([one for one in passages if one.holds(slot.about)], task)
        for value in learn(slot, task, passage)
    ]
