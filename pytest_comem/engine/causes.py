"""Why nothing more comes of an episode, and what its steps are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.errors import ComemError, InfrastructureError
from pytest_comem.llm.faults import RunStopped


@final
@dataclass(frozen=True, slots=True)
class Cause:
    """Why nothing more comes of an episode.

    :param failure: of the step at hand.
    :param later: what is said of the steps after it.
    :param stopped: the whole run was ended.
    """

    failure: Failure
    later: str
    stopped: bool = False


def is_broken(outcome: Outcome) -> bool:
    """Whether something around the method broke in this step."""
    failure = outcome.failure
    return failure is not None and failure.attribution is Attribution.INFRASTRUCTURE


def cause_of(error: BaseException) -> Cause:
    """Return what an error that ended an episode means for its steps."""
    kind, message = "harness", str(error)
    if isinstance(error, InfrastructureError):
        kind = error.type
    elif not isinstance(error, ComemError):
        message = f"pytest-comem itself broke: {error.__class__.__name__}: {error}"
    return Cause(
        Failure(Attribution.INFRASTRUCTURE, kind, message),
        f"not asked, because an earlier call of this episode failed: {message}",
        isinstance(error, RunStopped),
    )
