"""CoMemBench's metrics (protocol, "Metrics"), computed from outcomes alone.

``SR``
    Share of clean instances whose terminal node is verified. An instance whose terminal node has no
    verdict is in no denominator.
``VNCR``
    Mean over instances, clean and polluted, of the share of required nodes with verified
    completion. Only instances all of whose required nodes have a verdict.
``VHS``
    Share of eligible consumers whose handoff succeeds, all instances together.
``ICS``
    Among pairs whose target consumer succeeds in the clean run, the share where it also succeeds in
    the polluted twin, all domains together; blank below :data:`LEAST_PAIRS` such pairs. A pair is
    left out where either side's target has no verdict.
tokens
    Of complete instances: mean, median, ninetieth percentile (the smallest value that at least
    nine tenths do not exceed), and all of them for one successful workflow. Words, offline.

Families with a benchmark defect are left out of everything. With repeats a share is the mean of the
repeats' shares, and a pair played twice is one pair; tokens are of all plays together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final, final

from pytest_comem.metrics.comembench_counts import COMEMBENCH, LEAST_PAIRS, units_of
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.workflow_plays import Controls, Play, WorkflowSheet, controls_of

__all__ = [
    "BLANK",
    "LEAST_PAIRS",
    "SHARES",
    "Ratio",
    "WorkflowFigures",
    "WorkflowRow",
    "workflow_rows",
]

#: What a slice without support shows.
BLANK: Final = "\N{EN DASH}"
#: The metrics that are shares, in the order they are shown.
SHARES: Final = ("SR", "VNCR", "VHS", "ICS")


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """A metric with what it is a share of.

    :param count: numerator, of all repeats; for VNCR the sum of the instances' shares.
    :param of: denominator, of all repeats.
    :param value: percent, or ``None`` where too little stands behind it.
    """

    count: float
    of: int
    value: float | None

    def __str__(self) -> str:
        return BLANK if self.value is None else f"{self.value:.1f}"


@final
@dataclass(frozen=True, slots=True)
class TokenFigures:
    """Tokens of complete instances; ``None`` where there are none.

    :param instances: how many there are.
    :param successful: of them, those whose terminal node is verified.
    :param by_purpose: sums.
    :param per_success: all tokens divided by *successful*.
    """

    instances: int
    successful: int
    by_purpose: Mapping[str, int]
    mean: float | None
    median: float | None
    p90: float | None
    per_success: float | None


@final
@dataclass(frozen=True, slots=True)
class WorkflowFigures:
    """Every metric of one row: a memory system, or a stratum of it.

    :param sample: what intervals are computed from.
    :param broken: plays in which something around the method broke, by name, with what did.
    """

    sample: Sample
    tokens: TokenFigures
    broken: Mapping[str, str]

    def ratio(self, metric: str) -> Ratio:
        """Return one of :data:`SHARES`."""
        if not self.sample.episodes:
            return Ratio(0, 0, None)
        count, of = self.sample.behind(metric)
        return Ratio(count, round(of), self.sample.values().get(metric))


@final
@dataclass(frozen=True, slots=True)
class WorkflowRow:
    """A memory system with its figures.

    :param domains: by domain, in order of appearance, as the others.
    :param topologies: by topology label; an instance counts under each one it has.
    :param operators: by pollution operator: polluted instances alone, so that SR is blank.
    """

    overall: WorkflowFigures
    domains: Mapping[str, WorkflowFigures]
    topologies: Mapping[str, WorkflowFigures]
    operators: Mapping[str, WorkflowFigures]

    def strata(self) -> Mapping[str, Mapping[str, WorkflowFigures]]:
        """Return every way in which instances are divided, with the parts by name, in order."""
        found = {
            "domain": self.domains,
            "topology": self.topologies,
            "operator": self.operators,
        }
        return {kind: dict(sorted(parts.items())) for kind, parts in found.items()}


def workflow_rows(sheet: WorkflowSheet) -> dict[tuple[str, str], WorkflowRow]:
    """Return the row of every memory system and model, in order of appearance."""
    return {name: _row(plays) for name, plays in sheet.rows().items()}


def _row(plays: Sequence[Play]) -> WorkflowRow:
    controls = controls_of(plays)
    return WorkflowRow(
        overall=_figures(plays, controls),
        domains=_strata(plays, controls, lambda play: (play.domain,)),
        topologies=_strata(plays, controls, lambda play: play.topology),
        operators=_strata(plays, controls, lambda play: filter(None, (play.operator,))),
    )


def _strata(
    plays: Sequence[Play], controls: Controls, names: Callable[[Play], Iterable[str]]
) -> dict[str, WorkflowFigures]:
    found: dict[str, list[Play]] = {}
    for play in plays:
        for name in names(play):
            found.setdefault(name, []).append(play)
    return {name: _figures(members, controls) for name, members in found.items()}


def _figures(plays: Sequence[Play], controls: Controls) -> WorkflowFigures:
    counted = EpisodeCounts(COMEMBENCH)
    for unit in units_of(plays, controls):
        counted.count(unit)
    return WorkflowFigures(
        sample=counted.sample(),
        tokens=_tokens([play for play in plays if play.is_complete]),
        broken={play.name: play.why for play in plays if play.broken},
    )


def _tokens(complete: Sequence[Play]) -> TokenFigures:
    totals = sorted(play.tokens.total() for play in complete)
    successful = sum(play.terminal is True for play in complete)
    by_purpose: dict[str, int] = {}
    for play in complete:
        for use, count in play.tokens.items():
            by_purpose[use] = by_purpose.get(use, 0) + count
    return TokenFigures(
        instances=len(totals),
        successful=successful,
        by_purpose=by_purpose,
        mean=fmean(totals) if totals else None,
        median=float(median(totals)) if totals else None,
        p90=float(totals[(9 * len(totals) - 1) // 10]) if totals else None,
        per_success=sum(totals) / successful if successful else None,
    )
