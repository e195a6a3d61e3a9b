"""Who judges GateMem's checkpoints: the rules, or a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, final

from pytest_comem.core.entries import Query
from pytest_comem.core.outcomes import Verdict
from pytest_comem.core.replies import Reply
from pytest_comem.datasets.governance import Annotation
from pytest_comem.evaluators.governance import Scoring, verdict
from pytest_comem.evaluators.patterns import ScannedText

if TYPE_CHECKING:
    from pytest_comem.llm.calls import ModelSpec
    from pytest_comem.llm.door import Door
    from pytest_comem.llm.meter import Meter

#: What ``--comem-judge`` calls the rule judge.
RULES: Final = "rules"
#: Name of the rule judge in outcomes; the number grows when it may decide otherwise.
RULES_NAME: Final = "rules-1"


class Judge(Protocol):
    """Decides checkpoints; used from any thread."""

    @property
    def name(self) -> str:
        """Name in outcomes and their keys; it changes with everything that may change verdicts."""

    def judge(
        self,
        annotation: Annotation,
        query: Query,
        reply: Reply,
        *,
        exposed: ScannedText,
        meter: Meter,
    ) -> Verdict:
        """Return the verdict on one reply.

        :param exposed: what the memory handed over.
        :param meter: counts the judge's calls.
        :raises BenchmarkDefect: where the row itself cannot be evaluated.
        :raises InfrastructureError: where the judge came to no verdict.
        """


@final
class RuleJudge:
    """Judges by the row's patterns; makes no call.

    :param scoring: how actions count.
    """

    name: Final = RULES_NAME

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring

    def judge(
        self,
        annotation: Annotation,
        query: Query,
        reply: Reply,
        *,
        exposed: ScannedText,
        meter: Meter,
    ) -> Verdict:
        """Return the verdict on one reply.

        :raises BenchmarkDefect: where one of the row's patterns cannot be matched in bounded time.
        """
        return verdict(annotation, query.text, reply, exposed=exposed, scoring=self._scoring)


def find_judge(spec: ModelSpec, *, scoring: Scoring, door: Door, structured: str = "auto") -> Judge:
    """Return the judge that *spec* names: ``rules``, or a model.

    :param structured: how a model is asked for the verdict's form.
    """
    if spec.name == RULES:
        return RuleJudge(scoring)
    from pytest_comem.evaluators.model_judge import ModelJudge

    return ModelJudge(door, spec, scoring=scoring, structured=structured)
