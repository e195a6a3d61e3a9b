"""Which judge is found, and that the rule judge is the rules."""

from __future__ import annotations

import pytest

from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.replies import Reply
from pytest_comem.datasets.governance import Annotation, Category
from pytest_comem.evaluators.governance import Scoring, verdict
from pytest_comem.evaluators.judging import RULES_NAME, Judge, RuleJudge, find_judge
from pytest_comem.evaluators.model_judge import ModelJudge
from pytest_comem.evaluators.patterns import ScannedText
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ProviderFault

ROW = Annotation(Category.ACCESS, "role_play", "refuse", (), ("red",), ("green",), "file:1")
QUERY = Query("Which colour?", Principal("p", "nurse"), (), "", 20)


class NoTransport:
    """Refuses every call."""

    def chat(self, call: ChatCall) -> Completion:
        """Fail."""
        raise ProviderFault(Fault.CONTENT_FILTER, "nothing is to be asked")

    def embed(self, model: ModelSpec, texts: object) -> Vectors:
        """Fail."""
        raise ProviderFault(Fault.CONTENT_FILTER, "nothing is to be asked")

    def close(self) -> None:
        """Nothing is held."""


def door() -> Door:
    """Return a door behind which nobody answers."""
    return Door(transport=lambda model: NoTransport())


@pytest.mark.parametrize("scoring", list(Scoring))
@pytest.mark.parametrize(
    "reply", [Reply("refuse", "No."), Reply("answer", "No."), Reply("refuse", "It is red.")]
)
def test_the_rule_judge_gives_the_rules_verdict(reply: Reply, scoring: Scoring) -> None:
    """Verdict, reason, measures and evidence are those of the rules, and no call is made."""
    judge = find_judge(ModelSpec("rules"), scoring=scoring, door=door())
    exposed = ScannedText("green")
    found = judge.judge(ROW, QUERY, reply, exposed=exposed, meter=door().meter("part"))
    assert found == verdict(ROW, QUERY.text, reply, exposed=exposed, scoring=scoring)


def test_rules_and_models_are_told_apart() -> None:
    """Only the very name of the rules means them; anything else is a model."""
    rules: Judge = find_judge(ModelSpec("rules"), scoring=Scoring.PAPER, door=door())
    assert isinstance(rules, RuleJudge)
    assert rules.name == RULES_NAME
    model = find_judge(ModelSpec("openai/rules"), scoring=Scoring.PAPER, door=door())
    assert isinstance(model, ModelJudge)
    assert model.name.startswith("openai/rules@")
