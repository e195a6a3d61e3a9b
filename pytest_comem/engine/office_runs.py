"""A task done and graded once; and the runs without recall, made once for all memory systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Event, Lock
from typing import Final, TypeVar, final

from pydantic import TypeAdapter, ValidationError

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.printable import printable
from pytest_comem.engine.office_data import Target
from pytest_comem.errors import ComemError, InfrastructureError, place_of
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Grader, Hidden, OfficeAgent, Run, Shown
from pytest_comem.office.changes import changed_texts
from pytest_comem.office.workbench import BenchSettings, open_bench
from pytest_comem.removal import remove_tree
from pytest_comem.secrets import without_secrets
from pytest_comem.streams.workspaces import lay_out

try:
    import fcntl
except ImportError:  # Windows has no such locks; two processes then both make the run.
    fcntl = None  # type: ignore[assignment]

#: Directory of a run that holds its runs without recall, a file a task.
NO_RECALL: Final = "no-recall"
_RUN: Final = TypeAdapter(Run)
#: Characters of somebody else's message that are kept.
_LONGEST: Final = 2_000

T = TypeVar("T")


@final
class TaskDoer:
    """Does tasks by one agent, each in a fresh sandbox, and has them graded.

    :param directory: where workspaces are laid out; each is removed when its task is over.
    """

    def __init__(
        self, agent: OfficeAgent, grader: Grader, bench: BenchSettings, directory: Path
    ) -> None:
        self.agent: Final = agent
        self.grader: Final = grader
        self._bench = bench
        self._directory = directory
        self._closed = Event()

    def close(self) -> None:
        """Lay out nothing more: what the run stored is about to be removed."""
        self._closed.set()

    def run(
        self,
        target: Target,
        hidden: Hidden,
        passages: tuple[str, ...],
        meter: Meter,
        timed: Callable[[str], AbstractContextManager[None]],
    ) -> Run:
        """Do a task from its canonical workspace.

        :param passages: what is shown beside the task; none without recall.
        :param timed: counts seconds and calls under a phase.
        :raises InfrastructureError: of type ``sandbox``, ``agent`` or ``grader``, or of the call of
            a model that failed for good.
        """
        workspace = target.task.workspace
        assert workspace is not None

        def lay_out_here(here: Path) -> None:
            target.require_as_loaded()
            lay_out(target.stream, workspace, here)

        shown = Shown(target.stream.participant, target.task.task, passages, target.task.plan)
        if self._closed.is_set():
            raise InfrastructureError("the run is over", type="harness")
        with (
            _place(self._directory) as place,
            open_bench(
                self._bench,
                target.task.task,
                lay_out_here,
                place,
                f"{target.participant} {target.id}",
            ) as bench,
        ):
            with timed("answer"):
                trajectory = guarded(
                    "agent",
                    f"the office agent {self.agent.name}",
                    lambda: self.agent.work(shown, bench, meter),
                )
            with timed("judge"):
                grade = guarded(
                    "grader",
                    f"the grader {self.grader.name}",
                    lambda: self.grader.grade(target.task.task, hidden, bench.workspace, meter),
                )
                changes = changed_texts(hidden.before, bench.workspace)
        return Run(trajectory, grade, changes)


@contextmanager
def _place(parent: Path) -> Iterator[Path]:
    """Yield a new directory, which is removed in the end."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        place = Path(mkdtemp(prefix="task-", dir=parent))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InfrastructureError(f"{parent}: {reason}", type="sandbox") from error
    try:
        yield place
    finally:
        with suppress(OSError):
            remove_tree(place)


def guarded(kind: str, who: str, do: Callable[[], T]) -> T:
    """Return what *do* returns; what it raises without meaning to is *who*'s failure.

    :param kind: type of the infrastructure failure.
    """
    try:
        return do()
    except ComemError:
        raise
    except Exception as error:
        said = printable(without_secrets(str(error)))[:_LONGEST]
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise InfrastructureError(f"{who} raised {what}{place_of(error)}", type=kind) from error


@final
class NoRecallRuns:
    """The runs without recall of one run's tasks: made once, and shared by all memory systems.

    Also by worker processes and by a later part of the same run, through files. What breaks is not
    kept: whoever asks next tries again.

    :param folder: where they are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Run] = {}
        self._making: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, key: str, make: Callable[[], Run]) -> Run:
        """Return the run for *key*, made by *make* where there is none yet.

        :param key: hash of everything that it follows from.
        """
        with self._lock:
            if key in self._known:
                return self._known[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._known:
                    return self._known[key]
            found = self._shared(key, make)
            with self._lock:
                self._known[key] = found
            return found

    def _shared(self, key: str, make: Callable[[], Run]) -> Run:
        file = self._folder / f"{stable_hash(key)[:32]}.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with _alone(file.with_suffix(".lock")):
                found = _read(file)
                if found is None:
                    found = make()
                    _write(file, found)
                return found
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InfrastructureError(f"{file}: {reason}", type="harness") from None


def _read(file: Path) -> Run | None:
    try:
        return _RUN.validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _write(file: Path, run: Run) -> None:
    temporary = file.with_name(f".{file.name}.{os.getpid()}.writing")
    temporary.write_bytes(_RUN.dump_json(run))
    temporary.replace(file)


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Hold a lock that ends with this process; others wait."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
