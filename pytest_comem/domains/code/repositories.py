"""The shipped repositories: histories of small libraries, kept as readable patches.

A repository's directory holds ``history/NNNN-title.patch``, one mail a commit as ``git
format-patch`` writes it, and ``commits.json``, which pins the hash that each has to have. The
history is built with git once a process, in a private directory that is gone right afterwards;
what is asked for later comes from memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock
from types import MappingProxyType
from typing import Annotated, Final, final

from pydantic import StringConstraints

from pytest_comem.domains.code.history import Git
from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError
from pytest_comem.locations import fixture_path
from pytest_comem.records.base import Record
from pytest_comem.records.strict_json import read_record
from pytest_comem.suggest import did_you_mean

COMMITS_FILE: Final = "commits.json"
HISTORY: Final = "history"
_FILE_MODE: Final = b"100644"
_FORMAT: Final = "%H%x00%aI%x00%an%x00%s"
_BUILDING: Final = Lock()

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
PatchName = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[A-Za-z0-9._-]+\.patch$")]
RepositoryName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9_-]+$")]


@final
class Pinned(Record):
    """A commit that the history has to come to."""

    patch: PatchName
    hash: Hash


@final
class Pins(Record):
    """What ``commits.json`` holds: the name ``owner/name``, and every commit, oldest first."""

    repository: RepositoryName
    commits: tuple[Pinned, ...]


@final
@dataclass(frozen=True, slots=True)
class Commit:
    """A line of a history.

    :param date: of the author, ISO 8601 with its offset.
    """

    hash: str
    date: str
    author: str
    subject: str


@final
@dataclass(frozen=True)
class _Built:
    log: tuple[Commit, ...]
    trees: Mapping[str, Mapping[str, bytes]]


def code_root() -> Path:
    """Return the directory of the shipped repositories."""
    return fixture_path("comembench", "code")


def repository_names(root: Path | None = None) -> tuple[str, ...]:
    """Return the names of the repositories, sorted, without their owners."""
    found = (root or code_root()).glob(f"*/{COMMITS_FILE}")
    return tuple(sorted(path.parent.name for path in found))


@cache
def repository(name: str) -> Repository:
    """Return a shipped repository, the same one for the whole process.

    :param name: ``owner/name``, or the name alone.
    :raises DataError: where there is no such repository, or its pins are not right.
    """
    return Repository(name)


@final
class Repository:
    """One repository with a straight history.

    :ivar name: ``owner/name``.
    :ivar commits: hashes, oldest first, as they are pinned.
    :param root: directory of the repositories; the shipped ones without it.
    :raises DataError: where there is no such repository, or its pins are not right.
    """

    def __init__(self, name: str, *, root: Path | None = None) -> None:
        root = root or code_root()
        known = repository_names(root)
        directory = name.rpartition("/")[2]
        shown = f"{directory}/{COMMITS_FILE}"
        if directory not in known:
            raise DataError(f"no such repository; {did_you_mean(directory, known)}", file=root.name)
        self._directory = root / directory
        self._pins = read_record(self._directory / COMMITS_FILE, Pins, shown)
        self.name = self._pins.repository
        if name not in {directory, self.name} or self.name.rpartition("/")[2] != directory:
            problem = f"it is for {self.name}, and {name} was asked for"
            raise DataError(problem, file=shown, field="repository")
        self.commits = tuple(one.hash for one in self._pins.commits)
        if not self.commits or len(set(self.commits)) != len(self.commits):
            raise DataError("no commit, or one that is there twice", file=shown, field="commits")
        self._built: _Built | None = None

    @property
    def head(self) -> str:
        """The newest commit."""
        return self.commits[-1]

    def tree(self, commit: str) -> Mapping[str, bytes]:
        """Return every file of a commit, by its path from the top, in sorted order.

        :raises DataError: where the history has no such commit.
        :raises BenchmarkDefect: where a patch does not apply or comes to another hash.
        :raises InfrastructureError: where git is missing or fails.
        """
        self._place(commit)
        return self._history_built().trees[commit]

    def checkout(self, commit: str, directory: Path) -> None:
        """Write every file of a commit under a directory, which is made where it is not there.

        There is no ``.git``: whoever works on the files cannot look into the future.

        :raises InfrastructureError: where a file cannot be written; else as :meth:`tree`.
        """
        files = self.tree(commit)
        try:
            for path, content in files.items():
                place = directory.joinpath(*PurePosixPath(path).parts)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
        except OSError as error:
            problem = f"{error.strerror or type(error).__name__}: {error.filename}"
            message = f"repository {self.name}: the checkout cannot be written: {problem}"
            raise InfrastructureError(message, type="harness") from None

    def history(self, commit: str) -> tuple[Commit, ...]:
        """Return a commit and all before it, newest first, as a log shows them; else as tree."""
        return self._history_built().log[self._place(commit) :: -1]

    def _place(self, commit: str) -> int:
        if commit not in self.commits:
            problem = f"no commit {commit[:60]!r} in {self.name}; they are in {COMMITS_FILE}"
            raise DataError(problem, file=f"{self._directory.name}/{COMMITS_FILE}")
        return self.commits.index(commit)

    def _history_built(self) -> _Built:
        with _BUILDING:
            if self._built is None:
                self._built = self._build()
            return self._built

    def _build(self) -> _Built:
        patches = [self._directory / HISTORY / one.patch for one in self._pins.commits]
        missing = [path.name for path in patches if not path.is_file()]
        if missing:
            problem = f"{HISTORY}/{missing[0]} is not there; get the unchanged files"
            raise BenchmarkDefect(f"repository {self.name}: {problem}")
        with _private_directory(self.name) as place:
            git = Git(Path(place), self.name)
            git.run("init", "--quiet", "--initial-branch=main", "--template=")
            git.apply_mails(patches)
            log = _log(git)
            self._check([one.hash for one in log])
            return _Built(log, MappingProxyType(_trees(git, self.commits, self.name)))

    def _check(self, found: list[str]) -> None:
        for pinned, made in zip(self._pins.commits, found, strict=False):
            if made != pinned.hash:
                problem = f"{pinned.patch} comes to commit {made}, and has to come to {pinned.hash}"
                raise BenchmarkDefect(f"repository {self.name}: {problem}; get the unchanged files")
        if len(found) != len(self.commits):
            problem = f"{len(found)} commits where {COMMITS_FILE} names {len(self.commits)}"
            raise BenchmarkDefect(f"repository {self.name}: {problem}")


def _private_directory(name: str) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="comem-history-")
    except OSError as error:
        problem = f"no temporary directory can be made: {error.strerror}"
        raise InfrastructureError(f"repository {name}: {problem}", type="harness") from None


def _log(git: Git) -> tuple[Commit, ...]:
    lines = git.run("log", "--reverse", f"--format={_FORMAT}", "main").decode().splitlines()
    return tuple(Commit(*line.split("\0")) for line in lines)


def _trees(git: Git, commits: tuple[str, ...], name: str) -> dict[str, Mapping[str, bytes]]:
    listed = {commit: _listed(git, commit, name) for commit in commits}
    wanted = sorted({blob for files in listed.values() for blob in files.values()})
    blobs = _blobs(git, wanted)
    return {
        commit: MappingProxyType({path: blobs[files[path]] for path in sorted(files)})
        for commit, files in listed.items()
    }


def _listed(git: Git, commit: str, name: str) -> dict[str, str]:
    """Return the blob of every file of a commit, by path."""
    found = {}
    for entry in git.run("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        about, _, path = entry.partition(b"\t")
        mode, _, blob = about.split(b" ")
        if mode != _FILE_MODE:
            problem = f"{path!r} has mode {mode.decode()}; only plain files may be there"
            raise BenchmarkDefect(f"repository {name}: {problem}")
        found[path.decode()] = blob.decode()
    return found


def _blobs(git: Git, wanted: list[str]) -> dict[str, bytes]:
    """Return what blobs hold, all in one call of git."""
    raw = git.run("cat-file", "--batch", stdin="".join(f"{one}\n" for one in wanted).encode())
    found, at = {}, 0
    for blob in wanted:
        end = raw.index(b"\n", at)
        size = int(raw[at:end].rsplit(b" ", 1)[1])
        found[blob] = raw[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return found
