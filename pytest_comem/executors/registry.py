"""Executors by name: the seam for other ways to organise the work."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Final

from pytest_comem.errors import SettingsError
from pytest_comem.executors.base import Executor
from pytest_comem.suggest import did_you_mean


def _topology() -> Executor:
    from pytest_comem.executors.topology import TopologyExecutor

    return TopologyExecutor()


#: What the package brings.
EXECUTORS: Final[Mapping[str, Callable[[], Executor]]] = {"topology": _topology}


def find_executor(name: str, more: Mapping[str, Callable[[], Executor]] | None = None) -> Executor:
    """Return an executor by its name, or ``process:COMMAND`` for a program's.

    :param more: what others offer, by name; theirs come first.
    :raises SettingsError: where nobody has it, naming the nearest.
    """
    head, separator, command = name.partition(":")
    if head == "process" and separator:
        from pytest_comem.executors.process import ProcessExecutor

        return ProcessExecutor(_words(command))
    known = {**EXECUTORS, **(more or {})}
    if name not in known:
        raise SettingsError(f"executor {name!r} is unknown; {did_you_mean(name, known)}")
    return known[name]()


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"executor process: {command!r} is no command: {error}") from None
