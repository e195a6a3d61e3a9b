"""What a schema cannot say of a plan: its slots, placeholders and operations fit together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from typing import Final

from pytest_comem.records.canonical import strings_of
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.plans import Plan, Slot, SlotKind
from pytest_comem.suggest import did_you_mean

#: Doubled braces, a placeholder, or a brace that is neither.
_BRACES: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NUMBER: Final = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
#: Slots whose style a placeholder is written in.
_STYLES: Final = {"date": SlotKind.DATE_STYLE, "number": SlotKind.NUMBER_STYLE}


def plan_problems(plan: Plan, operations: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a plan: a field and a clause each, in the plan's order.

    :param operations: names that steps may have; any where there are none.
    """
    slots: dict[str, Slot] = {}
    for number, slot in enumerate(plan.slots):
        if slot.name in slots:
            yield f"slots.{number}.name", f"there are two slots called {slot.name}"
        slots[slot.name] = slot
        yield from _slot_problems(slot, f"slots.{number}")
    saved: set[str] = set()
    for number, step in enumerate(plan.steps):
        field = f"steps.{number}"
        if operations and step.do not in operations:
            yield f"{field}.do", f"no operation is called {step.do}; {_near(step.do, operations)}"
        for condition in step.when:
            yield from _missing(condition.slot, slots, f"{field}.when")
        if step.unless_known is not None:
            yield from _missing(step.unless_known, slots, f"{field}.unless_known")
        for text in strings_of(dict(step.arguments)):
            for problem in _text_problems(text, slots, saved):
                yield f"{field}.arguments", problem
        if step.save is not None:
            saved.add(step.save)


def _slot_problems(slot: Slot, field: str) -> Iterator[tuple[str, str]]:
    if slot.kind is SlotKind.CHOICE and slot.default not in slot.options:
        problem = (
            f"the default '{clipped(slot.default)}' of slot {slot.name} is none of its options"
        )
        yield f"{field}.default", f"{problem}; {_near(slot.default, slot.options)}"
    if slot.kind is SlotKind.LINE and not slot.lead.strip():
        yield f"{field}.lead", f"slot {slot.name} is a line and has no lead to find it by"


def _missing(name: str, slots: Mapping[str, Slot], field: str) -> Iterator[tuple[str, str]]:
    if name not in slots:
        yield field, f"no slot is called {clipped(name)}; {_near(name, slots)}"


def _text_problems(text: str, slots: Mapping[str, Slot], saved: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the placeholders of a text."""
    for found in _BRACES.finditer(text):
        whole, inner = found.group(), found.group(1)
        if whole in ("{{", "}}"):
            continue
        if inner is None:
            yield f"a single {whole} in '{clipped(text)}'; write it twice where a brace is meant"
            continue
        problem = _placeholder_problem(inner, slots, saved)
        if problem:
            yield f"placeholder {clipped(whole)}: {problem}"


def _placeholder_problem(
    inner: str, slots: Mapping[str, Slot], saved: Collection[str]
) -> str | None:
    kind, colon, rest = inner.partition(":")
    name, bar, style = rest.partition("|")
    if (
        not colon
        or kind not in ("slot", "date", "number", "value")
        or (bar and kind not in _STYLES)
    ):
        return "it is none of {slot:..}, {date:..}, {number:..}, {value:..}"
    if kind == "slot":
        return None if name in slots else f"no slot is called so; {_near(name, slots)}"
    if kind == "date" and not _is_date(name):
        return "what it gives is no day such as 2025-03-31"
    if (kind == "value" or (kind == "number" and not _NUMBER.fullmatch(name))) and (
        name not in saved
    ):
        return f"no earlier step saves {clipped(name)}"
    return _style_problem(kind, style, slots) if kind in _STYLES else None


def _style_problem(kind: str, style: str, slots: Mapping[str, Slot]) -> str | None:
    """Say why there is no slot for the style of a date or number."""
    fitting = [slot.name for slot in slots.values() if slot.kind is _STYLES[kind]]
    if not fitting:
        return f"the plan has no slot of kind {_STYLES[kind]}"
    if not style and len(fitting) > 1:
        return f"the plan has {len(fitting)} slots of kind {_STYLES[kind]}; name one behind a |"
    if style and style not in fitting:
        return f"no slot of kind {_STYLES[kind]} is called {style}; {_near(style, fitting)}"
    return None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _near(name: str, known: Collection[str]) -> str:
    return did_you_mean(clipped(name), known) if known else "there is none at all."
