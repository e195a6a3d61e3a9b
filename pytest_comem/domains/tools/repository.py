"""A git repository's files without git: made empty, read with bounds, written for a ground truth.

Only loose objects are read: a repository of a few commits has no others. A program that the state
belongs to may have written anything here, so nothing of it is run and no link is followed.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from pytest_comem.domains.tools.forms import LARGEST
from pytest_comem.domains.tools.tables import NoTableError
from pytest_comem.sandbox.reading import UnreadableError, read_file

BRANCH: Final = "main"
_IDENTITY: Final = "worker <worker@workflow.invalid> 1893456000 +0000"
_CONFIG: Final = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = false\n"
    "[user]\n\tname = worker\n\temail = worker@workflow.invalid\n"
    "[commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n"
)
_SHA1: Final = re.compile(r"[0-9a-f]{40}")


def make_repository(workspace: Path) -> None:
    """Make a repository with one commit, of no file."""
    git = workspace / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n", encoding="ascii")
    (git / "config").write_text(_CONFIG, encoding="ascii")
    _commit(git, {}, None, "An empty repository")


def commit_files(workspace: Path, files: Mapping[str, bytes], message: str) -> None:
    """Commit files, for a ground truth: those given, beside those of the last commit.

    :raises NoTableError: where the repository cannot be read.
    """
    git = workspace / ".git"
    last = _head(workspace)
    found = {path: read_committed(workspace, path) for path in committed_paths(workspace)}
    _commit(git, {**found, **files}, last, message)


def read_committed(workspace: Path, path: str) -> bytes:
    """Return a file as the last commit of the current branch holds it.

    :raises NoTableError: where there is none.
    """
    tree = _tree_of(workspace, _head(workspace))
    parts = PurePosixPath(path).parts
    for part in parts[:-1]:
        tree = _entry(workspace, tree, part, directory=True)
    return _object(workspace, _entry(workspace, tree, parts[-1], directory=False), "blob")


def committed_paths(workspace: Path) -> list[str]:
    """Return the paths of the last commit's files, at most a thousand.

    :raises NoTableError: where the repository cannot be read.
    """
    found = []
    for path in _walk(workspace, _tree_of(workspace, _head(workspace)), "", 0):
        found.append(path)
        if len(found) == 1_000:
            break
    return found


def _head(workspace: Path) -> str:
    head = _text(workspace, ".git/HEAD").strip()
    if head.startswith("ref: refs/heads/"):
        head = _text(workspace, f".git/{head[5:]}").strip()
    if not _SHA1.fullmatch(head):
        raise NoTableError("the repository's HEAD names no commit")
    return head


def _text(workspace: Path, path: str) -> str:
    try:
        return read_file(workspace, path, 1_000).decode("ascii")
    except (UnreadableError, UnicodeDecodeError):
        raise NoTableError("the repository's branch cannot be read") from None


def _object(workspace: Path, name: str, kind: str) -> bytes:
    """Return what an object holds, which its name is the hash of."""
    try:
        packed = read_file(workspace, f".git/objects/{name[:2]}/{name[2:]}", LARGEST)
    except UnreadableError:
        raise NoTableError(f"the repository lacks its object {name}") from None
    try:
        raw = zlib.decompressobj().decompress(packed, LARGEST + 100)
    except zlib.error:
        raise NoTableError(f"the repository's object {name} is damaged") from None
    head, nul, body = raw.partition(b"\0")
    if not nul or head != f"{kind} {len(body)}".encode() or hashlib.sha1(raw).hexdigest() != name:
        raise NoTableError(f"the repository's object {name} is no {kind}, or too large")
    return body


def _tree_of(workspace: Path, commit: str) -> str:
    first = _object(workspace, commit, "commit").split(b"\n", 1)[0].decode("ascii", "replace")
    word, _, tree = first.partition(" ")
    if word != "tree" or not _SHA1.fullmatch(tree):
        raise NoTableError("the last commit has no tree")
    return tree


def _entries(workspace: Path, tree: str) -> Iterator[tuple[bool, bytes, str]]:
    """Yield whether an entry of a tree is a directory, its name, and its object; no links."""
    rest = _object(workspace, tree, "tree")
    while rest:
        head, nul, rest = rest.partition(b"\0")
        mode, _, name = head.partition(b" ")
        if not nul or len(rest) < 20:
            raise NoTableError("a tree of the repository is damaged")
        if mode in (b"40000", b"100644", b"100755"):
            yield mode == b"40000", name, rest[:20].hex()
        rest = rest[20:]


def _entry(workspace: Path, tree: str, wanted: str, *, directory: bool) -> str:
    for is_directory, name, found in _entries(workspace, tree):
        if name == wanted.encode() and is_directory is directory:
            return found
    raise NoTableError(f"the last commit has no {wanted}")


def _walk(workspace: Path, tree: str, above: str, depth: int) -> Iterator[str]:
    if depth > 10:
        raise NoTableError("the repository's directories lie too deep")
    for is_directory, name, found in _entries(workspace, tree):
        path = above + name.decode("utf-8", "replace")
        if is_directory:
            yield from _walk(workspace, found, f"{path}/", depth + 1)
        else:
            yield path


def _commit(git: Path, files: Mapping[str, bytes], parent: str | None, message: str) -> None:
    above = f"parent {parent}\n" if parent else ""
    people = f"author {_IDENTITY}\ncommitter {_IDENTITY}\n"
    text = f"tree {_tree(git, files)}\n{above}{people}\n{message}\n"
    (git / "refs" / "heads" / BRANCH).write_text(
        _store(git, "commit", text.encode()) + "\n", encoding="ascii"
    )


def _tree(git: Path, files: Mapping[str, bytes]) -> str:
    inner: dict[str, dict[str, bytes]] = {}
    entries: list[tuple[bytes, bytes, str]] = []
    for path, raw in files.items():
        first, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(first, {})[rest] = raw
        else:
            entries.append((first.encode(), b"100644", _store(git, "blob", raw)))
    entries += [(name.encode(), b"40000", _tree(git, each)) for name, each in inner.items()]
    # A directory's name is sorted as if a slash ended it.
    entries.sort(key=lambda one: one[0] + (b"/" if one[1] == b"40000" else b""))
    body = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(sha) for name, mode, sha in entries)
    return _store(git, "tree", body)


def _store(git: Path, kind: str, body: bytes) -> str:
    raw = f"{kind} {len(body)}\0".encode() + body
    name = hashlib.sha1(raw).hexdigest()
    path = git / "objects" / name[:2] / name[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(raw))
    return name
