"""The embedded streams say something true of memories: the better one, the better its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean

import pytest
from office_play import office_suite, play
from systems import system_called, workshop

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.engine.office_data import load_office
from pytest_comem.locations import fixture_path
from pytest_comem.memory.base import MemorySystem
from pytest_comem.metrics.contextweave import TaskSheet


class Everything(MemorySystem):
    """Holds every entry."""

    def __init__(self) -> None:
        self.told: list[Entry] = []

    def ingest(self, entry: Entry) -> None:
        """Keep it."""
        self.told.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return those wanted."""
        return Recall(tuple(RecallItem(one.text, None, (one.id,)) for one in self.wanted(query)))

    def wanted(self, query: Query) -> list[Entry]:
        """Return all."""
        return self.told


class Foreign(Everything):
    """Recalls what belongs to other projects, and nothing else."""

    def wanted(self, query: Query) -> list[Entry]:
        """Return entries that name another project than the query's in their heading."""
        project = query.text.partition(":")[0]
        headed = [(one, one.text.partition("]")[0]) for one in self.told]
        return [one for one, head in headed if "," in head and project not in head]


class Stale(Everything):
    """Recalls the oldest third of what it was told."""

    def wanted(self, query: Query) -> list[Entry]:
        """Return the first third."""
        return self.told[: len(self.told) // 3]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Outcome]]:
    """Every target on five systems, by the system's name."""
    none = system_called("none")
    own = {
        name: replace(none, factory=make, info=replace(none.info, name=name), workshop=workshop())
        for name, make in (("foreign", Foreign), ("stale", Stale))
    }
    systems = {name: system_called(name) for name in ("none", "bm25", "oracle")} | own
    suite = office_suite(
        tmp_path_factory.mktemp("embedded"), load_office(fixture_path("contextweave")), top_k=5
    )
    played = play(suite, *systems.values())
    return {name: [one for one in played if one.step.system == name] for name in systems}


def mean(outcomes: list[Outcome], measure: str) -> float:
    """Return the mean of a measure over the tasks that have it."""
    found = [one.verdict.measures[measure] for one in outcomes if one.verdict]
    return fmean(float(value) for value in found if value is not None)


def test_every_target_is_scored(outcomes: Mapping[str, list[Outcome]]) -> None:
    """Three participants with at least ten each; nothing breaks."""
    for played in outcomes.values():
        assert {one.failure for one in played} == {None}
        participants = [one.step.episode for one in played]
        assert min(map(participants.count, ("analyst", "coordinator", "maintainer"))) >= 10


def test_better_recall_is_better_work(outcomes: Mapping[str, list[Outcome]]) -> None:
    """Nothing below bm25 below the oracle in Preference, and gains in Workspace."""
    none, bm25, oracle = (outcomes[name] for name in ("none", "bm25", "oracle"))
    assert mean(none, "preference") < mean(bm25, "preference") < mean(oracle, "preference")
    assert mean(none, "workspace") < mean(bm25, "workspace") < mean(oracle, "workspace")
    assert mean(oracle, "preference") >= 95
    for played in (bm25, oracle):
        assert mean(played, "workspace") > mean(played, "workspace_alone")


def test_misleading_recall_is_seen(outcomes: Mapping[str, list[Outcome]]) -> None:
    """What recalls only stale or only foreign sessions causes problems that nothing does not."""
    rate = {name: mean(played, "memory_induced") for name, played in outcomes.items()}
    assert rate["none"] == rate["oracle"] == 0
    assert rate["foreign"] > 0.15
    assert rate["stale"] > 0.15
    assert max(rate["foreign"], rate["stale"]) > rate["bm25"]


def test_an_oracle_explores_less_and_leaves_nothing_it_could_solve(
    outcomes: Mapping[str, list[Outcome]],
) -> None:
    """Knowing what was done saves looking; the solvable problems are solved."""
    oracle = outcomes["oracle"]
    assert mean(oracle, "exploration") < mean(oracle, "exploration_alone")
    assert mean(oracle, "problems_left_solvable") == 0


def test_the_sheet_has_a_row_a_system_and_one_without_recall(
    outcomes: Mapping[str, list[Outcome]],
) -> None:
    """The engine's outcomes are what the metrics read; means are the plain ones."""
    sheet = TaskSheet([one for played in outcomes.values() for one in played])
    assert [name for name, _ in sheet.rows()] == list(outcomes)
    assert not list(sheet.uneven())
    for (name, _), row in sheet.rows().items():
        values = row.overall.values()
        assert values["Workspace"] == pytest.approx(mean(outcomes[name], "workspace"))
        assert values["MITR"] == pytest.approx(100 * mean(outcomes[name], "memory_induced"))
    (alone,) = sheet.without_recall().values()
    assert alone.overall.values()["Preference"] == pytest.approx(
        mean(outcomes["none"], "preference")
    )
