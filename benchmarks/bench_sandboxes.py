"""How soon a sandbox is ready, beside its bounds: ``python -m benchmarks.bench_sandboxes``.

Measured from asking for a sandbox until a program that does nothing has ended in it, and for Docker
also until its container is there. Kinds that do not run here are left out, with the reason.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import Limits, SandboxKind
from pytest_comem.sandbox.bubblewrap import Bubblewrap
from pytest_comem.sandbox.docker import Docker

_LIMITS = Limits(seconds=30)


def _measure(
    kind: SandboxKind, rounds: int, prepare: Callable[[Path], None]
) -> tuple[list[float], list[float]]:
    """Return milliseconds until the sandbox is open, and until a program has ended in it."""
    opened, ran = [], []
    with TemporaryDirectory() as name:
        for number in range(rounds + 1):
            workspace = Path(name) / str(number)
            workspace.mkdir()
            prepare(workspace.parent)
            started = time.perf_counter()
            with kind.open(workspace, limits=_LIMITS, label="benchmark") as sandbox:
                there = time.perf_counter()
                sandbox.run(["true"])
                ended = time.perf_counter()
            if number:
                opened.append((there - started) * 1e3)
                ran.append((ended - started) * 1e3)
    return opened, ran


def main() -> None:
    """Print a line a kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_sandboxes")
    parser.add_argument("--rounds", type=int, default=30, metavar="N")
    rounds = parser.parse_args().rounds
    docker = Docker()
    kinds: list[tuple[str, SandboxKind, int, Callable[[Path], None]]] = [
        ("bubblewrap", Bubblewrap(), 50, lambda parent: None),
        ("docker, warm", docker, 150, lambda parent: docker.warm(parent, limits=_LIMITS)),
    ]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds")
    print(f"{'':14}{'bound':>7}{'open':>8}{'ran':>8}{'least':>8}")
    for name, kind, bound, prepare in kinds:
        try:
            kind.preflight()
        except SettingsError as error:
            print(f"{name:14}left out: {error}")
            continue
        opened, ran = _measure(kind, rounds, prepare)
        figures = "".join(f"{value:8.1f}" for value in (median(opened), median(ran), min(ran)))
        print(f"{name:14}{bound:7}{figures}")
    docker.close()


if __name__ == "__main__":
    main()
