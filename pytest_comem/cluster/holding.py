"""What a worker process keeps of the runs it plays for: data and memory systems, made once."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.cluster import fingerprint
from pytest_comem.cluster.parcel import Parcel
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.ownership import owning

#: Runs that nobody plays for at the moment and that are kept, in case they come again.
_IDLE: Final = 2


@final
class Held:
    """One run in this process.

    :param parcel: what came of it.
    :param directory: the worker's own, in which ours is made.
    :raises ComemError: where something it is made of cannot be had here.
    """

    def __init__(self, parcel: Parcel, directory: Path) -> None:
        self.users = 0
        self.is_over = False
        #: Names this process' share of the run in its statistics.
        self.process: Final = uuid.uuid4().hex
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._closing = ExitStack()
        with ExitStack() as stack:
            scratch = Path(tempfile.mkdtemp(prefix="comem-", dir=directory))
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            self.materials: Final = parcel.materials(scratch, self.process[:8])
            stack.enter_context(owning(parcel.token, self.materials.state))
            stack.callback(self.materials.close)
            # Before threads share it: its parts are made when first asked for.
            self.fingerprint: Final = {
                **fingerprint.of_code(),
                **fingerprint.of_materials(self.materials),
            }
            self.steps: Final = {
                step.label: step for steps in self.materials.steps.values() for step in steps
            }
            _ = self.materials.door
            self._closing = stack.pop_all()

    def calls(self) -> dict[str, Any]:
        """Return what this process has called so far, with a number that grows."""
        with self._lock:
            statistics = self.materials.door.statistics.as_json()
            return {"process": self.process, "number": next(self._numbers), "calls": statistics}

    def close(self) -> None:
        """Let go of everything, and remove what was stored."""
        self._closing.close()


@final
class Holdings:
    """The runs of this process, by their tokens; from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, Held] = {}
        self._output: ThreadOutput | None = None

    @contextmanager
    def using(self, parcel: Parcel, directory: Path) -> Iterator[Held]:
        """Hold a run while the block plays for it.

        :raises ComemError: where something it is made of cannot be had here.
        """
        with self._lock:
            if parcel.token not in self._held:
                self._held[parcel.token] = Held(parcel, directory)
            # The latest stands last.
            held = self._held[parcel.token] = self._held.pop(parcel.token)
            held.users += 1
        try:
            yield held
        finally:
            with self._lock:
                held.users -= 1
                idle = [token for token, one in self._held.items() if not one.users]
                over = [token for token in idle if self._held[token].is_over]
                for token in dict.fromkeys([*over, *idle[:-_IDLE]]):
                    self._held.pop(token).close()

    def forget(self, token: str) -> None:
        """Let go of a run that is over, as soon as nobody plays for it."""
        with self._lock:
            held = self._held.get(token)
            if held is None:
                return
            held.is_over = True
            if not held.users:
                self._held.pop(token).close()

    def output(self) -> ThreadOutput:
        """Return what keeps the output of this process' episodes apart; installed once."""
        with self._lock:
            if self._output is None:
                self._output = ThreadOutput()
                self._output.install_on_streams()
            return self._output


#: Of this process.
HOLDINGS: Final = Holdings()
