"""What a suite's metrics are, in the form that statistics over clusters need.

A cluster is what is drawn as a whole, because its parts are alike: GateMem's episode, CoMemBench's
family with its control and all its twins, ContextWeave's task with all its repeats. Every metric is
a function of sums over units, the smallest things that are counted: steps, instances, pairs, tasks.
So a cluster is a short row of numbers, and a resample of clusters a weighted sum of such rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
else:
    # numpy takes a third of a second, which a start of pytest should not.
    Array: TypeAlias = Any

#: A share of units, a mean of shares that units have, the same of scores between 0 and 100, a
#: product of shares, or a mean of anything else.
Kind: TypeAlias = Literal["proportion", "fraction", "score", "product", "mean"]
#: Kinds that rules write as a plain number in the metric's unit; the others are percent.
PLAIN: Final[tuple[Kind, ...]] = ("score", "mean")
#: Kinds of which every unit has a share of its own, which is less apart than hits and misses.
SHARED: Final[tuple[Kind, ...]] = ("fraction", "score")
#: Domain and name of what is drawn as a whole, with all its steps and repeats.
Cluster: TypeAlias = tuple[str, str]


@final
@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a metric is.

    :param name: as rules and tables write it.
    :param title: in words.
    :param higher_is_better: whether more is better; ``None`` where neither is.
    :param kind: all but means are between 0 and 100; all but means and scores are percent.
    :param least: units of a repeat below which it has no value, however they came out.
    :param unit: what is counted, in the plural; of a mean or score what it is in.
    :param digits: after the decimal point; ``None`` for one, and for none of a mean.
    :param signed: it is a difference, and is written with its sign.
    :param diagnostic: it says why others are what they are, and is shown after them.
    """

    name: str
    title: str
    higher_is_better: bool | None
    kind: Kind
    least: int = 1
    unit: str = "steps"
    digits: int | None = None
    signed: bool = False
    diagnostic: bool = False


@final
@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that metrics count.

    :param cluster: that it belongs to.
    :param repeat: number of the repeat, 0-based.
    :param key: equal in two runs for what is the same thing there.
    :param numbers: what it adds to the sums, a number a column, all of them 0 or more.
    """

    cluster: Cluster
    repeat: int
    key: tuple[str, ...]
    numbers: Sequence[float]


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
    def cluster(self) -> str:
        """What clusters are called, in the singular."""

    @property
    def by_domain_mean(self) -> bool:
        """Whether the benchmark also reports the mean of its domains."""

    @property
    def episode_labels(self) -> tuple[str, ...]:
        """Labels that all steps of an episode have in common."""

    @property
    def columns(self) -> int:
        """How many numbers a unit is counted in."""

    def cluster_of(self, outcome: Outcome) -> Cluster:
        """Return the cluster that a step belongs to."""

    def units(self, outcomes: Iterable[Outcome]) -> Iterable[Unit]:
        """Return what the scored steps among *outcomes*, of one system and model, count for.

        Units may join several steps, so that those of two parts are not those of the whole.

        :raises KeyError, TypeError, ValueError: where an outcome lacks a label or measure.
        """

    def values(self, sums: Array) -> dict[str, Array]:
        """Return every metric of sums of units' numbers.

        :param sums: of any shape whose last axis has :attr:`columns` places.
        :return: arrays of that shape without the last axis; NaN where nothing stands behind a
            metric.
        """

    def failure_class(self, outcome: Outcome) -> str | None:
        """Return in which way a scored step failed, or ``None`` where it passed or is unscored."""

    def numerators(self, metric: str) -> tuple[int, int] | None:
        """Return the columns whose quotient a metric is; ``None`` for products and means."""


def suite_metrics(name: str) -> SuiteMetrics:
    """Return the metrics of the suite called *name*.

    :raises SettingsError: where there are none, naming the nearest.
    """
    from pytest_comem.metrics.comembench_counts import COMEMBENCH
    from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
    from pytest_comem.metrics.gatemem_counts import GATEMEM

    suites: tuple[SuiteMetrics, ...] = (GATEMEM, COMEMBENCH, CONTEXTWEAVE)
    known = {one.suite: one for one in suites}
    if name not in known:
        raise SettingsError(f"suite {name!r} has no metrics; {did_you_mean(name, known)}")
    return known[name]
