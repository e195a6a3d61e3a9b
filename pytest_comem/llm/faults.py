"""What can go wrong with a call, by type; what is worth another try, and what ends the run."""

from __future__ import annotations

from enum import StrEnum
from typing import final

from pytest_comem.errors import InfrastructureError


class Fault(StrEnum):
    """Why one attempt of a call failed."""

    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER_ERROR = "server_error"
    CONTENT_FILTER = "content_filter"
    CONTEXT_TOO_LONG = "context_too_long"
    BAD_REQUEST = "bad_request"
    AUTHENTICATION = "authentication"
    UNPARSABLE = "unparsable"
    CASSETTE = "cassette"
    BUDGET = "budget"

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed later."""
        return self in (Fault.RATE_LIMIT, Fault.TIMEOUT, Fault.CONNECTION, Fault.SERVER_ERROR)


@final
class ProviderFault(Exception):
    """One attempt of a call failed.

    :param kind: its type.
    :param message: what the provider or the library says, without keys.
    :param retry_after: seconds the provider asks to wait, or ``None``.
    """

    def __init__(self, kind: Fault, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class ModelCallError(InfrastructureError):
    """A call failed for good; an infrastructure error of its step.

    :param kind: its type, which is also the failure's type in the outcome.
    """

    def __init__(self, message: str, kind: Fault) -> None:
        super().__init__(message, type=str(kind))
        self.kind = kind


@final
class RunStopped(ModelCallError):
    """No further call is made in this run; the message says why."""
