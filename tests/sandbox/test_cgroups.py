from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_comem.sandbox import cgroups
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.bubblewrap import Bubblewrap
from pytest_comem.sandbox.cgroups import Groups


@pytest.fixture
def groups() -> Iterator[Groups]:
    """Where groups can be made here."""
    found = cgroups.available()
    if found is None:
        pytest.skip("no control groups can be made here")
    yield found
    cgroups.available.cache_clear()


def ours(groups: Groups) -> list[Path]:
    """Return the groups of this process."""
    parents = set(groups.parents.values())
    return [path for parent in parents for path in parent.glob(f"comem-{os.getpid()}-*")]


def test_a_run_leaves_no_group(groups: Groups, workspace: Path) -> None:
    """Nor does one that was ended."""
    limits = Limits(seconds=0.3)
    with Bubblewrap(lambda: groups).open(workspace, limits=limits, label="test") as sandbox:
        assert sandbox.run(["true"]).ended == "exit"
        assert sandbox.run(["sleep", "5"]).ended == "timeout"
    assert ours(groups) == []


def test_what_a_dead_process_left_is_removed(groups: Groups) -> None:
    """Only empty groups of processes that are gone."""
    parent = next(iter(groups.parents.values()))
    process = subprocess.Popen(["sleep", "60"])
    dead, alive = parent / "comem-4194305-0-1", parent / "comem-test-0-1"
    held = parent / "comem-4194306-0-1"
    try:
        for place in (dead, alive, held):
            place.mkdir()
        (held / "cgroup.procs").write_text(str(process.pid))
        cgroups.available.cache_clear()
        cgroups.available()
        assert [place.exists() for place in (dead, alive, held)] == [False, True, True]
    finally:
        process.kill()
        process.wait()
        for place in (dead, alive, held):
            if place.exists():
                place.rmdir()


def test_kills_of_a_process_group_are_told(groups: Groups) -> None:
    """A number, for the group that we are in."""
    found = cgroups.kills_for_memory(os.getpid())
    assert found is None or found >= 0
    assert cgroups.kills_for_memory(2**22 + 1) is None
