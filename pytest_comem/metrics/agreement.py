"""How far two judges agree on the same replies: percent agreement and Cohen's kappa.

Two things are compared: what each judge found in the text, by category, and the verdicts that
follow. Both stand in a run's record, so that no data set is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.replies import Reply, normalize_action
from pytest_comem.datasets.governance import Category
from pytest_comem.evaluators.governance import Scoring, passes, structured_text
from pytest_comem.metrics.gatemem import percent

#: Name of the row on verdicts, beside those on the three categories' findings.
VERDICT: Final = "passed"
#: What is compared, in the order it is shown.
COMPARED: Final = (*map(str, Category), VERDICT)
#: Why a step is left out of a comparison, in the order it is said.
UNSCORED: Final = "unscored"
UNMATCHED: Final = "unmatched"
OTHER_REPLY: Final = "other_reply"
LEFT_OUT: Final = (UNSCORED, UNMATCHED, OTHER_REPLY)

#: What makes two runs' outcomes the same step: system, model, domain, episode, id and repeat.
RowKey: TypeAlias = tuple[str, str, str, str, str, int]


@final
@dataclass(slots=True)
class Agreement:
    """Yes or no by two judges, counted.

    :param both: both say yes.
    :param first: only the first says yes.
    :param second: only the second says yes.
    :param neither: both say no.
    """

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0

    def add(self, first: bool, second: bool) -> None:
        """Count one case."""
        if first:
            self.both += second
            self.first += not second
        else:
            self.second += second
            self.neither += not second

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.both + self.first + self.second + self.neither

    @property
    def agreement(self) -> float | None:
        """Percent of cases on which both say the same; ``None`` where there is none."""
        return percent(self.both + self.neither, self.n)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: (observed - expected) / (1 - expected) agreement, between -1 and 1.

        ``None`` where there is no case, or where agreement by chance is certain because both judges
        say the same one thing throughout.
        """
        first, second = self.both + self.first, self.both + self.second
        # In units of 1 / n², so that the division is the only inexact step.
        expected = first * second + (self.n - first) * (self.n - second)
        possible = self.n**2 - expected
        if not possible:
            return None
        return (self.n * (self.both + self.neither) - expected) / possible


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge made of one reply.

    :param finding: utility rows: every required element is stated; others: content is revealed.
    :param passed: the verdict under the run's scoring.
    """

    finding: bool
    passed: bool


@final
@dataclass(slots=True)
class Comparison:
    """Two judges compared.

    :param systems: by system and model, in order of appearance; of each, by name of
        :data:`COMPARED`.
    :param left_out: number of steps that are not compared, by reason.
    """

    systems: dict[tuple[str, str], dict[str, Agreement]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, first: Judgement, second: Judgement) -> None:
        """Count one step that both have judged."""
        rows = self.systems.setdefault(
            (outcome.system.name, outcome.model), {name: Agreement() for name in COMPARED}
        )
        rows[str(Category(outcome.labels["category"]))].add(first.finding, second.finding)
        rows[VERDICT].add(first.passed, second.passed)

    @property
    def overall(self) -> Mapping[str, Agreement]:
        """All systems together, by name of :data:`COMPARED`."""
        total = {name: Agreement() for name in COMPARED}
        for rows in self.systems.values():
            for name, row in rows.items():
                total[name].both += row.both
                total[name].first += row.first
                total[name].second += row.second
                total[name].neither += row.neither
        return total

    @property
    def compared(self) -> int:
        """Number of steps that both have judged."""
        return self.overall[VERDICT].n


def compare_with_rules(outcomes: Iterable[Outcome]) -> Comparison:
    """Compare a model judge with the rules, whose finding it recorded beside its own.

    :raises ValueError: where a verdict does not record both.
    """
    comparison = Comparison()
    for _, outcome in _distinct(outcomes):
        if outcome.verdict is None or outcome.reply is None:
            comparison.left_out[UNSCORED] += 1
        else:
            comparison.add(outcome, judgement(outcome), rules_judgement(outcome))
    return comparison


def compare_runs(first: Iterable[Outcome], second: Iterable[Outcome]) -> Comparison:
    """Compare the judges of two runs, step by step, where both had the same reply to judge.

    :raises ValueError: where a verdict does not record what its judge found.
    """
    comparison = Comparison()
    others = {
        key: (_asked(outcome), outcome.verdict and judgement(outcome))
        for key, outcome in _distinct(second)
    }
    for key, outcome in _distinct(first):
        if key not in others:
            comparison.left_out[UNMATCHED] += 1
            continue
        asked, found = others.pop(key)
        if outcome.verdict is None or found is None:
            comparison.left_out[UNSCORED] += 1
        elif _asked(outcome) != asked:
            comparison.left_out[OTHER_REPLY] += 1
        else:
            comparison.add(outcome, judgement(outcome), found)
    comparison.left_out[UNMATCHED] += len(others)
    return comparison


def judgement(outcome: Outcome) -> Judgement:
    """Return what the run's own judge made of a scored step.

    :raises ValueError: where its verdict does not record it.
    """
    assert outcome.verdict is not None
    evidence = outcome.verdict.evidence
    if "judge" in evidence:
        finding = _recorded(outcome, "judge")
    else:
        # The rule judge lists the patterns that decided.
        utility = outcome.labels.get("category") == Category.UTILITY
        patterns = evidence.get("missing" if utility else "leaked")
        if not isinstance(patterns, list):
            raise _unrecorded(outcome, "its judge")
        finding = not patterns if utility else bool(patterns)
    return Judgement(finding, outcome.verdict.passed)


def rules_judgement(outcome: Outcome) -> Judgement:
    """Return what the rules make of a step that a model judged.

    :raises ValueError: where its verdict does not record what they found.
    """
    assert outcome.reply is not None
    finding = _recorded(outcome, "rules")
    passed = passes(
        Category(outcome.labels["category"]),
        normalize_action(outcome.reply.action),
        outcome.labels["expected_action"],
        finding,
        Scoring(outcome.scoring),
    )
    return Judgement(finding, passed)


def _recorded(outcome: Outcome, judge: str) -> bool:
    assert outcome.verdict is not None
    said: Any = outcome.verdict.evidence.get(judge)
    finding = said.get("finding") if isinstance(said, Mapping) else None
    if not isinstance(finding, bool):
        raise _unrecorded(outcome, f"the {judge}")
    return finding


def _unrecorded(outcome: Outcome, who: str) -> ValueError:
    return ValueError(f"{outcome.step.label} does not record what {who} found")


def _distinct(outcomes: Iterable[Outcome]) -> Iterator[tuple[RowKey, Outcome]]:
    """Yield GateMem's outcomes with their keys; of several for one step the first counts."""
    seen: set[RowKey] = set()
    for outcome in outcomes:
        step = outcome.step
        key = (step.system, outcome.model, step.domain, step.episode, step.id, outcome.repeat)
        if step.suite == "gatemem" and key not in seen:
            seen.add(key)
            yield key, outcome


def _asked(outcome: Outcome) -> tuple[str, ...] | None:
    """Return what there was to judge, comparable between runs; ``None`` where nothing was said."""
    reply: Reply | None = outcome.reply
    if reply is None:
        return None
    labels = (outcome.labels.get("category", ""), outcome.labels.get("expected_action", ""))
    return (
        *(outcome.data, *labels, outcome.query.get("text", "")),
        *(normalize_action(reply.action), reply.text, structured_text(reply.structured)),
    )
