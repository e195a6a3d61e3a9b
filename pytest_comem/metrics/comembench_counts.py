"""CoMemBench's nodes as rows of numbers, for statistics over instances.

ICS is not among them: it joins two instances, and statistics here draw each by itself. It is
computed from whole runs by :mod:`pytest_comem.metrics.comembench`, as are quarantined families.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.suites import Array, MetricInfo

#: Columns by metric: numerator, denominator.
_QUOTIENTS: Final = {"SR": (0, 1), "VNCR": (2, 3), "VHS": (4, 5)}
_TITLES: Final = {
    "SR": "clean instances whose terminal node is verified",
    "VNCR": "verified completion of required nodes, mean over instances",
    "VHS": "eligible consumers whose handoff succeeds",
}


@final
class CoMemBenchMetrics:
    """CoMemBench's metrics in the form of :class:`pytest_comem.metrics.suites.SuiteMetrics`.

    In VNCR a node weighs one through its instance's required nodes, so that whole instances weigh
    the same.
    """

    suite: Final = "comembench"
    columns: Final = 2 * len(_QUOTIENTS)
    failure_classes: Final = ("handoff", "rejected")
    metrics: Final[Mapping[str, MetricInfo]] = {
        # A mean of shares is no share of steps, so that only the others are plain proportions.
        name: MetricInfo(name, title, True, "product" if name == "VNCR" else "proportion")
        for name, title in _TITLES.items()
    }

    def count(self, outcome: Outcome) -> Sequence[float]:
        """Return the numbers of one scored node.

        :raises ValueError: where it has no verdict.
        """
        verdict, labels = outcome.verdict, outcome.labels
        if verdict is None:
            raise ValueError(f"{outcome.step.label} is unscored and has nothing to count")
        verified = float(verdict.measures["verified"] is True)
        success = verdict.measures["handoff_success"]
        ends = float(labels["terminal"] != "" and labels["condition"] == "clean")
        weight = 1.0 / int(labels["required_nodes"]) if labels["required"] else 0.0
        return [
            ends * verified,
            ends,
            weight * verified,
            weight,
            float(success is True),
            float(success is not None),
        ]

    def values(self, sums: Array) -> dict[str, Array]:
        """Return every metric, percent, of sums of :meth:`count`."""
        import numpy as np

        # Where nothing stands behind a metric, 0 / 0 is the NaN that is wanted.
        with np.errstate(divide="ignore", invalid="ignore"):
            return {
                name: 100.0 * sums[..., count] / sums[..., of]
                for name, (count, of) in _QUOTIENTS.items()
            }

    def failure_class(self, outcome: Outcome) -> str | None:
        """Return in which way a scored node failed: its inputs did not come, or its output."""
        verdict = outcome.verdict
        if verdict is None or verdict.passed:
            return None
        return "handoff" if verdict.measures.get("inputs_used") is False else "rejected"

    def numerators(self, metric: str) -> tuple[int, int] | None:
        """Return the columns whose quotient *metric* is, or ``None`` where it is a mean."""
        return None if metric == "VNCR" else _QUOTIENTS.get(metric)


#: The one there is; it keeps nothing.
COMEMBENCH: Final = CoMemBenchMetrics()
