"""GateMem's metrics as functions of sums."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from made_outcomes import BROKEN, UNREADABLE, made

from pytest_comem.core.outcomes import Outcome, Verdict
from pytest_comem.datasets.governance import Category
from pytest_comem.errors import SettingsError
from pytest_comem.metrics.gatemem import METRICS, Tally, metrics_of
from pytest_comem.metrics.gatemem_counts import GATEMEM
from pytest_comem.metrics.suites import suite_metrics

CATEGORIES = tuple(map(str, Category))


def every_kind() -> list[Outcome]:
    """Return checkpoints of all categories, results, refusals and exposures, each a few times."""
    found: list[Outcome] = []
    for category, passed, refused, exposed in product(
        CATEGORIES, (True, False), (True, False), (True, False, None)
    ):
        measures = {
            "over_refusal": refused,
            "utility_exposed": exposed,
            "access_context_leak": exposed,
            "forgetting_context_leak": exposed,
        }
        for _ in range(1 + len(found) % 4):
            one = made(len(found), passed, category=category)
            found.append(replace(one, verdict=Verdict(passed, "", measures)))
    return found


@pytest.mark.parametrize("part", [slice(None), slice(0, 9), slice(20, 31), slice(50, 52)])
def test_the_values_are_those_of_the_tally(part: slice) -> None:
    """To the last bit, also where a metric has nothing behind it."""
    outcomes, tally = every_kind()[part], Tally()
    sums = np.zeros(GATEMEM.columns)
    for outcome in outcomes:
        assert outcome.verdict is not None
        tally.add(outcome.labels["category"], outcome.verdict)
        sums += GATEMEM.count(outcome)
    found = {name: None if np.isnan(one) else float(one) for name, one in values(sums).items()}
    assert found == metrics_of(tally)


def values(sums: np.ndarray) -> dict[str, np.ndarray]:
    """Return the metrics of *sums*."""
    return GATEMEM.values(sums)


def test_sums_of_any_shape_have_values() -> None:
    """The last axis is the columns; nothing at all is NaN without a warning."""
    found = values(np.zeros((2, 3, GATEMEM.columns)))
    assert list(found) == list(METRICS) == list(GATEMEM.metrics)
    assert all(one.shape == (2, 3) and np.isnan(one).all() for one in found.values())


def test_the_plain_proportions_name_their_columns() -> None:
    """The quotient of those columns is the metric; products have none."""
    sums = np.arange(GATEMEM.columns) + 1.0
    for name, info in GATEMEM.metrics.items():
        columns = GATEMEM.numerators(name)
        assert (columns is None) == (info.kind == "product")
        if columns is not None:
            assert values(sums)[name] == 100 * sums[columns[0]] / sums[columns[1]]


@pytest.mark.parametrize(
    ("category", "refused", "unreadable", "said"),
    [
        ("utility", True, False, "over_refusal"),
        ("utility", False, False, "incomplete_answer"),
        ("privacy", False, False, "access_leak"),
        ("safety", False, False, "forgetting_leak"),
        ("privacy", False, True, "unparsable"),
    ],
)
def test_a_failure_has_a_class(category: str, refused: bool, unreadable: bool, said: str) -> None:
    """The one of its category, unless nobody could read the answer."""
    outcome = made(1, False, category=category, failure=UNREADABLE if unreadable else None)
    outcome = replace(outcome, verdict=Verdict(False, "", {"over_refusal": refused}))
    assert GATEMEM.failure_class(outcome) == said
    assert said in GATEMEM.failure_classes


def test_what_passed_or_has_no_verdict_has_no_class() -> None:
    """An infrastructure failure is not the method's."""
    assert GATEMEM.failure_class(made(1, True)) is None
    assert GATEMEM.failure_class(made(1, None, failure=BROKEN)) is None


def test_an_unscored_step_is_not_counted() -> None:
    """It would count as something."""
    with pytest.raises(ValueError, match="unscored"):
        GATEMEM.count(made(1, None))


def test_an_unknown_suite_is_answered_with_the_nearest() -> None:
    """By name."""
    with pytest.raises(SettingsError, match="'gatemen' has no metrics; did you mean gatemem"):
        suite_metrics("gatemen")
