"""Runs over parts of a benchmark joined into the run that one machine would have made."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, Final, final
from zlib import crc32

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.notices import PROBE
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.merged_manifest import merged_manifest
from pytest_comem.engine.records import OUTCOMES, from_record
from pytest_comem.engine.rundir import MANIFEST
from pytest_comem.engine.shares import Share, differences
from pytest_comem.errors import DataError, SettingsError

_VARYING: Final = "seconds"


@final
@dataclass(frozen=True, slots=True)
class Line:
    """Where one outcome stands, and what has to be known of it.

    :param share: the run it is of.
    :param number: of the line, 1-based.
    :param start: first byte of the line.
    :param length: bytes, with the newline.
    :param checksum: of these bytes.
    :param content: hash of everything but seconds and what was noticed afterwards.
    :param reason: why it has no verdict; ``None`` where it has one.
    :param place: place in the finished file.
    """

    share: Share
    number: int
    start: int
    length: int
    checksum: int
    content: str
    reason: str | None
    place: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.share.path / OUTCOMES}:{self.number}"


@final
@dataclass(frozen=True, slots=True)
class Merged:
    """What has come of joining runs.

    :param path: directory of the merged run.
    :param shares: the runs, in their own order.
    :param finished: what the manifest says about how it ended.
    """

    path: Path
    shares: Sequence[Share]
    finished: Mapping[str, Any]


def merge_runs(runs: Sequence[Path], target: Path) -> Merged:
    """Join *runs* into the new directory *target*, whatever order they are named in.

    The outcomes are those of one run over everything: its lines, in its order.

    :raises DataError: where a run is none, or one step came out in two ways.
    :raises SettingsError: where the runs do not belong together, or *target* cannot be written.
        In either case nothing is written.
    """
    _require_free(target)
    known = {path.resolve(): path for path in runs}
    shares = sorted((Share.read(path) for path in known.values()), key=lambda share: share.place)
    if found := differences(shares):
        raise SettingsError("\n  ".join(["the runs do not belong together:", *found]))
    lines = _gather(shares)
    reasons = {label: line.reason for label, line in lines.items()}
    manifest = merged_manifest(shares, reasons)
    _write(target, sorted(lines.values(), key=lambda line: line.place), manifest)
    return Merged(target, shares, manifest["finished"])


def _require_free(target: Path) -> None:
    if (target / MANIFEST).exists() or (target / OUTCOMES).exists():
        raise SettingsError(f"{target} already holds a run; name a new directory")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise SettingsError(f"{target} already exists; name a new directory")


@final
class _Places:
    """Where steps stand in the file of one run: by system, model, repeat, episode, position."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self._suites = _ranks(manifest["data"])
        self._systems = _ranks(manifest["systems"])
        self._models = _ranks(manifest["settings"].get("models", ()))
        self._episodes = {
            suite: _ranks(about["order"]) for suite, about in manifest["data"].items()
        }

    def of(self, outcome: Outcome) -> tuple[int, ...]:
        """Return the place of an outcome.

        :raises ValueError: where the manifest does not know what it is of.
        """
        step = outcome.step
        suite = _rank(self._suites, step.suite, "suite")
        system = _rank(self._systems, step.system, "memory system")
        model = _rank(self._models, outcome.model, "model")
        episode = _rank(self._episodes[step.suite], step.episode, "episode")
        return (suite, system, model, outcome.repeat, episode, step.position)


def _ranks(names: Iterable[str]) -> dict[str, int]:
    return {name: rank for rank, name in enumerate(names)}


def _rank(ranks: Mapping[str, int], name: str, kind: str) -> int:
    if name not in ranks:
        raise ValueError(f"the manifest has no {kind} {name!r}")
    return ranks[name]


def _gather(shares: Sequence[Share]) -> dict[str, Line]:
    """Return one line for each step, by label.

    :raises DataError: where a step has two results.
    :raises SettingsError: where the runs were not judged by the same judge.
    """
    places = _Places(shares[0].manifest)
    lines: dict[str, Line] = {}
    judges: dict[str, Line] = {}
    for share in shares:
        for outcome, line in _read(share, places):
            label = outcome.step.label
            lines[label] = _one_of(lines[label], line, label) if label in lines else line
            judges.setdefault(outcome.judge, line)
    if len(judges) > 1:
        told = "; ".join(f"{judge} in {line}" for judge, line in judges.items())
        raise SettingsError(f"the runs do not belong together:\n  judge: {told}")
    return lines


def _one_of(first: Line, second: Line, label: str) -> Line:
    """Return which of two outcomes of a step counts: one with a verdict, else the first."""
    if first.reason is None and second.reason is None and first.content != second.content:
        raise DataError(
            f"step {label} has another result than in {first}; leave out one of the runs",
            file=str(second.share.path / OUTCOMES),
            line=second.number,
        )
    return second if first.reason is not None and second.reason is None else first


def _read(share: Share, places: _Places) -> Iterator[tuple[Outcome, Line]]:
    """Yield a run's outcomes; a last line that a killed run has cut off is none."""
    path = share.path / OUTCOMES
    try:
        with path.open("rb") as file:
            start = 0
            for number, raw in enumerate(file, start=1):
                if not raw.endswith(b"\n"):
                    if share.finished is None:
                        return
                    raise DataError("the line is cut off", file=str(path), line=number)
                outcome, content, place = _parse(raw, places, path, number)
                reason = None if outcome.verdict is not None else outcome.reason
                where = (share, number, start, len(raw), crc32(raw))
                yield outcome, Line(*where, content, reason, place)
                start += len(raw)
    except FileNotFoundError:
        if share.finished is not None:
            raise DataError(f"holds no {OUTCOMES}", file=str(share.path)) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(path)) from error


def _parse(
    raw: bytes, places: _Places, path: Path, number: int
) -> tuple[Outcome, str, tuple[int, ...]]:
    """Return the outcome of a line, the hash of what has to be equal in it, and its place."""
    try:
        record = json.loads(raw)
        outcome = from_record(record)
        # Whether a memory is probed after a step depends on what else the run plays.
        record.pop("notice", None)
        record["usage"].pop(PROBE, None)
        for usage in record["usage"].values():
            usage.pop(_VARYING, None)
        return outcome, stable_hash(record), places.of(outcome)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"not an outcome of this run ({type(error).__name__}: {error})",
            file=str(path),
            line=number,
        ) from None


def _write(target: Path, lines: Iterable[Line], manifest: Mapping[str, Any]) -> None:
    """Write the merged run beside *target*, and move it there when it is whole."""
    target = target.absolute()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.merging")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        with (temporary / OUTCOMES).open("wb") as file:
            for share, its in groupby(lines, key=lambda line: line.share.path / OUTCOMES):
                _copy(share, its, file)
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (temporary / MANIFEST).write_bytes(text.encode("utf-8", "backslashreplace"))
        if target.exists():
            target.rmdir()
        temporary.rename(target)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SettingsError(f"{target} cannot be written: {reason}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _copy(path: Path, lines: Iterable[Line], to: BinaryIO) -> None:
    with path.open("rb") as source:
        for line in lines:
            source.seek(line.start)
            raw = source.read(line.length)
            if crc32(raw) != line.checksum:
                raise DataError("has changed meanwhile; wait for the run's end", file=str(path))
            to.write(raw)
