"""One process at a time holds a directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_comem.engine.exclusive import Exclusive

pytest.importorskip("fcntl", reason="the system has no locks of this kind")
HOLDS = """
import os, sys, time
from pathlib import Path
from pytest_comem.engine.exclusive import Exclusive
held = Exclusive(Path(sys.argv[1]))
if os.fork() == 0:
    time.sleep(600)
print("held", flush=True)
time.sleep(600)
"""


def test_a_second_one_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    """Letting go twice takes nothing from who holds it then, and no file is left."""
    first = Exclusive(tmp_path)
    with pytest.raises(BlockingIOError):
        Exclusive(tmp_path)
    first.let_go()
    second = Exclusive(tmp_path)
    first.let_go()
    with pytest.raises(BlockingIOError):
        Exclusive(tmp_path)
    second.let_go()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    """Neither does a child that it has forked and that lives on."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            with pytest.raises(BlockingIOError):
                Exclusive(tmp_path)
            process.kill()
            process.wait()
            Exclusive(tmp_path).let_go()
        finally:
            os.killpg(process.pid, 9)


def test_what_cannot_be_locked_is_not_held(tmp_path: Path) -> None:
    """A directory that is not there is somebody else's to complain about."""
    Exclusive(tmp_path / "nowhere").let_go()
