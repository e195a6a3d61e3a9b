"""The papers' rows as a part of the scorecard: dim, and marked as a paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.metrics.comembench import SHARES
from pytest_comem.report.blocks import figure
from pytest_comem.report.office_paper import OfficePaper
from pytest_comem.report.office_rows import head, paper_number
from pytest_comem.report.paper import PaperRows
from pytest_comem.report.tables import indented, new_table
from pytest_comem.report.workflow_paper import WorkflowPaper

_METRICS = ("U", "A", "F", "MGS")
_SCORES = ("Workspace", "Preference", "Win", "dWorkspace", "dPreference")
_DIAGNOSTICS = ("Similarity", "Precision", "Recall", "PSR", "MITR")


def paper_parts(paper: PaperRows) -> Iterator[RenderableType]:
    """Yield a table of the papers' rows and a line for each thing to be said of them."""
    if paper.rows:
        yield _table(paper)
        for note in paper.notes:
            yield Text(note, style="dim")
    if paper.workflows is not None:
        yield _workflow_table(paper.workflows)
        for note in paper.workflows.notes:
            yield Text(note, style="dim")
    if paper.tasks is not None:
        for metrics in (_SCORES, _DIAGNOSTICS):
            yield _task_table(paper.tasks, metrics)
        for note in paper.tasks.notes:
            yield Text(note, style="dim")


def _task_table(paper: OfficePaper, metrics: Sequence[str]) -> Table:
    table = new_table("ContextWeave's paper", *map(head, metrics))
    for row in paper.rows:
        if any(metric in row.values for metric in metrics):
            cells = (paper_number(metric, row.values.get(metric)) for metric in metrics)
            table.add_row(Text(row.told), *cells, style="dim")
    return table


def _workflow_table(paper: WorkflowPaper) -> Table:
    table = new_table("CoMemBench's paper", *SHARES, "tokens")
    domain = ""
    for row in paper.rows:
        if row.domain != domain:
            domain = row.domain
            table.add_row(Text(domain, style="dim"))
        cells = (figure(row.values.get(metric)) for metric in SHARES)
        name = f"{row.mechanism} (paper; here {row.system})"
        table.add_row(indented(name, "dim"), *cells, figure(row.tokens, 0), style="dim")
    return table


def _table(paper: PaperRows) -> Table:
    table = new_table("paper", *_METRICS)
    backbone = ""
    for row in paper.rows:
        if row.backbone != backbone:
            backbone = row.backbone
            table.add_row(Text(backbone, style="dim"))
        name = f"{row.method} (paper; here {row.system})"
        cells = (figure(row.values.get(metric)) for metric in _METRICS)
        table.add_row(indented(name, "dim"), *cells, style="dim")
    return table
