from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_comem.sandbox.base import Limits, Sandbox

LIMITS = Limits(seconds=20, memory_mib=256, processes=20, disk_mib=20, output_bytes=100_000)
#: Bounded, so that a limit that fails harms nobody.
FORKS = """
import os, sys, time
made = 0
for _ in range(300):
    try:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    except OSError:
        break
    made += 1
print(made, flush=True)
time.sleep(float(sys.argv[1]))
"""
EATER = """
import sys, time
held = []
for _ in range(int(sys.argv[1]) // 16):
    held.append(bytearray(b"x" * (1 << 24)))
time.sleep(float(sys.argv[2]))
print("done")
"""


def test_a_child_that_ignores_the_signal_ends_in_time(
    sandbox: Sandbox, token: str, processes_with: Callable[[str], list[int]]
) -> None:
    """Nobody is asked; the sandbox goes on."""
    program = f"trap '' TERM HUP INT; echo begun; (trap '' TERM; sleep 60; : {token}) & sleep 60"
    finished = sandbox.run(["sh", "-c", program], limits=replace(LIMITS, seconds=1))
    assert (finished.status, finished.ended) == (None, "timeout")
    assert finished.stdout == b"begun\n"
    assert "1 s" in finished.why
    assert processes_with(token) == []
    assert sandbox.run(["echo", "again"]).stdout == b"again\n"


def test_a_fork_bomb_stays_within_its_number(
    sandbox: Sandbox, token: str, processes_with: Callable[[str], list[int]]
) -> None:
    """Forking fails, or the run is ended; none of the children stays."""
    finished = sandbox.run(["python3", "-c", FORKS, "1", token])
    if finished.ended == "exit":
        assert int(finished.stdout) <= LIMITS.processes
    else:
        assert (finished.ended, finished.status) == ("killed", None)
        assert "20 processes" in finished.why
    assert processes_with(token) == []
    assert sandbox.run(["echo", "again"]).stdout == b"again\n"


def test_a_memory_bomb_is_ended(sandbox: Sandbox) -> None:
    """By us or by the kernel, and it is said that memory was the reason."""
    finished = sandbox.run(["python3", "-c", EATER, "1536", "0"])
    assert finished.ended == "memory"
    assert "256 MiB" in finished.why
    assert finished.status in (None, 137)
    assert finished.stdout == b""
    assert sandbox.run(["echo", "again"]).stdout == b"again\n"


def test_memory_is_counted_for_all_processes_together(sandbox: Sandbox, token: str) -> None:
    """Four that take half the limit each are too many, though one would not be."""
    one = sandbox.run(["python3", "-c", EATER, "112", "0"])
    assert (one.ended, one.stdout) == ("exit", b"done\n")
    program = 'for _ in 1 2 3 4; do python3 -c "$0" 112 3 & done; wait'
    assert sandbox.run(["sh", "-c", program, EATER]).ended == "memory"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            "for i in $(seq 60); do head -c 1000000 /dev/zero >f$i; sleep 0.01; done; sleep 1",
            id="many files",
        ),
        pytest.param(
            "import os, time\nfor i in range(8000): os.close(os.open(f'f{i}', os.O_CREAT))\n"
            "time.sleep(1)",
            id="many empty files",
        ),
        pytest.param(
            "import os, time\nfor i in range(220): os.mkdir('d'); os.chdir('d')\ntime.sleep(1)",
            id="deep directories",
        ),
    ],
)
def test_a_workspace_cannot_be_filled(sandbox: Sandbox, program: str) -> None:
    """Whatever it is filled with, a run that does it is ended, or found out at its end."""
    shell = ["sh", "-c"] if "import" not in program else ["python3", "-c"]
    finished = sandbox.run([*shell, program])
    assert finished.ended == "killed"
    assert "20 MiB" in finished.why


def test_one_file_cannot_be_longer_than_all_may_be(sandbox: Sandbox) -> None:
    """Writing fails, so that nobody needs to look."""
    finished = sandbox.run(["sh", "-c", "head -c 100000000 /dev/zero >one"])
    assert finished.status != 0
    assert (sandbox.workspace / "one").stat().st_size <= LIMITS.disk_mib << 20


def test_a_file_in_memory_cannot_be_filled(jail: Sandbox) -> None:
    """Whatever of ``/tmp``, ``/dev/shm`` and the root can be written to ends soon."""
    program = (
        "import os\n"
        "for place in ('/tmp', '/dev/shm', '/dev', '/run', '/'):\n"
        "    done = 0\n"
        "    try:\n"
        "        for i in range(100):\n"
        "            with open(f'{place}/f{i}', 'wb') as file: file.write(bytes(1 << 20))\n"
        "            done += 1\n"
        "    except OSError: pass\n"
        "    print(place, done)\n"
        "    for i in range(done + 1):\n"
        "        try: os.remove(f'{place}/f{i}')\n"
        "        except OSError: pass\n"
    )
    finished = jail.run(["python3", "-c", program])
    found = dict(line.split() for line in finished.stdout.decode().splitlines())
    assert int(found.pop("/tmp")) <= LIMITS.disk_mib
    assert int(found.pop("/dev/shm")) <= 64
    assert found == {"/dev": "0", "/run": "0", "/": "0"}


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_gigabyte_of_output_is_cut_and_the_program_ended(sandbox: Sandbox, stream: str) -> None:
    """We never hold more than the limit."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finished = sandbox.run(["sh", "-c", f"head -c 1000000000 /dev/zero >&{stream}"])
    assert (finished.status, finished.ended, finished.truncated) == (None, "output", True)
    assert len(finished.stdout) + len(finished.stderr) == LIMITS.output_bytes
    # KiB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_limits_of_one_run_are_no_limits_of_the_next(sandbox: Sandbox) -> None:
    """Those the sandbox was opened with hold again."""
    generous = replace(LIMITS, memory_mib=512, disk_mib=100)
    eat = ["python3", "-c", EATER, "320", "0"]
    assert sandbox.run(eat, limits=generous).stdout == b"done\n"
    assert sandbox.run(eat).ended == "memory"


@pytest.mark.parametrize("name", ["seconds", "memory_mib", "processes", "disk_mib", "output_bytes"])
def test_limits_are_positive(name: str) -> None:
    """A limit of nothing is a mistake."""
    with pytest.raises(ValueError, match=name):
        replace(LIMITS, **{name: 0})
