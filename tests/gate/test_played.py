"""A run as a gate sees it, live and from what was written down."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import EPISODES, made_run

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.gate.played import Played, played, recorded

PREFIX = "gatemem/test_governance.py::test_checkpoint"
ROW = ("gatemem", "bm25", "offline")


def written(outcomes: list[Outcome], planned: list[Outcome], **more: object) -> RecordedRun:
    """Return the record of a run that meant to score *planned* and got as far as *outcomes*."""
    there = {one.step.label for one in outcomes if one.verdict}
    unscored = {
        f"{PREFIX}[{one.step.label}]": "never ran" for one in planned if one.step.label not in there
    }
    systems = list(dict.fromkeys(one.system.name for one in planned))
    manifest = {
        "settings": {"models": list(dict.fromkeys(one.model for one in planned))},
        "systems": {name: {} for name in systems},
        "data": {"gatemem": {}},
        "finished": {"unscored": unscored},
        **more,
    }
    return RecordedRun(Path("run"), manifest, tuple(outcomes))


def figures(run: Played) -> dict[object, object]:
    """Return what a run says of each row and domain."""
    return {
        (row, domain): run.unscored(row, domain)
        for row in run.rows
        for domain in (None, "medical", "office")
    }


@pytest.mark.parametrize("count", [0, 8, 50, EPISODES * 8])
@pytest.mark.parametrize("repeats", [1, 3])
def test_live_and_afterwards_are_the_same(count: int, repeats: int) -> None:
    """Unscored and planned steps by row and domain are the same from the plan and the record."""
    planned = [
        *made_run(lambda e, p, r: None if p == 3 else True, repeats=repeats),
        *made_run(system="bm25:other", repeats=repeats),
    ]
    outcomes = planned[:count]
    live = played(outcomes, [one.step for one in planned], {"": "offline"}, [])
    assert figures(recorded(written(outcomes, planned))) == figures(live)
    assert sum(of for _, of in (live.unscored(row) for row in live.rows)) == len(planned)


def test_models_are_told_apart() -> None:
    """A step that never ran belongs to the row of its model, whatever its name has in common."""
    rows = []
    for model, label in (("a/b", "a_b"), ("a/b-c", "a_b-c")):
        rows.extend(made_run(model=model, label=label))
    found = recorded(written(rows[:8], rows))
    assert found.unscored(("gatemem", "bm25", "a/b")) == (EPISODES * 8 - 8, EPISODES * 8)
    assert found.unscored(("gatemem", "bm25", "a/b-c")) == (EPISODES * 8, EPISODES * 8)


def test_a_run_that_was_not_finished_is_not_whole() -> None:
    """Where nobody noted which steps never ran, a run is known to be a part."""
    outcomes = made_run()
    assert not recorded(written(outcomes, outcomes, finished=None)).whole
    assert recorded(RecordedRun(Path("outcomes.jsonl"), {}, tuple(outcomes))).whole


def test_references_are_known() -> None:
    """Rows of systems that see hidden annotations are marked, live by their names."""
    outcomes = made_run(system="oracle")
    live = played(outcomes, [one.step for one in outcomes], {"": "offline"}, ["oracle"])
    assert live.references == {("gatemem", "oracle", "offline")}
