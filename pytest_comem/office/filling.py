"""Filling in a plan: placeholders of a step's arguments become values, and nothing is guessed."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.office.placeholders import Placeholder, parts_of, texts_of
from pytest_comem.office.styles import format_date, format_number
from pytest_comem.streams.plans import Plan, PlanStep, Slot, SlotKind
from pytest_comem.streams.traces import row_of

_NUMBER: Final = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?", re.ASCII)


class NotSaved(Exception):
    """A step needs a value that no step saved in this run, such as of a query that failed."""


@final
@dataclass(frozen=True, slots=True)
class Filling:
    """What a plan's placeholders stand for in one run.

    :param values: of every slot of the plan.
    :param saved: what steps saved so far; whoever runs the plan adds to it.
    """

    plan: Plan
    values: Mapping[str, str]
    saved: dict[str, Any]

    def arguments_of(self, number: int, step: PlanStep) -> dict[str, Any]:
        """Return a step's arguments with every placeholder replaced.

        :param number: of the step, from 1, for errors.
        :raises NotSaved: where a value is needed that is not there, or is none.
        :raises BenchmarkDefect: for a placeholder that stands for nothing.
        """
        try:
            return {name: self._filled(value) for name, value in step.arguments.items()}
        except ValueError as error:
            raise BenchmarkDefect(f"step {number} ({step.do}) of the plan: {error}") from None

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {str(self._text(name)): self._filled(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self._filled(member) for member in value]
        return value

    def _text(self, text: str) -> Any:
        parts = parts_of(text)
        if len(parts) == 1 and isinstance(parts[0], Placeholder) and parts[0].kind == "value":
            return self._saved(parts[0])
        return "".join(part if isinstance(part, str) else self._put(part) for part in parts)

    def _put(self, placeholder: Placeholder) -> str:
        if placeholder.kind == "slot":
            return self.values[slot_of(self.plan, placeholder).name]
        if placeholder.kind == "value":
            return text_of(self._saved(placeholder))
        style = self.values[slot_of(self.plan, placeholder).name]
        if placeholder.kind == "date":
            return format_date(day_of(placeholder), style)
        number = literal_of(placeholder)
        return format_number(self._number(placeholder) if number is None else number, style)

    def _saved(self, placeholder: Placeholder) -> Any:
        if placeholder.body not in self.saved:
            raise NotSaved(placeholder.body)
        return self.saved[placeholder.body]

    def _number(self, placeholder: Placeholder) -> float:
        """Return a saved value as a number: one itself, its text, or rows of the one."""
        value = self._saved(placeholder)
        while isinstance(value, list | tuple) and len(value) == 1:
            value = value[0]
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotSaved(placeholder.body)
        return float(value)


def slot_of(plan: Plan, placeholder: Placeholder) -> Slot:
    """Return the slot that a placeholder speaks of.

    :raises ValueError: where it names none that the plan has, or none and the plan has not exactly
        one of its kind, or one of another kind.
    """
    name = placeholder.body if placeholder.kind == "slot" else placeholder.slot
    kind = {"date": SlotKind.DATE_STYLE, "number": SlotKind.NUMBER_STYLE}.get(placeholder.kind)
    found = [slot for slot in plan.slots if (slot.name == name if name else slot.kind == kind)]
    if len(found) != 1:
        what = f"slot {name!r}" if name else f"slot of kind {kind} that it could mean"
        raise ValueError(f"{placeholder.text}: the plan has {len(found)} times a {what}; name one")
    if kind and found[0].kind is not kind:
        raise ValueError(f"{placeholder.text}: slot {name!r} is of kind {found[0].kind}")
    return found[0]


def day_of(placeholder: Placeholder) -> datetime.date:
    """Return the day of a ``{date:...}``.

    :raises ValueError: where it is on no calendar.
    """
    try:
        if len(placeholder.body) == 10:
            return datetime.date.fromisoformat(placeholder.body)
    except ValueError:
        pass
    raise ValueError(f"{placeholder.text}: {placeholder.body!r} is no day such as 2025-03-31")


def literal_of(placeholder: Placeholder) -> float | None:
    """Return the number that a ``{number:...}`` holds; ``None`` where it names a saved value."""
    return float(placeholder.body) if _NUMBER.fullmatch(placeholder.body) else None


def text_of(value: Any) -> str:
    """Return a saved value as text: rows as lines, a row's cells divided by ``|``."""
    if isinstance(value, list | tuple):
        if len(value) == 1:
            return text_of(value[0])
        if all(isinstance(row, list | tuple) for row in value):
            return "\n".join(map(row_of, value))
        return row_of(value)
    return "" if value is None else str(value)


def saves_used(step: PlanStep) -> frozenset[str]:
    """Return the names of saved values that a step uses.

    :raises ValueError: for a text that cannot be taken apart.
    """
    return frozenset(
        part.body
        for text in texts_of(step.arguments)
        for part in parts_of(text)
        if isinstance(part, Placeholder)
        and (part.kind == "value" or (part.kind == "number" and literal_of(part) is None))
    )
