"""A recorded run as one value: what reports, comparisons, baselines and gates are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.printable import printable
from pytest_comem.engine.records import read_outcomes
from pytest_comem.engine.rundir import read_manifest

#: Suite, memory system and model: what a run has a row of results for.
Row: TypeAlias = tuple[str, str, str]

#: What else has to be equal in two outcomes of a step before their results say anything together.
_DECISIVE: Final = ("scoring", "judge")


@final
@dataclass(frozen=True)
class RecordedRun:
    """A run that was read once.

    :param path: as it was named.
    :param manifest: its manifest; empty where it has none.
    :param outcomes: one a step, in file order; of several outcomes of one step the first.
    """

    path: Path
    manifest: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]

    @cached_property
    def rows(self) -> dict[Row, list[Outcome]]:
        """The outcomes by suite, memory system and model, in order of appearance."""
        found: dict[Row, list[Outcome]] = {}
        for outcome in self.outcomes:
            row = (outcome.step.suite, outcome.system.name, outcome.model)
            found.setdefault(row, []).append(outcome)
        return found

    @property
    def suites(self) -> tuple[str, ...]:
        """Names of the suites it holds outcomes of, in order of appearance."""
        return tuple(dict.fromkeys(suite for suite, _, _ in self.rows))

    @property
    def finished(self) -> Mapping[str, Any]:
        """What the manifest says about how the run ended; empty where it was not finished."""
        found = self.manifest.get("finished")
        return found if isinstance(found, Mapping) else {}

    @property
    def unscored(self) -> dict[str, str]:
        """Why steps have no verdict, by node id or, where nobody noted that, by label."""
        noted = self.finished.get("unscored")
        if isinstance(noted, Mapping):
            return {str(node_id): str(reason) for node_id, reason in noted.items()}
        return {each.step.label: each.reason for each in self.outcomes if each.verdict is None}


def read_run(path: Path) -> RecordedRun:
    """Return the run in *path*, a run directory or its file of outcomes.

    :raises DataError: where it holds no outcomes, or a line is not an outcome of this version.
    """
    outcomes: dict[str, Outcome] = {}
    for outcome in read_outcomes(path):
        outcomes.setdefault(f"{outcome.step.suite}/{outcome.step.label}", outcome)
    manifest = read_manifest(path if path.is_dir() else path.parent)
    return RecordedRun(path, manifest, tuple(outcomes.values()))


def incomparable(first: RecordedRun, second: RecordedRun) -> list[str]:
    """Return what forbids to compare two runs' results, a line each; empty where nothing does.

    Data, scoring and judge have to be equal. Memory systems, models, top-k, versions and seeds need
    not: they are what one compares. A run over some of the domains has the data of a run over all.
    """
    shared = [suite for suite in first.suites if suite in second.suites]
    if not shared:
        return [f"suites: {_told(first.suites, first)}; {_told(second.suites, second)}"]
    found: list[str] = []
    for suite in shared:
        found.extend(_other_data(first, second, suite))
        for name in _DECISIVE:
            one, other = (_values(run, suite, name) for run in (first, second))
            if one != other:
                found.append(f"{suite} {name}: {_told(one, first)}; {_told(other, second)}")
    return found


def _other_data(first: RecordedRun, second: RecordedRun, suite: str) -> Iterator[str]:
    """Yield how the data differ: the revision, and the files by which it does."""
    one, other = (_values(run, suite, "data") for run in (first, second))
    files, others = (_checksums(run, suite) for run in (first, second))
    both = files.keys() & others.keys()
    differing = sorted(name for name in both if files[name] != others[name])
    if differing or (one != other and not both):
        yield f"{suite} data: {_told(one, first)}; {_told(other, second)}"
    for name in differing:
        yield (
            f"{suite} data file {printable(name)}: SHA-256 {files[name][:12]} in {first.path}; "
            f"{others[name][:12]} in {second.path}"
        )


def _values(run: RecordedRun, suite: str, name: str) -> list[str]:
    return sorted({getattr(each, name) for each in run.outcomes if each.step.suite == suite})


def _checksums(run: RecordedRun, suite: str) -> dict[str, str]:
    try:
        found = run.manifest["data"][suite]["checksums"]
        return {str(name): str(digest) for name, digest in found.items()}
    except (AttributeError, KeyError, TypeError):
        return {}


def _told(values: Iterable[str], run: RecordedRun) -> str:
    return f"{printable(', '.join(values)) or 'nothing'} in {run.path}"
