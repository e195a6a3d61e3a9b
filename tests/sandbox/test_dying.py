from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_comem.errors import InfrastructureError
from pytest_comem.sandbox import cgroups
from pytest_comem.sandbox.base import Limits, SandboxKind
from pytest_comem.sandbox.watching import processes_of

LIMITS = Limits(seconds=20, memory_mib=256, processes=20, disk_mib=20)


def _soon(work: Callable[[], None]) -> threading.Thread:
    """Do something while a program runs."""

    def wait_and_work() -> None:
        time.sleep(0.7)
        work()

    thread = threading.Thread(target=wait_and_work)
    thread.start()
    return thread


@pytest.mark.parametrize("which", ["the monitor", "the first process inside"])
@pytest.mark.parametrize("kind", ["bubblewrap", "bubblewrap-watched"], indirect=True)
def test_a_killed_bubblewrap_is_infrastructure(
    kind: SandboxKind,
    workspace: Path,
    which: str,
    token: str,
    processes_with: Callable[[str], list[int]],
) -> None:
    """Whichever of its processes was killed, it is never a result, and the sandbox is dead."""

    def kill() -> None:
        monitors = [pid for pid in processes_with(token) if _parent(pid) == os.getpid()]
        _, *inside = processes_of(monitors[0])
        os.kill(monitors[0] if which == "the monitor" else inside[0], signal.SIGKILL)

    with kind.open(workspace, limits=LIMITS, label="mine") as sandbox:
        thread = _soon(kill)
        with pytest.raises(InfrastructureError, match=r"mine.*killed") as caught:
            sandbox.run(["sh", "-c", f"sleep 20; : {token}"])
        thread.join()
        assert caught.value.type == "sandbox"
        assert processes_with(token) == []
        assert not sandbox.is_alive()
        with pytest.raises(InfrastructureError, match="killed"):
            sandbox.run(["true"])


@pytest.mark.parametrize("kind", ["docker"], indirect=True)
def test_a_killed_container_is_infrastructure(
    kind: SandboxKind,
    workspace: Path,
    token: str,
    processes_with: Callable[[str], list[int]],
) -> None:
    """It is never a result, and the sandbox is dead."""
    from pytest_comem.sandbox.docker import DockerSandbox

    sandbox = kind.open(workspace, limits=LIMITS, label="mine")
    assert isinstance(sandbox, DockerSandbox)
    with sandbox:
        container = sandbox.container
        assert container is not None
        thread = _soon(lambda: _docker("kill", container))
        with pytest.raises(InfrastructureError, match=r"mine.*died") as caught:
            sandbox.run(["sh", "-c", f"sleep 20; : {token}"])
        thread.join()
        assert caught.value.type == "sandbox"
        assert processes_with(token) == []
        assert not sandbox.is_alive()
        with pytest.raises(InfrastructureError, match="died"):
            sandbox.run(["true"])


@pytest.mark.parametrize("kind", ["docker"], indirect=True)
def test_a_container_that_went_between_runs_is_noticed(kind: SandboxKind, workspace: Path) -> None:
    """Before anything in it is judged."""
    from pytest_comem.sandbox.docker import DockerSandbox

    sandbox = kind.open(workspace, limits=LIMITS, label="mine")
    assert isinstance(sandbox, DockerSandbox)
    with sandbox:
        assert sandbox.is_alive()
        assert sandbox.container is not None
        _docker("rm", "--force", sandbox.container)
        assert not sandbox.is_alive()
        with pytest.raises(InfrastructureError) as caught:
            sandbox.run(["true"])
        assert caught.value.type == "sandbox"


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_a_sandbox_does_not_outlive_us(
    kind: SandboxKind, workspace: Path, token: str, processes_with: Callable[[str], list[int]]
) -> None:
    """Nothing runs on where the process that ran it was killed."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pytest_comem.sandbox.base import Limits\n"
        "from pytest_comem.sandbox.bubblewrap import Bubblewrap\n"
        "sandbox = Bubblewrap().open(Path(sys.argv[1]), limits=Limits(), label='x')\n"
        "sandbox.run(['sh', '-c', f'echo >begun; setsid sleep 60 & sleep 60; : {sys.argv[2]}'])\n"
    )
    here = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(workspace), token],
        env={**os.environ, "PYTHONPATH": str(here)},
    )
    try:
        _until((workspace / "begun").exists)
    finally:
        process.kill()
        process.wait()
    _until(lambda: not processes_with(token))
    # Its control group goes with a process that makes some once its programs are reaped.
    _until(lambda: not _groups_left_by(process.pid))


@pytest.mark.parametrize("kind", ["bubblewrap", "bubblewrap-watched", "none"], indirect=True)
def test_an_interrupted_run_leaves_nothing(
    kind: SandboxKind,
    workspace: Path,
    token: str,
    processes_with: Callable[[str], list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As by Ctrl-C: the program is gone when the interrupt arrives where it is handled."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_comem.sandbox.disk.over_limit", interrupt)
    sandbox = kind.open(workspace, limits=LIMITS, label="mine")
    with pytest.raises(KeyboardInterrupt):
        sandbox.run(["sh", "-c", f"sleep 20; : {token}"])
    _until(lambda: not processes_with(token))


def test_a_workspace_that_went_is_noticed(kind: SandboxKind, workspace: Path) -> None:
    """Before anything in it is judged."""
    with kind.open(workspace, limits=LIMITS, label="mine") as sandbox:
        workspace.rename(workspace.with_name("elsewhere"))
        assert not sandbox.is_alive()
        with pytest.raises(InfrastructureError, match="workspace is gone"):
            sandbox.run(["true"])


def _groups_left_by(pid: int) -> list[Path]:
    """Return a killed process' control groups that are there after another one has made some."""
    cgroups.available.cache_clear()
    groups = cgroups.available()
    parents = groups.parents.values() if groups else ()
    return [path for parent in parents for path in parent.glob(f"comem-{pid}-*")]


def _until(holds: Callable[[], bool]) -> None:
    """Wait for something that takes a moment; a test that waits in vain fails."""
    for _ in range(1000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


def _docker(*arguments: str) -> None:
    subprocess.run(["docker", *arguments], check=True, capture_output=True, timeout=60)


def _parent(pid: int) -> int:
    text = Path(f"/proc/{pid}/stat").read_text()
    return int(text.rpartition(")")[2].split()[1])
