"""GateMem as released, offline: serial against plain pytest, and on two workers or machines."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.measure import Row, Run, Wanted, a_step, figures_of, ratio, run_pytest, take_turns
from pytest_comem.options import OPTIONS

SYSTEMS: Final = ("bm25", "rag", "rag-policy", "rag-governed")
#: Episodes a domain where the release is not at hand.
_SYNTHETIC: Final = 25
_BACKEND: Final = "--comem-backend"
_NUMBERS: Final = count()
_PLAIN: Final = """\
import pytest


@pytest.mark.parametrize("checkpoint", range({steps}))
def test_checkpoint(checkpoint):
    assert checkpoint >= 0
"""
_CLUSTER: Final = """\
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    input()
"""


def section(wanted: Wanted) -> Iterator[Row]:
    """Play the release on every offline system beside as many plain items."""
    if wanted.data is None:
        yield Row("GateMem", note="skipped: name the released data (--comem-data or COMEM_DATA)")
        return
    steps = _steps_in(wanted.data)
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "test_plain.py").write_text(_PLAIN.format(steps=steps), encoding="utf-8")
        kinds = {"plain": partial(run_pytest, ["-p", "no:comem", "test_plain.py"], folder)}
        for system in SYSTEMS:
            kinds[system] = partial(_play, wanted, folder, system)
        runs = take_turns(kinds, wanted.repeats)
    plain = runs.pop("plain")
    yield Row(f"{steps} plain items", figures_of(plain))
    for system, found in runs.items():
        yield Row(system, {**figures_of(found), **a_step(found, plain, steps)})


def section_xdist(wanted: Wanted) -> Iterator[Row]:
    """Play one system serially and on two workers."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        runs = take_turns(
            {
                "serial": lambda: _play(wanted, folder, "rag"),
                "-n 2": lambda: _play(wanted, folder, "rag", "-n", "2"),
            },
            wanted.repeats,
        )
    yield from _against_serial(runs["serial"], {"-n 2": runs["-n 2"]})


def section_dask(wanted: Wanted) -> Iterator[Row]:
    """Play one system serially and on a cluster of two local workers."""
    if all(option.flag != _BACKEND for option in OPTIONS):
        yield Row("Dask", note=f"skipped: this version has no {_BACKEND}")
        return
    if find_spec("distributed") is None:
        yield Row("Dask", note="skipped: distributed is not installed (the extra 'distributed')")
        return
    with TemporaryDirectory() as place, _cluster(Path(place)) as address:
        folder = Path(place)
        backend = f"{_BACKEND}={address}"
        runs = take_turns(
            {
                "serial": lambda: _play(wanted, folder, "rag"),
                "two workers": lambda: _play(wanted, folder, "rag", backend),
            },
            wanted.repeats,
        )
    note = "wall; CPU is the client's alone"
    yield from _against_serial(runs["serial"], {"two workers": runs["two workers"]}, note)


def _against_serial(
    serial: list[Run], others: dict[str, list[Run]], note: str = "wall"
) -> Iterator[Row]:
    yield Row("rag, serial", figures_of(serial))
    for name, found in others.items():
        figures = {**figures_of(found), "ratio": ratio(found, serial, "wall")}
        yield Row(f"rag, {name}", figures, note)


def _play(wanted: Wanted, folder: Path, system: str, *arguments: str) -> Run:
    data = (
        f"--comem-synthetic={_SYNTHETIC}" if wanted.data is None else f"--comem-data={wanted.data}"
    )
    run = f"--comem-run-dir={folder / f'run{next(_NUMBERS)}'}"
    return run_pytest([f"--memory-system={system}", data, run, "gatemem", *arguments], folder)


def _steps_in(data: Path) -> int:
    files = data.glob("*/checkpoints.jsonl")
    return sum(1 for path in files for line in path.read_bytes().splitlines() if line.strip())


@contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    """Start a scheduler and two workers, one thread each, and yield the address."""
    script = folder / "cluster.py"
    script.write_text(_CLUSTER, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        # It waits for a line, and closes its workers at the end of the input.
        process.communicate()
