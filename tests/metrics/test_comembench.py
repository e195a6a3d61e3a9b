"""CoMemBench's metrics on outcomes made by hand, each denominator rule with figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from made_workflows import BROKEN, DEFECT, families, node, pairs, play

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.comembench import BLANK, SHARES, WorkflowRow, workflow_rows
from pytest_comem.metrics.comembench_counts import COMEMBENCH
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.paired import compare
from pytest_comem.metrics.quarantine import defects, without_defective
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.workflow_plays import WorkflowSheet


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
    assert (overall.ratio("SR").count, overall.ratio("SR").of) == (2, 3)
    assert overall.ratio("SR").value == pytest.approx(66.6667, abs=1e-3)
    assert overall.broken == {"d.clean": "gone"}


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
    assert overall.ratio("VNCR").of == 3
    assert overall.ratio("VNCR").value == pytest.approx(100 * (1 + 2 / 3 + 1 / 3) / 3)


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
    assert (overall.ratio("VHS").count, overall.ratio("VHS").of) == (3, 5)
    assert overall.ratio("VHS").value == 60.0


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
    assert (overall.ratio("ICS").count, overall.ratio("ICS").of) == (7, 10)
    assert overall.ratio("ICS").value == 70.0


def test_a_target_that_is_not_eligible_in_the_twin_is_lost() -> None:
    """It succeeded in the control and does not in the twin."""
    outcomes = pairs(10, 10)
    outcomes += [*play("g", True, True), *play("g", None, False, operator="stale_version")]
    overall = row(outcomes).overall
    assert (overall.ratio("ICS").count, overall.ratio("ICS").of) == (10, 11)


def test_isolation_is_blank_below_ten_pairs_and_never_zero() -> None:
    """Nine pairs are too few, whatever came of them; ten without any kept are 0."""
    nine, ten = row(pairs(9, 0)).overall.ratio("ICS"), row(pairs(10, 0)).overall.ratio("ICS")
    assert (nine.value, str(nine), nine.of) == (None, BLANK, 9)
    assert (ten.value, str(ten)) == (0.0, "0.0")


def test_repeats_of_a_pair_are_no_further_pairs() -> None:
    """Five pairs played twice are five pairs."""
    outcomes = [*pairs(5, 5, repeat=0), *pairs(5, 4, repeat=1)]
    found = row(outcomes).overall.ratio("ICS")
    assert (found.count, found.of, found.value) == (9, 10, None)
    outcomes = [*pairs(10, 10, repeat=0), *pairs(10, 9, repeat=1)]
    assert row(outcomes).overall.ratio("ICS").value == 95.0


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
    assert overall.ratio("SR").value == 0.0
    empty = row([node("a", "root", False, failure=BROKEN)]).overall
    assert [empty.ratio(name).value for name in SHARES] == [None] * 4
    assert empty.tokens.p90 is None
    assert str(empty.ratio("SR")) == BLANK


def test_strata_are_by_domain_topology_and_operator() -> None:
    """An instance counts under each of its labels; an operator's row has no clean instance."""
    outcomes = [
        *pairs(10, 3),
        *play("p", True, False, domain="formal_mathematics", topology="chain"),
    ]
    found = row(outcomes)
    assert {name: one.ratio("SR").of for name, one in found.domains.items()} == {
        "offline_retrieval": 10,
        "formal_mathematics": 1,
    }
    assert {name: one.ratio("SR").of for name, one in found.topologies.items()} == {
        "chain": 11,
        "reuse": 10,
    }
    (operator,) = found.operators.items()
    assert operator[0] == "wrong_entity"
    assert (operator[1].ratio("ICS").value, str(operator[1].ratio("SR"))) == (30.0, BLANK)
    assert str(found.domains["formal_mathematics"].ratio("ICS")) == BLANK


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
    assert sheet.quarantined == {"b": "no such theorem"}
    counted = {name: one.overall.ratio("SR").of for (name, _), one in workflow_rows(sheet).items()}
    assert counted == {"bm25": 1, "none": 1}


def test_the_order_of_outcomes_changes_no_figure() -> None:
    """Threads and workers finish as they like."""
    outcomes = pairs(12, 5)
    backwards = list(reversed(outcomes))
    one, other = row(outcomes).overall, row(backwards).overall
    assert [one.ratio(name) for name in SHARES] == [other.ratio(name) for name in SHARES]
    assert one.tokens == other.tokens
    assert measure(one.sample) == measure(other.sample)


def test_systems_have_rows_of_their_own() -> None:
    """No outcome counts for another."""
    outcomes = [*play("a", True, True), *play("a", True, False, system="none")]
    assert row(outcomes).overall.ratio("SR").value == 100.0
    assert row(outcomes, "none").overall.ratio("SR").value == 0.0
    other = [replace(outcome, model="m2") for outcome in play("a", True, False)]
    rows = workflow_rows(WorkflowSheet([*outcomes, *other]))
    assert list(rows) == [("bm25", "worker"), ("none", "worker"), ("bm25", "m2")]


def sample_of(outcomes: Sequence[Outcome]) -> Sample:
    """Return what statistics over families are computed from."""
    return Sample.of(outcomes, COMEMBENCH)


def test_statistics_have_the_figures_of_the_tables() -> None:
    """By hand: 11 of 12 controls; 23 whole instances of 3 nodes, of which 7 are not verified."""
    outcomes = [
        *pairs(10, 6),
        *play("g", True, False),
        node("g", "helper", False, required=False),
        *play("h", False, False, operator="stale_version"),
        *play("h", True, True),
        *play("cut", True, True)[:2],
    ]
    values = sample_of(outcomes).values()
    assert values["SR"] == pytest.approx(100 * 11 / 12)
    # Not verified: the targets of four twins, the end of g, target and end of h's twin.
    assert values["VNCR"] == pytest.approx(100 * (23 - 7 / 3) / 23)
    # Consumers: 13 targets and 12 ends of controls (cut has no end), of which g's end fails; of 11
    # twins as many targets, of which 6 succeed, whose ends do as well.
    assert values["VHS"] == pytest.approx(100 * (13 + 11 + 6 + 6) / (13 + 12 + 11 + 6))
    assert values["ICS"] == pytest.approx(100 * 6 / 11)
    assert values["tokens"] == pytest.approx((23 * 33 + 11) / 23)
    overall = row(outcomes).overall
    assert {name: overall.ratio(name).value for name in SHARES} == {
        name: values[name] for name in SHARES
    }
    assert overall.tokens.mean == values["tokens"]


def test_a_family_is_drawn_as_a_whole() -> None:
    """Its control and all its twins are one cluster, however many instances that makes."""
    outcomes = [
        *play("a", True, True),
        *play("a", True, True, operator="stale_version"),
        *play("a", False, False, operator="wrong_entity"),
        *play("b", True, True, domain="formal_mathematics"),
    ]
    found = sample_of(outcomes)
    assert found.episodes == (("formal_mathematics", "b"), ("offline_retrieval", "a"))
    assert found.behind("ICS") == (1, 2)


def test_an_interval_of_isolation_knows_of_families() -> None:
    """24 of 48 pairs say less where whole families keep or lose theirs than where all keep half."""
    apart, alike = (measure(sample_of(families(kept)))["ICS"] for kept in ([4, 0] * 6, [2, 2] * 6))
    assert (apart.value, alike.value, apart.of) == (50.0, 50.0, 48)
    # As many independent pairs have 36.4 to 63.6 (Wilson).
    assert (round(alike.low, 1), round(alike.high, 1)) == (36.4, 63.6)
    assert apart.low < 30
    assert apart.high > 70


def test_completion_without_a_flaw_is_not_sure_to_stay_so() -> None:
    """All nodes of twelve instances are verified: the true share may be below 90 %."""
    whole = measure(sample_of([each for n in range(12) for each in play(f"f{n}", True, True)]))
    assert whole["VNCR"].value == 100.0
    assert 60 < whole["VNCR"].low < 95


def test_too_few_pairs_have_no_interval_and_no_difference() -> None:
    """Nine are as good as none, to every reader of the figures."""
    before, after = pairs(9, 9), pairs(9, 0)
    assert "ICS" not in measure(sample_of(before))
    assert "ICS" not in compare(before, after, COMEMBENCH).differences
    assert "ICS" in compare(pairs(10, 9), pairs(10, 0), COMEMBENCH).differences


def test_differences_are_paired_by_family() -> None:
    """Twelve families that each lose their pair: of 4096 ways to swap two are as far apart."""
    before, after = pairs(12, 12), pairs(12, 0)
    found = compare(before, after, COMEMBENCH).differences
    assert (found["ICS"].before, found["ICS"].after, found["ICS"].difference) == (100, 0, -100)
    assert found["ICS"].p == pytest.approx(2 / 4096)
    # Nothing about a control has changed.
    assert (found["SR"].low, found["SR"].difference, found["SR"].high) == (0, 0, 0)
    assert found["VNCR"].difference == pytest.approx(-100 / 6)
    assert found["VNCR"].low <= found["VNCR"].difference <= found["VNCR"].high
    assert found["tokens"].difference == 0


def test_a_pair_is_compared_where_both_runs_have_its_sides() -> None:
    """The control of one family broke in the second run: its pair counts in neither."""
    before = pairs(12, 12)
    after = [
        replace(each, verdict=None, failure=BROKEN)
        if each.labels["instance"] == "f0.clean" and each.step.id == "target"
        else each
        for each in pairs(12, 1)
    ]
    found = compare(before, after, COMEMBENCH).differences["ICS"]
    # The only pair that kept its target was the broken one's.
    assert (found.before, found.after) == (100, 0)


def test_a_defect_takes_a_family_from_every_row() -> None:
    """Of the rows of a run: verdicts there are taken back, and the reason names the defect."""
    rows = {
        "one": play("a", True, True),
        "other": [
            *play("a", True, True, system="none")[:2],
            node("a", "end", False, system="none", failure=DEFECT),
            *play("b", True, True, system="none"),
        ],
    }
    found = without_defective(rows)
    assert [each.verdict is None for each in found["one"]] == [True] * 3
    assert "the family a is in quarantine: no such theorem" in found["one"][0].reason
    assert [each.verdict is None for each in found["other"]] == [True] * 3 + [False] * 3
    assert found["other"][2].reason == "no such theorem"
    assert defects(each for outcomes in found.values() for each in outcomes) == {
        "a": "no such theorem"
    }
    sound = {"one": play("b", True, True)}
    assert without_defective(sound) is sound


def test_a_failed_node_was_misled_or_lacked_its_inputs_or_was_rejected() -> None:
    """Or what should have come never was; whoever passes or has no verdict is in no class."""
    rejected = node("a", "root", False)
    assert rejected.verdict

    def measured(**more: bool) -> Outcome:
        assert rejected.verdict
        measures = {**rejected.verdict.measures, **more}
        return replace(rejected, verdict=replace(rejected.verdict, measures=measures))

    every = [
        node("a", "root", True),
        rejected,
        measured(inputs_used=False, eligible=True, decoy_consumed=False),
        measured(inputs_used=False, eligible=True, decoy_consumed=True),
        measured(inputs_used=False, eligible=False),
        node("a", "target", False, failure=BROKEN),
    ]
    classes = [COMEMBENCH.failure_class(outcome) for outcome in every]
    assert classes == [None, "rejected", "handoff", "misled", "blocked", None]
    assert set(filter(None, classes)) == set(COMEMBENCH.failure_classes)
