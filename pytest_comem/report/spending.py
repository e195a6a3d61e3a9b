"""What two rows took on the same steps: tokens, money and time by phase."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal, TypeAlias, final

from pytest_comem.core.outcomes import Outcome, Usage, plus

Measure: TypeAlias = Literal["tokens", "cost", "seconds"]
MEASURES: Final[tuple[Measure, ...]] = ("tokens", "cost", "seconds")
#: Stands for all phases together.
TOTAL: Final = "total"


@final
@dataclass(frozen=True, slots=True)
class Spent:
    """What a phase took on the steps scored in both.

    :param measure: tokens, cost in US dollars, or seconds.
    :param before: ``None`` where a price is unknown.
    """

    measure: Measure
    phase: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """What the second row took more than the first."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


def spent_in_both(before: Iterable[Outcome], after: Iterable[Outcome]) -> tuple[Spent, ...]:
    """Return what each phase took, and all of them; what took nothing in both is left out.

    Nothing is returned where one side does not know, as a baseline's file does not.
    """
    one, other = _by_phase(before), _by_phase(after)
    if not one or not other:
        return ()
    phases = [*dict.fromkeys((*one, *other))]
    everything = (_sum(one.values()), _sum(other.values()))
    rows = [(phase, one.get(phase, Usage()), other.get(phase, Usage())) for phase in phases]
    found: list[Spent] = []
    for measure in MEASURES:
        for phase, first, second in (*rows, (TOTAL, *everything)):
            values = getattr(first, measure), getattr(second, measure)
            if any(value != 0 for value in values):
                found.append(Spent(measure, phase, *values))
    return tuple(found)


def _by_phase(outcomes: Iterable[Outcome]) -> dict[str, Usage]:
    phases: dict[str, Usage] = {}
    for outcome in outcomes:
        for phase, usage in outcome.usage.items():
            phases[phase] = plus(phases.get(phase, Usage()), usage)
    return phases


def _sum(usages: Iterable[Usage]) -> Usage:
    return reduce(plus, usages, Usage())
