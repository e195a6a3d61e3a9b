"""The forms in which a comparison can be had."""

from __future__ import annotations

from typing import Final

from pytest_comem.errors import SettingsError
from pytest_comem.report.comparison import Comparison
from pytest_comem.report.paper import PaperRows
from pytest_comem.suggest import did_you_mean

FORMATS: Final = ("table", "markdown", "json", "csv", "latex")


def parse_format(name: str) -> str:
    """Return *name*, where it is one of :data:`FORMATS`.

    :raises SettingsError: where it is not, naming the nearest.
    """
    if name not in FORMATS:
        raise SettingsError(f"--format: {name!r} is unknown; {did_you_mean(name, FORMATS)}")
    return name


def comparison_in(
    form: str,
    comparison: Comparison,
    width: int,
    *,
    paper: PaperRows | None = None,
    color: bool = False,
) -> str:
    """Return a comparison in one of :data:`FORMATS`.

    :param width: columns of a terminal, for the table.
    :param paper: rows of a paper to be shown as well, which CSV leaves out.
    :param color: whether the table has terminal colours.
    """
    if form == "json":
        from pytest_comem.report.comparison_json import as_json

        return as_json(comparison, paper)
    if form == "csv":
        from pytest_comem.report.comparison_csv import as_csv

        return as_csv(comparison)
    from pytest_comem.report.comparison_blocks import comparison_blocks

    if form == "markdown":
        from pytest_comem.report.markdown import as_markdown

        return as_markdown(comparison_blocks(comparison, paper))
    if form == "latex":
        from pytest_comem.report.latex import as_latex

        return as_latex(comparison_blocks(comparison, paper))
    from pytest_comem.report.terminal_blocks import as_terminal

    return as_terminal(comparison_blocks(comparison, paper), width, color=color)
