"""A failing step as one paragraph instead of a traceback of our internals."""

from __future__ import annotations

from typing import Any

import pytest
from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from pytest_comem.core.outcomes import Outcome
from pytest_comem.errors import InfrastructureError


class StepFailed(Exception):
    """Names a method failure in pytest's summary."""


class StepUnscored(Exception):
    """Names an infrastructure error in pytest's summary."""


def explain(item: pytest.Item, outcome: Outcome) -> None:
    """Make *item* show *outcome*'s paragraph when it fails because of it.

    Only our own infrastructure errors and assertions on a failed outcome are replaced: any other
    exception is the user's own test.
    """
    usual = item.repr_failure
    usual_outside = item._repr_failure_py

    def repr_failure(excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        if isinstance(excinfo.value, InfrastructureError):
            return _paragraph(StepUnscored(str(excinfo.value)), item)
        if isinstance(excinfo.value, AssertionError) and not outcome.passed:
            return _paragraph(StepFailed(outcome.reason), item)
        return usual(excinfo)

    def repr_outside_call(excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, InfrastructureError):
            return _paragraph(StepUnscored(str(excinfo.value)), item)
        return usual_outside(excinfo, style)

    item.__dict__["repr_failure"] = repr_failure
    # pytest asks this one where a fixture raises, which the fixture ``outcome`` is.
    item.__dict__["_repr_failure_py"] = repr_outside_call


def _paragraph(error: Exception, item: pytest.Item) -> ReprExceptionInfo:
    """Return what pytest's own ``--tb=value`` would, without looking at any source."""
    path, line, _ = item.location
    text = str(error)
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], None, style="value"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, f"{type(error).__name__}: {text}"),
    )
