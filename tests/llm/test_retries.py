"""When to try again, and after how long."""

from __future__ import annotations

import pytest

from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.retries import RetryPolicy

POLICY = RetryPolicy(retries=4, base=1.0, longest=5.0, patience=60.0)


def waits(kind: Fault, retry_after: float | None = None) -> list[float | None]:
    """Return what the policy says after each of five attempts."""
    fault = ProviderFault(kind, "no", retry_after)
    return [POLICY.wait(fault, attempt, "call") for attempt in range(1, 6)]


@pytest.mark.parametrize("kind", [fault for fault in Fault if not fault.transient])
def test_only_what_may_pass_is_tried_again(kind: Fault) -> None:
    """Refusals are final at the first attempt."""
    assert waits(kind) == [None] * 5


def test_waits_double_up_to_the_longest() -> None:
    """Each wait lies between half of and the whole exponential one, and then retries end."""
    found = waits(Fault.SERVER_ERROR)
    assert found[-1] is None
    for wait, whole in zip(found[:-1], (1, 2, 4, 5), strict=True):
        assert wait is not None
        assert whole / 2 <= wait <= whole


def test_the_provider_says_how_long() -> None:
    """Retry-After is kept, with some jitter on top so that callers do not come back together."""
    found = waits(Fault.RATE_LIMIT, retry_after=30.0)
    assert all(wait is not None and 30.0 < wait < 33.0 for wait in found[:-1])


def test_a_provider_that_asks_for_too_much_is_given_up() -> None:
    """Nobody waits an hour for a step."""
    assert waits(Fault.RATE_LIMIT, retry_after=3600.0) == [None] * 5


def test_jitter_follows_from_the_call() -> None:
    """Equal calls wait equally, different ones differently."""
    fault = ProviderFault(Fault.TIMEOUT, "no")
    one, again, other = (POLICY.wait(fault, 1, key) for key in ("a", "a", "b"))
    assert one == again != other
