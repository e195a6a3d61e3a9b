"""When a failed attempt is worth another, and how long to wait for it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import final

from pytest_comem.llm.faults import ProviderFault


@final
@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential waits with jitter, or what the provider asks for.

    :param retries: attempts after the first, at most.
    :param base: seconds of the first wait.
    :param longest: seconds of a wait of our own, at most.
    :param patience: seconds a provider may ask to wait; where it asks for more, the call has
        failed.
    """

    retries: int = 6
    base: float = 0.5
    longest: float = 20.0
    patience: float = 120.0

    def wait(self, fault: ProviderFault, attempt: int, key: str) -> float | None:
        """Return the seconds to wait before the next attempt, or ``None`` to give up.

        The jitter follows from the call, so that calls that failed together do not come back
        together, and equal runs wait equally.

        :param attempt: attempts made so far, at least 1.
        :param key: of the call.
        """
        if not fault.kind.transient or attempt > self.retries:
            return None
        jitter = Random(f"{key}:{attempt}").uniform(0.5, 1.0)
        own = jitter * min(self.longest, self.base * 2.0 ** (attempt - 1))
        if fault.retry_after is None:
            return own
        return fault.retry_after + own / 2 if fault.retry_after <= self.patience else None
