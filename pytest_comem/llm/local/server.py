"""The process that serves a local model: started, found alive, and ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.ownership import child_labels

#: Seconds the server may take to read its model; it takes about one.
STARTING: Final = 60.0
#: Seconds it gets to end itself.
_ENDING: Final = 2.0
#: All that it is given of the environment: where programs and libraries are, and no key.
_PASSED_ON: Final = (
    "DYLD_LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
)


@final
class LocalModelServer:
    """One model served at 127.0.0.1 by a process that ends with ours, however ours ends.

    Used by one thread at a time, except for :meth:`close`.

    :param weights: file of the model.
    """

    def __init__(self, weights: Path) -> None:
        self._weights = weights
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Id of the process, or ``None`` where it does not run."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def start(self) -> str:
        """Serve on a free port and return the base URL, which ends in ``/v1``.

        :raises InfrastructureError: of type ``provider``, where it does not come up.
        """
        self.close()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.child", str(self._weights)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                **child_labels(),
            },
            # An interrupt at the terminal is for pytest, which still has calls to finish.
            start_new_session=True,
        )
        with self._lock:
            self._process = process
        late = threading.Timer(STARTING, process.kill)
        late.daemon = True
        late.start()
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
        except ValueError:
            # Closed by another thread meanwhile.
            line = b""
        late.cancel()
        said = _read(line)
        if "url" not in said:
            self.close()
            why = said.get("error") or f"its process ended with exit status {process.returncode}"
            raise InfrastructureError(f"its server did not start: {why}", type="provider")
        return said["url"]

    def close(self) -> None:
        """End the process; does nothing where there is none."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        # Its standard input ends, which tells it to.
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _read(line: bytes) -> dict[str, str]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return {key: str(value) for key, value in said.items()} if isinstance(said, dict) else {}
