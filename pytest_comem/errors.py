"""The few exceptions of the package.

Each one says whose fault it is, because that decides what pytest shows: a usage or data error stops
the run before it starts, an infrastructure error is a pytest *error* on its step, a benchmark
defect is a *skip*. None of them ever becomes a method failure.
"""

from __future__ import annotations

import traceback
from pathlib import Path


class ComemError(Exception):
    """Base class of every error that is raised on purpose."""


class SettingsError(ComemError):
    """An option has a value that cannot be used; the message names the option and the way out."""


class DataError(ComemError):
    """A data file does not have the form its benchmark defines.

    :param problem: what is wrong, in one clause, with what to do about it.
    :param file: the file as it should be shown to the user.
    :param line: 1-based line, or ``None`` where the whole file is meant.
    :param field: dotted path of the field, or ``None``.
    """

    def __init__(
        self, problem: str, *, file: str, line: int | None = None, field: str | None = None
    ) -> None:
        self.problem = problem
        self.file = file
        self.line = line
        self.field = field
        super().__init__(str(self))

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        field = f" field {self.field}:" if self.field else ""
        return f"{place}:{field} {self.problem}"


class BenchmarkDefect(ComemError):
    """The benchmark's own material cannot be evaluated; the step is skipped, not failed."""


class InfrastructureError(ComemError):
    """Something around the method broke (adapter, provider, sandbox, judge, harness).

    :param type: which part broke, one of the words above.
    """

    def __init__(self, message: str, *, type: str) -> None:
        super().__init__(message)
        self.type = type


def place_of(error: BaseException) -> str:
    """Return where an error was raised, in parentheses, for whoever writes an adapter."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
