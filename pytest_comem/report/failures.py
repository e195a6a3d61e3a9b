"""A failing step as one paragraph instead of a traceback of our internals."""

from __future__ import annotations

from typing import Any, Final

import pytest
from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_comem.core.outcomes import Outcome
from pytest_comem.errors import InfrastructureError
from pytest_comem.report.workflow_commands import without_commands


class StepFailed(Exception):
    """Names a method failure in pytest's summary."""


class StepUnscored(Exception):
    """Names an infrastructure error in pytest's summary."""


#: How the paragraph of a step begins that passed in the baseline.
REGRESSION: Final = "regression: "


def explain(item: pytest.Item, outcome: Outcome, *, regressed: bool = False) -> None:
    """Make *item* show *outcome*'s paragraph when it fails because of it.

    Only our own infrastructure errors and assertions on a failed outcome are replaced: any other
    exception is the user's own test.

    :param regressed: the step passed in the baseline.
    """
    usual = item.repr_failure
    usual_outside = item._repr_failure_py

    def unscored(error: BaseException) -> ReprExceptionInfo:
        return _paragraph(StepUnscored(_with_notice(str(error), outcome)), item)

    def repr_failure(excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        if isinstance(excinfo.value, InfrastructureError):
            return unscored(excinfo.value)
        if isinstance(excinfo.value, AssertionError) and not outcome.passed:
            reason = f"{REGRESSION if regressed else ''}{outcome.reason}"
            return _paragraph(StepFailed(_with_notice(reason, outcome)), item)
        return usual(excinfo)

    def repr_outside_call(excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, InfrastructureError):
            return unscored(excinfo.value)
        return usual_outside(excinfo, style)

    item.__dict__["repr_failure"] = repr_failure
    # pytest asks this one where a fixture raises, which the fixture ``outcome`` is.
    item.__dict__["_repr_failure_py"] = repr_outside_call


def _with_notice(text: str, outcome: Outcome) -> str:
    """Return *text* with what was noticed after the step, in a line of its own."""
    return text if outcome.notice is None else f"{text}\nNoticed: {outcome.notice}"


def _paragraph(error: Exception, item: pytest.Item) -> ReprExceptionInfo:
    """Return what pytest's own ``--tb=value`` would, without looking at any source."""
    path, line, _ = item.location
    text = without_commands(str(error))
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], None, style="value"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, f"{type(error).__name__}: {text}"),
    )
