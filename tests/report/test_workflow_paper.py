"""What CoMemBench's paper says, beside a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made
from made_workflows import play

from pytest_comem.errors import DataError
from pytest_comem.report.paper import Conditions, paper_rows
from pytest_comem.report.workflow_paper import UNDIVIDED, workflow_paper


def test_the_rows_are_of_the_domains_that_were_played() -> None:
    """Each with the system here that does the same; tokens are not told by domain."""
    found = workflow_paper(["repository_code"])
    assert found is not None
    rows = {(row.domain, row.mechanism): row for row in found.rows}
    code = rows["repository_code", "a-mem"]
    assert (code.system, code.values, code.tokens) == ("a-mem", {"SR": 18.4, "ICS": 63.9}, None)
    tokens = rows[UNDIVIDED, "local-only"]
    assert (tokens.system, tokens.values, tokens.tokens) == ("none", {}, 489_000)
    assert {domain for domain, _ in rows} == {"repository_code", UNDIVIDED}
    assert any("not comparable" in note for note in found.notes)


def test_a_run_without_workflows_has_none() -> None:
    """And one without GateMem's steps has none of GateMem's."""
    assert workflow_paper([]) is None
    assert paper_rows(Conditions.of([made(1, True)])).workflows is None
    found = paper_rows(Conditions.of(play("a", True, True)))
    assert found.rows == ()
    assert found.workflows is not None


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"source": "s"},
        {"source": "s", "memory_mechanisms": {}},
        {"source": "s", "memory_mechanisms": {"tokens_per_task_k": {"unknown": 1}}},
        {
            "source": "s",
            "memory_mechanisms": {"x": {"a-mem": {"SR": 101}}, "tokens_per_task_k": {}},
        },
    ],
)
def test_what_is_no_paper_is_refused(value: Any, tmp_path: Path) -> None:
    """Naming the file, whatever JSON it holds."""
    path = tmp_path / "comembench.json"
    path.write_text(json.dumps(value))
    with pytest.raises(DataError, match=r"comembench\.json"):
        workflow_paper(["x"], path)
