"""The library that proofs are about: sources and registered theorems, pinned by one hash.

``project.json`` registers the theorems; ``coq/`` and ``lean/`` hold the definitions, a file a
module. The project's commit is the SHA-256 of all of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError

REGISTRY_FILE: Final = "project.json"
#: Largest file of a project that is read, in bytes, and most files.
MAX_BYTES: Final = 1 << 20
MAX_FILES: Final = 200
#: What every module rests on.
BASE: Final = "Base"
_SUFFIXES: Final = {"coq": ".v", "lean": ".lean"}
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


@final
@dataclass(frozen=True, slots=True)
class Registered:
    """A theorem as the project states it.

    :param words: what it says, in plain words.
    :param statements: by prover.
    """

    name: str
    module: str
    words: str
    statements: Mapping[str, str]


@final
@dataclass(frozen=True, eq=False)
class Project:
    """A library and its registered theorems; equal to itself alone.

    :param sources: texts by prover and module.
    :param commit: SHA-256 of all files.
    """

    theorems: tuple[Registered, ...]
    sources: Mapping[str, Mapping[str, str]]
    commit: str

    @cached_property
    def by_name(self) -> Mapping[str, Registered]:
        """Every theorem by its name."""
        return {one.name: one for one in self.theorems}

    def statement(self, name: str, prover: str) -> str | None:
        """Return a theorem's registered statement, or ``None`` where a prover has none."""
        one = self.by_name.get(name)
        return one.statements.get(prover) if one else None

    def needs(self, module: str, prover: str) -> tuple[str, ...]:
        """Return a module after all modules that it rests on, in the order of compilation."""
        sources, found = self.sources[prover], dict[str, None]()

        def visit(name: str) -> None:
            for other in sources:
                if other != name and re.search(_IMPORT[prover].format(other), sources[name], re.M):
                    visit(other)
            found.setdefault(name)

        visit(module)
        return tuple(found)


#: How a module's source says that it rests on another.
_IMPORT: Final = {
    "coq": r"^From Comem Require Export {}\.$",
    "lean": r"^import Comem\.{}$",
}


def statement_hash(prover: str, statement: str) -> str:
    """Return the SHA-256 that stands for a statement in a prover; blanks count as one."""
    return hashlib.sha256(f"{prover}\n{' '.join(statement.split())}".encode()).hexdigest()


@lru_cache(maxsize=4)
def read_project(root: Path, commit: str) -> Project:
    """Return a project whose files have the hash they have to have; read once a process.

    :param root: its directory.
    :raises DataError: where it cannot be read, has another hash, or is no project.
    """
    files = _files(root)
    found = commit_of(files)
    if found != commit:
        problem = f"its commit is {found}, and has to be {commit}; get the unchanged files"
        raise DataError(problem, file=root.name)
    sources: dict[str, dict[str, str]] = {prover: {} for prover in _SUFFIXES}
    for name, raw in files.items():
        prover, _, module = name.partition("/")
        if module:
            sources[prover][Path(module).stem] = raw.decode("utf-8", "replace")
    return Project(_theorems(files[REGISTRY_FILE]), sources, found)


def commit_of(files: Mapping[str, bytes]) -> str:
    """Return the commit of a project with these files, by their paths in it."""
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _files(root: Path) -> dict[str, bytes]:
    paths = [root / REGISTRY_FILE]
    for prover, suffix in _SUFFIXES.items():
        paths += sorted((root / prover).glob(f"*{suffix}"))[:MAX_FILES]
    found = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError(f"cannot be read: {reason}", file=path.name) from None
        if len(raw) > MAX_BYTES:
            raise DataError(f"larger than {MAX_BYTES:,} bytes", file=path.name)
        found[path.relative_to(root).as_posix()] = raw
    return found


def _theorems(raw: bytes) -> tuple[Registered, ...]:
    try:
        read = json.loads(raw)["theorems"]
        found = tuple(_theorem(each) for each in read)
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = "does not register theorems: name, module, words, statements"
        raise DataError(problem, file=REGISTRY_FILE) from None
    if len({one.name for one in found}) != len(found):
        raise DataError("two theorems have the same name", file=REGISTRY_FILE)
    return found


def _theorem(each: Any) -> Registered:
    statements = each["statements"]
    texts = [each["name"], each["module"], each["words"], *statements.values()]
    if not all(isinstance(text, str) for text in texts) or set(statements) - set(_SUFFIXES):
        raise TypeError("text is wanted")
    if not (_NAME.fullmatch(each["name"]) and _NAME.fullmatch(each["module"])):
        raise ValueError("no name")
    return Registered(each["name"], each["module"], each["words"], statements)
