"""What ContextWeave's paper says, beside a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made
from made_tasks import BROKEN, task, tasks

from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path
from pytest_comem.report.office_paper import office_paper
from pytest_comem.report.paper import Conditions, paper_rows


def test_every_figure_is_the_papers() -> None:
    """Components with their scores and what is told of them, and one component with models."""
    found = office_paper(30)
    assert found is not None
    rows = {(row.component, row.model): row for row in found.rows}
    amem = rows["a-mem", ""]
    assert amem.system == "a-mem"
    assert amem.values == {
        "Workspace": 78.20,
        "Preference": 70.60,
        "Win": 72.70,
        "PSR": 7.07,
        "MITR": 7.39,
        "RelevanceRating": 3.73,
        "Similarity": 72.44,
        "Recall": 69.45,
        "Precision": 30.01,
        "dExploration": -5.37,
        "dExecutionRate": 6.63,
        "RobustnessRating": 4.66,
    }
    nothing = rows["no-recall", ""]
    assert (nothing.system, nothing.values) == ("none", {"Workspace": 68.08, "Preference": 41.50})
    model = rows["mem0", "GPT-5.5"]
    assert model.values == {
        "Workspace": 72.48,
        "dWorkspace": 4.95,
        "dPreference": 7.66,
        "Win": 50.70,
    }
    assert len(found.rows) == 7 + 5
    assert "scored 30, and the paper's 568" in found.notes[1]


def test_a_run_without_office_tasks_has_none() -> None:
    """Nor one of which nothing was scored; of several systems it is the most tasks that count."""
    assert paper_rows(Conditions.of([made(1, True)])).tasks is None
    assert paper_rows(Conditions.of([task(failure=BROKEN)])).tasks is None
    outcomes = [*tasks([1, 2], system="a"), *tasks([1], system="b")]
    assert Conditions.of(outcomes).tasks == 2
    found = paper_rows(Conditions.of(outcomes))
    assert found.rows == ()
    assert found.tasks is not None


def damaged(**changes: Any) -> Any:
    """Return the shipped figures with parts replaced; ``None`` takes a part away."""
    value = json.loads(fixture_path("reference", "contextweave.json").read_bytes())
    value.update(changes)
    return {name: part for name, part in value.items() if part is not None}


@pytest.mark.parametrize(
    "value",
    [
        [],
        damaged(source=None),
        damaged(table1_memory_components={}),
        damaged(table2_models_with_mem0={"columns": ["win_rate"], "rows": {"m": [1, 2]}}),
        damaged(table2_models_with_mem0={"columns": ["win_rate"], "rows": {"m": ["x"]}}),
        damaged(protocol={}),
    ],
)
def test_what_is_no_paper_is_refused(value: Any, tmp_path: Path) -> None:
    """Naming the file, whatever JSON it holds."""
    path = tmp_path / "contextweave.json"
    path.write_text(json.dumps(value))
    with pytest.raises(DataError, match=r"contextweave\.json"):
        office_paper(1, path)
