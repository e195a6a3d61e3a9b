"""From commits to the tasks of one participant: by author, time and files.

The participant is the author with the most commits, or the one that is named. A commit goes on
with the task before it where nothing but that task's commits lies between them in the history of
the paths, it comes less than some minutes later, and touches a file that the task has touched.
Commits of others are no tasks: they lie in the workspace of the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import SettingsError
from pytest_comem.histories.commits import Change, Commit

#: Commits of one task, at most.
MOST_TOGETHER: Final = 20
_NAMED: Final = 5


@final
@dataclass(frozen=True, slots=True)
class Author:
    """Who a stream is of: an address, and the name that was used with it last."""

    email: str
    name: str


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Commits that are one task, in order."""

    commits: tuple[Commit, ...]

    @property
    def before(self) -> str:
        """The commit whose tree the task begins with; empty where there is none."""
        return self.commits[0].parent

    @property
    def after(self) -> str:
        """The commit whose tree it ends with."""
        return self.commits[-1].id

    @property
    def started(self) -> datetime:
        """When, UTC."""
        return self.commits[0].moment

    @property
    def renamed(self) -> dict[str, str]:
        """Last path of a renamed file, by the path before the task."""
        found: dict[str, str] = {}
        for change in _all_changes(self.commits):
            if change.was and not change.gone and change.was != change.path:
                first = next((old for old, new in found.items() if new == change.was), change.was)
                found[first] = change.path
        return found


def author_of(commits: Sequence[Commit], wanted: str = "") -> Author:
    """Return the participant.

    :param wanted: their address or name; the one with most commits where it is empty, and of those
        with as many the one who came first.
    :raises SettingsError: where there is no such author, or no commit at all.
    """
    if not commits:
        raise SettingsError("--paths: no commit of the history touches a file there")
    counts = Counter(commit.email for commit in commits)
    names = {commit.email: commit.name for commit in commits}
    if wanted:
        key = wanted.casefold()
        counts = Counter(one.email for one in commits if key in (one.email, one.name.casefold()))
        if not counts:
            known = ", ".join(names[email] for email in sorted(set(names))[:_NAMED])
            problem = f"no commit there is of that author; some that are: {printable(known)}"
            raise SettingsError(f"--author {printable(wanted)}: {problem}")
    email = max(counts, key=lambda one: counts[one])
    return Author(email, names[email])


def groups_of(
    commits: Iterable[Commit],
    author: Author,
    gap: timedelta,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Iterator[Group]:
    """Yield the author's tasks in order.

    :param gap: the longest time between two commits of one task.
    :param since: tasks that begin earlier are left out, and
    :param until: those that begin at this moment or later.
    """
    for group in _grouped(commits, author, gap):
        if (since is None or group.started >= since) and (until is None or group.started < until):
            yield group


def _grouped(commits: Iterable[Commit], author: Author, gap: timedelta) -> Iterator[Group]:
    together: list[Commit] = []
    touched: set[str] = set()
    for commit in commits:
        if commit.email != author.email:
            continue
        own = {path for one in commit.changes for path in (one.path, one.was) if path}
        goes_on = (
            together
            and len(together) < MOST_TOGETHER
            and commit.parent == together[-1].id
            and timedelta() <= commit.moment - together[-1].moment < gap
            and not own.isdisjoint(touched)
        )
        if together and not goes_on:
            yield Group(tuple(together))
            together, touched = [], set()
        together.append(commit)
        touched |= own
    if together:
        yield Group(tuple(together))


def _all_changes(commits: Sequence[Commit]) -> Iterator[Change]:
    for commit in commits:
        yield from commit.changes
