"""One part of a cassette: the calls of one memory instance, found and recorded from any thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, final

from pytest_comem.llm.calls import ChatCall, Completion
from pytest_comem.llm.cassette_entry import (
    LASTING,
    Address,
    Recorded,
    call_record,
    is_timing,
    place,
    read_call,
    read_timing,
    scrubbed,
    scrubbed_completion,
    timing_record,
)
from pytest_comem.llm.cassette_file import CassetteFile, safe_name, to_line
from pytest_comem.llm.cassette_miss import explain_miss
from pytest_comem.llm.cassette_mode import CassetteMode, Counts
from pytest_comem.llm.faults import Fault, ModelCallError


@final
class Part:
    """The recorded calls of one part of a run; made by :meth:`Cassette.part`."""

    def __init__(self, mode: CassetteMode, directory: Path, name: str, counts: Counts) -> None:
        self.name: Final = name
        self._mode = mode
        self._counts = counts
        self._file = CassetteFile(directory, safe_name(name), name)
        self._lock = threading.Lock()
        self._users = 0
        #: This process has finished the file before, so that more of it is added, also by record.
        self._is_ours = False
        self._recorded: dict[Address, Recorded] = {}
        self._timings: dict[str, Mapping[str, float]] = {}
        self._missed: set[str] = set()

    def open(self) -> None:
        """Count one more user; the first one reads the file in.

        :raises DataError: where it is damaged or of another version.
        """
        with self._lock:
            if self._users == 0:
                self._load()
            self._users += 1

    def find(
        self, call: ChatCall, *, occurrence: int, repeat: int, step: str, phase: str
    ) -> Recorded | None:
        """Return what *call* was answered with, or ``None`` where it is to be made.

        :param occurrence: how many times it was made before in this part and repeat.
        :param step: where the run is; named where the call is missed, and no part of its address.
        :raises ModelCallError: in mode ``replay``, where it is not recorded.
        """
        if self._mode is CassetteMode.OFF:
            return None
        address = Address(call.key, repeat, occurrence)
        with self._lock:
            found = self._recorded.get(address)
            if found is None:
                self._missed.add(step)
            is_open = self._users > 0
        if found is not None:
            self._counts.hit()
            failure = found.failure
            return replace(found, failure=failure and ModelCallError(str(failure), failure.kind))
        if self._mode is CassetteMode.RECORD:
            return None
        self._counts.miss()
        if self._mode is CassetteMode.REPLAY:
            explanation = (
                explain_miss(call, address, step=step, phase=phase, file=self._file)
                if is_open
                else f"step {step}, phase {phase}: a call was made after its episode had ended"
            )
            raise ModelCallError(explanation, Fault.CASSETTE)
        return None

    def record(
        self,
        call: ChatCall,
        *,
        occurrence: int,
        repeat: int,
        step: str,
        phase: str,
        completion: Completion | None,
        failure: ModelCallError | None,
        retries: int,
    ) -> Completion | None:
        """Record what *call* was answered with; return the completion as a replay will give it.

        A failure is recorded where the same call would fail again, and a call that comes after the
        part was closed is not.

        :raises ModelCallError: where it cannot be written.
        """
        if not self._mode.writes or (completion is None) is (failure is None):
            return completion
        try:
            address = Address(call.key, repeat, occurrence)
            answer = Recorded(completion, failure, retries)
            record = scrubbed(call_record(call, address, step, phase, answer))
            line = to_line(record)
        except (TypeError, ValueError, RecursionError) as error:
            raise ModelCallError(
                f"the call cannot be recorded: {type(error).__name__}: {error}", Fault.CASSETTE
            ) from None
        if failure is None or failure.kind in LASTING:
            with self._lock:
                if self._users > 0:
                    self._append(line)
                    self._missed.add(step)
                    self._counts.record()
        return completion and scrubbed_completion(record, completion)

    def settle(self, step: str, seconds: Mapping[str, float]) -> Mapping[str, float]:
        """Return what *step* took when its calls were made, seconds by phase.

        That is *seconds*, which are recorded, where one of its calls was made just now, and what
        was recorded, where all calls were answered from here. The last time for a step counts.

        :raises ModelCallError: where it cannot be written.
        """
        with self._lock:
            recorded = self._timings.get(scrubbed(step))
            is_replayed = self._mode is CassetteMode.REPLAY or step not in self._missed
            if recorded is not None and is_replayed:
                return recorded
            if self._mode.writes and self._users > 0:
                self._append(to_line(timing_record(step, seconds)))
        return seconds

    def close(self) -> None:
        """Count one user less; the last one finishes the file.

        :raises ModelCallError: where it cannot be written; what was recorded is kept beside it.
        :raises DataError: where the file to be completed is damaged.
        """
        with self._lock:
            if self._users == 1:
                self._finish()
            self._users = max(0, self._users - 1)

    def end(self) -> None:
        """Finish the file, whoever uses it; raises as :meth:`close`."""
        with self._lock:
            if self._users > 0:
                self._users = 0
                self._finish()

    def _load(self) -> None:
        if not self._mode.reads:
            return
        for line in self._file.read(unfinished=self._mode is CassetteMode.AUTO):
            if is_timing(line):
                step, seconds = read_timing(line)
                self._timings[step] = seconds
            else:
                address, recorded = read_call(line)
                self._recorded[address] = recorded

    def _append(self, line: bytes) -> None:
        try:
            self._file.append(line, keep=self._mode is CassetteMode.AUTO)
        except OSError as error:
            raise self._unwritable(error) from error

    def _finish(self) -> None:
        try:
            # A recording that broke off stays for mode auto until there is something to put there.
            if self._file.is_writing or self._mode is CassetteMode.AUTO:
                self._file.finish(place, keep=self._mode is CassetteMode.AUTO or self._is_ours)
                self._is_ours = True
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            self._file.abandon()
            self._recorded, self._timings, self._missed = {}, {}, set()

    def _unwritable(self, error: OSError) -> ModelCallError:
        reason = error.strerror or type(error).__name__
        return ModelCallError(
            f"the cassette {self._file.unfinished} cannot be written: {reason}", Fault.CASSETTE
        )
