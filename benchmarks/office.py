"""ContextWeave, offline: the embedded streams, and what a longer stream costs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.ingest import exponent
from benchmarks.measure import Row, Run, Wanted, figures_of, ratio, run_pytest, take_turns

_SYSTEMS: Final = "--memory-system=none,bm25,full-context"
#: Tasks of a stream; all are targets.
LENGTHS: Final = (50, 100, 200, 400)
_NUMBERS: Final = count()


def section(wanted: Wanted) -> Iterator[Row]:
    """Play the embedded streams in turns, then made streams of growing length on bm25.

    The exponent is the slope of a line through the logarithms of CPU: 1 is linear.
    """
    with TemporaryDirectory() as place:
        folder = Path(place)
        runs = take_turns(
            {
                "serial": lambda: _play(folder, _SYSTEMS),
                "-n 2": lambda: _play(folder, _SYSTEMS, "-n", "2"),
            },
            wanted.repeats,
            warm=False,
        )
        yield Row("embedded, three systems, serial", figures_of(runs["serial"]))
        both = {**figures_of(runs["-n 2"]), "ratio": ratio(runs["-n 2"], runs["serial"], "wall")}
        yield Row("embedded, three systems, -n 2", both, "ratio: wall to serial")
        yield from _lengths(folder, wanted.repeats)


def _lengths(folder: Path, repeats: int) -> Iterator[Row]:
    for length in LENGTHS:
        _make(folder / f"made{length}", length)
    runs: dict[int, list[Run]] = {length: [] for length in LENGTHS}
    for _ in range(repeats):
        for length in LENGTHS:
            streams = f"--comem-streams={folder / f'made{length}'}"
            runs[length].append(_play(folder, "--memory-system=bm25", streams))
    cpu = [median(run.cpu for run in runs[length]) for length in LENGTHS]
    for length in LENGTHS:
        figures = dict(figures_of(runs[length]))
        if length == max(LENGTHS):
            figures["entries_exponent"] = exponent(LENGTHS, cpu)
        yield Row(f"one stream, {length} targets, bm25", figures)


def _make(folder: Path, tasks: int) -> None:
    """Write a stream by the rule that the tests use."""
    tests = str(Path(__file__).resolve().parents[1] / "tests" / "acceptance")
    if tests not in sys.path:
        sys.path.append(tests)
    importlib.import_module("made_streams").make_stream(folder, "made", tasks)


def _play(folder: Path, *arguments: str) -> Run:
    run = f"--comem-run-dir={folder / f'run{next(_NUMBERS)}'}"
    return run_pytest([run, "contextweave", *arguments], folder)
