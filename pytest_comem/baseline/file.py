"""The baseline's file: what a run came to, small enough to be committed.

It is JSON with a line a step, sorted, without times, names of runs or texts, so that the same
results make the same bytes and a difference of two versions reads as a list of steps. Labels that
an episode's steps share stand in a line above them, under an empty name. Read back it
is a :class:`~pytest_comem.engine.runs.RecordedRun` whose outcomes hold nothing that was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from pytest_comem import __version__
from pytest_comem.baseline.lines import Columns, decode, encode
from pytest_comem.core.outcomes import Outcome, SystemInfo
from pytest_comem.core.steps import Step
from pytest_comem.engine.records import OUTCOMES
from pytest_comem.engine.runs import RecordedRun, Row, read_run
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.metrics.quarantine import without_defective
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics
from pytest_comem.writing import write_files

FORMAT: Final = "pytest-comem baseline"
VERSION: Final = 1
_AGAIN: Final = "make it again: comem baseline RUN -o FILE"
#: Under which an episode's shared labels stand, where its steps stand under their ids.
_SHARED: Final = ""
#: What is the same in all outcomes of a row.
_COMMON: Final = ("data", "scoring", "judge")


def write_baseline(run: RecordedRun, path: Path) -> None:
    """Write *run* as a baseline.

    :raises DataError: where the run has no outcome, or parts of it were judged differently.
    :raises SettingsError: where the file cannot be written.
    """
    if not run.outcomes:
        raise DataError("no step was recorded, so there is nothing to keep", file=str(run.path))
    write_files({path: _pieces(run)})


def read_baseline(path: Path) -> RecordedRun:
    """Return what a baseline's file, a run directory or a file of outcomes holds.

    :raises DataError: where it is none of these.
    """
    if path.is_dir() or path.suffix == ".jsonl":
        return read_run(path)
    document = _document(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"not a baseline of pytest-comem; {_AGAIN}", file=str(path))
    if document.get("version") != VERSION:
        raise DataError(
            f"a baseline of form {document.get('version')!r}, and this version of pytest-comem "
            f"reads form {VERSION}; {_AGAIN}",
            file=str(path),
            field="version",
        )
    return _read(document, path)


def _document(path: Path) -> Any:
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=str(path)) from None
    if any(line.startswith(b"<<<<<<< ") for line in raw.splitlines()):
        raise DataError(f"holds the conflict marks of a merge; {_AGAIN}", file=str(path))
    try:
        return json.loads(raw, object_pairs_hook=_once_each)
    except (RecursionError, ValueError) as error:
        raise DataError(
            f"not JSON ({error}); name a baseline, a run directory or its {OUTCOMES}, or {_AGAIN}",
            file=str(path),
        ) from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; a merge of two versions can leave a step in it twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return found


def _read(document: Mapping[str, Any], path: Path) -> RecordedRun:
    outcomes: list[Outcome] = []
    try:
        data = {suite: dict(about) for suite, about in document["data"].items()}
        rows = list(document["rows"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"damaged ({error}); {_AGAIN}", file=str(path)) from None
    seen: set[tuple[str, str, str]] = set()
    for number, row in enumerate(rows):
        try:
            outcomes.extend(_outcomes_of(row))
            name = (row["suite"], row["system"]["name"], row["model"])
            if name in seen:
                raise ValueError(f"the row of {name[1]!r} with {name[2]!r} stands in it twice")
            seen.add(name)
        except (AttributeError, KeyError, SettingsError, TypeError, ValueError) as error:
            raise DataError(
                f"damaged ({type(error).__name__}: {error}); {_AGAIN}",
                file=str(path),
                field=f"rows.{number}",
            ) from None
    return RecordedRun(path, {"data": data}, tuple(outcomes))


def _outcomes_of(row: Mapping[str, Any]) -> Iterator[Outcome]:
    columns = Columns(tuple(row["labels"]), tuple(row["measures"]))
    system = SystemInfo(**row["system"])
    if not all(isinstance(text, str) for text in (system.name, *columns.labels, *columns.measures)):
        raise TypeError("names of systems, labels and measures are texts")
    texts = {name: row[name] for name in (*_COMMON, "suite", "model")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise TypeError("suite, model, data, scoring and judge are texts")
    suite = texts.pop("suite")
    metrics = suite_metrics(suite)
    for domain, episodes in row["steps"].items():
        for episode, steps in episodes.items():
            shared = _shared_labels(row, steps)
            lines = [(name, line) for name, line in steps.items() if name != _SHARED]
            for position, (name, line) in enumerate(lines):
                step = Step(suite, system.name, domain, episode, name, position)
                like = Outcome("", step, system=system, labels=shared, query={}, **texts)
                found = decode(line, columns, like)
                _check_line(name, line, found, row["repeats"], columns, metrics)
                for repeat, outcome in enumerate(found):
                    if outcome is not None:
                        yield _numbered(outcome, repeat if row["repeats"] > 1 else None)


def _shared_labels(row: Mapping[str, Any], steps: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels that an episode's steps share.

    :raises KeyError, TypeError, ValueError: where they are not of this form.
    """
    names = row.get("episode_labels", [])
    values = steps[_SHARED] if names else []
    if not all(isinstance(text, str) for text in (*names, *values)):
        raise TypeError("names and values of labels are texts")
    return dict(zip(names, values, strict=True))


def _check_line(
    step: str,
    line: Sequence[Any],
    found: Sequence[Outcome | None],
    repeats: int,
    columns: Columns,
    metrics: SuiteMetrics,
) -> None:
    """Refuse a line that was edited in one place only, and so says two things.

    :raises KeyError, ValueError: where it does, or lacks a label that metrics need.
    """
    known = [outcome for outcome in found if outcome is not None]
    if not known or len(found) != repeats or encode(found, columns, metrics) != line:
        raise ValueError(f"the line of step {step!r} contradicts itself: {line!r:.200}")
    # For what it raises: what a unit joins is not asked here.
    for _ in metrics.units(known):
        pass


def _numbered(outcome: Outcome, repeat: int | None) -> Outcome:
    return replace(outcome, step=replace(outcome.step, repeat=repeat))


def _pieces(run: RecordedRun) -> Iterator[str]:
    data = run.manifest.get("data")
    head = {
        "format": FORMAT,
        "version": VERSION,
        "pytest-comem": __version__,
        "data": {
            suite: {name: about[name] for name in ("revision", "checksums") if name in about}
            for suite, about in sorted((data if isinstance(data, dict) else {}).items())
            if suite in run.suites
        },
    }
    yield json.dumps(head, indent=1).removesuffix("\n}") + ',\n "rows": ['
    for number, (row, outcomes) in enumerate(sorted(without_defective(run.rows).items())):
        yield ",\n" if number else "\n"
        yield from _row(row, outcomes, run.path)
    yield "\n ]\n}\n"


def _row(row: Row, outcomes: Sequence[Outcome], path: Path) -> Iterator[str]:
    suite, _, model = row
    metrics = suite_metrics(suite)
    ordered = sorted(outcomes, key=lambda one: (one.step.position, one.step.id, one.repeat))
    columns = Columns.of(ordered, metrics.episode_labels)
    repeats = 1 + max(outcome.repeat for outcome in outcomes)
    head = {
        "suite": suite,
        "system": asdict(outcomes[0].system),
        "model": model,
        **{name: _one(outcomes, name, path) for name in _COMMON},
        "repeats": repeats,
        **({"episode_labels": metrics.episode_labels} if metrics.episode_labels else {}),
        "labels": columns.labels,
        "measures": columns.measures,
    }
    text = json.dumps(head, indent=1).removesuffix("\n}").replace("\n", "\n  ")
    yield f'  {text},\n   "steps": {{'
    steps: dict[str, dict[str, dict[str, list[Outcome | None]]]] = {}
    for one in ordered:
        episode = steps.setdefault(one.step.domain, {}).setdefault(one.step.episode, {})
        episode.setdefault(one.step.id, [None] * repeats)[one.repeat] = one
    for place, (domain, episodes) in enumerate(sorted(steps.items())):
        yield f"{',' if place else ''}\n    {json.dumps(domain)}: {{"
        for at, (name, found) in enumerate(sorted(episodes.items())):
            lines = [
                f"      {json.dumps(step)}: {json.dumps(encode(all_of_it, columns, metrics))}"
                for step, all_of_it in found.items()
            ]
            if metrics.episode_labels:
                lines.insert(
                    0, f"      {json.dumps(_SHARED)}: {json.dumps(_shared(found, metrics))}"
                )
            yield f"{',' if at else ''}\n     {json.dumps(name)}: {{\n" + ",\n".join(lines)
            yield "\n     }"
        yield "\n    }"
    yield "\n   }\n  }"


def _shared(steps: Mapping[str, Sequence[Outcome | None]], metrics: SuiteMetrics) -> list[str]:
    """Return the values of the labels that an episode's steps share."""
    first = next(one for repeats in steps.values() for one in repeats if one is not None)
    return [first.labels.get(name, "") for name in metrics.episode_labels]


def _one(outcomes: Sequence[Outcome], name: str, path: Path) -> str:
    values = sorted({getattr(outcome, name) for outcome in outcomes})
    if len(values) > 1:
        raise DataError(
            f"outcomes of one row differ in {name} ({', '.join(values)}); "
            "a baseline is made of one run",
            file=str(path),
        )
    found: str = values[0]
    return found
