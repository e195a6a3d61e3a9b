"""The data a run was made on, found again where that is possible.

A run records names of episodes and what was asked, not what was told before. So the entries are
read from where the run had them, and believed only if the files are still the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.datasets import gatemem
from pytest_comem.datasets.governance import GovernanceData, GovernanceEpisode
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import ComemError

SUITE: Final = "gatemem"
#: What is said of the steps of a workflow.
NO_ENTRIES: Final = (
    "A workflow has no entries: what each node was shown, made and handed on stands in the run's "
    "traces."
)
#: What is said of office tasks.
NO_TASK_ENTRIES: Final = (
    "The page does not hold a participant's history; what was recalled of it stands with each task."
)


@final
@dataclass(frozen=True, slots=True)
class Source:
    """Where entries come from.

    :param episodes: by id; empty where the data were not found.
    :param policies: policy text by domain.
    :param missing: why there are none, one sentence; empty where there are.
    """

    episodes: Mapping[str, GovernanceEpisode] = field(default_factory=dict)
    policies: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""


def find_source(run: RecordedRun, directory: Path | None = None) -> Source:
    """Return the data of *run*, or the reason why it is not to be had.

    :param directory: where the data are, if not where the run had them.
    """
    if SUITE not in run.suites:
        return Source(missing="This run has no entries.")
    settings, checksums = _noted(run.manifest)
    if not checksums:
        return Source(missing="The run's manifest does not say which data it was made on.")
    try:
        data = _load(settings, directory)
    except (ComemError, OSError, ValueError, TypeError) as error:
        return Source(missing=f"The run's data could not be read: {error}")
    differing = sorted(
        name for name, digest in checksums.items() if data.checksums.get(name) != digest
    )
    if differing:
        return Source(
            missing=f"The data have changed since the run: {', '.join(differing)} differ from what "
            "its manifest noted. Name the right directory with --data."
        )
    return Source({episode.id: episode for episode in data.episodes}, data.policies)


def _noted(manifest: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    try:
        return dict(manifest["settings"]), dict(manifest["data"][SUITE]["checksums"])
    except (KeyError, TypeError, ValueError):
        return {}, {}


def _load(settings: Mapping[str, Any], directory: Path | None) -> GovernanceData:
    domains = tuple(map(str, settings.get("domains") or ()))
    episodes = settings.get("synthetic")
    if episodes is not None:
        from pytest_comem.datasets.synthetic import generate

        return generate(int(episodes), int(settings.get("seed", 0)), domains=domains)
    noted = settings.get("data")
    place = directory if directory is not None and noted else Path(noted) if noted else None
    return gatemem.load(place, domains=domains)
