"""How soon servers and databases are there: ``python -m benchmarks.bench_servers``.

Each server is started alone, then three side by side, in the sandbox of a run, on a warm disk; a
database is cloned from a template that is there. Servers that are not installed are left out, with
the reason.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from pytest_comem.sandbox.registry import choose
from pytest_comem.servers.base import Database, DatabaseKind, Databases
from pytest_comem.servers.declared import declared
from pytest_comem.servers.opening import missing, open_databases, open_servers

_SCRIPT: Final = "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT);" + "".join(
    f"INSERT INTO orders VALUES ({number}, 'name {number}');" for number in range(200)
)
_KINDS: Final[tuple[DatabaseKind, ...]] = ("postgresql", "sqlite")
#: Of different kinds, as a family of tasks names them.
_THREE: Final = ("filesystem", "git", "sqlite")


def main() -> None:
    """Print a line for each thing measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_servers")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    rounds = parser.parse_args().rounds
    print(f"sandbox {choose('auto').name}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'milliseconds':42}{'median':>9}{'least':>9}")
    with TemporaryDirectory(prefix="comem-") as name:
        place = Path(name)
        if open_databases(place / "none").kind == "postgresql":
            _line("postgresql: cluster and first clone", [_first(place) for _ in range(rounds)])
        with open_databases(place / "databases") as databases:
            for kind in _KINDS if databases.kind == "postgresql" else _KINDS[1:]:
                databases.clone("first", _SCRIPT, kind)
                made = [_cloned(databases, kind) for _ in range(rounds)]
                _line(f"{kind}: clone", [took for took, _ in made])
                _line(f"{kind}: drop", [_timed(database.drop) for _, database in made])
            for names in (*((each,) for each in declared()), _THREE):
                _servers(place, databases, names, rounds)


def _first(place: Path) -> float:
    with open_databases(place / "cluster") as databases:
        return _cloned(databases, "postgresql")[0]


def _cloned(databases: Databases, kind: DatabaseKind) -> tuple[float, Database]:
    started = time.perf_counter()
    database = databases.clone("orders", _SCRIPT, kind)
    return (time.perf_counter() - started) * 1e3, database


def _servers(place: Path, databases: Databases, names: Sequence[str], rounds: int) -> None:
    what = "side by side: " * (len(names) > 1) + ", ".join(names)
    if lacking := missing(names):
        print(f"{what:42}left out: {'; '.join(lacking.values())}")
        return
    started, called, ended = [], [], []
    for number in range(rounds):
        with _workspace(place, number) as workspace:
            sees = {declared()[name].sees for name in names}
            made = [databases.clone("orders", _SCRIPT, kind) for kind in _KINDS if kind in sees]
            servers = open_servers(workspace, database=made, label="benchmark")
            started.append(_timed(partial(servers.start, names)))
            # Refused by those that have no such tool, which takes as long.
            called.append(_timed(partial(servers.call, names[0], "list_tables", {})))
            ended.append(_timed(servers.close))
            for database in made:
                database.drop()
    _line(f"{what}: start", started)
    _line("    a call", called)
    _line("    end", ended)


@contextmanager
def _workspace(place: Path, number: int) -> Iterator[Path]:
    with TemporaryDirectory(dir=place, prefix=f"workspace-{number}-") as name:
        subprocess.run(["git", "init", "--quiet", name], check=True)
        yield Path(name)


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def _line(what: str, values: Sequence[float]) -> None:
    print(f"{what:42}{median(values):9.0f}{min(values):9.0f}", flush=True)


if __name__ == "__main__":
    main()
