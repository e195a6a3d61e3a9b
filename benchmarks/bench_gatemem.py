"""Measure a whole GateMem run against bare parametrized pytest of the same size.

Run by hand: ``python benchmarks/bench_gatemem.py DATA [SYSTEM ...]``. Prints CPU and wall seconds,
peak memory and the overhead for each step. Every run is a process of its own; the two kinds take
turns, and the median of the repeats is printed, because machines drift.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 3
BARE = """
import pytest

@pytest.fixture
def outcome(checkpoint):
    return checkpoint

@pytest.mark.parametrize("checkpoint", range({steps}))
def test_checkpoint(checkpoint, outcome):
    assert outcome >= 0
"""


def measure(arguments: list[str], folder: Path) -> tuple[float, float, float]:
    """Return CPU seconds, wall seconds and peak MB of one pytest process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def main() -> None:
    data = Path(sys.argv[1]).resolve()
    systems = sys.argv[2:] or ["bm25"]
    steps = sum(
        1 for path in data.glob("*/checkpoints.jsonl") for line in path.open("rb") if line.strip()
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_bare.py").write_text(BARE.format(steps=steps), encoding="utf-8")
        kinds = {"bare pytest": ["test_bare.py"]}
        for system in systems:
            kinds[system] = [f"--memory-system={system}", f"--comem-data={data}", "gatemem"]
        runs: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in kinds}
        for repeat in range(REPEATS + 1):
            for kind, arguments in kinds.items():
                figures = measure(arguments, folder)
                if repeat:
                    runs[kind].append(figures)
    bare = statistics.median(cpu for cpu, _, _ in runs["bare pytest"])
    print(f"{steps} steps, median of {REPEATS} runs after one warm-up")
    for kind, figures_of in runs.items():
        cpu, wall, memory = (statistics.median(column) for column in zip(*figures_of, strict=True))
        print(
            f"{kind:14} {cpu:6.2f} s CPU  {wall:6.2f} s wall  {memory:5.0f} MB"
            f"  {1000 * (cpu - bare) / steps:+.2f} ms CPU a step over bare"
        )


if __name__ == "__main__":
    main()
