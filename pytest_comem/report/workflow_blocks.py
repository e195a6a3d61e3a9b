"""CoMemBench's part of a run as blocks: metrics, strata, trade-off, tokens, what counts nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.workflow_measures import PURPOSES
from pytest_comem.engine.runs import Row
from pytest_comem.metrics.comembench import BLANK, LEAST_PAIRS, SHARES, WorkflowRow, workflow_rows
from pytest_comem.metrics.comembench_counts import COMEMBENCH
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.workflow_plays import WORKFLOWS, WorkflowSheet
from pytest_comem.report.blocks import (
    MOST_ITEMS,
    Block,
    Grid,
    Paragraph,
    Span,
    Verbatim,
    figure,
    listing,
)
from pytest_comem.report.trade_off import (
    HEADING,
    ISOLATION,
    TradeOff,
    sharing_metric,
    sharing_plane,
    trade_offs,
)
from pytest_comem.report.trade_off import LEGEND as TRADE_OFF
from pytest_comem.report.workflow_paper import WorkflowPaper

#: What each of the metrics is, in their order.
TITLES: Final = "; ".join(f"{name}: {COMEMBENCH.metrics[name].title}" for name in SHARES)
_LEGEND: Final = (
    f"percent with 95 % intervals over families, more is better. {TITLES}. In brackets: how many "
    f"of how many, for VNCR of how many instances. {BLANK}: fewer than {LEAST_PAIRS} pairs, or "
    "nothing, stand behind it."
)
_TOKENS: Final = (
    "tokens of an instance, words where no model counted; p90: ninetieth percentile; per success: "
    "all of them for one instance whose last node is verified; by purpose: mean"
)
_Named: TypeAlias = Mapping[str, WorkflowRow]


def workflow_blocks(
    rows: Mapping[Row, Sequence[Outcome]],
    most: int = MOST_ITEMS,
    excluded: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Block]:
    """Yield what is to be shown of a run's CoMemBench rows.

    :param rows: with the outcomes as they were recorded.
    :param excluded: families that were left out, with the reason.
    :param most: items of one listing.
    """
    sheet = WorkflowSheet(each for outcomes in rows.values() for each in outcomes)
    seeing = {(row[1], row[2]) for row, found in rows.items() if found[0].system.reference}
    named = {
        told_row(*name, reference=name in seeing): row for name, row in workflow_rows(sheet).items()
    }
    yield _metrics(named)
    yield Paragraph((_LEGEND,), quiet=True)
    if len(named) > 1:
        yield from _trade_off(named, sheet.handoff)
    yield from _strata(named)
    yield _tokens(named)
    yield Paragraph((_TOKENS,), quiet=True)
    yield from _left_out(sheet, named, most)
    if excluded:
        families = "1 family was" if len(excluded) == 1 else f"{len(excluded)} families were"
        yield listing((f"{families} left out:",), _reasons(excluded), most)


def paper_blocks(paper: WorkflowPaper) -> Iterator[Block]:
    """Yield what the paper says, as a table for reference, and what has to be said of it."""
    lines: list[tuple[Span, ...]] = []
    for row in paper.rows:
        name = f"{row.mechanism}, {row.domain} (paper; {row.system} here)"
        cells = (figure(row.values.get(metric)) for metric in SHARES)
        lines.append((name, *cells, figure(row.tokens, 0)))
    heads = ("CoMemBench's paper", *SHARES, "tokens")
    yield Grid(heads, tuple(lines), quiet=frozenset(range(len(lines))))
    for note in paper.notes:
        yield Paragraph((note,), quiet=True)


def excluded_families(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the families that a run left out because of what they need, by name, with that."""
    data = manifest.get("data")
    about = data.get(WORKFLOWS) if isinstance(data, Mapping) else None
    found = about.get("excluded") if isinstance(about, Mapping) else None
    return (
        {str(name): str(why) for name, why in found.items()} if isinstance(found, Mapping) else {}
    )


def told_row(system: str, model: str, *, reference: bool = False) -> str:
    """Return a row's name in words."""
    return f"{system} with {model}{' (reference)' if reference else ''}"


def handoff_words(handoff: str) -> str:
    """Return who delivers declared inputs, in words."""
    return "by the memory alone" if handoff == "memory" else "by the harness (declared)"


def _metrics(rows: _Named) -> Grid:
    lines: list[tuple[Span, ...]] = []
    strong: list[int] = []
    for name, row in rows.items():
        found = measure(row.overall.sample)
        strong.append(len(lines))
        lines.append((Verbatim(name), *(_whole(found.get(each), row, each) for each in SHARES)))
    return Grid(("system", *SHARES), tuple(lines), strong=frozenset(strong))


def _whole(found: Measured | None, row: WorkflowRow, metric: str) -> str:
    behind = _behind(row.overall.ratio(metric).count, row.overall.ratio(metric).of, metric)
    if found is None:
        return f"{BLANK} {behind}"
    limits = f"{figure(found.low)}{BLANK}{figure(found.high)}"
    return f"{figure(found.value)} ({limits}) {behind}"


def _behind(count: float, of: int, metric: str) -> str:
    return f"[{of:,}]" if metric == "VNCR" else f"[{count:,.0f}/{of:,}]"


def _strata(rows: _Named) -> Iterator[Grid]:
    """Yield a table for each way in which instances are divided, if it divides them."""
    for kind in ("domain", "topology", "operator"):
        parts = {name: row.strata()[kind] for name, row in rows.items()}
        strata = sorted({stratum for found in parts.values() for stratum in found})
        if len(strata) < 2 and kind == "domain":
            continue
        lines: list[tuple[Span, ...]] = []
        for stratum in strata:
            for name, found in parts.items():
                if stratum in found:
                    ratios = {each: found[stratum].ratio(each) for each in SHARES}
                    cells = (
                        f"{ratio} {_behind(ratio.count, ratio.of, each)}" if ratio.of else BLANK
                        for each, ratio in ratios.items()
                    )
                    lines.append((Verbatim(stratum), Verbatim(name), *cells))
        if lines:
            yield Grid((f"by {kind}", "system", *SHARES), tuple(lines), names=2)


def _trade_off(rows: _Named, handoff: str) -> Iterator[Block]:
    measured = [(name, measure(row.overall.sample)) for name, row in rows.items()]
    found = trade_offs(measured, sharing_plane(handoff))
    if all(one.ahead is None for one in found):
        return
    heads = (HEADING, sharing_metric(handoff), "95 %", ISOLATION, "95 %", "ahead")
    ahead = frozenset(place for place, one in enumerate(found) if one.ahead)
    yield Grid(heads, tuple(map(_place, found)), strong=ahead)
    yield Paragraph((TRADE_OFF,), quiet=True)


def _place(one: TradeOff) -> tuple[Span, ...]:
    ahead = {True: "yes", False: "no", None: BLANK}[one.ahead]
    return (Verbatim(one.name), *_value(one.across), *_value(one.up), ahead)


def _value(found: Measured | None) -> tuple[str, str]:
    if found is None:
        return (BLANK, "")
    return (figure(found.value), f"{figure(found.low)}{BLANK}{figure(found.high)}")


def _tokens(rows: _Named) -> Grid:
    uses = [
        use
        for use in PURPOSES
        if any(one.overall.tokens.by_purpose.get(use) for one in rows.values())
    ]
    lines: list[tuple[Span, ...]] = []
    for name, row in rows.items():
        found = row.overall.tokens
        each = (found.mean, found.median, found.p90, found.per_success)
        means = (
            found.by_purpose.get(use, 0) / found.instances if found.instances else None
            for use in uses
        )
        cells = (BLANK if one is None else figure(one, 0) for one in (*each, *means))
        lines.append((Verbatim(name), f"{found.instances:,}", *cells))
    named = (use.replace("_", " ") for use in uses)
    heads = ("tokens", "instances", "mean", "median", "p90", "per success", *named)
    return Grid(heads, tuple(lines))


def _left_out(sheet: WorkflowSheet, rows: _Named, most: int) -> Iterator[Block]:
    for name, row in rows.items():
        if broken := row.overall.broken:
            instances = "1 instance" if len(broken) == 1 else f"{len(broken):,} instances"
            title: tuple[Span, ...] = (
                Verbatim(name),
                f": {instances} broke off through no fault of the memory, and what they have no "
                "verdict on counts nowhere:",
            )
            yield listing(title, _reasons(broken), most)
    if sheet.quarantined:
        families = (
            "1 family" if len(sheet.quarantined) == 1 else f"{len(sheet.quarantined)} families"
        )
        quarantine = f"{families} in quarantine, for a defect of the benchmark; scored for nobody:"
        yield listing((quarantine,), _reasons(sheet.quarantined), most)


def _reasons(found: Mapping[str, str]) -> list[tuple[Span, ...]]:
    return [(Verbatim(name), ": ", Verbatim(why)) for name, why in found.items()]
