"""What the processes of a run use, read from ``/proc``: for where no control group does it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_comem.sandbox.base import MIB, Ending, Limits

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def over_limit(root: int, limits: Limits) -> Ending | None:
    """Return why the processes below and with *root* have to end.

    :param root: id of a process to which orphans of the run come back, or the best there is.
    """
    count = 0
    resident = 0
    pids = []
    for pid in processes_of(root):
        pids.append(pid)
        threads, pages = _use_of(pid)
        count += threads
        resident += pages * _PAGE
        if count > limits.processes + 1:
            return Ending("killed", f"it had more than {limits.processes} processes")
    # Pages that are shared are counted for each process first, for that is quick.
    if resident > limits.memory_mib * MIB and _shares(pids) > limits.memory_mib * MIB:
        return Ending("memory", f"it used more than {limits.memory_mib} MiB of memory")
    return None


def processes_of(root: int) -> Iterator[int]:
    """Yield *root* and its descendants, as far as they can be seen."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text("ascii").split())
        except OSError:
            continue


def _use_of(pid: int) -> tuple[int, int]:
    """Return a process' threads and resident pages."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return 0, 0
    # The name in brackets may hold anything, closing brackets too.
    fields = text.rpartition(")")[2].split()
    return int(fields[17]), int(fields[21])


def _shares(pids: list[int]) -> int:
    """Return the bytes that processes use together, a shared page counted once."""
    total = 0
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
        except OSError:
            continue
        found = [line.split()[1] for line in text.splitlines() if line.startswith("Pss:")]
        total += sum(map(int, found)) * 1024
    return total
