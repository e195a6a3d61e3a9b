"""What is wrong with a plan before anything is done: for certification and the offline agent.

:mod:`pytest_comem.streams.plan_checks` says what does not fit together in a plan; here is added
what only the operations and the styles can tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_comem.office.filling import saves_used
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.office.slots.periods import period_of
from pytest_comem.office.styles import DATE_STYLES, format_number
from pytest_comem.streams.plan_checks import plan_problems
from pytest_comem.streams.plans import Plan, PlanStep, Slot, SlotKind


def problems_of(plan: Plan) -> list[str]:
    """Return what of a plan can never be done, each naming step or slot; nothing where it is well.

    A plan without problems never leads to a defect while it is done.
    """
    found = [_placed(plan, field, problem) for field, problem in plan_problems(plan, OPERATIONS)]
    if found:
        return found
    found = [f"slot {slot.name}: {one}" for slot in plan.slots for one in _slot_problems(slot)]
    for number, step in enumerate(plan.steps, 1):
        place = f"step {number} ({step.do})"
        found += [f"{place}: {one}" for one in _step_problems(plan, number, step)]
    return found


def _placed(plan: Plan, field: str, problem: str) -> str:
    part, number, *_ = field.split(".")
    if part == "steps":
        return f"step {int(number) + 1} ({plan.steps[int(number)].do}): {problem}"
    return f"slot {plan.slots[int(number)].name}: {problem}"


def _slot_problems(slot: Slot) -> Iterator[str]:
    if slot.kind is SlotKind.DATE_STYLE and slot.default not in DATE_STYLES:
        yield f"the default {slot.default!r} is none of {', '.join(DATE_STYLES)}"
    if slot.kind is SlotKind.NUMBER_STYLE:
        try:
            format_number(0.0, slot.default)
        except ValueError as error:
            yield str(error)
    if any(not sign.strip() for signs in slot.options.values() for sign in signs):
        yield "a sign of an option is blank"
    if slot.kind is SlotKind.FILE_NAME and slot.period and period_of(slot.period) is None:
        yield f"{slot.period!r} is no period such as 2025-03, 2025-Q1, 2025-w05 or 2025-03-31"
    if slot.kind is SlotKind.COLUMNS and not all(one.strip() for one in slot.default.split("|")):
        yield f"the default {slot.default!r} has a column without a name"


def _step_problems(plan: Plan, number: int, step: PlanStep) -> Iterator[str]:
    takes = set(OPERATIONS[step.do].parameters["properties"])
    for name in sorted(takes - set(step.arguments)):
        yield f"the argument {name} is missing"
    for name in sorted(set(step.arguments) - takes):
        yield f"it takes no argument {name}"
    slots = {slot.name: slot for slot in plan.slots}
    for condition in step.when:
        slot = slots[condition.slot]
        if slot.kind is SlotKind.CHOICE:
            for value in sorted(set(condition.any_of) - set(slot.options)):
                yield f"a condition names {value!r}, which is no option of {slot.name}"
    for name in sorted(saves_used(step)):
        before = [one for one in plan.steps[: number - 1] if one.save == name]
        if all(one.unless_known not in (None, step.unless_known) for one in before):
            yield f"{name!r} is saved only by steps that are left out where a slot is known"
