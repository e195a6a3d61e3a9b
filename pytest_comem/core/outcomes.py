"""The record of one step: what was asked, what came back, what decided, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, final

from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step


class Attribution(StrEnum):
    """Whose fault a failure is."""

    METHOD = "method"
    BENCHMARK = "benchmark"
    INFRASTRUCTURE = "infrastructure"


@final
@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step has no verdict, or in which way the method failed.

    :param attribution: the method's failure, which has a verdict, the benchmark's own defect, or
        the infrastructure around the method.
    :param type: such as ``adapter``, ``rate_limit``, ``pattern`` or ``unparsable``.
    :param message: one paragraph for the user.
    """

    attribution: Attribution
    type: str
    message: str


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on one step.

    :param passed: whether the step passes under the scoring in force.
    :param reason: one short paragraph: what was asked, what came back, which evidence decided.
    :param measures: the benchmark's measures of this step, by name; ``None`` is not applicable.
    :param evidence: what decided, for the record.
    """

    passed: bool
    reason: str
    measures: Mapping[str, bool | float | None]
    evidence: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Usage:
    """What one phase of a step cost.

    :param seconds: wall-clock seconds.
    :param tokens: input and output tokens, counted by the model or, offline, words.
    :param cost: US dollars, or ``None`` where a price is unknown.
    :param calls: calls of models.
    :param retries: attempts beyond the first of each call.
    """

    seconds: float = 0.0
    tokens: int = 0
    cost: float | None = 0.0
    calls: int = 0
    retries: int = 0


def plus(first: Usage, second: Usage) -> Usage:
    """Return the sum; its cost is unknown as soon as one of them is."""
    return Usage(
        seconds=first.seconds + second.seconds,
        tokens=first.tokens + second.tokens,
        cost=sum_of_costs(first.cost, second.cost),
        calls=first.calls + second.calls,
        retries=first.retries + second.retries,
    )


def sum_of_costs(first: float | None, second: float | None) -> float | None:
    """Return the sum of two costs in US dollars; unknown as soon as one of them is."""
    return None if first is None or second is None else first + second


@final
@dataclass(frozen=True, slots=True)
class SystemInfo:
    """Which memory system a step was played on.

    :param name: label given by the user.
    :param version: version of the library or of our implementation.
    :param configuration: hash of everything that configures it.
    :param reference: it sees hidden annotations and only checks the harness.
    :param top_k: items for one query, at most.
    :param budget: tokens that what it recalls is cut to (:mod:`pytest_comem.core.tokens`);
        ``None`` for no bound.
    """

    name: str
    version: str
    configuration: str
    reference: bool = False
    top_k: int = 20
    budget: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Outcome:
    """The record of one step.

    :param key: hash of everything that could change the result.
    :param step: identity of the step.
    :param data: revision of the data set.
    :param system: the memory system.
    :param model: the model or offline reader that answered.
    :param judge: the judge.
    :param scoring: the scoring mode in force.
    :param labels: what breakdowns go by (domain, category, attack type, expected action).
    :param query: the question and the requester.
    :param reply: what the agent did, or ``None`` where it never came to that.
    :param recall: the exposed context, or ``None`` where it never came to that.
    :param verdict: the decision, or ``None`` where the step is unscored.
    :param failure: why there is no verdict, or the type of a method's failure, or ``None``. A
        step is unscored exactly when it has no verdict.
    :param usage: cost by phase: ``ingest``, ``recall``, ``answer``, ``judge``, and ``probe`` where
        the memory was probed after the step.
    :param notice: what was noticed after the step, at the end of its episode, or ``None``; it
        changes no verdict.
    """

    key: str
    step: Step
    data: str
    system: SystemInfo
    model: str
    judge: str
    scoring: str
    labels: Mapping[str, str]
    query: Mapping[str, str]
    reply: Reply | None = None
    recall: Recall | None = None
    verdict: Verdict | None = None
    failure: Failure | None = None
    usage: Mapping[str, Usage] = field(default_factory=dict)
    notice: str | None = None

    @property
    def repeat(self) -> int:
        """Number of the repeat, 0-based; 0 where nothing is repeated."""
        return self.step.repeat or 0

    @property
    def passed(self) -> bool:
        """Whether the step has a verdict and passes."""
        return self.verdict is not None and self.verdict.passed

    @property
    def reason(self) -> str:
        """The paragraph that explains the verdict or its absence."""
        if self.verdict is not None:
            return self.verdict.reason
        return self.failure.message if self.failure is not None else ""

    def __repr__(self) -> str:
        state = "passed" if self.passed else "failed" if self.verdict else "unscored"
        return f"<Outcome {self.step.label} {state}>"
