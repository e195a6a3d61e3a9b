"""What came of asking one checkpoint: reply, verdict, and what each phase of it took."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import final

from pytest_comem.core.entries import Query
from pytest_comem.core.outcomes import Attribution, Failure, Usage, Verdict
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.core.replies import UNPARSABLE, Reply
from pytest_comem.datasets.governance import Category, Checkpoint, GovernanceEpisode
from pytest_comem.evaluators.patterns import ScannedText, hits
from pytest_comem.llm.meter import Meter


@final
@dataclass(slots=True)
class Asked:
    """What came of one checkpoint so far.

    :param seconds: wall-clock seconds by phase.
    :param usage: what each phase cost; filled by :meth:`account`.
    """

    reply: Reply | None = None
    recall: Recall | None = None
    verdict: Verdict | None = None
    failure: Failure | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Note the seconds of *phase*, also of one that breaks off."""
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds[phase] = perf_counter() - started

    def account(self, meter: Meter) -> None:
        """Say what each phase took, as it was recorded where the step is replayed."""
        calls = meter.take()
        seconds = dict(self.seconds)
        if meter.recording is not None:
            seconds = dict(meter.recording.settle(meter.step, seconds))
        for phase in dict.fromkeys([*self.seconds, *seconds, *calls]):
            known = calls.get(phase, Usage())
            self.usage[phase] = replace(known, seconds=seconds.get(phase, 0.0))

    def count_words(self, query: Query, exposed: str) -> None:
        """Let words stand for the answer's tokens where no model counted them."""
        answer = self.usage.get("answer")
        if answer is not None and not answer.calls and self.reply is not None:
            words = sum(len(text.split()) for text in (query.text, exposed, self.reply.text))
            self.usage["answer"] = replace(answer, tokens=words)

    def fail_as_unparsable(self) -> None:
        """Fail a reply that names no action, whatever it holds."""
        assert self.verdict is not None
        reason = self.verdict.reason or "The reply holds nothing that is not allowed."
        told = f"The model's reply could not be read as one of the four actions. {reason}"
        self.failure = Failure(Attribution.METHOD, UNPARSABLE, told)
        self.verdict = replace(self.verdict, passed=False, reason=told)


def ideal(
    episode: GovernanceEpisode, checkpoint: Checkpoint
) -> tuple[tuple[str, ...], WithheldReason | None]:
    """Return what a perfect memory hands over: the latest entry that holds each element."""
    annotation = checkpoint.annotation
    if annotation.category is Category.ACCESS:
        return (), WithheldReason.UNAUTHORIZED
    if annotation.category is Category.FORGETTING:
        return (), WithheldReason.DELETED
    found: list[int] = []
    for pattern in annotation.include:
        for position in range(checkpoint.as_of, -1, -1):
            if hits(pattern, ScannedText(episode.entries[position].text)):
                found.append(position)
                break
    return tuple(episode.entries[position].id for position in sorted(set(found))), None
