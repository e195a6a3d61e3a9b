"""What a run writes down: its manifest, its outcomes, and what it took over from before."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import RunKey
from pytest_comem.engine.records import to_record
from pytest_comem.engine.resuming import Earlier, told
from pytest_comem.engine.rundir import RunDirectory, read_manifest
from pytest_comem.engine.shares import changed_names
from pytest_comem.provenance import git_state, platform_name, versions
from pytest_comem.report import properties
from pytest_comem.settings import Settings, as_json

if TYPE_CHECKING:
    from pytest_comem.engine.suite import Suite
    from pytest_comem.memory.registry import SystemUnderTest

#: Place of outcomes that are none of this run's steps: behind all others.
_BEHIND: Final = 1 << 40


@final
class Recording:
    """The directory of a run, in the process that reports.

    :param path: of the run.
    :param ranks: place of every :attr:`Step.run` among all.
    :param earlier: what is taken over, where the run is gone on with.
    """

    def __init__(
        self,
        path: Path,
        manifest: dict[str, Any],
        *,
        ours: bool,
        ranks: Mapping[RunKey, int],
        earlier: Earlier | None,
    ) -> None:
        self._ranks = ranks
        self._earlier = earlier
        self._differences: list[str] = []
        if earlier is None:
            self._directory = RunDirectory.create(path, manifest, ours=ours)
            return
        before = read_manifest(path)
        self._differences = changed_names(before, manifest)
        resumed = [*before.get("resumed", []), manifest["started"]]
        kept = {
            label: (self._place(line.outcome), line.raw) for label, line in earlier.lines.items()
        }
        self._directory = RunDirectory.resume(
            path,
            {
                **manifest,
                "run": before.get("run", manifest["run"]),
                "started": before.get("started", manifest["started"]),
                "resumed": resumed,
            },
            kept,
            earlier.size,
        )

    @property
    def path(self) -> Path:
        """Of the run."""
        return self._directory.path

    def add(self, outcome: Outcome) -> None:
        """Write one outcome; one that was taken over stands there already."""
        self._directory.append(outcome.step.label, to_record(outcome), self._place(outcome))

    def taken_over(self, planned: Mapping[str, str]) -> str | None:
        """Return how much was reused of the *planned* steps, and why not the rest."""
        return self._earlier and told(self._earlier, planned, self._differences)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Sort the outcomes and complete the manifest."""
        self._directory.finish({"at": now(), **summary})

    def _place(self, outcome: Outcome) -> tuple[int, ...]:
        return (self._ranks.get(outcome.step.run, _BEHIND), outcome.step.position)


def make_manifest(
    run_id: str,
    settings: Settings,
    systems: Mapping[str, SystemUnderTest],
    suites: Mapping[str, Suite],
    project: Path,
) -> dict[str, Any]:
    """Return the manifest as a run starts with it.

    :param project: directory in which pytest was started.
    """
    packages = [
        package.distribution
        for found in systems.values()
        for package in getattr(found.factory, "packages", ())
    ]
    return {
        "run": run_id,
        "started": now(),
        "versions": versions(packages),
        "platform": platform_name(),
        "git": git_state(project),
        "settings": as_json(settings),
        "systems": {name: properties.of_system(found) for name, found in systems.items()},
        "data": {suite.name: suite.describe() for suite in suites.values()},
        "finished": None,
    }


def now() -> str:
    """Return the time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
