"""What ``comem doctor`` prints: the effective configuration, and what the probe saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from pytest_comem.engine.doctor import Check
from pytest_comem.memory.base import MemorySystem, OptionValue
from pytest_comem.memory.registry import SystemUnderTest


def configuration(system: SystemUnderTest) -> Iterator[str]:
    """Yield lines on what the system is and how it is set up."""
    yield f"{system.info.name}: {system.info.version}"
    for name, value in sorted(system.options.items()):
        default = getattr(system.factory, "options", {}).get(name)
        mark = "" if value == default else f"   (default {default!r})"
        yield f"  {name} = {value!r}{mark}"
    for name, value in getattr(system.factory, "fixed", {}).items():
        yield f"  {name} = {value!r}   (stated by the adapter)"
    for name, value in sorted(_surroundings(system).items()):
        yield f"  {name} = {value!r}   (found here)"
    yield f"  top-k = {system.top_k}"
    endpoint = system.workshop.endpoint
    yield f"  embedder = {system.workshop.embedder.name if _needs(system, 'embedder') else 'none'}"
    yield f"  model = {endpoint.chat_model if _needs(system, 'model') else 'none'}"
    yield f"  declares: {', '.join(declared(system)) or 'nothing'}"


def declared(system: SystemUnderTest) -> list[str]:
    """Return the names of the capabilities a system declares."""
    capabilities = system.capabilities
    return [
        field.name.replace("_", " ")
        for field in fields(capabilities)
        if getattr(capabilities, field.name)
    ]


def findings(checks: Sequence[Check]) -> Iterator[str]:
    """Yield a line a check."""
    for check in checks:
        yield f"  {'ok  ' if check.passed else 'FAIL'} {check.name}: {check.detail}"


def _surroundings(system: SystemUnderTest) -> Mapping[str, OptionValue]:
    factory = system.factory
    if isinstance(factory, type) and issubclass(factory, MemorySystem):
        return factory.surroundings()
    return {}


def _needs(system: SystemUnderTest, what: str) -> bool:
    return bool(getattr(system.capabilities, f"needs_{what}"))
