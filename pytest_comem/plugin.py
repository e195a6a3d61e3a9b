"""The pytest plugin: options and hooks, each a few lines, nothing heavy imported.

A project that merely has the plugin installed pays for this module, the option table and nothing
else: :mod:`pytest_comem.session` is imported only when ``--memory-system`` is in force.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_comem import reading
from pytest_comem.stash import SESSION

if TYPE_CHECKING:
    from pytest_comem.contract.items import Contract
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.memory.base import MemorySystem


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    reading.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks third parties implement."""
    from pytest_comem import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Start a session of ours where a memory system is named."""
    settings = reading.read_settings(config)
    if settings.active:
        from pytest_comem.active import ActiveHooks
        from pytest_comem.collection import resolve_arguments
        from pytest_comem.session import ComemSession

        session = config.stash[SESSION] = ComemSession(config, settings)
        config.pluginmanager.register(ActiveHooks(session), "comem-active")
        resolve_arguments(
            config,
            default_to_suites=reading.given_on_command_line(config, "--memory-system"),
            collects=not session.is_controller,
        )
    else:
        reading.require_system(config)


@pytest.fixture
def outcome(request: pytest.FixtureRequest) -> Outcome:
    """The outcome of the step this test is parametrized with; waits until it has been played."""
    session = request.config.stash.get(SESSION, None)
    if session is None:
        raise pytest.UsageError("the outcome fixture needs --memory-system NAME")
    return session.outcome_of(request.node)


@pytest.fixture
def contract(request: pytest.FixtureRequest) -> Contract:
    """Holds a promise of the memory contract against the memory system of this test."""
    session = request.config.stash.get(SESSION, None)
    if session is None:
        raise pytest.UsageError("the contract fixture needs --memory-system NAME")
    return session.contract.contract(request.node, session.systems[request.param])


@pytest.fixture
def memory_system(request: pytest.FixtureRequest) -> Generator[MemorySystem]:
    """A fresh memory system of each kind named by ``--memory-system``, closed after the test."""
    session = request.config.stash.get(SESSION, None)
    if session is None:
        pytest.skip("needs --memory-system NAME")
    with session.opened(request.param, request.node.name) as memory:
        yield memory
