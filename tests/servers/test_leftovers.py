"""What is left of a process that was killed while a workflow was on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from cleaning_alone import alone
from server_material import ORDERS, Needs, processes_with

from pytest_comem.cleaning.sweep import finders, sweep

__all__ = ["alone"]

PROGRAM = """
import sys, time, warnings
from pathlib import Path
from pytest_comem.ownership import owning
from pytest_comem.servers.opening import open_databases, open_servers
warnings.simplefilter("ignore")
run, sandbox, script = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
state = run / "state"
with owning("killed", state), open_databases(state / "databases", sandbox) as databases:
    kinds = {databases.kind, "sqlite"}
    made = [databases.clone("orders", script, kind) for kind in sorted(kinds)]
    workspace = state / "workspace"
    workspace.mkdir()
    with open_servers(workspace, database=made, sandbox=sandbox, label="workflow") as servers:
        servers.start(["filesystem", "time", *(["postgres"] if len(made) == 2 else ["sqlite"])])
        print("ready", flush=True)
        time.sleep(600)
"""


@pytest.mark.parametrize("sandbox", ["bubblewrap", "none"])
def test_a_killed_run_leaves_nothing_after_cleaning(
    needs: Needs, chosen: str, tmp_path: Path, sandbox: str
) -> None:
    """No process, socket, database or directory; in bubblewrap no process even before."""
    needs("filesystem", "time", "sqlite", *(["postgres"] if sandbox == "bubblewrap" else []))
    if sandbox == "bubblewrap" != chosen:
        pytest.skip(f"sandbox {chosen} is what there is")
    # Short, for the socket of a cluster without a sandbox.
    run = tmp_path / "r"
    run.mkdir()
    (run / "manifest.json").write_text(json.dumps({"versions": {"pytest-comem": "1"}}))
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(run), sandbox, ORDERS], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            assert [pid for pid in processes_with(str(run)) if pid != process.pid]
        finally:
            process.kill()
            process.wait()
    if sandbox == "bubblewrap":
        wait_for_no_process_of(run)
    said: list[str] = []
    assert sweep(finders([run]), said.append), said
    wait_for_no_process_of(run)
    assert [path.name for path in run.iterdir()] == ["manifest.json"]
    assert not [
        line for line in Path("/proc/net/unix").read_text().splitlines() if str(run) in line
    ]


def wait_for_no_process_of(run: Path) -> None:
    """Wait until the kernel has ended everything."""
    until = time.monotonic() + 20
    while processes_with(str(run)) and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_with(str(run)) == []


INTERRUPTED = """
import os, signal, sys, threading, time
from pathlib import Path
from pytest_comem.servers.opening import open_databases, open_servers
run = Path(sys.argv[1])
workspace = run / "workspace"
workspace.mkdir()
print("ready", flush=True)
try:
    with open_databases(run / "databases") as databases:
        databases.clone("orders", sys.argv[2])
        with open_servers(workspace, label="workflow") as servers:
            while True:
                servers.start(["filesystem", "time"])
                servers.call("time", "get_current_time", {"timezone": "UTC"})
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(sorted(path.name for path in run.iterdir()), flush=True)
"""


def interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """Press Ctrl-C until a process ends, and return what it said.

    One that comes while Python runs a destructor is lost, as everywhere; people press it again.
    """
    for _ in range(6):
        os.kill(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=20)[0]
    process.kill()
    raise AssertionError("it does not end")


@pytest.mark.parametrize("seconds", [0.2, 2.0, 6.0])
def test_an_interrupted_run_leaves_nothing(needs: Needs, tmp_path: Path, seconds: float) -> None:
    """Whenever Ctrl-C comes: while a cluster or a server starts, or in a call."""
    needs("filesystem", "time")
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path), ORDERS],
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(seconds)
        said = interrupted(process)
    assert said == b"interrupted\n['workspace']\n"
    assert processes_with(str(tmp_path)) == []
