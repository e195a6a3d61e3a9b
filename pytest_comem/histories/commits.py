"""Commits of a history that touch some paths: who, when, what was said, which files.

Order is by the author's time, never before a parent. Merges are left out: what they bring is there
in the commits that they merge. Submodules, links and whatever else is no regular file are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, final

from pytest_comem.histories.git import HistoryReader

#: Commits of a history that are read, the newest ones.
MOST_COMMITS: Final = 50_000
_FILE_MODES: Final = ("100644", "100755")
#: Longest message that is read, in characters.
_LONGEST_MESSAGE: Final = 20_000
_LATEST: Final = 4_102_444_800


@final
@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to one file.

    :param path: after it; before it where the file was deleted.
    :param was: path before it; ``None`` where the file is new.
    :param gone: whether the file was deleted.
    """

    path: str
    was: str | None
    gone: bool = False


@final
@dataclass(frozen=True, slots=True)
class Commit:
    """One commit.

    :param parent: the one before it in the history of the paths; empty for the first.
    :param name: of its author, and
    :param email: in lower case.
    :param moment: of its author, UTC.
    """

    id: str
    parent: str
    name: str
    email: str
    moment: datetime
    message: str
    changes: tuple[Change, ...]


@final
@dataclass(frozen=True, slots=True)
class TreeFile:
    """A regular file of a tree: its object, and its size in bytes."""

    blob: str
    size: int


def commits_of(reader: HistoryReader, paths: Sequence[str]) -> list[Commit]:
    """Return the commits that touch a file at or below one of the paths, oldest first."""
    order = ("--author-date-order", "--reverse", "--parents", f"--max-count={MOST_COMMITS}")
    listed = reader.run("rev-list", *order, reader.head, "--", *paths)
    parents = {}
    for line in listed.decode("ascii").splitlines():
        name, *above = line.split()
        # An octopus or a plain merge has several; its own history is that of what it merges.
        if len(above) < 2:
            parents[name] = above[0] if above else ""
    changes = _changes(reader, list(parents), paths)
    found = []
    for name, parent in parents.items():
        if changes.get(name):
            found.append(_commit(name, parent, reader.object(name), changes[name]))
    return found


def tree_of(reader: HistoryReader, commit: str, paths: Sequence[str]) -> dict[str, TreeFile]:
    """Return the regular files at or below the paths as a commit has them, ordered by path.

    Files whose names are not UTF-8 are left out.
    """
    if not commit:
        return {}
    listed = reader.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *paths)
    found = {}
    for entry in listed.split(b"\0"):
        about, _, raw = entry.partition(b"\t")
        fields, path = about.decode("ascii").split(), _text(raw)
        if len(fields) == 4 and fields[0] in _FILE_MODES and path and fields[3].isdigit():
            found[path] = TreeFile(fields[2], int(fields[3]))
    return dict(sorted(found.items()))


def _changes(
    reader: HistoryReader, commits: Sequence[str], paths: Sequence[str]
) -> dict[str, tuple[Change, ...]]:
    """Return what each commit changed; renames are followed where contents are alike."""
    plain = ("--no-ext-diff", "--no-textconv", "--root", "-M", "-l2000")
    written = reader.run(
        *("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev", *plain, "--", *paths),
        stdin="".join(f"{name}\n" for name in commits).encode("ascii"),
    )
    found: dict[str, list[Change]] = {}
    known = frozenset(commits)
    current: list[Change] = []
    fields = iter(written.split(b"\0"))
    for field in fields:
        text = field.decode("ascii", "replace")
        if text in known:
            current = found.setdefault(text, [])
        elif text.startswith(":"):
            current.extend(_change(text.split(), fields))
    return {name: tuple(each) for name, each in found.items()}


def _change(entry: Sequence[str], fields: Iterator[bytes]) -> Iterator[Change]:
    """Yield the change of one raw entry, whose paths are the next fields."""
    before, after, status = entry[0].lstrip(":"), entry[1], entry[4][:1]
    first = _text(next(fields, b""))
    second = _text(next(fields, b"")) if status in "RC" else first
    if not first or not second:
        return
    was = first if status in "MRDT" and before in _FILE_MODES else None
    if after in _FILE_MODES:
        yield Change(second, was)
    elif was is not None:
        yield Change(first, was, gone=True)


def _commit(name: str, parent: str, raw: bytes, changes: tuple[Change, ...]) -> Commit:
    head, _, body = raw.partition(b"\n\n")
    lines = (line.partition(b" ") for line in reversed(head.splitlines()))
    headers = {key.decode("ascii", "replace"): value for key, _, value in lines}
    encoding = headers.get("encoding", b"utf-8").decode("ascii", "replace")
    author = _decoded(headers.get("author", b""), encoding)
    who, _, rest = author.rpartition(" <")
    email, _, moment = rest.partition("> ")
    return Commit(
        name,
        parent,
        " ".join(who.split())[:150] or "somebody",
        email.strip().lower()[:150],
        _moment(moment.split(" ")[0]),
        _decoded(body, encoding)[:_LONGEST_MESSAGE],
        changes,
    )


def _moment(seconds: str) -> datetime:
    value = int(seconds) if seconds.isdigit() and len(seconds) < 12 else 0
    return datetime.fromtimestamp(min(value, _LATEST), UTC)


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except (LookupError, UnicodeError, ValueError):
        return raw.decode("utf-8", "replace")


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
