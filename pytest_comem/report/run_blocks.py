"""One run as blocks: what a pull request's reader wants to see first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_comem.baseline.standing import StepId, step_id
from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.engine.runs import RecordedRun, Row
from pytest_comem.gate.results import GateResult, Ruling
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics
from pytest_comem.metrics.workflow_plays import WORKFLOWS, handoff_of
from pytest_comem.report.blocks import (
    MOST_ITEMS,
    Block,
    Grid,
    Heading,
    Paragraph,
    Span,
    Verbatim,
    figure,
    listing,
)
from pytest_comem.report.gate import bound_of, value_of
from pytest_comem.report.office_blocks import office_blocks
from pytest_comem.report.office_blocks import paper_blocks as office_paper_blocks
from pytest_comem.report.paper import PaperRow, PaperRows
from pytest_comem.report.recorded_changes import RecordedChanges, held_against
from pytest_comem.report.scorecard import without_step
from pytest_comem.report.tables import ABSENT, dollars
from pytest_comem.report.workflow_blocks import (
    excluded_families,
    handoff_words,
    paper_blocks,
    workflow_blocks,
)

#: Characters of one reason.
_LONGEST: Final = 300


def run_blocks(
    run: RecordedRun,
    *,
    paper: PaperRows | None = None,
    most: int = MOST_ITEMS,
) -> Iterator[Block]:
    """Yield a run's blocks: scorecard, gate, what changed, what failed, cost, what is unscored.

    :param paper: rows of a paper to be shown below the run's.
    :param most: items of one listing.
    """
    passed = sum(each.passed for each in run.outcomes)
    scored = sum(each.verdict is not None for each in run.outcomes)
    yield Heading((f"pytest-comem: {passed:,} of {scored:,} scored steps passed",), 1)
    if ended := run.finished.get("ended"):
        yield Paragraph(("The run was ended early: ", Verbatim(str(ended))))
    if (gate := gate_of(run)) is not None:
        yield from gate_blocks(gate)
    for suite in run.suites:
        rows = {row: outcomes for row, outcomes in run.rows.items() if row[0] == suite}
        yield from _suite_blocks(run, suite, rows, paper, most)
        if (held := held_against(run)) is not None:
            for row, outcomes in rows.items():
                yield from _changed_blocks(held.rows.get(row), row, outcomes, most)
        yield from _failed_blocks(suite, rows, most)
        yield _cost_grid(rows)
    yield from _unscored_blocks(run, most)
    if not run.finished:
        yield Paragraph(("This run was not finished; steps that never ran are not listed.",))


def gate_of(run: RecordedRun) -> GateResult | None:
    """Return what the run's gate came to, as its manifest holds it; ``None`` without a gate."""
    try:
        return GateResult.from_json(run.finished["gate"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def gate_blocks(gate: GateResult) -> Iterator[Block]:
    """Yield the gate's result with a row a ruling."""
    yield Heading((f"gate: {gate.result}",))
    heads = ("result", "rule", "row", "measured", "bound", "reason")
    yield Grid(heads, tuple(map(_ruling, gate.rulings)), names=len(heads))


def _ruling(ruling: Ruling) -> tuple[Span, ...]:
    who = " with ".join(filter(None, (ruling.system, ruling.model)))
    value = value_of(ruling)
    measured = f"{value} {ruling.unit}".strip() if value else ""
    reason = Verbatim(_cut(ruling.reason)) if ruling.reason else ""
    return (str(ruling.result), Verbatim(ruling.rule), who, measured, bound_of(ruling), reason)


def _suite_blocks(
    run: RecordedRun,
    suite: str,
    rows: Mapping[Row, Sequence[Outcome]],
    paper: PaperRows | None,
    most: int,
) -> Iterator[Block]:
    metrics = suite_metrics(suite)
    first = next(iter(rows.values()))[0]
    yield Heading((suite,))
    if suite == WORKFLOWS:
        yield from _workflow_blocks(run, rows, paper, most)
        return
    judge = Verbatim(first.judge)
    yield Paragraph(
        ("data ", Verbatim(first.data), ", judge ", judge, f", {first.scoring} scoring")
    )
    if suite == OFFICE:
        yield from office_blocks(rows, most)
        yield from office_paper_blocks(paper.tasks) if paper and paper.tasks else ()
        return
    yield from _metric_blocks(rows, metrics, paper)


def _metric_blocks(
    rows: Mapping[Row, Sequence[Outcome]], metrics: SuiteMetrics, paper: PaperRows | None
) -> Iterator[Block]:
    lines: list[tuple[Span, ...]] = []
    strong: list[int] = []
    for (_, system, model), outcomes in rows.items():
        sample = Sample.of(outcomes, metrics)
        strong.append(len(lines))
        reference = " (reference)" if outcomes[0].system.reference else ""
        lines.append(_whole(f"{system} with {model}{reference}", sample))
        lines.extend(_domains(sample))
    shown = paper.rows if paper else ()
    quiet = range(len(lines), len(lines) + len(shown))
    lines.extend(_of_paper(each, metrics) for each in shown)
    heads = ("system / domain", *metrics.metrics, "n")
    yield Grid(heads, tuple(lines), strong=frozenset(strong), quiet=frozenset(quiet))
    better = [name for name, info in metrics.metrics.items() if info.higher_is_better]
    yield Paragraph(
        (f"percent with 95 % intervals; {', '.join(better)}: more is better; others: less",),
        quiet=True,
    )
    for note in paper.notes if paper else ():
        yield Paragraph((note,), quiet=True)


def _workflow_blocks(
    run: RecordedRun, rows: Mapping[Row, Sequence[Outcome]], paper: PaperRows | None, most: int
) -> Iterator[Block]:
    first = next(iter(rows.values()))[0]
    delivered = f", native evaluators, inputs delivered {handoff_words(handoff_of(first))}"
    yield Paragraph(("data ", Verbatim(first.data), delivered))
    yield from workflow_blocks(rows, most, excluded_families(run.manifest))
    yield from paper_blocks(paper.workflows) if paper and paper.workflows else ()


def _whole(name: str, sample: Sample) -> tuple[Span, ...]:
    found = measure(sample)
    cells = (_measured(found.get(metric)) for metric in sample.metrics.metrics)
    return (name, *cells, f"{sample.scored:,}")


def _measured(found: Measured | None) -> str:
    if found is None:
        return ABSENT
    return f"{figure(found.value)} ({figure(found.low)}–{figure(found.high)})"  # noqa: RUF001


def _domains(sample: Sample) -> Iterator[tuple[Span, ...]]:
    if len(sample.domains) < 2:
        return
    for domain in sample.domains:
        part = sample.only(domain=domain)
        yield (f"— {domain}", *_values(part.values(), sample.metrics), f"{part.scored:,}")
    yield ("— domain mean", *_values(sample.domain_means(), sample.metrics), "")


def _values(values: Mapping[str, float], metrics: SuiteMetrics) -> Iterator[str]:
    return (figure(values.get(name)) for name in metrics.metrics)


def _of_paper(row: PaperRow, metrics: SuiteMetrics) -> tuple[Span, ...]:
    name = f"{row.method} with {row.backbone} (paper; {row.system} here)"
    return (name, *_values(row.values, metrics), "")


def _changed_blocks(
    found: RecordedChanges | None, row: Row, outcomes: Sequence[Outcome], most: int
) -> Iterator[Block]:
    name = f"{row[1]} with {row[2]}"
    if found is None:
        yield Paragraph((f"{name} is not in the baseline; its steps count by themselves.",))
        return
    yield Paragraph(
        (
            f"{name} against the baseline: {_regressions(len(found.regressions))}, "
            f"{len(found.newly_passing):,} newly passing, {found.expected:,} failed before too, "
            f"{found.unknown:,} not in the baseline",
        )
    )
    labels = _labels(outcomes)
    lists = (("regressions:", found.regressions), ("newly passing:", found.newly_passing))
    for title, steps in lists:
        if steps:
            names = [labels.get(step, " ".join(step)) for step in steps]
            yield listing((title,), [(Verbatim(each),) for each in names], most)
    for metric, points in found.worse.items():
        yield Paragraph((f"regression: {metric} is worse by {figure(points)} points",))


def _regressions(count: int) -> str:
    return f"{count:,} regression" if count == 1 else f"{count:,} regressions"


def _labels(outcomes: Iterable[Outcome]) -> dict[StepId, str]:
    """Return each step's label, of its first repeat."""
    found: dict[StepId, str] = {}
    for outcome in outcomes:
        found.setdefault(step_id(outcome), outcome.step.label)
    return found


def _failed_blocks(suite: str, rows: Mapping[Row, Sequence[Outcome]], most: int) -> Iterator[Block]:
    metrics = suite_metrics(suite)
    attacks = sorted({each.labels.get("attack_type", "") for row in rows.values() for each in row})
    heads = tuple(f"{system} with {model}" for _, system, model in rows)
    classes = Counter(
        (row, name) for row in rows for each in rows[row] if (name := metrics.failure_class(each))
    )
    kinds = [name for name in metrics.failure_classes if any(classes[row, name] for row in rows)]
    if kinds:
        lines = ((name, *(f"{classes[row, name]:,}" for row in rows)) for name in kinds)
        yield Grid(("failures by class", *heads), tuple(lines))
    if attacks := [name for name in attacks if name]:
        counted = {row: _by_attack(outcomes) for row, outcomes in rows.items()}
        lines_of_attacks: list[tuple[Span, ...]] = [
            (Verbatim(name), *(counted[row].get(name, ABSENT) for row in rows)) for name in attacks
        ]
        yield Grid(("failures by attack type", *heads), tuple(lines_of_attacks))
    for (_, system, model), outcomes in rows.items():
        failed = [each for each in outcomes if each.verdict is not None and not each.passed]
        if failed:
            title = f"{system} with {model}: {len(failed):,} failed"
            yield listing((title,), [_failure(each, metrics) for each in failed], most)


def _by_attack(outcomes: Iterable[Outcome]) -> dict[str, str]:
    failed: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for each in outcomes:
        if each.verdict is not None and (attack := each.labels.get("attack_type", "")):
            scored[attack] += 1
            failed[attack] += not each.passed
    return {name: f"{failed[name]:,} of {count:,}" for name, count in scored.items()}


def _failure(outcome: Outcome, metrics: SuiteMetrics) -> tuple[Span, ...]:
    kind = metrics.failure_class(outcome) or "failed"
    return (Verbatim(outcome.step.label), f" {kind}: ", Verbatim(_cut(outcome.reason)))


def _cost_grid(rows: Mapping[Row, Sequence[Outcome]]) -> Grid:
    lines: list[tuple[Span, ...]] = []
    for (_, system, model), outcomes in rows.items():
        total = Usage()
        for each in outcomes:
            for usage in each.usage.values():
                total = plus(total, usage)
        lines.append(
            (
                f"{system} with {model}",
                f"{total.calls:,}",
                f"{total.tokens:,}",
                dollars(total.cost),
                figure(total.seconds),
                f"{total.retries:,}",
            )
        )
    return Grid(("cost", "calls", "tokens", "dollars", "seconds", "retries"), tuple(lines))


def _unscored_blocks(run: RecordedRun, most: int) -> Iterator[Block]:
    if not (unscored := run.unscored):
        return
    by_reason: dict[str, list[str]] = {}
    for name, reason in unscored.items():
        by_reason.setdefault(without_step(reason), []).append(name)
    yield Paragraph((f"{len(unscored):,} steps are unscored and count neither way:",))
    for reason, names in list(by_reason.items())[:MOST_ITEMS]:
        title: tuple[Span, ...] = (f"{len(names):,} because: ", Verbatim(_cut(reason)))
        yield listing(title, [(Verbatim(name),) for name in names], most)
    if len(by_reason) > MOST_ITEMS:
        yield Paragraph((f"and {len(by_reason) - MOST_ITEMS:,} more reasons",))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
