"""CoMemBench's shipped corpus, offline: a domain at a time, all of it serially and with -n 2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.measure import Row, Run, Wanted, figures_of, ratio, run_pytest, take_turns
from pytest_comem.workflows.schema import Domain

_SYSTEMS: Final = "--memory-system=none,full-context,bm25"
_NUMBERS: Final = count()
#: Exit status of pytest where an option is wrong, such as a domain that cannot be played here.
_USAGE: Final = 4


def section(wanted: Wanted) -> Iterator[Row]:
    """Play every domain on three systems once, then the whole corpus in turns."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for domain in Domain:
            run = _play(folder, f"--comem-domains={domain.value}", statuses=(0, 1, _USAGE))
            if "cannot be played" in run.output or "no tests ran" in run.output:
                yield Row(domain.value, note="skipped: " + run.output.strip().splitlines()[-1])
            else:
                yield Row(domain.value, figures_of([run]), "three systems, serial, once")
        runs = take_turns(
            {"serial": lambda: _play(folder), "-n 2": lambda: _play(folder, "-n", "2")},
            wanted.repeats,
            warm=False,
        )
    yield Row("all, serial", figures_of(runs["serial"]))
    both = {**figures_of(runs["-n 2"]), "ratio": ratio(runs["-n 2"], runs["serial"], "wall")}
    yield Row("all, -n 2", both, "ratio: wall to serial")


def _play(folder: Path, *arguments: str, statuses: tuple[int, ...] = (0, 1)) -> Run:
    run = f"--comem-run-dir={folder / f'run{next(_NUMBERS)}'}"
    return run_pytest([_SYSTEMS, run, "comembench", *arguments], folder, statuses=statuses)
