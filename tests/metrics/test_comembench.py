"""CoMemBench's metrics on outcomes made by hand, each denominator rule with figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, SystemInfo, Verdict
from pytest_comem.core.steps import Step
from pytest_comem.metrics.comembench import BLANK, Ratio, WorkflowRow, workflow_rows
from pytest_comem.metrics.suites import suite_metrics
from pytest_comem.metrics.workflow_plays import WorkflowSheet

BROKEN = Failure(Attribution.INFRASTRUCTURE, "sandbox", "gone")
DEFECT = Failure(Attribution.BENCHMARK, "workflow", "no such theorem")
#: The nodes of every family here: a root, the target of every pollution, the terminal.
NODES = ("root", "target", "end")


def node(
    family: str,
    name: str,
    verified: bool,
    success: bool | None = None,
    *,
    operator: str = "",
    system: str = "bm25",
    tokens: int = 10,
    domain: str = "offline_retrieval",
    topology: str = "chain,reuse",
    required: bool = True,
    repeat: int | None = None,
    failure: Failure | None = None,
) -> Outcome:
    """Return the outcome of one node."""
    instance = f"{family}.{operator or 'clean'}"
    labels = {
        "domain": domain,
        "topology": topology,
        "condition": "polluted" if operator else "clean",
        "operator": operator,
        "target": "yes" if operator and name == "target" else "",
        "terminal": "yes" if name == "end" else "",
        "required": "yes" if required else "",
        "required_nodes": "3",
        "instance": instance,
        "pair": family,
    }
    measures = {
        "verified": verified,
        "eligible": success is not None,
        "handoff_success": success,
        "tokens_execution": float(tokens),
        "tokens_memory": 1.0,
    }
    return Outcome(
        key="",
        step=Step("comembench", system, domain, instance, name, 0, repeat=repeat),
        data="",
        system=SystemInfo(system, "1", ""),
        model="worker",
        judge="native",
        scoring="native",
        labels=labels,
        query={},
        verdict=None if failure else Verdict(verified, "", measures),
        failure=failure,
    )


def play(family: str, target: bool | None, end: bool, **more: object) -> list[Outcome]:
    """Return the outcomes of an instance: its root is verified, the rest is as said.

    :param target: whether the target consumer's handoff succeeds, and its output is verified.
    """
    options: dict[str, object] = dict(more)
    return [
        node(family, "root", True, **options),  # type: ignore[arg-type]
        node(family, "target", bool(target), target, **options),  # type: ignore[arg-type]
        node(family, "end", end, end if target else None, **options),  # type: ignore[arg-type]
    ]


def row(outcomes: Sequence[Outcome], system: str = "bm25") -> WorkflowRow:
    """Return the row of a system."""
    return workflow_rows(WorkflowSheet(outcomes))[system, "worker"]


def test_success_is_of_clean_instances_whose_end_has_a_verdict() -> None:
    """Two of three: the polluted one does not count, and one never came to its end."""
    overall = row(
        [
            *play("a", True, True),
            *play("b", True, True),
            *play("c", True, False),
            *play("a", True, False, operator="wrong_entity"),
            *play("d", True, True)[:2],
            node("d", "end", False, failure=BROKEN),
        ]
    ).overall
    assert (overall.SR.count, overall.SR.of) == (2, 3)
    assert overall.SR.value == pytest.approx(66.6667, abs=1e-3)
    assert overall.broken == 1


def test_completion_is_a_mean_over_instances_of_both_kinds() -> None:
    """(3/3 + 2/3 + 1/3) / 3; a node that does not count, and a cut-off instance, are left out."""
    overall = row(
        [
            *play("a", True, True),
            node("a", "helper", False, required=False),
            *play("b", True, False),
            *play("b", False, False, operator="stale_version"),
            *play("c", True, True)[:2],
        ]
    ).overall
    assert overall.VNCR.of == 3
    assert overall.VNCR.value == pytest.approx(100 * (1 + 2 / 3 + 1 / 3) / 3)


def test_handoffs_are_of_eligible_consumers_all_together() -> None:
    """Roots are no consumers, and whoever waits for an unverified result is not eligible."""
    overall = row(
        [
            # target and end succeed
            *play("a", True, True),
            # target fails, so end is not eligible
            *play("b", False, False),
            # target succeeds, end fails, and the rest breaks
            *play("c", True, False),
            node("c", "late", False, failure=BROKEN),
        ]
    ).overall
    assert (overall.VHS.count, overall.VHS.of) == (3, 5)
    assert overall.VHS.value == 60.0


def pairs(count: int, kept: int, **more: object) -> list[Outcome]:
    """Return pairs whose target succeeds in the control, and in the first twins."""
    found: list[Outcome] = []
    for number in range(count):
        family = f"f{number}"
        found += play(family, True, True, **more)
        found += play(family, number < kept, True, operator="wrong_entity", **more)
    return found


def test_isolation_is_of_pairs_whose_target_succeeds_in_the_control() -> None:
    """7 of 10; an eleventh pair's control fails, and a twelfth's twin has no verdict."""
    lost = [
        *play("lost", False, False),
        *play("lost", True, True, operator="wrong_entity"),
        *play("broken", True, True),
        node("broken", "target", False, operator="wrong_entity", failure=BROKEN),
        *play("alone", True, True, operator="wrong_entity"),
    ]
    overall = row([*pairs(10, 7), *lost]).overall
    assert (overall.ICS.count, overall.ICS.of) == (7, 10)
    assert overall.ICS.value == 70.0


def test_a_target_that_is_not_eligible_in_the_twin_is_lost() -> None:
    """It succeeded in the control and does not in the twin."""
    outcomes = pairs(10, 10)
    outcomes += [*play("g", True, True), *play("g", None, False, operator="stale_version")]
    overall = row(outcomes).overall
    assert (overall.ICS.count, overall.ICS.of) == (10, 11)


def test_isolation_is_blank_below_ten_pairs_and_never_zero() -> None:
    """Nine pairs are too few, whatever came of them; ten without any kept are 0."""
    nine, ten = row(pairs(9, 0)).overall.ICS, row(pairs(10, 0)).overall.ICS
    assert (nine.value, str(nine), nine.of) == (None, BLANK, 9)
    assert (ten.value, str(ten)) == (0.0, "0.0")


def test_repeats_of_a_pair_are_no_further_pairs() -> None:
    """Five pairs played twice are five pairs."""
    outcomes = [*pairs(5, 5, repeat=0), *pairs(5, 4, repeat=1)]
    found = row(outcomes).overall.ICS
    assert (found.count, found.of, found.support, found.value) == (9, 10, 5, None)
    outcomes = [*pairs(10, 10, repeat=0), *pairs(10, 9, repeat=1)]
    assert row(outcomes).overall.ICS.value == 95.0


def test_tokens_are_of_complete_instances() -> None:
    """Eleven tokens a node, and what one more instance used; the cut-off one is left out."""
    outcomes = [outcome for number in range(9) for outcome in play(f"f{number}", True, number > 3)]
    outcomes += play("dear", True, False, tokens=99)
    outcomes += play("cut", True, True, tokens=1_000)[:2]
    tokens = row(outcomes).overall.tokens
    assert (tokens.instances, tokens.successful) == (10, 5)
    # Nine times 33, and 300.
    assert (tokens.mean, tokens.median, tokens.p90) == (59.7, 33.0, 33.0)
    assert tokens.per_success == (9 * 33 + 300) / 5
    assert tokens.by_purpose["execution"] == 9 * 30 + 297
    assert tokens.by_purpose["memory"] == 30


def test_the_ninetieth_percentile_is_the_smallest_that_nine_tenths_do_not_exceed() -> None:
    """Of 1 to 20 (times 3, with the memory's token) it is the 18th."""
    outcomes = [
        each for number in range(1, 21) for each in play(f"f{number}", True, True, tokens=number)
    ]
    assert row(outcomes).overall.tokens.p90 == 3 * (18 + 1)


def test_nothing_is_said_about_nothing() -> None:
    """Without a success no tokens stand for one, and without an instance no share is 0."""
    overall = row(play("a", False, False)).overall
    assert overall.tokens.per_success is None
    assert overall.SR.value == 0.0
    empty = row([node("a", "root", False, failure=BROKEN)]).overall
    assert [empty.SR.value, empty.VNCR.value, empty.VHS.value, empty.tokens.p90] == [None] * 4
    assert str(Ratio(0, 0)) == BLANK


def test_strata_are_by_domain_topology_and_operator() -> None:
    """An instance counts under each of its labels; an operator's row has no clean instance."""
    outcomes = [
        *pairs(10, 3),
        *play("p", True, False, domain="formal_mathematics", topology="chain"),
    ]
    found = row(outcomes)
    assert {name: one.SR.of for name, one in found.domains.items()} == {
        "offline_retrieval": 10,
        "formal_mathematics": 1,
    }
    assert {name: one.SR.of for name, one in found.topologies.items()} == {"chain": 11, "reuse": 10}
    (operator,) = found.operators.items()
    assert operator[0] == "wrong_entity"
    assert (operator[1].ICS.value, str(operator[1].SR)) == (30.0, BLANK)
    assert str(found.domains["formal_mathematics"].ICS) == BLANK


def test_a_family_with_a_defect_is_listed_and_scored_for_nobody() -> None:
    """Also where another system came through with it."""
    outcomes = [
        *play("a", True, True),
        *play("b", True, True),
        *play("a", True, True, system="none"),
        *play("b", True, True, system="none")[:2],
        node("b", "end", False, system="none", failure=DEFECT),
    ]
    sheet = WorkflowSheet(outcomes)
    assert sheet.quarantined == ("b",)
    counted = {name: one.overall.SR.of for (name, _), one in workflow_rows(sheet).items()}
    assert counted == {"bm25": 1, "none": 1}


def test_the_order_of_outcomes_changes_no_figure() -> None:
    """Threads and workers finish as they like."""
    outcomes = pairs(12, 5)
    backwards = list(reversed(outcomes))
    assert row(backwards).overall == row(outcomes).overall


def test_systems_have_rows_of_their_own() -> None:
    """No outcome counts for another."""
    outcomes = [*play("a", True, True), *play("a", True, False, system="none")]
    assert row(outcomes).overall.SR.value == 100.0
    assert row(outcomes, "none").overall.SR.value == 0.0
    other = [replace(outcome, model="m2") for outcome in play("a", True, False)]
    rows = workflow_rows(WorkflowSheet([*outcomes, *other]))
    assert list(rows) == [("bm25", "worker"), ("none", "worker"), ("bm25", "m2")]


def sums_of(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """Return the metrics as statistics over instances have them."""
    metrics = suite_metrics("comembench")
    sums = np.zeros(metrics.columns)
    for outcome in outcomes:
        if outcome.verdict is not None:
            sums += metrics.count(outcome)
    return {name: None if np.isnan(one) else one for name, one in metrics.values(sums).items()}


def test_sums_over_nodes_come_to_the_same_figures() -> None:
    """Where every instance is whole; a node that does not count has no weight."""
    outcomes = [
        *pairs(10, 6),
        *play("g", True, False),
        node("g", "helper", False, required=False),
        *play("h", False, False, operator="stale_version"),
    ]
    overall = row(outcomes).overall
    found = sums_of(outcomes)
    assert found["SR"] == pytest.approx(overall.SR.value)
    assert found["VNCR"] == pytest.approx(overall.VNCR.value)
    assert found["VHS"] == pytest.approx(overall.VHS.value)
    assert sums_of([]) == {"SR": None, "VNCR": None, "VHS": None}


def test_a_failed_node_lacked_its_inputs_or_was_rejected() -> None:
    """Whoever passes or has no verdict is in neither class."""
    metrics = suite_metrics("comembench")
    rejected = node("a", "target", False, False)
    assert rejected.verdict
    measures = {**rejected.verdict.measures, "inputs_used": False}
    without = replace(rejected, verdict=replace(rejected.verdict, measures=measures))
    broken = node("a", "target", False, failure=BROKEN)
    every = [node("a", "root", True), rejected, without, broken]
    classes = [metrics.failure_class(outcome) for outcome in every]
    assert classes == [None, "rejected", "handoff", None]
    with pytest.raises(ValueError, match="unscored"):
        metrics.count(broken)
