"""What a suite's metrics are, in the form that statistics over episodes need.

Every metric is a function of sums over scored steps, so that an episode is a short row of numbers
and a resample of episodes is a weighted sum of such rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
else:
    # numpy takes a third of a second, which a start of pytest should not.
    Array: TypeAlias = Any

#: A share of steps, a product of such shares, or a mean of anything else.
Kind: TypeAlias = Literal["proportion", "product", "mean"]


@final
@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a metric is.

    :param name: as rules and tables write it.
    :param title: in words.
    :param higher_is_better: whether more is better.
    :param kind: proportions and products are percent, between 0 and 100.
    """

    name: str
    title: str
    higher_is_better: bool
    kind: Kind


class SuiteMetrics(Protocol):
    """How one suite's outcomes become its metrics."""

    @property
    def suite(self) -> str:
        """Name of the suite."""

    @property
    def metrics(self) -> Mapping[str, MetricInfo]:
        """Every metric by name, in the order they are shown."""

    @property
    def failure_classes(self) -> tuple[str, ...]:
        """Everything that :meth:`failure_class` may say, in the order it is shown."""

    @property
    def columns(self) -> int:
        """How many numbers a step is counted in."""

    def count(self, outcome: Outcome) -> Sequence[float]:
        """Return the :attr:`columns` numbers of one scored step, all of them 0 or more."""

    def values(self, sums: Array) -> dict[str, Array]:
        """Return every metric of sums of :meth:`count`.

        :param sums: of any shape whose last axis has :attr:`columns` places.
        :return: arrays of that shape without the last axis; NaN where nothing stands behind a
            metric.
        """

    def failure_class(self, outcome: Outcome) -> str | None:
        """Return in which way a scored step failed, or ``None`` where it passed or is unscored."""

    def numerators(self, metric: str) -> tuple[int, int] | None:
        """Return the columns whose quotient a plain proportion is, or ``None`` for the others."""


def suite_metrics(name: str) -> SuiteMetrics:
    """Return the metrics of the suite called *name*.

    :raises SettingsError: where there are none, naming the nearest.
    """
    from pytest_comem.metrics.comembench_counts import COMEMBENCH
    from pytest_comem.metrics.gatemem_counts import GATEMEM

    known: dict[str, SuiteMetrics] = {one.suite: one for one in (GATEMEM, COMEMBENCH)}
    if name not in known:
        raise SettingsError(f"suite {name!r} has no metrics; {did_you_mean(name, known)}")
    return known[name]
