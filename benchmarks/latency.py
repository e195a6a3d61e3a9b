"""Runs that wait for a model: wall time against the floor, with 1, 8 and 64 calls in flight."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.bench_models import LATENCY, STEPS, serving, write_data
from benchmarks.measure import Row, Run, Wanted, figures_of, run_pytest, take_turns

#: Calls in flight, and so many episodes of 24 steps that a run takes ten to thirty seconds.
_SIZES: Final = {1: 2, 8: 16, 64: 91}


def section(wanted: Wanted) -> Iterator[Row]:
    """Play steps of one call each; the floor is what the calls take that must wait for others."""
    with serving() as base, TemporaryDirectory() as place:
        folder = Path(place)
        kinds = {}
        for in_flight, episodes in _SIZES.items():
            data = write_data(folder / str(in_flight), episodes)
            kinds[str(in_flight)] = partial(_play, folder, data, base, in_flight)
        runs = take_turns(kinds, wanted.repeats, warm=False)
    for in_flight, episodes in _SIZES.items():
        found = runs[str(in_flight)]
        calls = episodes * STEPS
        floor = max(STEPS * LATENCY, calls * LATENCY / in_flight)
        figures = {**figures_of(found), "ratio": median(run.wall for run in found) / floor}
        note = f"wall to the floor of {floor:.1f} s; {calls} calls of {LATENCY} s"
        yield Row(f"{in_flight} in flight", figures, note)


def _play(folder: Path, data: Path, base: str, in_flight: int) -> Run:
    return run_pytest(
        [
            *("--memory-system=bm25", f"--comem-data={data}", "gatemem"),
            *("--comem-model=openai/m", f"--comem-api-base={base}"),
            *(f"--comem-concurrency={max(_SIZES.values())}",),
            f"--comem-model-concurrency={in_flight}",
        ],
        folder,
        environment={"OPENAI_API_KEY": "local"},
        statuses=[0],
    )
