from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from cleaning_alone import alone

from pytest_comem.cleaning import processes
from pytest_comem.cleaning.leftover import Leftover
from pytest_comem.cleaning.processes import ProcessFinder, leftover_owner
from pytest_comem.ownership import HOST, OWNER, Host, Owner, start_of

__all__ = ["alone"]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are looked at through /proc"
)
SLEEP = [sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True);"
    "time.sleep(600)",
]


@pytest.fixture
def dead() -> Owner:
    """An owner that was killed, started before any process of a test."""
    with subprocess.Popen(["sleep", "600"]) as process:
        owner = replace(
            Owner.this_process("r"), pid=process.pid, started=start_of(process.pid) or ""
        )
        process.kill()
    return owner


class Started:
    """Processes of a test, ended after it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __call__(
        self, labels: Mapping[str, str], command: list[str] = SLEEP, user: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a process with *labels* that has said a line."""
        process = self._stack.enter_context(
            subprocess.Popen(
                command,
                env={"PATH": os.environ["PATH"], **labels},
                stdout=subprocess.PIPE,
                user=user,
                cwd="/",
            )
        )
        self._stack.callback(process.kill)
        assert process.stdout is not None
        process.stdout.readline()
        return process


@pytest.fixture
def started() -> Iterator[Started]:
    """Start processes that are ended afterwards."""
    with ExitStack() as stack:
        yield Started(stack)


def found(process: subprocess.Popen[bytes]) -> list[Leftover]:
    """Return what the finder says of this process."""
    mine = f"process {process.pid} "
    everything = [one for one in ProcessFinder().find() if isinstance(one, processes.Process)]
    return [one for one in everything if one.name.startswith(mine)]


def test_a_process_of_a_dead_owner_is_ended(dead: Owner, started: Started) -> None:
    """It is asked to end, and it may do so in its own way; once gone, it is no error."""
    process = started(dead.labels)
    (leftover,) = found(process)
    assert "of run r" in leftover.name
    leftover.remove()
    assert process.wait() == -signal.SIGTERM
    leftover.remove()
    assert found(process) == []


def test_a_process_that_will_not_end_is_killed(
    dead: Owner, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its time is up."""
    monkeypatch.setattr(processes, "GRACE", 0.2)
    process = started(dead.labels, STUBBORN)
    (leftover,) = found(process)
    leftover.remove()
    assert process.wait() == -signal.SIGKILL


def test_a_process_of_a_living_owner_is_no_leftover(started: Started) -> None:
    """Its run goes on."""
    assert found(started(Owner.this_process("r").labels)) == []


@pytest.mark.parametrize("missing", [OWNER, HOST, "COMEM_RUN"])
def test_a_process_without_all_labels_is_none_of_ours(
    dead: Owner, started: Started, missing: str
) -> None:
    """A variable of the same name proves nothing."""
    labels = {name: value for name, value in dead.labels.items() if name != missing}
    assert found(started(labels)) == []


@pytest.mark.parametrize("changed", [{"boot": "x"}, {"name": "other"}, {"space": "1"}])
def test_labels_that_cannot_be_true_here_are_copies(
    dead: Owner, started: Started, changed: dict[str, str]
) -> None:
    """No process outlives a boot, and ids of another host or container mean others here."""
    assert found(started(replace(dead, host=replace(Host.here(), **changed)).labels)) == []


def test_a_process_older_than_its_owner_is_no_child_of_it(dead: Owner, started: Started) -> None:
    """The label is a copy then."""
    late = replace(dead, started=str(int(start_of(os.getpid()) or 0) + 10**9))
    assert found(started(late.labels)) == []


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can start another user's"
)
def test_another_users_process_is_not_touched(dead: Owner, started: Started) -> None:
    """Not even where we could."""
    command = ["sh", "-c", "echo; exec sleep 600"]
    assert found(started(dead.labels, command, user=65534)) == []
    assert len(found(started(dead.labels, command))) == 1


def test_whoever_cleans_is_not_cleaned(dead: Owner) -> None:
    """A shell that a leftover has started may call the command; it and its parents stay."""
    code = (
        "import os; from pytest_comem.cleaning.processes import ProcessFinder;"
        "print([one.pid for one in ProcessFinder().find()], os.getpid(), os.getppid())"
    )
    # Two commands, so that the shell stays and is the parent.
    shell = f'{sys.executable} -c "{code}"; true'
    text = subprocess.run(
        ["sh", "-c", shell],
        env={**os.environ, **dead.labels},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    listed, pid, parent = text.rsplit(maxsplit=2)
    assert pid not in listed
    assert parent not in listed


def test_a_hostile_environment_is_no_owner(started: Started) -> None:
    """Whatever stands in it, it is read as text."""
    for owner in ("\udcff:1", "1:" + "9" * 4000, "1:²"):
        process = started({"COMEM_RUN": "r\n", OWNER: owner, HOST: str(Host.here())})
        assert leftover_owner(process.pid) is None


def test_a_process_that_is_gone_is_no_leftover(tmp_path: Path) -> None:
    """Looking at one that ends meanwhile raises nothing."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert leftover_owner(process.pid) is None
