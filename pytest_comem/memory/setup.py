"""What a memory instance is given to work with, and the one place that makes it."""

from __future__ import annotations

import itertools
import secrets
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, final

from pytest_comem.core.steps import safe
from pytest_comem.embedders.noted import NotedEmbedder
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import MemorySystem, OptionValue
from pytest_comem.removal import remove_tree

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.llm.calls import ModelSpec

#: Characters of a namespace, and of the part of a directory's name that helps people.
_LONGEST: Final = 63
_LONGEST_NAME: Final = 100
#: One library at a time is imported in a process: large ones that share dependencies with lazy
#: modules of their own break when two threads import them at once.
_importing: Final = threading.RLock()


class Endpoint(Protocol):
    """Where libraries that want an OpenAI-compatible server send their own calls.

    Reading an address starts our loopback server.
    """

    @property
    def chat_url(self) -> str:
        """Base URL for chat completions, ending in ``/v1``."""

    @property
    def chat_model(self) -> str:
        """Model name to ask for there."""

    @property
    def embedding_url(self) -> str:
        """Base URL for embeddings, ending in ``/v1``; serves the run's embedder."""

    @property
    def embedding_model(self) -> str:
        """Model name to ask for there."""

    @property
    def api_key(self) -> str:
        """Key for both, which is none: keys of the user's stay with the door."""


class InstanceEndpoint(Endpoint, Protocol):
    """An endpoint of one memory instance's own."""

    def close(self) -> None:
        """Answer no further call of the instance."""


class OwnedEndpoint(Endpoint, Protocol):
    """An endpoint as its owner has it; its model's name is the one the user gave."""

    @property
    def spec(self) -> ModelSpec | None:
        """The model behind it; ``None`` for the scripted one."""

    def of(self, meter: Meter) -> InstanceEndpoint:
        """Return the endpoint of one instance, whose calls are counted in *meter*."""

    def close(self) -> None:
        """Stop what was started."""


@final
class Setup:
    """What one memory instance is given; nothing of another instance can be found through it.

    That holds for what a library does with a directory, a name and addresses. Python code in this
    process can still read the process' memory and climb to the run's own directory: a system that
    is not to be trusted with that runs elsewhere (``own_process`` keeps its memory apart).

    :param place: directory of this instance alone, not made yet.
    :param options: the system's effective settings.
    :param top_k: items for one query, at most.
    :param embedder: the run's embedder.
    :param endpoint: an OpenAI-compatible server for the library's own calls.
    :param seed: of everything random.
    :param keep: the directory stays when the set-up is discarded.
    :param around: what is removed with it; the directory itself when not given.
    :param release: called when the set-up is discarded.
    """

    def __init__(
        self,
        place: Path,
        *,
        options: Mapping[str, OptionValue],
        top_k: int,
        embedder: Embedder,
        endpoint: Endpoint,
        seed: int = 0,
        around: Path | None = None,
        keep: bool = False,
        release: Callable[[], None] | None = None,
    ) -> None:
        self._place = place
        self._around = around or place
        self._keep = keep
        self._release = release
        # A library may write into the configuration it is given.
        self.options = dict(options)
        self.top_k = top_k
        self.embedder = embedder
        self.endpoint = endpoint
        self.seed = seed

    @property
    def directory(self) -> Path:
        """Directory of this instance alone; made when first asked for."""
        self._place.mkdir(parents=True, exist_ok=True)
        return self._place

    @property
    def namespace(self) -> str:
        """A name no other instance has, of other runs and processes neither.

        Letters, digits, dashes and underscores, at most 63 of them, with a letter or digit at both
        ends: what vector stores take as the name of a collection.
        """
        unique = safe(f"comem-{self._place.parent.name}-{self._place.name}").replace(".", "_")
        return unique[:_LONGEST].strip("-_")

    def discard(self) -> None:
        """Remove the directory and everything in it, and give up the endpoint."""
        if self._release is not None:
            self._release()
        if not self._keep:
            with suppress(OSError):
                remove_tree(self._around)


@final
class Workshop:
    """Makes set-ups: one embedder and one endpoint a process, one directory an instance.

    Each directory has a parent of its own with a name that cannot be guessed, and what is above
    cannot be listed (except by root): no instance comes upon another's by looking around.

    :param root: where directories are made; a temporary one when ``None``.
    :param keep: directories stay when their set-ups are discarded and the workshop is closed.
    """

    def __init__(
        self,
        root: Path | None,
        *,
        embedder: Embedder,
        endpoint: OwnedEndpoint,
        seed: int = 0,
        keep: bool = False,
    ) -> None:
        self._given = root
        self._keep = keep
        self._root: Path | None = None
        self.embedder = embedder
        self.endpoint = endpoint
        self._seed = seed
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._prepared: set[type[MemorySystem]] = set()
        self._opened: set[type[MemorySystem]] = set()

    def setup(
        self,
        name: str,
        *,
        options: Mapping[str, OptionValue],
        top_k: int,
        meter: Meter | None = None,
    ) -> Setup:
        """Return a set-up whose directory has *name* in it and is no other's.

        :param meter: counts the library's own calls of models; a fresh one when not given.
        """
        with self._lock:
            around = self._home / secrets.token_hex(8)
            place = around / f"{next(self._numbers):04}-{safe(name)[:_LONGEST_NAME]}"
        meter = meter or Meter(name)
        endpoint = self.endpoint.of(meter)
        return Setup(
            place,
            options=options,
            top_k=top_k,
            embedder=NotedEmbedder(self.embedder, meter),
            endpoint=endpoint,
            seed=self._seed + meter.repeat,
            around=around,
            keep=self._keep,
            release=endpoint.close,
        )

    def prepare(self, system: type[MemorySystem]) -> None:
        """Get the process ready for *system*, once."""
        if system in self._prepared:
            return
        with _importing:
            if system in self._prepared:
                return
            if _prepares(system):
                home = self._home / "home"
                home.mkdir(exist_ok=True)
                system.prepare(home)
            self._prepared.add(system)

    def open(self, system: type[MemorySystem], setup: Setup) -> MemorySystem:
        """Return an instance of *system*; the first one of a library alone, for its imports."""
        if system.packages and system not in self._opened:
            with _importing:
                if system not in self._opened:
                    self.prepare(system)
                    memory = system.open(setup)
                    self._opened.add(system)
                    return memory
        self.prepare(system)
        return system.open(setup)

    def close(self) -> None:
        """Stop the endpoint and remove everything made here, unless it is to be kept."""
        self.endpoint.close()
        if self._root is None:
            return
        with suppress(OSError):
            if self._keep:
                self._root.chmod(0o700)
            else:
                remove_tree(self._root)

    @property
    def _home(self) -> Path:
        if self._root is None:
            parent = self._given
            if parent is not None:
                parent.mkdir(parents=True, exist_ok=True)
            self._root = Path(tempfile.mkdtemp(prefix="comem-", dir=parent)).absolute()
            self._root.chmod(0o300)
        return self._root


def _prepares(system: type[MemorySystem]) -> bool:
    inherited = getattr(MemorySystem.prepare, "__func__", None)
    return getattr(system.prepare, "__func__", None) is not inherited
