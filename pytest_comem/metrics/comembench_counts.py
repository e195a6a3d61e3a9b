"""CoMemBench's plays as rows of numbers, for statistics over families.

A family is drawn as a whole: its control and its twins repeat most of each other's work. Its units
are instances (SR, VNCR, tokens), consumers (VHS), and pairs of a twin with its control (ICS).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.suites import Array, Cluster, MetricInfo, Unit
from pytest_comem.metrics.workflow_plays import Controls, Play, WorkflowSheet, controls_of, kept

#: ICS is blank below this many pairs in its denominator, whatever its value.
LEAST_PAIRS: Final = 10
#: Columns by metric: numerator, denominator.
_QUOTIENTS: Final = {"SR": (0, 1), "VNCR": (2, 3), "VHS": (4, 5), "ICS": (6, 7), "tokens": (8, 9)}
_METRICS: Final = (
    MetricInfo(
        "SR",
        "clean instances whose terminal node is verified",
        True,
        "proportion",
        unit="clean instances",
    ),
    MetricInfo(
        "VNCR",
        "verified share of an instance's required nodes, mean",
        True,
        "fraction",
        unit="instances",
    ),
    MetricInfo(
        "VHS",
        "eligible consumers whose handoff succeeds",
        True,
        "proportion",
        unit="eligible consumers",
    ),
    MetricInfo(
        "ICS",
        "pairs whose target still succeeds beside an inapplicable artifact",
        True,
        "proportion",
        least=LEAST_PAIRS,
        unit="pairs",
    ),
    MetricInfo("tokens", "tokens of an instance, mean", False, "mean", unit="tokens"),
)


@final
class CoMemBenchMetrics:
    """CoMemBench's metrics in the form of :class:`pytest_comem.metrics.suites.SuiteMetrics`."""

    suite: Final = "comembench"
    cluster: Final = "family"
    # ICS and VHS are pooled over domains (protocol), and so is the rest.
    by_domain_mean: Final = False
    episode_labels: Final = (
        *("domain", "topology", "condition", "operator"),
        *("required_nodes", "instance", "pair"),
    )
    columns: Final = 2 * len(_QUOTIENTS)
    failure_classes: Final = ("misled", "handoff", "rejected", "blocked")
    metrics: Final[Mapping[str, MetricInfo]] = {info.name: info for info in _METRICS}

    def cluster_of(self, outcome: Outcome) -> Cluster:
        """Return a node's family."""
        return (outcome.step.domain, outcome.labels["pair"])

    def units(self, outcomes: Iterable[Outcome]) -> Iterator[Unit]:
        """Yield the units of one row's plays; families with a benchmark defect have none.

        :raises KeyError, ValueError: where an outcome lacks a label or measure.
        """
        for plays in WorkflowSheet(outcomes).rows().values():
            yield from units_of(plays, controls_of(plays))

    def values(self, sums: Array) -> dict[str, Array]:
        """Return every metric of sums: percent, and tokens."""
        import numpy as np

        # Where nothing stands behind a metric, 0 / 0 is the NaN that is wanted.
        with np.errstate(divide="ignore", invalid="ignore"):
            return {
                name: (1.0 if name == "tokens" else 100.0) * sums[..., count] / sums[..., of]
                for name, (count, of) in _QUOTIENTS.items()
            }

    def failure_class(self, outcome: Outcome) -> str | None:
        """Return in which way a scored node failed.

        It rests on the inapplicable artifact; an input that there was did not come or was not used;
        its output is wrong; or an input never was, because a node before it failed.
        """
        verdict = outcome.verdict
        if verdict is None or verdict.passed:
            return None
        if verdict.measures.get("decoy_consumed") is True:
            return "misled"
        if verdict.measures.get("inputs_used") is not False:
            return "rejected"
        return "handoff" if verdict.measures.get("eligible") is True else "blocked"

    def numerators(self, metric: str) -> tuple[int, int] | None:
        """Return the columns whose quotient *metric* is, or ``None`` where it is no share."""
        return None if metric == "tokens" else _QUOTIENTS.get(metric)


def units_of(plays: Iterable[Play], controls: Controls) -> Iterator[Unit]:
    """Yield what *plays* count for.

    :param controls: of the whole row, also where *plays* are a part of it.
    """
    for play in plays:
        for key, numbers in _units(play, controls):
            named = (play.domain, play.family, play.instance, *key)
            yield Unit((play.domain, play.family), play.repeat, named, numbers)


def _units(play: Play, controls: Controls) -> Iterator[tuple[tuple[str, ...], Sequence[float]]]:
    if play.is_clean and play.terminal is not None:
        yield ("terminal",), _row("SR", play.terminal)
    if play.is_complete:
        if play.required:
            yield ("completion",), _row("VNCR", play.verified / play.required)
        yield ("tokens",), _row("tokens", play.tokens.total())
    for node, success in play.successes.items():
        if success is not None:
            yield ("consumer", node), _row("VHS", success)
    if (still := kept(play, controls)) is not None:
        yield ("pair",), _row("ICS", still)


def _row(metric: str, count: float) -> list[float]:
    row = [0.0] * (2 * len(_QUOTIENTS))
    for column, number in zip(_QUOTIENTS[metric], (float(count), 1.0), strict=True):
        row[column] = number
    return row


#: The one there is; it keeps nothing.
COMEMBENCH: Final = CoMemBenchMetrics()
