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

Families with a benchmark defect are left out of everything. Repeats are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum
from statistics import fmean, median
from typing import Final, final

from pytest_comem.metrics.workflow_plays import Play, WorkflowSheet

#: ICS is blank below this many pairs in its denominator, whatever its value.
LEAST_PAIRS: Final = 10
#: What a slice without support shows.
BLANK: Final = "\N{EN DASH}"
#: Control of a family in a repeat.
Controls = Mapping[tuple[str, int], Play]


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """A metric with what it is a share of.

    :param count: numerator; for VNCR the sum of the instances' shares.
    :param of: denominator.
    :param least: below this denominator the value is blank.
    :param support: what is held against *least* where it is not *of*: pairs, repeats aside.
    """

    count: float
    of: int
    least: int = 1
    support: int | None = None

    @property
    def value(self) -> float | None:
        """Percent, or ``None`` where too little stands behind it."""
        support = self.of if self.support is None else self.support
        return 100.0 * self.count / self.of if self.of and support >= self.least else None

    def __str__(self) -> str:
        value = self.value
        return BLANK if value is None else f"{value:.1f}"


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

    :param broken: plays in which something around the method broke.
    """

    SR: Ratio
    VNCR: Ratio
    VHS: Ratio
    ICS: Ratio
    tokens: TokenFigures
    broken: int


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


def workflow_rows(sheet: WorkflowSheet) -> dict[tuple[str, str], WorkflowRow]:
    """Return the row of every memory system and model, in order of appearance."""
    return {name: _row(plays) for name, plays in sheet.rows().items()}


def _row(plays: Sequence[Play]) -> WorkflowRow:
    controls = {(play.family, play.repeat): play for play in plays if play.is_clean}
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
    ends = [play.terminal for play in plays if play.is_clean and play.terminal is not None]
    complete = [play for play in plays if play.is_complete]
    shares = [play.verified / play.required for play in complete if play.required]
    consumers = list(chain.from_iterable(play.successes.values() for play in plays))
    eligible = [success for success in consumers if success is not None]
    pairs = [(play, kept) for play in plays for kept in _kept(play, controls)]
    return WorkflowFigures(
        SR=Ratio(sum(ends), len(ends)),
        VNCR=Ratio(fsum(shares), len(shares)),
        VHS=Ratio(sum(eligible), len(eligible)),
        ICS=Ratio(
            sum(kept for _, kept in pairs),
            len(pairs),
            least=LEAST_PAIRS,
            support=len({(play.family, play.operator, play.target) for play, _ in pairs}),
        ),
        tokens=_tokens(complete),
        broken=sum(play.broken > 0 for play in plays),
    )


def _kept(play: Play, controls: Controls) -> Iterator[bool]:
    """Yield whether a twin's target still succeeds, where it succeeds in the control."""
    control = controls.get((play.family, play.repeat))
    if play.is_clean or control is None or play.target not in play.successes:
        return
    if control.successes.get(play.target):
        yield play.successes[play.target] is True


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
