from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_material import processes_with

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.service import Launch, Service, start

#: Writes a line back for each line, in capitals.
ECHO = ["sh", "-c", 'while read -r line; do echo "got $line"; done']
LIMITS = Limits(memory_mib=256, processes=20, disk_mib=20)


@pytest.fixture(params=["bubblewrap", "none"])
def kind(request: pytest.FixtureRequest, chosen: str) -> str:
    """A kind of sandbox that holds services here."""
    if request.param == "bubblewrap" and chosen != "bubblewrap":
        pytest.skip(f"sandbox {chosen} is what there is")
    return str(request.param)


def launch(place: Path, argv: list[str], limits: Limits = LIMITS) -> Launch:
    """Return what is to be started."""
    return Launch(argv, place, limits, "a service")


@pytest.fixture
def echo(kind: str, tmp_path: Path) -> Iterator[Service]:
    """A running service."""
    service = start(kind, launch(tmp_path, ECHO))
    yield service
    service.close()


def until_over(service: Service) -> None:
    """Wait until it has ended, looking at its limits meanwhile."""
    until = time.monotonic() + 20
    while not service.is_over():
        assert time.monotonic() < until
        service.look()
        time.sleep(0.01)


def test_it_is_talked_to_as_long_as_it_runs(echo: Service) -> None:
    """It answers more than once, and has not ended meanwhile."""
    for word in (b"one", b"two"):
        echo.stdin.write(word + b"\n")
        assert os.read(echo.stdout.fileno(), 100) == b"got " + word + b"\n"
    assert not echo.is_over()
    assert echo.how() == ""


def test_it_ends_and_says_how(echo: Service, kind: str, tmp_path: Path) -> None:
    """By itself with its status, or killed."""
    echo.kill()
    until_over(echo)
    assert echo.how() == "was killed"
    other = start(kind, launch(tmp_path, ["sh", "-c", "exit 7"]))
    until_over(other)
    assert other.how() == "ended with exit status 7"
    other.close()


def test_closing_ends_what_it_started(kind: str, tmp_path: Path) -> None:
    """No process of it is left."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    argv = ["sh", "-c", f"sleep 600 & sleep 600 & : {mark}; echo ready; wait"]
    service = start(kind, launch(tmp_path, argv))
    assert os.read(service.stdout.fileno(), 100) == b"ready\n"
    assert processes_with(mark)
    service.close()
    service.close()
    assert processes_with(mark) == []
    assert service.is_over()


def test_it_may_end_itself_in_its_own_way(kind: str, tmp_path: Path) -> None:
    """A signal reaches the program, which has time to act on it."""
    script = "trap 'echo bye > said; exit 0' QUIT; echo ready; while :; do sleep 0.02; done"
    argv = ["sh", "-c", script]
    service = start(kind, launch(tmp_path, argv))
    assert os.read(service.stdout.fileno(), 100) == b"ready\n"
    service.kill(signal.SIGQUIT, grace=10)
    assert service.is_over()
    service.close()
    assert (tmp_path / "said").read_text() == "bye\n"


def test_it_is_held_to_its_limits(kind: str, tmp_path: Path) -> None:
    """What fills its workspace is ended, and how it ended names the limit."""
    fill = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > f$i; done"
    service = start(kind, launch(tmp_path, ["sh", "-c", fill]))
    until_over(service)
    assert "20 MiB" in service.how()
    service.close()


def test_a_program_that_is_not_there_ends_at_once(kind: str, tmp_path: Path) -> None:
    """Its status and its words say so."""
    service = start(kind, launch(tmp_path, ["no-such-program"]))
    until_over(service)
    assert service.how() == "ended with exit status 127"
    assert b"no-such-program" in os.read(service.stderr.fileno(), 1_000)
    service.close()


def test_docker_holds_none(tmp_path: Path) -> None:
    """The message says what does."""
    with pytest.raises(SettingsError, match="bubblewrap or none"):
        start("docker", launch(tmp_path, ECHO))


def test_a_workspace_that_is_gone_is_named(kind: str, tmp_path: Path) -> None:
    """It is the sandbox's fault."""
    with pytest.raises(InfrastructureError, match="absent") as caught:
        start(kind, launch(tmp_path / "absent", ECHO))
    assert caught.value.type == "sandbox"


PROGRAM = """
import sys, threading, time
from pathlib import Path
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.service import Launch, start
def begin():
    start("bubblewrap", Launch(["sh", "-c", "echo ready; : %s; sleep 600"], Path(sys.argv[1]),
          Limits(disk_mib=20), "a service")).stdout.read(6)
thread = threading.Thread(target=begin)
thread.start()
thread.join()
print("ready", flush=True)
time.sleep(600)
"""


def test_it_lives_as_long_as_we_do(isolating: None, tmp_path: Path) -> None:
    """It outlives the thread that asked for it, and not a process that was killed."""
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("%s", mark), str(tmp_path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        mine = [pid for pid in processes_with(mark) if pid != process.pid]
        assert mine
        process.kill()
        process.wait()
    until = time.monotonic() + 20
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert processes_with(mark) == []
