"""What every kind of check shares: the files it looks at, how it names them, how texts compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar, final

from pydantic import Field

from pytest_comem.core.printable import printable
from pytest_comem.office.base import Found
from pytest_comem.office.documents import Document
from pytest_comem.records.base import Name, Record
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import Files

#: Runs a command in a copy of a workspace: (files, command, added files, seconds) -> what came of
#: it, as :mod:`pytest_comem.office.checks.commands` does.
Runs: TypeAlias = "Callable[[Files, str, Mapping[str, str], float], CommandRan]"
Patterns: TypeAlias = Name | Annotated[tuple[Name, ...], Field(min_length=1, max_length=50)]
Phrases: TypeAlias = Annotated[tuple[Name, ...], Field(min_length=1, max_length=100)]
_BLANKS: Final = re.compile(r"\s+")
#: Characters of somebody's text within a reason, and files that a reason names.
_SHOWN: Final = 80
_NAMED: Final = 4


@final
@dataclass(frozen=True, slots=True)
class CommandRan:
    """What came of a command.

    :param status: exit status; ``None`` where a limit ended it.
    :param said: the end of what it wrote.
    :param why: which limit it was, in words.
    """

    status: int | None
    said: str = ""
    why: str = ""


class FailedError(Exception):
    """A check fails: the reason is a clause for people, citing file and place."""

    def __init__(self, reason: str, **evidence: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence


class FileArguments(Record):
    """Arguments of every kind that looks at files.

    :param file: patterns (``fnmatch``, a star matches slashes too).
    :param any: whether unchanged files count as well as new and changed ones.
    """

    file: Patterns
    any: bool = False


class TextArguments(FileArguments):
    """Arguments of kinds that compare texts.

    :param exact: whether upper and lower case differ.
    """

    exact: bool = False


A = TypeVar("A", bound=Record)


@final
@dataclass(frozen=True, slots=True)
class Kind(Generic[A]):
    """A kind of check.

    :param arguments: the record of what it takes.
    :param decide: returns what was found; may raise :class:`FailedError`, or
        :class:`~pytest_comem.sandbox.reading.UnreadableError` for a file it cannot read.
    :param problem: what is wrong with arguments of the right form; empty where nothing is.
    """

    arguments: type[A]
    decide: Callable[[A, Scene], Found]
    problem: Callable[[A], str] = lambda _: ""


@final
class Scene:
    """A workspace before and after a task, as checks look at it; files are parsed once.

    :param run: for checks that run a command.
    """

    def __init__(self, before: Files, after: Files, run: Runs) -> None:
        self.before = before
        self.after = after
        self.run = run
        self._documents: dict[tuple[str, str], Document] = {}

    @cached_property
    def changed(self) -> list[str]:
        """Paths of what is new or changed, sorted."""
        return self.after.changed_since(self.before)

    def one(self, arguments: FileArguments) -> str:
        """Return the path of the one file that is meant.

        :raises FailedError: where there is none, or several.
        """
        found = matching(arguments.file, self.after.paths() if arguments.any else self.changed)
        if not found:
            kept = "" if arguments.any else matching(arguments.file, self.after.paths())
            detail = f"; {named(kept)} stayed as it was" if kept else self._unread(arguments.file)
            raise FailedError(
                f"no {'' if arguments.any else 'new or changed '}file matches "
                f"{pattern_text(arguments.file)}{detail}"
            )
        if len(found) > 1:
            raise FailedError(
                f"{len(found)} files match {pattern_text(arguments.file)}, and one is expected: "
                f"{named(found)}",
                files=found[:_NAMED],
            )
        return found[0]

    def _unread(self, patterns: Patterns) -> str:
        """Return which directory that could hold a match was not read, and why."""
        every = (patterns,) if isinstance(patterns, str) else patterns
        for path, why in sorted(self.after.odd.items()):
            if path == "." or any(pattern.startswith(f"{path}/") for pattern in every):
                return f"; {named(path)} was not read: {why}"
        return ""

    def document(self, arguments: FileArguments, encoding: str = "utf-8") -> Document:
        """Return the one file that is meant, to be read.

        :raises FailedError: where there is none, several, or it is no file.
        """
        path = self.one(arguments)
        if path in self.after.odd:
            raise FailedError(f"{shown(path)} cannot be read: {shown(self.after.odd[path])}")
        key = (path, encoding)
        if key not in self._documents:
            self._documents[key] = Document(path, self.after.content[path], encoding)
        return self._documents[key]


def matching(patterns: Patterns, paths: list[str]) -> list[str]:
    """Return the paths that match one of the patterns, in order."""
    every = (patterns,) if isinstance(patterns, str) else patterns
    return [path for path in paths if any(fnmatchcase(path, pattern) for pattern in every)]


def pattern_text(patterns: Patterns) -> str:
    """Return patterns as a reason has them."""
    return patterns if isinstance(patterns, str) else " or ".join(patterns)


def named(paths: list[str] | str) -> str:
    """Return paths as a reason has them; many are counted."""
    every = [paths] if isinstance(paths, str) else paths
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(map(shown, every[:_NAMED])) + more


def shown(text: Any) -> str:
    """Return somebody's text or value as a reason may have it."""
    whole = printable(str(text)[: 4 * _SHOWN])
    return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]}..."


def plain(text: str, exact: bool = False) -> str:
    """Return a text as it is compared: runs of blanks are one, and case matters where exact."""
    found = _BLANKS.sub(" ", text).strip()
    return found if exact else found.casefold()


def unreadable(path: str, error: UnreadableError) -> FailedError:
    """Return the failure that says a file cannot be read."""
    return FailedError(f"{shown(path)} cannot be read: {shown(error)}", file=path)


def passed(reason: str, **evidence: Any) -> Found:
    """Return that a check passed."""
    return Found(True, reason, evidence)
