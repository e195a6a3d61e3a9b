"""CoMemBench put together from what is shipped, and played on real memory systems."""

from __future__ import annotations

from pathlib import Path

import pytest
from systems import system_called

from pytest_comem.engine.workflow_data import load_workflows
from pytest_comem.engine.workflows import WorkflowRun
from pytest_comem.errors import SettingsError
from pytest_comem.executors.base import HandoffMode
from pytest_comem.llm.door import Door
from pytest_comem.metrics.comembench import WorkflowFigures, workflow_rows
from pytest_comem.metrics.workflow_plays import WorkflowSheet
from pytest_comem.workflow_assembly import (
    first_of_each_domain,
    make_workflow_suite,
    shipped_families,
)
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.schema import Domain
from pytest_comem.workflows.signing import read_signer


def figures(
    folder: Path, name: str, domain: Domain, handoff: HandoffMode = "declared"
) -> WorkflowFigures:
    """Return what the first shipped family of a domain comes to with its twins, traces checked."""
    data = load_workflows(shipped_families(), [domain])
    data = data.only(first_of_each_domain(data, 1))
    try:
        suite = make_workflow_suite(WorkflowRun(folder, handoff), Door(), data=data)
    except SettingsError as error:
        pytest.skip(str(error))
    system = system_called(name)
    steps = suite.steps(system)
    sheet = WorkflowSheet()
    for episode in dict.fromkeys(step.episode for step in steps):
        for outcome in suite.play([each for each in steps if each.episode == episode], system):
            sheet.add(outcome)
    suite.close()
    signer = read_signer(folder / "trace.key")
    assert all(passed(replay(trace, signer)) for trace in (folder / "traces").iterdir())
    return workflow_rows(sheet)[name, "worker"].overall


@pytest.mark.parametrize("domain", Domain)
def test_a_shipped_family_is_completed_without_a_memory(tmp_path: Path, domain: Domain) -> None:
    """The offline workers need nothing but their declared inputs; nothing misleads them."""
    found = figures(tmp_path, "none", domain)
    assert [found.ratio(name).value for name in ("SR", "VNCR", "VHS")] == [100.0] * 3
    assert found.ratio("ICS").count == found.ratio("ICS").of > 0


@pytest.mark.parametrize("domain", Domain)
def test_a_memory_that_exposes_everything_misleads_in_twins(tmp_path: Path, domain: Domain) -> None:
    """The control is completed all the same."""
    found = figures(tmp_path, "full-context", domain)
    assert found.ratio("SR").value == 100.0
    assert found.ratio("ICS").count < found.ratio("ICS").of


def test_a_memory_alone_has_to_share(tmp_path: Path) -> None:
    """What remembers nothing hands nothing over; what exposes everything completes the control."""
    nothing = figures(tmp_path / "none", "none", Domain.OFFLINE_RETRIEVAL, "memory")
    assert nothing.ratio("VHS").count == 0
    all_of_it = figures(tmp_path / "full", "full-context", Domain.OFFLINE_RETRIEVAL, "memory")
    assert all_of_it.ratio("SR").value == 100.0


def test_families_that_lack_something_are_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run with others goes on without them; one with none of them says so and ends."""
    monkeypatch.setenv("COMEM_TOOLS", str(tmp_path / "empty"))
    every = load_workflows(shipped_families(), [Domain.OFFLINE_RETRIEVAL, Domain.STATEFUL_TOOL])
    about = make_workflow_suite(WorkflowRun(tmp_path), Door(), data=every).describe()
    tools = {name for name in every.families if name.startswith("tools-")}
    assert set(about["excluded"]) == tools
    assert sum(f"{len(tools)} CoMemBench" in one for one in about["warnings"]) <= 1
    assert all("comem tools install" in one for one in about["warnings"])
    with pytest.raises(SettingsError, match="no family of CoMemBench can be played here: server"):
        make_workflow_suite(WorkflowRun(tmp_path), Door(), data=every.only(tools))
