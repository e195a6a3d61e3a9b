"""What JUnit XML says of a step."""

from __future__ import annotations

from made_outcomes import UNREADABLE, made

from pytest_comem.core.outcomes import Usage
from pytest_comem.report import properties


def test_model_and_judge_are_named() -> None:
    """Of a run without repeats and calls nothing is said of either."""
    found = dict(properties.of(made(1, True, model="a/b")))
    assert (found["comem.model"], found["comem.judge"]) == ("a/b", "rules-1")
    assert not {"comem.repeat", "comem.cost", "comem.calls", "comem.failure"} & set(found)


def test_a_repeat_has_the_number_of_its_id() -> None:
    """The first is 1, as ``.r1`` in the id."""
    outcome = made(1, True, repeat=0)
    assert ".r1-" in outcome.step.label
    assert dict(properties.of(outcome))["comem.repeat"] == 1


def test_a_cost_is_a_sum_or_unknown() -> None:
    """Over all phases; an unknown part makes the whole unknown."""
    usage = {"answer": Usage(1, 10, 0.25, 1, 2), "judge": Usage(1, 5, 0.5, 1)}
    found = dict(properties.of(made(1, True, usage=usage)))
    names = ("calls", "tokens", "cost", "retries")
    assert [found[f"comem.{name}"] for name in names] == [2, 15, 0.75, 2]
    usage["recall"] = Usage(cost=None, calls=1)
    assert dict(properties.of(made(1, True, usage=usage)))["comem.cost"] == "unknown"


def test_an_unreadable_answer_has_its_measures_and_its_failure() -> None:
    """It has a verdict, so that its measures are there as well."""
    found = dict(properties.of(made(1, False, failure=UNREADABLE)))
    assert found["comem.failure"] == "method/unparsable"
    assert found["comem.over_refusal"] is False
