"""From LiteLLM's exceptions to faults.

LiteLLM turns everything into exceptions of its own, often of the wrong type: a refused connection
becomes an internal server error, a broken conversion a connection error. What it was is further
down, among the exceptions it was raised from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from pytest_comem.llm.classify import Refusal, fault_of, refused, shortened
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.wire import fault_of_exchange

#: Exceptions that are looked at below the first one.
_DEPTH: Final = 12
#: By the name of LiteLLM's class or one above it, where no exchange is found; the first counts.
_BY_NAME: Final = {
    "ContextWindowExceededError": Fault.CONTEXT_TOO_LONG,
    "ContentPolicyViolationError": Fault.CONTENT_FILTER,
    "AuthenticationError": Fault.AUTHENTICATION,
    "PermissionDeniedError": Fault.AUTHENTICATION,
    "RateLimitError": Fault.RATE_LIMIT,
    "Timeout": Fault.TIMEOUT,
    "APITimeoutError": Fault.TIMEOUT,
    "BadRequestError": Fault.BAD_REQUEST,
    "NotFoundError": Fault.BAD_REQUEST,
    "UnprocessableEntityError": Fault.BAD_REQUEST,
}

#: What reading a reply of another form than expected raises.
_UNREADABLE: Final = (LookupError, TypeError, AttributeError, ValueError)


def fault_of_litellm(
    error: Exception, *, timeout: float, before: BaseException | None = None
) -> ProviderFault:
    """Return the fault that an exception out of LiteLLM stands for.

    :param timeout: seconds the attempt had.
    :param before: what was being handled when the attempt began, which is none of its causes.
    """
    import httpx

    causes = list(_causes(error, before))
    for cause in causes:
        if isinstance(cause, httpx.HTTPStatusError):
            fault = refused(cause.response.status_code, cause.response.headers, _body_of(cause))
            return _sharpened(fault, error)
        if isinstance(cause, httpx.TransportError | httpx.InvalidURL | httpx.DecodingError):
            return fault_of_exchange(cause, timeout)
    said = shortened(str(error).partition("\n")[0])
    kind = _kind(error, causes, said)
    return ProviderFault(kind, said or type(error).__name__)


def _kind(error: Exception, causes: list[BaseException], said: str) -> Fault:
    names = [cls.__name__ for cls in type(error).__mro__]
    named = next((_BY_NAME[name] for name in names if name in _BY_NAME), None)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400 and "APIConnectionError" not in names:
        # The words and the status may say more than the class, or the class more than they.
        kind = fault_of(status, Refusal(said, frozenset()))
        specific = kind in (Fault.CONTEXT_TOO_LONG, Fault.CONTENT_FILTER, Fault.AUTHENTICATION)
        return kind if specific or named is None else named
    if named is not None:
        return named
    if any(isinstance(cause, OSError) for cause in causes):
        return Fault.CONNECTION
    if any(isinstance(cause, _UNREADABLE) for cause in causes):
        return Fault.SERVER_ERROR
    return Fault.CONNECTION if "APIConnectionError" in names else Fault.SERVER_ERROR


def _sharpened(fault: ProviderFault, error: Exception) -> ProviderFault:
    """Return *fault*, or with what LiteLLM makes of a bad request: it knows more providers."""
    kind = _BY_NAME.get(type(error).__name__)
    if fault.kind is Fault.BAD_REQUEST and kind in (Fault.CONTEXT_TOO_LONG, Fault.CONTENT_FILTER):
        return ProviderFault(kind, str(fault))
    return fault


def _causes(error: BaseException, before: BaseException | None) -> Iterator[BaseException]:
    """Yield *error* and what it was raised from, nearest first."""
    found: BaseException | None = error
    for _ in range(_DEPTH):
        if found is None or found is before:
            return
        yield found
        found = found.__cause__ or found.__context__


def _body_of(error: Any) -> str:
    # A streamed body that nobody read cannot be read any more.
    with suppress(Exception):
        return error.response.text or str(error)
    return str(error)
