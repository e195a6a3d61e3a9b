"""ContextWeave's suite over made streams, for tests that drive the engine without pytest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from made_streams import make_stream

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.office import OfficeRun, OfficeSuite
from pytest_comem.engine.office_data import OfficeData, load_office
from pytest_comem.engine.office_runs import TaskDoer
from pytest_comem.engine.office_tasks import OfficePlayer
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.runner import EpisodeRunner
from pytest_comem.llm.door import Door
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.office.base import Grader, OfficeAgent
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.office.rule_comparer import RuleComparer
from pytest_comem.office.workbench import BenchSettings


def made_data(folder: Path, tasks: int = 4, **made: Any) -> OfficeData:
    """Return one made stream."""
    make_stream(folder / "streams", "ada", tasks, **made)
    return load_office(folder / "streams")


def office_suite(
    folder: Path,
    data: OfficeData,
    agent: OfficeAgent | None = None,
    grader: Grader | None = None,
    bench: BenchSettings | None = None,
    **settings: Any,
) -> OfficeSuite:
    """Return the suite over *data*, recorded in *folder*."""
    bench = bench or BenchSettings("auto")
    doer = TaskDoer(
        agent or OfflineAgent(), grader or RuleGrader(bench.sandbox), bench, folder / "state"
    )
    player = OfficePlayer("offline", "", None, doer, RuleComparer(0))
    return OfficeSuite(data, [player], OfficeRun(folder / "run", **settings), Door())


def play(suite: OfficeSuite, *systems: SystemUnderTest, concurrency: int = 8) -> list[Outcome]:
    """Return the outcomes of all steps as a run has them, in order."""
    steps = [(step, suite, system) for system in systems for step in suite.steps(system)]
    return play_steps(steps, concurrency=concurrency)


def play_steps(
    steps: Sequence[tuple[Step, OfficeSuite, SystemUnderTest]],
    *,
    concurrency: int = 8,
    ended: Callable[[], Any] = lambda: None,
) -> list[Outcome]:
    """Return the outcomes of *steps*, in order."""
    output = ThreadOutput()
    runner = EpisodeRunner(steps, concurrency=concurrency, output=output, ended=ended)
    try:
        runner.demand([step for step, _, _ in steps])
        return [runner.result(step, timeout=120).outcome for step, _, _ in steps]
    finally:
        runner.stop()
