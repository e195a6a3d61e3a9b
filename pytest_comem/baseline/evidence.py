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
    known = {key: step for key, step in steps.items() if step.of_before and step.of_after}
    p_values = _tested(known, level) if known else {}
    if not p_values:
        return []
    from scipy.stats import false_discovery_control

    adjusted = false_discovery_control(list(p_values.values()), method="bh")
    found = {key for key, p in zip(p_values, adjusted, strict=True) if p <= level * (1 + 1e-9)}
    return [key for key in steps if key in found]


def _tested(steps: Mapping[_Key, Draws], level: float) -> dict[_Key, float]:
    """Return the p value of each step that could have one of *level* or less."""
    from scipy.stats import hypergeom

    places = list(steps)
    draws = [steps[key] for key in places]
    seen = [step.before + step.after for step in draws]
    all_draws = [step.of_before + step.of_after for step in draws]
    now = [step.of_after for step in draws]
    most = [min(total, of) for total, of in zip(seen, now, strict=True)]
    least_p = hypergeom.sf([each - 1 for each in most], all_draws, seen, now)
    p = hypergeom.sf([step.after - 1 for step in draws], all_draws, seen, now)
    return {
        key: min(1.0, float(value))
        for key, value, least in zip(places, p, least_p, strict=True)
        if least <= level * (1 + 1e-9)
    }
