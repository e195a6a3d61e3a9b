"""What JUnit XML says of a step."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from made_outcomes import UNREADABLE, made
from made_workflows import BROKEN, DEFECT, node, pairs, play

from pytest_comem.core.outcomes import Usage
from pytest_comem.metrics.sheet import Sheet
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


def test_a_notice_is_said_where_there_is_one() -> None:
    """In its own words."""
    assert "comem.notice" not in dict(properties.of(made(1, True)))
    noticed = replace(made(1, True), notice="it was quiet")
    assert dict(properties.of(noticed))["comem.notice"] == "it was quiet"


def test_an_unreadable_answer_has_its_measures_and_its_failure() -> None:
    """It has a verdict, so that its measures are there as well."""
    found = dict(properties.of(made(1, False, failure=UNREADABLE)))
    assert found["comem.failure"] == "method/unparsable"
    assert found["comem.over_refusal"] is False


def test_a_suite_has_each_rows_metrics() -> None:
    """In percent, by system and model whatever reported first; a name is fit for XML."""
    sheet = Sheet()
    for outcome in (
        made(1, True, system="b\x00"),
        made(2, None, system="a"),
        made(1, False, system="a"),
    ):
        sheet.add(outcome, outcome.step.label)
    assert properties.of_sheet(sheet) == [
        ("comem.a.offline.U", "0.0000"),
        ("comem.a.offline.OR", "0.0000"),
        ("comem.a.offline.U_exposed", "0.0000"),
        ("comem.a.offline.scored", "1"),
        ("comem.a.offline.unscored", "1"),
        ("comem.b\\x00.offline.U", "100.0000"),
        ("comem.b\\x00.offline.OR", "0.0000"),
        ("comem.b\\x00.offline.U_exposed", "100.0000"),
        ("comem.b\\x00.offline.scored", "1"),
        ("comem.b\\x00.offline.unscored", "0"),
    ]


def test_reports_from_elsewhere_share_what_is_equal() -> None:
    """What pytest keeps of many steps is one value, and nothing of it changes."""
    shared = properties.SharedProperties()
    pairs: list[tuple[str, object]] = [
        ("comem.system", "mem0"),
        ("comem.key", "k1"),
        ("comem.calls", 1),
        ("comem.reference", True),
        ("theirs", ["a list"]),
    ]
    kept = []
    for _ in range(2):
        # As they come through a pipe: equal, and not the same.
        report = pytest.TestReport("a", ("a", 0, "a"), {}, "passed", None, "call")
        report.user_properties = json.loads(json.dumps(pairs))
        shared.share(report)
        assert report.user_properties == pairs
        assert [type(value) for _, value in report.user_properties] == [
            type(value) for _, value in pairs
        ]
        kept.append(report.user_properties)
    assert kept[0][0] is kept[1][0]


def test_workflows_have_their_metrics_with_denominators() -> None:
    """Under their suite's name, so that GateMem's rows of the same system keep theirs."""
    sheet = Sheet()
    broken = [*play("broken", True, True)[:2], node("broken", "end", False, failure=BROKEN)]
    defect = node("wrong", "root", False, failure=DEFECT)
    for outcome in [*pairs(9, 9), *broken, defect, made(1, True)]:
        sheet.add(outcome, f"{outcome.step.suite} {outcome.step.label}")
    found = dict(properties.of_sheet(sheet))
    name = "comem.comembench.bm25.worker"
    assert (found[f"{name}.SR"], found[f"{name}.SR.of"]) == ("100.0000", "9")
    assert (found.get(f"{name}.ICS"), found[f"{name}.ICS.of"]) == (None, "9")
    assert (found[f"{name}.tokens"], found[f"{name}.broken"]) == ("33.0000", "1")
    assert found["comem.comembench.quarantined"] == "wrong"
    assert found["comem.bm25.offline.scored"] == "1"
