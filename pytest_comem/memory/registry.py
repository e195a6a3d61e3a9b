"""From the name on the command line to a factory of fresh memory systems."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem
from pytest_comem.suggest import did_you_mean

#: Our own systems; imported when asked for.
BUILT_IN: Final = {
    "none": "pytest_comem.memory.simple:NoMemory",
    "full-context": "pytest_comem.memory.simple:FullContext",
    "bm25": "pytest_comem.memory.bm25:BM25",
    "rag-policy": "pytest_comem.memory.rag_policy:RagPolicy",
    "rag-governed": "pytest_comem.memory.rag_governed:RagGoverned",
    "oracle": "pytest_comem.memory.oracle:Oracle",
}


@final
@dataclass(frozen=True, slots=True)
class SystemUnderTest:
    """A memory system of this run.

    :param info: name, version and configuration hash.
    :param capabilities: what it does by itself.
    :param make: returns a fresh, empty instance.
    """

    info: SystemInfo
    capabilities: Capabilities
    make: Callable[[], MemorySystem]


def find_system(
    name: str, registered: Mapping[str, Callable[[], MemorySystem]], directory: Path
) -> SystemUnderTest:
    """Return the system called *name*: built in, registered by a plugin, or a class path.

    :param directory: where class paths are looked up beside the import path.
    :raises SettingsError: naming what is wrong with it and the nearest known names.
    """
    if name in registered:
        factory = registered[name]
        return _described(name, factory, getattr(factory, "__module__", "") or "")
    if name in BUILT_IN:
        return _described(name, _class_at(BUILT_IN[name], directory), BUILT_IN[name])
    if ":" in name:
        return _described(name, _class_at(name, directory), name)
    raise SettingsError(
        f"--memory-system: {name!r} is unknown; "
        f"{did_you_mean(name, [*BUILT_IN, *registered])} "
        "A system of your own is given as package.module:Class."
    )


def _described(name: str, factory: Callable[[], MemorySystem], origin: str) -> SystemUnderTest:
    version = str(getattr(factory, "version", "unknown"))
    capabilities = getattr(factory, "capabilities", Capabilities())
    info = SystemInfo(
        name=name,
        version=version,
        configuration=stable_hash({"origin": origin, "version": version}),
        reference=capabilities.reference,
    )
    return SystemUnderTest(info, capabilities, factory)


def _class_at(path: str, directory: Path) -> Callable[[], MemorySystem]:
    module_name, _, class_name = path.partition(":")
    try:
        module = _import_beside(module_name, directory)
    except ImportError as error:
        raise SettingsError(f"--memory-system: {path!r} cannot be imported: {error}") from error
    except Exception as error:
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
