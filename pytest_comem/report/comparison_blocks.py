"""A comparison as blocks: what a terminal, markdown and LaTeX show alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Final

from pytest_comem.metrics.paired import Flip
from pytest_comem.metrics.suites import MetricInfo, suite_metrics
from pytest_comem.report.blocks import (
    MOST_ITEMS,
    Block,
    Grid,
    Heading,
    Paragraph,
    Span,
    Verbatim,
    amount,
    figure,
    listing,
    probability,
)
from pytest_comem.report.comparison import (
    GROUPINGS,
    SIGNIFICANT,
    Compared,
    Comparison,
    Side,
    grouped,
    kind_of,
)
from pytest_comem.report.office_blocks import paper_blocks as office_paper_blocks
from pytest_comem.report.paper import PaperRows
from pytest_comem.report.spending import Spent
from pytest_comem.report.tables import ABSENT, dollars
from pytest_comem.report.workflow_blocks import paper_blocks

LEGEND: Final = (
    "percent (scores in points, tokens and calls: how many), differences in percent points, on the "
    "steps scored in both; intervals (95 %) and p: paired, by whole episodes, families or tasks; "
    "Holm: p corrected for all "
    f"metrics of the table, * below {SIGNIFICANT}; MDE: minimum detectable effect, found in 80 % "
    "of cases at this size."
)


def comparison_blocks(
    comparison: Comparison, paper: PaperRows | None = None, most: int = MOST_ITEMS
) -> Iterator[Block]:
    """Yield a comparison's blocks.

    :param paper: rows of a paper to be shown below.
    :param most: items of one listing.
    """
    letters: dict[tuple[Path, str, str], str] = {}
    for row in comparison.rows:
        sides = (row.before, row.after)
        names = [letters.setdefault(_key(side), _letter(len(letters))) for side in sides]
        yield from _row_blocks(row, (names[0], names[1]), most)
    yield Paragraph((LEGEND,), quiet=True)
    yield from _paper_blocks(paper) if paper and paper.rows else ()
    yield from paper_blocks(paper.workflows) if paper and paper.workflows else ()
    yield from office_paper_blocks(paper.tasks) if paper and paper.tasks else ()
    for note in comparison.notes:
        yield Paragraph(("note: ", Verbatim(note)))
    if any(_longest(row) > most for row in comparison.rows):
        yield Paragraph((f"note: lists end after {most} items; --format json and csv have all",))


def _longest(row: Compared) -> int:
    unscored = (row.before.unscored, row.after.unscored)
    lists = (row.lost, row.gained, row.only_before, row.only_after, *unscored)
    return max(map(len, lists))


def _paper_blocks(paper: PaperRows) -> Iterator[Block]:
    names = list(paper.rows[0].values)
    rows = tuple(
        (
            f"{row.method} with {row.backbone} ({row.system} here)",
            *(figure(row.values[name]) for name in names),
        )
        for row in paper.rows
    )
    yield Grid(("paper", *names), rows, quiet=frozenset(range(len(rows))))
    for note in paper.notes:
        yield Paragraph((note,), quiet=True)


def _key(side: Side) -> tuple[Path, str, str]:
    return (side.run, side.system, side.model)


def _letter(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else f"R{place + 1}"


def _row_blocks(row: Compared, letters: tuple[str, str], most: int) -> Iterator[Block]:
    first, second = letters
    yield Heading((f"{row.suite}: {first} against {second}",))
    for letter, side in zip(letters, (row.before, row.after), strict=True):
        yield Paragraph(tuple(_told(letter, side)))
    yield Paragraph((_counts(row, letters),))
    yield metric_grid(row, letters)
    yield from flip_blocks(row, letters, most)
    if row.spent:
        yield spent_grid(row.spent, letters)
    yield from _missing(row, letters, most)


def _told(letter: str, side: Side) -> Iterator[Span]:
    yield f"{letter}: "
    yield Verbatim(side.system)
    yield " with "
    yield Verbatim(side.model)
    yield " in "
    yield Verbatim(str(side.run))
    if side.reference:
        yield " (reference: it sees the hidden annotations)"


def _counts(row: Compared, letters: tuple[str, str]) -> str:
    unscored = ", ".join(
        f"{letter} {len(side.unscored):,}"
        for letter, side in zip(letters, (row.before, row.after), strict=True)
    )
    cluster = suite_metrics(row.suite).cluster
    text = f"{row.common:,} {_steps(row.common)} of {_counted(row.clusters, cluster)}"
    text = f"{text} scored in both; unscored: {unscored}"
    if (least := 2.0 ** (1 - row.clusters)) > SIGNIFICANT / max(1, len(row.differences)):
        text += f"; with so few {_plural(cluster)} no p can be below {probability(min(1.0, least))}"
    return text


def metric_grid(row: Compared, letters: tuple[str, str]) -> Grid:
    """Return the table of metrics."""
    rows = []
    for name, found in row.differences.items():
        verdict = row.verdict(name)
        show = shown_as(row.metrics[name])
        rows.append(
            (
                name,
                show(found.before),
                show(found.after),
                show(found.difference, signed=True),
                f"{show(found.low, signed=True)} to {show(found.high, signed=True)}",
                probability(found.p),
                probability(found.p_holm) + ("*" if verdict else ""),
                verdict,
                show(found.detectable),
            )
        )
    heads = ("metric", *letters, "diff", "95 % interval", "p", "Holm", "", "MDE")
    return Grid(heads, tuple(rows))


def shown_as(info: MetricInfo) -> Callable[..., str]:
    """Return what writes a metric's values: whole numbers for a mean that says nothing else."""
    if info.digits is not None:
        return partial(figure, digits=info.digits)
    return amount if info.kind == "mean" else figure


def flip_blocks(row: Compared, letters: tuple[str, str], most: int) -> Iterator[Block]:
    """Yield which steps have another result: how many by group, then each with its label."""
    first, second = letters
    lost, gained = len(row.lost), len(row.gained)
    if not row.flips:
        yield Paragraph(("No step has another result.",))
        return
    yield Paragraph(
        (
            f"{len(row.flips):,} {_steps(len(row.flips))} flipped: {lost:,} lost (pass in {first}, "
            f"fail in {second}), {gained:,} gained; exact McNemar p {probability(row.mcnemar.p)}",
        )
    )
    for by, title in GROUPINGS.items():
        if found := grouped(row.flips, by):
            rows = tuple(
                (Verbatim(name), f"{less:,}", f"{more:,}") for name, (less, more) in found.items()
            )
            yield Grid((f"flips by {title}", "lost", "gained"), rows)
    for title, flips in (("lost", row.lost), ("gained", row.gained)):
        if flips:
            yield listing((f"{title}:",), [_flip(flip) for flip in flips], most)


def _flip(flip: Flip) -> tuple[Span, ...]:
    kind = kind_of(flip)
    of: tuple[Span, ...] = (" (", Verbatim(kind), ")") if kind else ()
    return (Verbatim(flip.label), *of)


def spent_grid(spent: Sequence[Spent], letters: tuple[str, str]) -> Grid:
    """Return what the steps took, by measure and phase."""
    rows: list[tuple[Span, ...]] = []
    for each in spent:
        values = (_amount(each, value) for value in (each.before, each.after))
        rows.append((each.measure, Verbatim(each.phase), *values, _change(each)))
    return Grid(("spent", "phase", *letters, "change"), tuple(rows), names=2)


def _amount(spent: Spent, value: float | None) -> str:
    if spent.measure == "cost":
        return dollars(value)
    return figure(value, 0 if spent.measure == "tokens" else 2)


def _change(spent: Spent) -> str:
    if spent.change is None or not spent.before:
        return ABSENT
    return f"{figure(100 * spent.change / spent.before, signed=True)} %"


def _missing(row: Compared, letters: tuple[str, str], most: int) -> Iterable[Block]:
    sides = zip(letters, (row.before, row.after), (row.only_before, row.only_after), strict=True)
    for letter, side, only in sides:
        if side.unscored:
            items = [(Verbatim(label), ": ", Verbatim(why)) for label, why in side.unscored.items()]
            yield listing((f"unscored in {letter}:",), items, most)
        if only:
            yield listing(
                (f"scored in {letter} only:",), [(Verbatim(each),) for each in only], most
            )


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else _plural(what)}"


def _plural(word: str) -> str:
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _steps(count: int) -> str:
    return "step" if count == 1 else "steps"
