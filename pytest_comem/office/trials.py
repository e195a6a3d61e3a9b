"""Trying out a task for its certificate: operations and plans in sandboxes of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Shown
from pytest_comem.office.checks.base import shown
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.office.operations import Operation
from pytest_comem.office.workbench import BenchSettings, SandboxBench, open_bench
from pytest_comem.sandbox.tree import Files, read_tree
from pytest_comem.streams.loading import Stream, StreamTask
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Workspace
from pytest_comem.streams.workspaces import lay_out


@final
@dataclass(frozen=True, slots=True)
class Trials:
    """Sandboxes for one task."""

    settings: BenchSettings
    stream: Stream
    task: StreamTask

    def after(self, start: Workspace, operations: Iterable[Operation]) -> tuple[Files, str]:
        """Return the files after operations, and what could not be done."""
        with tempfile.TemporaryDirectory(prefix="comem-certify-") as place:
            with self._opened(start, Path(place)) as bench:
                results = bench.do_all(list(operations))
            refused = next((one.text for one in results if not one.ok), "")
            return read_tree(bench.workspace), shown(refused)

    def played(self, plan: Plan) -> tuple[Files, list[str]]:
        """Return the files after a plan, nothing recalled, and the steps that failed."""
        assert self.task.workspace is not None
        what = Shown(self.stream.participant, self.task.task, plan=plan)
        with tempfile.TemporaryDirectory(prefix="comem-certify-") as place:
            with self._opened(self.task.workspace, Path(place)) as bench:
                done = OfflineAgent().work(what, bench, Meter("certify"))
            failed = [f"{shown(one.text)}: {shown(one.said)}" for one in done.calls if not one.ok]
            return read_tree(bench.workspace), failed

    def _opened(self, start: Workspace, place: Path) -> AbstractContextManager[SandboxBench]:
        return open_bench(
            self.settings,
            self.task.task,
            lambda workspace: lay_out(self.stream, start, workspace),
            place,
            f"{self.stream.id}/{self.task.id}",
        )


def told(plan: Plan, choices: Mapping[str, str]) -> Plan:
    """Return a plan whose defaults are the right values, as an agent does it that knows them."""
    steps = tuple(step for step in plan.steps if step.unless_known not in choices)
    slots = [
        slot.model_copy(update={"default": choices.get(slot.name, slot.default)})
        for slot in plan.slots
    ]
    return plan.model_copy(update={"slots": tuple(slots), "steps": steps})
