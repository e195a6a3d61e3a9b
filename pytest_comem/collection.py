"""How the shipped suites become items whose ids do not depend on where they are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Container, Iterable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Final, final

import pytest

from pytest_comem.assembly import GATEMEM
from pytest_comem.core.steps import RunKey, Step
from pytest_comem.locations import suite_names, suites_root

_LATE: Final = 1 << 40
#: The suite that is no benchmark: it has promises, and no steps.
CONTRACT: Final = "contract"
#: Where our own fixtures are.
_PLUGIN: Final = "pytest_comem.plugin"


@final
class SuiteModule(pytest.Module):
    """A shipped suite's file: its id starts at the suites' root, wherever pytest was started.

    It is imported under a name of its own, so that a file of the same name in the user's project
    cannot collide with it, and without assertion rewriting, because outcomes explain themselves.
    """

    def funcnamefilter(self, name: str) -> bool:
        """Collect ``test_*`` whatever the project's own naming rules are."""
        return name.startswith("test_")

    def line_of(self, item: pytest.Function) -> int:
        """Return the line of an item's test, counted from 0; all items of a test have the same."""
        name = item.originalname
        if name not in self._lines:
            self._lines[name] = item.function.__code__.co_firstlineno - 1
        return self._lines[name]

    @cached_property
    def _lines(self) -> dict[str, int]:
        return {}

    def _getobj(self) -> ModuleType:
        relative = self.path.relative_to(suites_root()).with_suffix("")
        name = ".".join(("pytest_comem_suites", *relative.parts))
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise self.CollectError(f"cannot import {self.path}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        from pytest_comem import plugin

        # As the module's own they come before fixtures of a project that have the same names.
        vars(module).update(outcome=plugin.outcome, contract=plugin.contract)
        return module


def suite_module(path: Path, parent: Any) -> SuiteModule | None:
    """Return a collector where *path* is a file of a shipped suite."""
    try:
        relative = path.relative_to(suites_root())
    except ValueError:
        return None
    module: SuiteModule = SuiteModule.from_parent(parent, path=path, nodeid=relative.as_posix())
    # The same as between items, see ComemSession.before.
    module.add_marker(pytest.mark.filterwarnings("ignore"))
    return module


def resolve_arguments(config: pytest.Config, *, default_to_suites: bool, collects: bool) -> None:
    """Turn suite names and ids among pytest's arguments into paths of the shipped suites.

    :param default_to_suites: with no argument on the command line, run all shipped suites.
    :param collects: false for the controller of a parallel run, whose arguments go to the workers:
        they stay names there, because pytest looks for a project's ini file beside paths.
    """
    names = suite_names()
    if default_to_suites and config.args_source != config.ArgsSource.ARGS:
        config.args[:] = list(names)
    if not collects:
        return
    resolved: list[str] = []
    for argument in config.args:
        place, separator, selection = argument.partition("::")
        head, _, rest = place.partition("/")
        if head not in names:
            resolved.append(argument)
        elif rest.strip("/"):
            resolved.append(str(suites_root() / head / rest) + separator + selection)
        else:
            resolved.extend(_files(head))
    config.args[:] = resolved


def asked_suites(arguments: Iterable[str]) -> frozenset[str]:
    """Return the names of the benchmarks that pytest's arguments ask for.

    :param arguments: names of suites, or paths. What is no suite of ours may be a project's own
        tests of GateMem's checkpoints.
    """
    found = {_suite_of(argument.partition("::")[0]) for argument in arguments}
    return frozenset(found - {CONTRACT})


def _suite_of(place: str) -> str:
    head = place.partition("/")[0]
    if head in suite_names():
        return head
    path = Path(place)
    if path.is_relative_to(suites_root()) and path != suites_root():
        return path.relative_to(suites_root()).parts[0]
    return GATEMEM


def _files(suite: str) -> list[str]:
    return [str(path) for path in sorted((suites_root() / suite).glob("test_*.py"))]


def step_of(item: pytest.Item) -> Step | None:
    """Return the step an item is parametrized with, or ``None``."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return None
    for value in callspec.params.values():
        if isinstance(value, Step):
            return value
    return None


def wanted_step(item: pytest.Item) -> Step | None:
    """Return the step whose outcome an item asks for, or ``None``."""
    return step_of(item) if "outcome" in _fixtures(item) else None


def is_shipped(item: pytest.Item) -> bool:
    """Whether an item is of a shipped suite."""
    return isinstance(item.parent, SuiteModule)


def drop_left_out(items: list[pytest.Item], parameters: Container[str]) -> None:
    """Take out the tests of shipped benchmarks that this run leaves out.

    :param parameters: of the benchmarks that it has, even where one has no step.
    """
    items[:] = [
        item
        for item in items
        if not (is_shipped(item) and "outcome" in _fixtures(item))
        or any(name in parameters for name in _fixtures(item))
    ]


def _fixtures(item: pytest.Item) -> Iterable[str]:
    return getattr(item, "fixturenames", ())


def is_ours_to_give(metafunc: pytest.Metafunc, name: str) -> bool:
    """Whether a test asks for *name* and means what we have under it.

    A project may have a fixture of that name of its own, or parametrize it itself.
    """
    if name not in metafunc.fixturenames:
        return False
    if metafunc.definition.getparent(SuiteModule) is not None:
        return True
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        if name in (names.replace(",", " ").split() if isinstance(names, str) else names):
            return False
    known = metafunc.definition._fixtureinfo.name2fixturedefs.get(name, ())
    return not known or known[-1].func.__module__ == _PLUGIN


def tidy(item: pytest.Item) -> None:
    """Make a suite item's shown location agree with its id."""
    if isinstance(item, pytest.Function) and isinstance(item.parent, SuiteModule):
        # Set before pytest computes it, which looks up the source of every item anew.
        line = item.parent.line_of(item)
        item.__dict__["location"] = (item.parent.nodeid, line, item.name)


def in_playing_order(
    items: list[pytest.Item], runs: dict[RunKey, int], *, abreast: int = 1
) -> None:
    """Sort steps by episode and position; everything else keeps its place before them.

    Stable, so that several tests of one step stay in their order.

    :param runs: rank of every :attr:`Step.run`.
    :param abreast: episodes whose steps take turns, so that each is reported soon after it has
        been played.
    """

    def rank(item: pytest.Item) -> tuple[int, int, int]:
        step = step_of(item)
        if step is None:
            return (-1, 0, 0)
        run = runs.get(step.run, _LATE)
        return (run // abreast, step.position, run)

    items.sort(key=rank)
