"""Two rows compared on the same steps: what changed, and how sure that is.

Both rows are resampled together, by episode: what makes an episode hard is hard for both, and
leaves the difference. Nothing depends on the order of the outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.differences import SampleDifference, sample_differences
from pytest_comem.metrics.intervals import RESAMPLES
from pytest_comem.metrics.sample import Sample, StepKey, step_key
from pytest_comem.metrics.statistics import CONFIDENCE
from pytest_comem.metrics.suites import SuiteMetrics

_Scored: TypeAlias = Mapping[StepKey, Outcome]


@final
@dataclass(frozen=True, slots=True)
class Flip:
    """A step that passed in one of the runs only.

    :param label: its label in the run after.
    :param before: whether it passed before.
    :param after: whether it passes now.
    :param labels: what breakdowns go by, such as ``attack_type``.
    """

    label: str
    before: bool
    after: bool
    domain: str
    labels: Mapping[str, str]


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """How one metric differs, in its own unit: percent points for proportions and products.

    :param before: value before, of the steps that both have scored.
    :param after: value after, of the same steps.
    :param difference: after minus before.
    :param low: lower limit of the difference; 0, like *high*, where no step's part in the metric
        differs: then the rows are equal on everything that was asked.
    :param high: upper limit.
    :param p: two-sided; how often a difference as large would come of swapping the two rows'
        results in episodes taken by the toss of a coin.
    :param p_holm: the same, corrected for all metrics of the comparison (Holm).
    :param detectable: smallest true difference that such a comparison finds in 80 % of cases.
        At 100 percent points none could have been seen.
    """

    metric: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    detectable: float


@final
@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's exact test of passing and failing, a step a case.

    It takes steps as independent, and says whether the flips have a direction. A step that is
    repeated counts once, as one that passes more or less often than before (sign test).

    :param gained: steps that pass more often than before.
    :param lost: steps that pass less often than before.
    :param p: two-sided.
    """

    gained: int
    lost: int
    p: float


@final
@dataclass(frozen=True, slots=True)
class Paired:
    """Two rows compared.

    :param differences: by metric; those that nothing stands behind are left out.
    :param flips: in the order of domains, episodes and positions.
    :param only_before: labels of steps that only the run before has scored.
    :param only_after: labels of steps that only the run after has scored.
    """

    differences: dict[str, Difference]
    flips: tuple[Flip, ...]
    mcnemar: McNemar
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()


def compare(
    before: Iterable[Outcome],
    after: Iterable[Outcome],
    metrics: SuiteMetrics,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Paired:
    """Compare two rows on the steps that both have scored, whatever their systems and models.

    :param before: outcomes of one system with one model; other suites' are left out.
    :param after: the same of the other row.
    :param seed: of resamples and permutations; equal rows have equal results.
    :param confidence: two-sided, between 0 and 1.
    :raises ValueError: where a row has several systems or models.
    """
    first, second = _scored(before, metrics), _scored(after, metrics)
    common = [key for key in _in_order(second) if key in first]
    found = sample_differences(
        Sample.of((first[key] for key in common), metrics),
        Sample.of((second[key] for key in common), metrics),
        _flips_by_column(first, second, common, metrics),
        seed=seed,
        resamples=resamples,
        confidence=confidence,
    )
    return Paired(
        _corrected(found),
        tuple(_flips(first, second, common)),
        mcnemar(*_gained_and_lost(first, second, common)),
        tuple(first[key].step.label for key in _in_order(first) if key not in second),
        tuple(second[key].step.label for key in _in_order(second) if key not in first),
    )


def mcnemar(gained: int, lost: int) -> McNemar:
    """Return McNemar's exact test of so many flips either way; without flips p is 1."""
    from scipy.special import bdtr

    # At a half, both tails of the binomial distribution are alike.
    tail = float(bdtr(min(gained, lost), gained + lost, 0.5)) if gained + lost else 1.0
    return McNemar(gained, lost, min(1.0, 2 * tail))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return p values corrected for their number, by the same names.

    Holm's step-down procedure (Scandinavian Journal of Statistics 6, 1979): the chance that any
    hypothesis that is true is rejected stays below the level, whatever they have to do with each
    other.
    """
    found: dict[str, float] = {}
    highest = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: (p_values[name], name))):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[name]))
        found[name] = highest
    return {name: found[name] for name in p_values}


def _scored(outcomes: Iterable[Outcome], metrics: SuiteMetrics) -> _Scored:
    """Return the first outcome of each step of the suite, where that has a verdict."""
    found: dict[StepKey, Outcome] = {}
    for outcome in outcomes:
        if outcome.step.suite == metrics.suite:
            found.setdefault(step_key(outcome), outcome)
    return {key: outcome for key, outcome in found.items() if outcome.verdict is not None}


def _in_order(scored: _Scored) -> list[StepKey]:
    return sorted(
        scored, key=lambda key: (key[1], key[2], scored[key].step.position, key[3], key[4])
    )


def _flips(first: _Scored, second: _Scored, common: Sequence[StepKey]) -> Iterable[Flip]:
    for key in common:
        before, after = first[key], second[key]
        if before.passed != after.passed:
            step = after.step
            yield Flip(step.label, before.passed, after.passed, step.domain, after.labels)


def _gained_and_lost(first: _Scored, second: _Scored, common: Sequence[StepKey]) -> tuple[int, int]:
    """Return how many steps pass more and less often than before, over all repeats."""
    change: Counter[tuple[str, ...]] = Counter()
    for key in common:
        change[key[:4]] += second[key].passed - first[key].passed
    gained = sum(count > 0 for count in change.values())
    return gained, sum(count < 0 for count in change.values())


def _flips_by_column(
    first: _Scored, second: _Scored, common: Sequence[StepKey], metrics: SuiteMetrics
) -> list[float]:
    """Return by column the sum of the units' squared differences: of flips, how many there are."""
    before, after = (
        {
            (unit.cluster, unit.repeat, unit.key): unit.numbers
            for unit in metrics.units(scored[key] for key in common)
        }
        for scored in (first, second)
    )
    nothing = [0.0] * metrics.columns
    flips = [0.0] * metrics.columns
    for place in dict.fromkeys([*before, *after]):
        rows = zip(before.get(place, nothing), after.get(place, nothing), strict=True)
        for column, (one, other) in enumerate(rows):
            flips[column] += (one - other) ** 2
    return flips


def _corrected(found: Mapping[str, SampleDifference]) -> dict[str, Difference]:
    corrected = holm({name: one.p for name, one in found.items()})
    return {
        name: Difference(
            metric=name,
            before=one.before,
            after=one.after,
            difference=one.after - one.before,
            low=one.low,
            high=one.high,
            p=one.p,
            p_holm=corrected[name],
            detectable=one.detectable,
        )
        for name, one in found.items()
    }
