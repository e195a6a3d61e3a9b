"""How a script opens the system of a run: by which name, with which settings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from pytest_comem.errors import SettingsError
from pytest_comem.memory.options import effective_options
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.wanted import Wanted


def arguments_of(system: SystemUnderTest, embedder: str = "hash") -> str:
    """Return the arguments of ``open_memory`` for a system of a run, as source.

    :param embedder: name of the run's.
    """
    name = _name_for(system) or system.name
    presets = getattr(system.factory, "presets", {})
    variant = name.partition(":")[2]
    known = effective_options(
        name,
        defaults=getattr(system.factory, "options", {}),
        presets=presets,
        variant=variant if variant in presets else "",
        shared={},
        own={},
    )
    differing = {key: value for key, value in system.options.items() if known.get(key) != value}
    more = f", options={differing!r}" if differing else ""
    return f"{name!r}{more}" + (f", embedder={embedder!r}" if embedder != "hash" else "")


def can_be_opened(system: SystemUnderTest) -> bool:
    """Whether a script can open it: it is neither made by a function nor hidden in a conftest."""
    return _name_for(system) is not None


def _name_for(system: SystemUnderTest) -> str | None:
    """Return the first name that means the same without the run's plugins, if any does."""
    for name in _names(system):
        # With all settings, as a variant may be the user's own.
        wanted = Wanted(name, system.top_k, name, shared={}, own=system.options)
        try:
            found = Catalogue({}, Path.cwd()).find(wanted, system.workshop)
        except SettingsError:
            continue
        if found.factory is system.factory:
            return name
    return None


def _names(system: SystemUnderTest) -> Iterator[str]:
    head, _, variant = system.name.partition(":")
    is_preset = variant in getattr(system.factory, "presets", {})
    yield system.name if is_preset else head
    factory = system.factory
    if isinstance(factory, type) and _is_importable(factory.__module__):
        yield f"{factory.__module__}:{factory.__qualname__}"


def _is_importable(name: str) -> bool:
    """Whether an import in another process finds the module of that name."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and _file_of(name) == file


def _file_of(name: str) -> str | None:
    """Return where a module would be imported from, whatever is imported already."""
    path = None
    spec = None
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        part = ".".join(parts[:length])
        specs = (finder.find_spec(part, path) for finder in sys.meta_path)
        spec = next((one for one in specs if one is not None), None)
        if spec is None and length == 1:
            spec = PathFinder.find_spec(part, [str(Path.cwd())])
        if spec is None or (length < len(parts) and spec.submodule_search_locations is None):
            return None
        path = spec.submodule_search_locations
    return None if spec is None else spec.origin
