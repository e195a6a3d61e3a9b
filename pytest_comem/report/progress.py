"""One line of progress, rewritten on a terminal, repeated now and then in a log."""

from __future__ import annotations

from time import monotonic
from typing import Any, Final, final

import pytest

from pytest_comem.metrics.sheet import Sheet

_REDRAW_SECONDS: Final = 0.1
_LOG_PARTS: Final = 10


@final
class Progress:
    """Writes through pytest's terminal reporter; says nothing with ``-v`` or ``-qq``."""

    def __init__(self) -> None:
        self._part = 0
        self._drawn = 0.0

    def start(self, config: pytest.Config) -> None:
        """Let the line stand alone, without file names and percentages between."""
        reporter = config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None and config.get_verbosity() <= 0:
            reporter.showfspath = False
            reporter._show_progress_info = False

    def advance(self, config: pytest.Config, sheet: Sheet, planned: int) -> None:
        """Note that one more step has been recorded."""
        reporter = config.pluginmanager.getplugin("terminalreporter")
        if reporter is None or not -1 <= config.get_verbosity() <= 0:
            return
        if reporter.isatty:
            last = len(sheet) == planned
            now = monotonic()
            if last or now - self._drawn >= _REDRAW_SECONDS:
                self._drawn = now
                reporter.rewrite(_line(sheet, planned), erase=True)
                if last:
                    reporter.ensure_newline()
        else:
            part = _LOG_PARTS * len(sheet) // max(planned, 1)
            if part > self._part:
                self._part = part
                reporter.ensure_newline()
                reporter.write_line(_line(sheet, planned))


def _line(sheet: Sheet, planned: int) -> str:
    return (
        f"comem: {len(sheet)}/{planned} steps, {sheet.passed} passed, "
        f"{sheet.scored - sheet.passed} failed, {len(sheet) - sheet.scored} unscored"
    )


def without_letter(report: Any) -> tuple[str, str, str]:
    """Return a report's category, no letter, and its word, as pytest has them."""
    if report.when != "call" and report.passed:
        return "", "", ""
    if report.when in ("setup", "teardown") and report.failed:
        return "error", "", "ERROR"
    if hasattr(report, "wasxfail"):
        return ("xpassed", "", "XPASS") if report.passed else ("xfailed", "", "XFAIL")
    return report.outcome, "", report.outcome.upper()
