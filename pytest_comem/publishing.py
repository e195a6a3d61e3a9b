"""What a finished run leaves where others look: GitHub's job summary, annotations, JUnit XML."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from pytest_comem.errors import ComemError, SettingsError

if TYPE_CHECKING:
    import pytest

    from pytest_comem.metrics.sheet import Sheet


@final
class Silent:
    """Stands for pytest's terminal reporter where there is none (``-p no:terminal``)."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def ensure_newline(self) -> None:
        """Do nothing."""

    def write_line(self, line: str) -> None:
        """Lose *line*."""


def add_suite_properties(config: pytest.Config, sheet: Sheet) -> None:
    """Put the metrics of a run on the test suite of its JUnit XML, where one is written.

    pytest's fixture ``record_testsuite_property`` does the same, which only a test could use.
    """
    from _pytest.junitxml import xml_key

    from pytest_comem.report.properties import of_sheet

    xml = config.stash.get(xml_key, None)
    if xml is not None:
        for name, value in of_sheet(sheet):
            xml.add_global_property(name, value)


def tell_github(
    reporter: Any,
    run: Path,
    environment: Mapping[str, str],
    *,
    reference: bool = False,
) -> None:
    """Write a job's summary and annotations, where this is a job of GitHub Actions.

    What cannot be written is one line of warning: it changes nothing about the run.

    :param reporter: pytest's terminal reporter.
    :param run: directory of the run.
    :param reference: whether the papers' rows stand beside the run's.
    """
    from pytest_comem.engine.runs import read_run
    from pytest_comem.report import github
    from pytest_comem.report.paper import Conditions, paper_rows
    from pytest_comem.report.recorded_changes import held_against
    from pytest_comem.report.workflow_commands import on_github

    if not on_github(environment):
        return
    try:
        found = read_run(run)
        paper = paper_rows(Conditions.of(found.outcomes)) if reference else None
        summary = github.summary_of(found, paper=paper)
        warning = github.write_summary(summary, environment)
    except ComemError as error:
        reporter.write_line(f"comem: warning: the job's summary is not written: {error}")
        return
    if warning is not None:
        reporter.write_line(f"comem: warning: {warning}")
    root = Path(environment.get("GITHUB_WORKSPACE") or reporter.config.rootpath)
    held = held_against(found)
    messages = github.annotations_of(
        found,
        baseline_file="" if held is None else _within(held.path, root),
        rules_file=_within(reporter.config.rootpath / "pyproject.toml", root),
    )
    for message in messages:
        reporter.ensure_newline()
        reporter.write_line(str(message))


def check_html(out: Path | None) -> None:
    """See before a run that its HTML page can be written where it is wanted.

    :raises SettingsError: where that is a directory.
    """
    if out is not None and out.is_dir():
        raise SettingsError(f"--comem-html: {out} is a directory; name a file in it")


def write_html(reporter: Any, run: Path, out: Path, data: Path | None) -> None:
    """Write a run's HTML page and say where; what cannot be written is one line of warning.

    :param reporter: pytest's terminal reporter.
    :param run: directory of the run.
    :param data: directory of the run's data, or ``None``.
    """
    from pytest_comem.report.html.page import write_page

    try:
        write_page([run], out, data=data)
    except ComemError as error:
        reporter.write_line(f"comem: warning: the HTML page is not written: {error}")
        return
    reporter.write_line(f"html: {_shown(out, reporter.config.invocation_params.dir)}")


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)


def _within(path: Path, root: Path) -> str:
    """Return a file's path within a repository; empty where it is none of its files."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as they are
    if not absolute.is_file() or not absolute.is_relative_to(root):
        return ""
    return absolute.relative_to(root).as_posix()
