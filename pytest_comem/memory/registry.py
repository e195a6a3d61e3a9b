"""From the name on the command line to a factory of fresh memory systems."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.errors import SettingsError
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue
from pytest_comem.memory.component_names import COMMA_HINT, COMPONENT
from pytest_comem.memory.options import effective_options
from pytest_comem.memory.packages import version_of
from pytest_comem.memory.setup import Setup, Workshop
from pytest_comem.memory.wanted import Wanted
from pytest_comem.suggest import did_you_mean

#: Systems that come with the package; imported when asked for.
BUILT_IN: Final = {
    "none": "pytest_comem.memory.simple:NoMemory",
    "full-context": "pytest_comem.memory.simple:FullContext",
    "bm25": "pytest_comem.memory.bm25:BM25",
    "rag-policy": "pytest_comem.memory.rag_policy:RagPolicy",
    "rag-governed": "pytest_comem.memory.rag_governed:RagGoverned",
    "oracle": "pytest_comem.memory.oracle:Oracle",
    "rag": "pytest_comem.memory.rag:Rag",
    "mem0": "pytest_comem.memory.mem0:Mem0",
    "langmem": "pytest_comem.memory.langmem:LangMem",
    "a-mem": "pytest_comem.memory.a_mem:AMem",
    "memos": "pytest_comem.memory.memos:MemOS",
    "supermemory": "pytest_comem.memory.supermemory:Supermemory",
    "memorybank": "pytest_comem.memory.memorybank:MemoryBank",
    "remem-single": "pytest_comem.memory.remem:ReMemSingle",
    "remem-iterative": "pytest_comem.memory.remem:ReMemIterative",
    "plugmem": "pytest_comem.memory.plugmem:PlugMem",
    "graphiti": "pytest_comem.memory.graphiti:Graphiti",
}
#: A program of the user's; what stands behind the colon is its label.
_PROGRAM: Final = "pytest_comem.memory.component:ComponentMemory"
#: Other names, such as those that CoMemBench's paper has for what GateMem's calls otherwise.
ALIASES: Final = {"local-only": "none", "shared-flat-rag": "bm25"}
#: What a class that declares a capability has to define.
_OPERATIONS: Final = {
    "deletes": "delete",
    "updates": "update",
    "lists": "entries",
    "principals": "recall_of",
    "deletes_principals": "delete_principal",
}
#: Entry points of this group are memory systems of installed packages.
GROUP: Final = "pytest_comem.memory_systems"


@final
@dataclass(frozen=True, slots=True)
class SystemUnderTest:
    """A memory system of this run.

    :param info: label, version and configuration hash.
    :param capabilities: what it does by itself.
    :param factory: the class, or whatever a plugin registered.
    :param options: effective settings.
    :param workshop: makes what its instances work with.
    :param name: as it was asked for; in a sweep the label has the top-k behind it.
    """

    info: SystemInfo
    capabilities: Capabilities
    factory: Callable[[], MemorySystem]
    options: Mapping[str, OptionValue]
    workshop: Workshop
    name: str

    @property
    def top_k(self) -> int:
        """Items for one query, at most."""
        return self.info.top_k

    def setup(self, name: str, meter: Meter | None = None) -> Setup:
        """Return a fresh set-up; *name* only helps people to find its directory.

        :param meter: counts the library's own calls of models; a fresh one when not given.
        """
        return self.workshop.setup(
            f"{self.info.name}-{name}", options=self.options, top_k=self.top_k, meter=meter
        )

    def open(self, setup: Setup) -> MemorySystem:
        """Return an instance on *setup*."""
        if not _is_system(self.factory):
            return self.factory()
        system: type[MemorySystem] = self.factory  # type: ignore[assignment]
        if system.own_process:
            from pytest_comem.memory.worker import open_in_worker

            return open_in_worker(system, setup)
        return self.workshop.open(system, setup)

    @contextmanager
    def opened(self, name: str) -> Iterator[MemorySystem]:
        """Open a fresh instance, and close and discard it afterwards."""
        setup = self.setup(name)
        try:
            memory = self.open(setup)
            try:
                yield memory
            finally:
                memory.close()
        finally:
            setup.discard()


@final
class Catalogue:
    """Every name that can be asked for: built in, installed, or registered by a plugin.

    :param registered: what plugins returned from the hook.
    :param directory: where class paths are looked up beside the import path.
    """

    def __init__(
        self, registered: Mapping[str, Callable[[], MemorySystem]], directory: Path
    ) -> None:
        self._registered = registered
        self._directory = directory

    def find(self, wanted: Wanted, workshop: Workshop) -> SystemUnderTest:
        """Return the system the user asked for.

        :raises SettingsError: naming what is wrong with it and the nearest known names.
        """
        factory, origin, variant = self._resolve(wanted.name)
        options = effective_options(
            wanted.name,
            defaults=getattr(factory, "options", {}),
            presets=getattr(factory, "presets", {}),
            variant=variant,
            shared=wanted.shared,
            own=wanted.own,
        )
        version = version_of(wanted.name, factory)
        capabilities = getattr(factory, "capabilities", Capabilities())
        surroundings: Mapping[str, OptionValue] = {}
        if isinstance(factory, type) and issubclass(factory, MemorySystem):
            factory.check(options)
            capabilities = factory.capabilities_with(options)
            _refuse_undefined(wanted.name, factory, capabilities)
            surroundings = dict(sorted(factory.surroundings_with(options).items()))
        embedder = workshop.embedder.name if capabilities.needs_embedder else None
        model = workshop.endpoint.chat_model if capabilities.needs_model else None
        spec = workshop.endpoint.spec if capabilities.needs_model else None
        server = "" if spec is None else spec.server
        info = SystemInfo(
            name=wanted.label,
            version=version,
            configuration=stable_hash(
                {
                    "origin": origin,
                    "version": version,
                    "options": dict(sorted(options.items())),
                    "embedder": embedder,
                    "model": model,
                    # Absent where there are none, so that most hashes stay what they were.
                    **({"server": server} if server else {}),
                    **({"surroundings": surroundings} if surroundings else {}),
                    **({"budget": wanted.budget} if wanted.budget is not None else {}),
                }
            ),
            reference=capabilities.reference,
            top_k=wanted.top_k,
            budget=wanted.budget,
        )
        return SystemUnderTest(info, capabilities, factory, options, workshop, wanted.name)

    def _resolve(self, name: str) -> tuple[Callable[[], MemorySystem], str, str]:
        """Return factory, origin and variant."""
        head, _, variant = name.partition(":")
        head = head if head in self._registered else ALIASES.get(head, head)
        if head in self._registered:
            factory = self._registered[head]
            return factory, getattr(factory, "__module__", "") or "", variant
        if head in BUILT_IN:
            return _class_at(BUILT_IN[head], self._directory), BUILT_IN[head], variant
        if head == COMPONENT:
            return _class_at(_PROGRAM, self._directory), _PROGRAM, ""
        for point in entry_points(group=GROUP, name=head):
            return _class_at(point.value, self._directory), point.value, variant
        if variant:
            return _class_at(name, self._directory), name, ""
        known = [
            *BUILT_IN,
            COMPONENT,
            *ALIASES,
            *self._registered,
            *entry_points(group=GROUP).names,
        ]
        raise SettingsError(
            f"--memory-system: {name!r} is unknown; {did_you_mean(name, known)} "
            "A system of your own is given as package.module:Class, a program as "
            f"{COMPONENT}:PROGRAM ARGS ({COMMA_HINT})."
        )


def _class_at(path: str, directory: Path) -> Callable[[], MemorySystem]:
    module_name, _, class_name = path.partition(":")
    try:
        module = _import_beside(module_name, directory)
    except ImportError as error:
        raise SettingsError(f"--memory-system: {path!r} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise SettingsError(
            f"--memory-system: importing {module_name!r} raised {type(error).__name__}: {error}"
        ) from error
    found = getattr(module, class_name, None)
    if found is None:
        names = [name for name, value in vars(module).items() if _is_system(value)]
        hint = did_you_mean(class_name, names) if names else "it defines no MemorySystem."
        raise SettingsError(f"--memory-system: {module_name} has no {class_name!r}; {hint}")
    if not _is_system(found):
        raise SettingsError(
            f"--memory-system: {path} is not a subclass of pytest_comem.memory.base.MemorySystem."
        )
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    if missing:
        raise SettingsError(f"--memory-system: {path} does not define {', '.join(missing)}().")
    make: Callable[[], MemorySystem] = found
    return make


def _refuse_undefined(name: str, system: type[MemorySystem], capabilities: Capabilities) -> None:
    """Refuse a class that declares what it does not define."""
    for capability, operation in _OPERATIONS.items():
        inherited = getattr(system, operation) is getattr(MemorySystem, operation)
        if getattr(capabilities, capability) and inherited:
            raise SettingsError(
                f"--memory-system: {name} declares {capability!r} and does not define {operation}()"
            )


def _is_system(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, MemorySystem) and value is not MemorySystem


def _import_beside(module_name: str, directory: Path) -> object:
    """Import a module, also from *directory*, as ``python -m pytest`` would find it."""
    place = str(directory)
    if place in sys.path:
        return importlib.import_module(module_name)
    sys.path.insert(0, place)
    try:
        return importlib.import_module(module_name)
    finally:
        sys.path.remove(place)
