"""A run's settings as they are sent to the workers, which make everything else from them."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from pytest_comem.errors import SettingsError
from pytest_comem.materials import Materials, Surroundings
from pytest_comem.settings import Settings

if TYPE_CHECKING:
    from pytest_comem.memory.wanted import Wanted


@final
@dataclass(frozen=True, slots=True)
class Parcel:
    """What a worker is sent once an episode; some kilobytes.

    :param token: names the run, among all that a worker may have seen.
    :param settings: of the run, as a worker takes them.
    :param wanted: the memory systems asked for.
    :param factories: those that plugins of the project offer, pickled by their names.
    :param asked: names of the benchmarks asked for.
    """

    token: str
    settings: Settings
    wanted: Sequence[Wanted]
    factories: Mapping[str, bytes]
    asked: frozenset[str]

    @classmethod
    def of(cls, materials: Materials, token: str) -> Parcel:
        """Return the parcel of a run.

        :raises SettingsError: where a plugin's memory system has no name by which another process
            could import it.
        """
        settings, surroundings = materials.settings, materials.surroundings
        heads = {one.name.partition(":")[0] for one in surroundings.wanted}
        return cls(
            token,
            # A worker neither records nor goes on with anything.
            replace(settings, resume=None, run_dir=None, backend="", keep_state=False),
            list(surroundings.wanted),
            {
                name: _pickled(name, factory)
                for name, factory in surroundings.registered.items()
                if name in heads
            },
            surroundings.asked,
        )

    def materials(self, run_path: Path, worker: str) -> Materials:
        """Return what the run is made of in this process.

        :param run_path: where memory systems may store things.
        :param worker: name of this process.
        :raises SettingsError: where a plugin's memory system cannot be imported here.
        """
        directory = Path.cwd()
        registered = {
            name: _unpickled(name, pickled, directory) for name, pickled in self.factories.items()
        }
        surroundings = Surroundings(
            run_path, directory, self.wanted, registered, worker, asked=self.asked
        )
        return Materials(self.settings, surroundings)


def _pickled(name: str, factory: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps(factory)
    except Exception as error:
        raise SettingsError(
            f"--comem-backend: the memory system {name} cannot be sent to workers ({error}); "
            "let the hook pytest_comem_memory_systems return a class or function of a module"
        ) from error


def _unpickled(name: str, pickled: bytes, directory: Path) -> Callable[[], Any]:
    try:
        with _beside(directory):
            found: Callable[[], Any] = pickle.loads(pickled)
    except Exception as error:
        raise SettingsError(
            f"cannot import the memory system {name} ({type(error).__name__}: {error}): install "
            "its module there, or start the workers in the project's directory"
        ) from error
    return found


@contextmanager
def _beside(directory: Path) -> Iterator[None]:
    """Let modules in *directory* be imported meanwhile."""
    place = str(directory)
    if place in sys.path:
        yield
        return
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)
