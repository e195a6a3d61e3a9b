"""Processes measured, medians taken, one table printed.

Machines drift, so the kinds that are compared take turns, and a ratio is taken within a round.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

#: Headings and digits of a row's figures, by name, in the order of the columns.
COLUMNS: Final = {
    "cpu": ("CPU s", 2),
    "wall": ("wall s", 2),
    "memory": ("MB", 0),
    "ratio": ("ratio", 3),
    "step_ms": ("ms/step", 3),
    "step_kb": ("KB/step", 2),
    "entry_us": ("us/entry", 1),
    "ask_us": ("us/ask", 0),
    "entries_exponent": ("entries^", 2),
    "asks_exponent": ("asks^", 2),
}
_OWN_MEMORY: Final = "BENCHMARK_MEMORY"


@dataclass(frozen=True, slots=True)
class Run:
    """What one pytest process took.

    :param cpu: seconds of the process and its children, user and system.
    :param wall: seconds.
    :param memory: peak MB of the process alone, which is the controller of a parallel run.
    :param output: what it printed.
    """

    cpu: float
    wall: float
    memory: float
    output: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    :param figures: by the names of :data:`COLUMNS`; a ratio is to what the note says.
    """

    name: str
    figures: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user of the benchmarks asked for.

    :param data: directory of GateMem's release, or ``None``.
    :param repeats: rounds that count.
    :param sizes: numbers of no-op steps.
    """

    data: Path | None = None
    repeats: int = 3
    sizes: tuple[int, ...] = (2_000, 20_000, 60_000)


Section: TypeAlias = Callable[[Wanted], Iterable[Row]]


def run_pytest(
    arguments: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    statuses: Sequence[int] = (0, 1),
) -> Run:
    """Run pytest in *folder* and return what it took.

    :param statuses: exit statuses that are results; 1 where steps fail.
    :raises SystemExit: with the end of its output, where it ends with another one.
    """
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-r", "", "-p", "no:cacheprovider"]
    command += ["-p", "benchmarks.own_memory", *arguments]
    with TemporaryDirectory() as name:
        told = Path(name) / "memory"
        every = {**os.environ, **(environment or {}), _OWN_MEMORY: str(told)}
        every.pop("COMEM_DATA", None)
        here = str(Path(__file__).resolve().parents[1])
        every["PYTHONPATH"] = os.pathsep.join(filter(None, [here, every.get("PYTHONPATH")]))
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=every,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        output = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in statuses:
            shown = " ".join(arguments)
            raise SystemExit(f"pytest {shown} ended with {process.returncode}:\n{output[-2000:]}")
        return Run(usage.ru_utime + usage.ru_stime, wall, float(told.read_text()), output)


def take_turns(
    kinds: Mapping[str, Callable[[], Run]], repeats: int, *, warm: bool = True
) -> dict[str, list[Run]]:
    """Run every kind once a round, and return the runs of all rounds by kind.

    :param warm: go through a round first that does not count.
    """
    runs: dict[str, list[Run]] = {kind: [] for kind in kinds}
    for number in range(repeats + warm):
        for kind, play in kinds.items():
            run = play()
            if number or not warm:
                runs[kind].append(run)
    return runs


def figures_of(runs: Sequence[Run]) -> dict[str, float]:
    """Return the medians of CPU, wall and memory."""
    return {name: median(getattr(run, name) for run in runs) for name in ("cpu", "wall", "memory")}


def ratio(runs: Sequence[Run], base: Sequence[Run], name: str = "cpu") -> float:
    """Return the median of the ratios of *name* within a round."""
    pairs = zip(runs, base, strict=True)
    ratios: list[float] = [getattr(run, name) / getattr(other, name) for run, other in pairs]
    return median(ratios)


def a_step(runs: Sequence[Run], base: Sequence[Run], steps: int) -> dict[str, float]:
    """Return what a step costs beyond *base*: milliseconds of CPU, and KB of peak memory."""
    pairs = list(zip(runs, base, strict=True))
    return {
        "step_ms": median(run.cpu - other.cpu for run, other in pairs) / steps * 1e3,
        "step_kb": median(run.memory - other.memory for run, other in pairs) / steps * 1024,
    }


def as_table(sections: Mapping[str, Sequence[Row]]) -> str:
    """Return the table as plain text: a column a figure that any row has."""
    rows = [row for found in sections.values() for row in found]
    used = [name for name in COLUMNS if any(name in row.figures for row in rows)]
    names = ["", *sections, *(f"  {row.name}" for row in rows)]
    width = max(map(len, names))
    lines = [_line("", [COLUMNS[name][0] for name in used], "", width)]
    for section, found in sections.items():
        lines.append(section)
        for row in found:
            cells = [_cell(row.figures, name) for name in used]
            lines.append(_line(f"  {row.name}", cells, row.note, width))
    return "\n".join(lines)


def as_values(sections: Mapping[str, Sequence[Row]]) -> dict[str, list[dict[str, Any]]]:
    """Return the table as JSON values, figures unrounded."""
    return {
        section: [{"row": row.name, **row.figures, "note": row.note} for row in rows]
        for section, rows in sections.items()
    }


def _cell(figures: Mapping[str, float], name: str) -> str:
    return f"{figures[name]:.{COLUMNS[name][1]}f}" if name in figures else ""


def _line(name: str, cells: Sequence[str], note: str, width: int) -> str:
    return f"{name:{width}} {' '.join(f'{cell:>8}' for cell in cells)}  {note}".rstrip()
