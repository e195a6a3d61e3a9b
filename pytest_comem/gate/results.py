"""What comes of a gate: a ruling a rule and row, and the result of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, final

from pytest_comem.settings import INCONCLUSIVE_AS


class Result(StrEnum):
    """What a rule, or the gate, comes to."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


#: Unit of the difference of two percentages.
POINTS: Final = "points"
#: How the unit of the difference of two other numbers begins.
MORE: Final = "more "
#: Exit status of an inconclusive gate: pytest itself uses 0 to 5, and a shell 126 and more.
EXIT_INCONCLUSIVE: Final = 9


@final
@dataclass(frozen=True, slots=True)
class Ruling:
    """What one rule says of one row.

    :param rule: its text.
    :param system: label of the memory system; empty where the rule is of none in particular.
    :param model: that answered; empty likewise.
    :param result: of the rule.
    :param reason: one clause.
    :param value: what was measured; percent for metrics, a number of steps for regressions.
    :param low: lower limit of its 95 % interval.
    :param high: upper limit.
    :param bound: what it was held against, in the same unit.
    :param unit: ``%``, ``steps``, ``tokens``, or empty; of a difference to the baseline, ``points``
        or ``more tokens``.
    """

    rule: str
    system: str
    model: str
    result: Result
    reason: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None
    unit: str = ""

    @property
    def relative(self) -> bool:
        """Whether what was measured is a difference to the baseline."""
        return self.unit == POINTS or self.unit.startswith(MORE)


@final
@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate comes to.

    :param rulings: in the order of the rules, and of the run's rows.
    :param scored: steps that have a verdict.
    :param inconclusive: one of :data:`~pytest_comem.settings.INCONCLUSIVE_AS`.
    """

    rulings: tuple[Ruling, ...]
    scored: int
    inconclusive: str = INCONCLUSIVE_AS[0]

    @property
    def result(self) -> Result:
        """FAIL where any rule fails, else PASS where all pass; nothing passes without a score."""
        results = {ruling.result for ruling in self.rulings}
        if Result.FAIL in results:
            return Result.FAIL
        if results == {Result.PASS} and self.scored:
            return Result.PASS
        return Result.INCONCLUSIVE

    @property
    def exit_status(self) -> int:
        """0 for pass, 1 for fail, and :data:`EXIT_INCONCLUSIVE` unless the user wants another."""
        if self.result is Result.INCONCLUSIVE:
            return {"pass": 0, "fail": 1}.get(self.inconclusive, EXIT_INCONCLUSIVE)
        return 0 if self.result is Result.PASS else 1

    def as_json(self) -> dict[str, Any]:
        """Return it for the manifest."""
        return {
            "result": str(self.result),
            "exit_status": self.exit_status,
            "scored": self.scored,
            "inconclusive": self.inconclusive,
            "rules": [
                {name: value for name, value in asdict(ruling).items() if value not in (None, "")}
                for ruling in self.rulings
            ],
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> GateResult:
        """Return what :meth:`as_json` wrote.

        :raises KeyError, TypeError, ValueError: where it is none.
        """
        rulings: Iterable[Mapping[str, Any]] = found["rules"]
        read = tuple(
            Ruling(**{"system": "", "model": "", **each, "result": Result(each["result"])})
            for each in rulings
        )
        return cls(read, found["scored"], found["inconclusive"])
