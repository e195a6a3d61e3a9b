"""CoMemBench put together from what is shipped, and played on real memory systems."""

from __future__ import annotations

from pathlib import Path

import pytest
from systems import system_called
from workflow_play import DATA

from pytest_comem.engine.workflow_data import load_workflows
from pytest_comem.engine.workflows import WorkflowRun
from pytest_comem.errors import SettingsError
from pytest_comem.executors.base import HandoffMode
from pytest_comem.llm.door import Door
from pytest_comem.metrics.comembench import WorkflowFigures, workflow_rows
from pytest_comem.metrics.workflow_plays import WorkflowSheet
from pytest_comem.workflow_assembly import make_workflow_suite
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.signing import read_signer


def figures(folder: Path, name: str, handoff: HandoffMode = "declared") -> WorkflowFigures:
    """Return what the first shipped family comes to with its twins, its traces checked."""
    suite = make_workflow_suite(WorkflowRun(folder, handoff), Door())
    system = system_called(name)
    steps = suite.steps(system)
    family = steps[0].episode.partition(".")[0]
    sheet = WorkflowSheet()
    for episode in dict.fromkeys(step.episode for step in steps):
        if episode.startswith(f"{family}."):
            for outcome in suite.play([each for each in steps if each.episode == episode], system):
                sheet.add(outcome)
    signer = read_signer(folder / "trace.key")
    assert all(passed(replay(trace, signer)) for trace in (folder / "traces").iterdir())
    return workflow_rows(sheet)[name, "worker"].overall


def test_a_shipped_family_is_completed_without_a_memory(tmp_path: Path) -> None:
    """The offline workers need nothing but their declared inputs; nothing misleads them."""
    found = figures(tmp_path, "none")
    assert (found.SR.value, found.VNCR.value, found.VHS.value) == (100.0, 100.0, 100.0)
    assert found.ICS.count == found.ICS.of > 0


def test_a_memory_that_exposes_everything_misleads_in_twins(tmp_path: Path) -> None:
    """The control is completed all the same."""
    found = figures(tmp_path, "full-context")
    assert found.SR.value == 100.0
    assert found.ICS.count < found.ICS.of


def test_a_memory_alone_has_to_share(tmp_path: Path) -> None:
    """What remembers nothing hands nothing over; what exposes everything completes the control."""
    assert figures(tmp_path / "none", "none", "memory").VHS.count == 0
    assert figures(tmp_path / "full", "full-context", "memory").SR.value == 100.0


def test_a_domain_that_nothing_plays_is_said(tmp_path: Path) -> None:
    """Families of somebody's own may be of any domain."""
    with pytest.raises(SettingsError, match="formal_mathematics"):
        make_workflow_suite(WorkflowRun(tmp_path), Door(), data=load_workflows(DATA))
