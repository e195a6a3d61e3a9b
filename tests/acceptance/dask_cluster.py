"""A real Dask cluster of processes on this machine, for tests."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

#: Seconds until something that never happens fails a test.
_PATIENCE: Final = 180.0


def until(what: Callable[[], Any]) -> Any:
    """Return what *what* does as soon as that is something."""
    deadline = time.monotonic() + _PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)
    return found


@final
class DaskCluster:
    """A scheduler and workers of one thread each, without nannies.

    :param folder: for the processes' logs and the workers' own directories.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count()
        self._stack = ExitStack()
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.address = ""

    def __enter__(self) -> DaskCluster:
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "scheduler.json"
        options = ["--port=0", "--host=127.0.0.1", f"--scheduler-file={file}"]
        self.scheduler = self._start("dask_scheduler", "scheduler", options, self.folder, {})
        self.address = until(lambda: _address_in(file))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def add_workers(
        self, cwd: Path, number: int = 1, env: Mapping[str, str] | None = None
    ) -> list[int]:
        """Start workers in the directory *cwd*, wait for them, and return their process ids."""
        started: list[tuple[int, Path]] = []
        for _ in range(number):
            name = f"worker{next(self._numbers)}"
            options = [self.address, "--no-nanny", "--nthreads=1", "--host=127.0.0.1"]
            options += ["--local-directory", str(self.folder / name)]
            process = self._start("dask_worker", name, options, cwd, env or {})
            self._workers[process.pid] = process
            started.append((process.pid, self.folder / f"{name}.log"))
        for _, log in started:
            until(partial(_registered, log))
        return [pid for pid, _ in started]

    @property
    def workers(self) -> int:
        """Workers that live."""
        return sum(process.poll() is None for process in self._workers.values())

    def kill(self, *pids: int) -> None:
        """Kill the workers with these process ids at once."""
        for pid in pids:
            process = self._workers.pop(pid)
            process.kill()
            process.wait()

    def _start(
        self, module: str, name: str, options: list[str], cwd: Path, env: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard", *options]
        log = self._stack.enter_context((self.folder / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            command, cwd=cwd, stdout=log, stderr=log, env={**os.environ, **env}
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@final
class PlayedElsewhere:
    """A run of pytest on a cluster, as a process of its own.

    :param arguments: of pytest, beside the cluster's address.
    """

    def __init__(self, cwd: Path, address: str, *arguments: str) -> None:
        command = [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--tb=short"),
            *(f"--comem-backend={address}", "--comem-data=data", "--comem-run-dir=run"),
            *arguments,
        ]
        self._process = subprocess.Popen(
            command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """Return exit status and what was printed."""
        printed, _ = self._process.communicate(timeout=_PATIENCE)
        return self._process.returncode, printed


def _registered(log: Path) -> bool:
    return b"Registered to" in log.read_bytes()


def _address_in(file: Path) -> str:
    try:
        return str(json.loads(file.read_text("utf-8"))["address"])
    except (OSError, ValueError):
        return ""
