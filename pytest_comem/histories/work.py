"""What was done in each task of a history: clean files before and after, and how they differ.

The same content is read and cleaned once. Tasks are prepared in order, since placeholders are given
in the order in which values are seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, TypeAlias, final

from pytest_comem.histories.commits import TreeFile, tree_of
from pytest_comem.histories.git import HistoryReader
from pytest_comem.histories.grouping import Group
from pytest_comem.histories.placeholders import Placeholders
from pytest_comem.histories.texts import LARGEST, as_text, cleaned
from pytest_comem.sandbox.tree import IGNORED
from pytest_comem.streams.paths import path_problem
from pytest_comem.streams.schema import MAX_FILES
from pytest_comem.streams.workspaces import MAX_WORKSPACE_BYTES

Files: TypeAlias = Mapping[str, bytes]
#: Checks name paths, and have no room for longer ones.
_LONGEST_PATH: Final = 160
_UNCLEAN: Final = "no text, or something private in it"


@final
@dataclass(frozen=True)
class Work:
    """One task of a history.

    :param number: 1-based, in the order of time.
    :param started: UTC.
    :param messages: of the commits, private things replaced.
    :param before: files by path, and
    :param after: likewise.
    :param renamed: path after by path before.
    """

    number: int
    started: datetime
    messages: tuple[str, ...]
    before: Files
    after: Files
    renamed: Mapping[str, str]

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Paths of what is new or changed, sorted."""
        return tuple(p for p, raw in sorted(self.after.items()) if self.before.get(p) != raw)

    @cached_property
    def gone(self) -> tuple[str, ...]:
        """Paths of what is no longer there, sorted."""
        return tuple(path for path in sorted(self.before) if path not in self.after)

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, str]]:
        """Text before (empty where the file is new) and after of every changed text file.

        A renamed file's text before is that under its old name.
        """
        came = {new: old for old, new in self.renamed.items()}
        found = {}
        for path in self.changed:
            old = self.before.get(path, self.before.get(came.get(path, ""), b""))
            texts = as_text(old), as_text(self.after[path])
            if texts[0] is not None and texts[1] is not None and texts[0] != texts[1]:
                found[path] = (texts[0], texts[1])
        return found

    @cached_property
    def new(self) -> tuple[str, ...]:
        """Paths of text files that were not there before under any name."""
        came = set(self.renamed.values())
        return tuple(p for p in self.texts if p not in self.before and p not in came)


@final
class Preparing:
    """Makes the work of groups of commits, one after the other.

    :ivar left_out: how many files were left out of workspaces, by why.
    """

    def __init__(
        self, reader: HistoryReader, paths: Sequence[str], placeholders: Placeholders
    ) -> None:
        self._reader = reader
        self._paths = paths
        self._placeholders = placeholders
        self._clean: dict[tuple[str, str], bytes | None] = {}
        self.left_out: Final[dict[str, set[str]]] = {}

    def work(self, group: Group, number: int, not_before: datetime) -> Work:
        """Return a group's work.

        :param not_before: when the task before it started; time does not go back.
        """
        say = self._placeholders.text
        messages = tuple(say(commit.message) for commit in group.commits)
        return Work(
            number,
            max(group.started, not_before),
            messages,
            self._files(group.before),
            self._files(group.after),
            {say(old): say(new) for old, new in group.renamed.items()},
        )

    def _files(self, commit: str) -> Files:
        found: dict[str, bytes] = {}
        room, names = MAX_WORKSPACE_BYTES, dict[str, str]()
        for path, file in tree_of(self._reader, commit, self._paths).items():
            name = self._placeholders.text(path)
            why = _path_trouble(name, names)
            if not why and (file.size > LARGEST or file.size > room or len(found) >= MAX_FILES):
                why = "too large"
            content = None if why else self._content(path, file)
            if content is None:
                self.left_out.setdefault(why or _UNCLEAN, set()).add(name)
                continue
            room -= len(content)
            found[name] = content
        return found

    def _content(self, path: str, file: TreeFile) -> bytes | None:
        key = (file.blob, path.rpartition(".")[2].lower())
        if key not in self._clean:
            raw = self._reader.object(file.blob)
            self._clean[key] = cleaned(path, raw, self._placeholders)
        return self._clean[key]


def _path_trouble(name: str, names: dict[str, str]) -> str:
    """Return why a path is left out, and otherwise note it and the directories above it.

    :param names: of files and directories so far, by how they are compared.
    """
    parts = name.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    marks = sum(name.count(mark) for mark in "[*?")
    if path_problem(name) or len(name) + 2 * marks > _LONGEST_PATH:
        return "a path that cannot be used everywhere"
    if IGNORED.intersection(parts) or name.endswith(".pyc"):
        return "what programs leave beside their work"
    if any(names.get(each.casefold(), each) != each for each in above):
        return "a path that differs from another in case alone"
    names.update((each.casefold(), each) for each in above)
    return ""
