"""The forms in which a run's report can be had."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pytest_comem.engine.runs import read_run
from pytest_comem.errors import SettingsError
from pytest_comem.report.markdown import as_markdown
from pytest_comem.report.paper import Conditions, paper_rows
from pytest_comem.report.run_blocks import run_blocks
from pytest_comem.suggest import did_you_mean

FORMATS: Final = ("table", "markdown")


def parse_format(name: str) -> str:
    """Return *name*, where it is one of :data:`FORMATS`.

    :raises SettingsError: where it is not, naming the nearest.
    """
    if name not in FORMATS:
        raise SettingsError(f"--format: {name!r} is unknown; {did_you_mean(name, FORMATS)}")
    return name


def print_markdown(path: Path, *, reference: bool = False) -> None:
    """Print a run as markdown, the same as its summary on GitHub.

    :param reference: whether the papers' rows stand beside the run's.
    :raises DataError: where the directory holds no readable run.
    """
    run = read_run(path)
    paper = paper_rows(Conditions.of(run.outcomes)) if reference else None
    sys.stdout.write(as_markdown(run_blocks(run, paper=paper)))
