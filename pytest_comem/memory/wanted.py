"""Which memory systems a run asks for, and with which settings, from wherever the user says so."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from pytest_comem.errors import SettingsError
from pytest_comem.memory.component_names import COMPONENT, ComponentName, component_labels
from pytest_comem.memory.options import read_assignments
from pytest_comem.settings import Settings
from pytest_comem.suggest import did_you_mean

_Given = Mapping[str, Mapping[str, object]]


@final
@dataclass(frozen=True, slots=True)
class Wanted:
    """A memory system as the user asked for it.

    :param name: ``name``, ``name:variant`` or ``module:Class``; ``cmd:LABEL`` for a program.
    :param top_k: items for one query, at most.
    :param label: what it is called in ids and tables.
    :param budget: tokens that what it recalls is cut to; ``None`` for no bound.
    :param shared: the user's settings for the name before the colon.
    :param own: the user's settings for exactly this name; they win over presets.
    """

    name: str
    top_k: int
    label: str
    shared: Mapping[str, object]
    own: Mapping[str, object]
    budget: int | None = None


def wanted_systems(settings: Settings, pyproject: Path) -> list[Wanted]:
    """Return every system of a run, each with every top-k and budget of a sweep, in order.

    :param pyproject: file whose table ``tool.comem.systems`` holds settings by system; it may be
        missing.
    :raises SettingsError: for settings of a system that is not part of the run, or unreadable ones.
    """
    configured = _configured(pyproject)
    defaults = read_assignments(settings.memory_defaults)
    assigned = read_assignments(settings.memory_options)
    components = component_labels(settings.memory_systems)
    systems = [(name, components.get(name)) for name in settings.memory_systems]
    known = [each for name, component in systems for each in _known_as(name, component)]
    for system in assigned:
        if system not in known:
            raise SettingsError(
                f"--memory-option {system}.KEY: no such system in this run; "
                f"{did_you_mean(system, list(dict.fromkeys(known)))}"
            )
    sources = (configured, defaults, assigned)
    budgets = settings.recall_budgets or (None,)
    return [
        Wanted(
            name if component is None else f"{COMPONENT}:{component.label}",
            top_k,
            f"{name if component is None else component.label}"
            f"{_swept('k', top_k, settings.top_k)}{_swept('b', budget, budgets)}",
            shared=_shared(name, component, *sources),
            own=_own(name, component, *sources),
            budget=budget,
        )
        for name, component in systems
        for top_k in settings.top_k
        for budget in budgets
    ]


def _known_as(name: str, component: ComponentName | None) -> Sequence[str]:
    """Return the names under which a system may have settings."""
    if component is None:
        return (name, name.partition(":")[0])
    return (component.label, COMPONENT)


def _shared(name: str, component: ComponentName | None, *sources: _Given) -> dict[str, object]:
    if component is not None:
        return _merged(COMPONENT, *sources)
    return _merged(name.partition(":")[0], *sources) if ":" in name else {}


def _own(name: str, component: ComponentName | None, *sources: _Given) -> dict[str, object]:
    if component is None:
        return _merged(name, *sources)
    command = {} if component.command is None else {"command": component.command}
    return {**_merged(component.label, *sources), **command}


def _swept(letter: str, value: int | None, values: Sequence[int | None]) -> str:
    """Return what tells the rows of a sweep apart; nothing where there is none."""
    return f"-{letter}{value}" if len(values) > 1 else ""


def _merged(name: str, *sources: _Given) -> dict[str, object]:
    """Return the settings for *name*; later sources win."""
    return {key: value for source in sources for key, value in source.get(name, {}).items()}


def _configured(pyproject: Path) -> dict[str, dict[str, object]]:
    if not pyproject.is_file():
        return {}
    try:
        document: dict[str, Any] = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{pyproject}: not TOML: {error}") from None
    systems: Any = document
    for key in ("tool", "comem", "systems"):
        systems = systems.get(key, {})
        if not isinstance(systems, dict):
            raise SettingsError(f"{pyproject}: {key} of tool.comem.systems is not a table")
    for name, table in systems.items():
        if not isinstance(table, dict):
            raise SettingsError(f"{pyproject}: tool.comem.systems.{name}: not a table of settings")
    return dict(systems)
