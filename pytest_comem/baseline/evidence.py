"""When a step that is drawn several times has changed, and when it was one unlucky draw.

With one draw there and one here a step is what it is: it had the property then or not, and has it
now or not. With repeats a step has a rate. Whether the rate has grown is decided by Fisher's exact
test, one-sided, on its draws in both runs. Over the steps of a row the share of false findings
among all findings is held at the level (Benjamini and Hochberg, "Controlling the false discovery
rate", Journal of the Royal Statistical Society B 57, 1995). Steps whose totals could not give a p
value below the level are not tested, so that they cost the others nothing; totals are fixed in the
exact test, so that this choice says nothing about the result (the idea of Tarone, "A modified
Bonferroni method for discrete data", Biometrics 46, 1990).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Final, TypeVar, final

#: Share of false findings among the findings of one row.
LEVEL: Final = 0.05
_Key = TypeVar("_Key", bound=Hashable)


@final
@dataclass(frozen=True, slots=True)
class Draws:
    """How often something was seen of a step before and now.

    :param before: times it was seen before, of *of_before* scored draws.
    :param after: times it is seen now, of *of_after* scored draws.
    """

    before: int
    of_before: int
    after: int
    of_after: int

    @property
    def turned(self) -> bool:
        """Whether it was never seen before and always now."""
        return self.before == 0 and 0 < self.of_after == self.after and self.of_before > 0

    @property
    def decidable(self) -> bool:
        """Whether so many draws could show anything at :data:`LEVEL`."""
        return LEVEL * comb(self.of_before + self.of_after, self.of_after) >= 1


def grown(steps: Mapping[_Key, Draws], level: float = LEVEL, *, drawn: bool) -> list[_Key]:
    """Return the steps of which more is seen now than before, in their order.

    :param level: share of false findings among them, at most; without repeats there are none.
    :param drawn: whether the row has repeats, before or now.
    """
    if not drawn:
        return [key for key, step in steps.items() if step.turned]
    p_values = {
        key: _p_value(step, step.after)
        for key, step in steps.items()
        if step.of_before and step.of_after and _is_below(_least_p_value(step), level)
    }
    ordered = sorted(p_values.values())
    below = [p for rank, p in enumerate(ordered, 1) if _is_below(p, level * rank / len(ordered))]
    return [key for key in steps if below and key in p_values and p_values[key] <= below[-1]]


def _p_value(step: Draws, after: int) -> float:
    """Return the chance of seeing it *after* times or more now, given the totals (Fisher)."""
    seen = step.before + step.after
    never = step.of_before + step.of_after - seen
    ways = sum(
        comb(seen, times) * comb(never, step.of_after - times)
        for times in range(after, min(seen, step.of_after) + 1)
    )
    return ways / comb(seen + never, step.of_after)


def _least_p_value(step: Draws) -> float:
    """Return the p value if as many as can be were seen now."""
    return _p_value(step, min(step.before + step.after, step.of_after))


def _is_below(p: float, level: float) -> bool:
    """Whether *p* is at most *level*, up to what rounding makes of a level."""
    return p <= level * (1 + 1e-9)
