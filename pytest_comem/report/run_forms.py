"""The forms in which a run's report can be had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pytest_comem.engine.runs import RecordedRun, read_run
from pytest_comem.errors import SettingsError
from pytest_comem.report.paper import Conditions, PaperRows, paper_rows
from pytest_comem.suggest import did_you_mean

FORMATS: Final = ("table", "markdown", "json", "csv", "latex")
#: What the end of a file's name stands for; any other is an HTML page.
_SUFFIXES: Final = {".md": "markdown", ".json": "json", ".csv": "csv", ".tex": "latex"}


def parse_format(name: str) -> str:
    """Return *name*, where it is one of :data:`FORMATS`.

    :raises SettingsError: where it is not, naming the nearest.
    """
    if name not in FORMATS:
        raise SettingsError(f"--format: {name!r} is unknown; {did_you_mean(name, FORMATS)}")
    return name


def form_in(out: Path | None, form: str) -> str:
    """Return the form that is asked for: one of :data:`FORMATS`, or ``html``.

    :param out: a file, whose name says which, or ``None`` for the terminal.
    :param form: one of :data:`FORMATS`; the table where nothing was said.
    :raises SettingsError: where both say something, and not the same.
    """
    if out is None:
        return form
    found = _SUFFIXES.get(out.suffix.lower(), "html")
    if form not in (FORMATS[0], found):
        raise SettingsError(
            f"-o {out} writes {'an HTML page' if found == 'html' else found}, and --format says "
            f"{form}; leave out --format, or end the file's name in {', '.join(_SUFFIXES)}"
        )
    return found


def run_in(form: str, path: Path, *, reference: bool = False) -> str:
    """Return a run in one of :data:`FORMATS` but the table.

    Markdown is the same as the run's summary on GitHub.

    :param reference: whether the papers' rows stand beside the run's.
    :raises DataError: where the directory holds no readable run.
    """
    run = read_run(path)
    paper = paper_rows(Conditions.of(run.outcomes)) if reference else None
    if form in ("json", "csv"):
        from pytest_comem.report.run_facts import run_facts

        return _of_facts(form, run_facts(run, paper))
    return _of_blocks(form, run, paper)


def _of_facts(form: str, facts: dict[str, object]) -> str:
    if form == "csv":
        from pytest_comem.report.run_csv import as_csv

        return as_csv(facts)
    from pytest_comem.report.comparison_json import defined

    return json.dumps(defined(facts), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _of_blocks(form: str, run: RecordedRun, paper: PaperRows | None) -> str:
    from pytest_comem.report.run_blocks import run_blocks

    if form == "latex":
        from pytest_comem.report.latex import as_latex

        return as_latex(run_blocks(run, paper=paper))
    from pytest_comem.report.markdown import as_markdown

    return as_markdown(run_blocks(run, paper=paper))
