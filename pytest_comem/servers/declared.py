"""The servers that are declared: package, version, how they start, what they see."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path

PYTHON: Final = "python"
NODE: Final = "node"
#: What a server may read and change.
WORKSPACE: Final = "workspace"
POSTGRESQL: Final = "postgresql"
SQLITE: Final = "sqlite"
NOTHING: Final = "nothing"
_SEEN: Final = (WORKSPACE, POSTGRESQL, SQLITE, NOTHING)
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
_PACKAGE: Final = re.compile(r"(@[a-z0-9-]{1,60}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_VERSION: Final = re.compile(r"[0-9][A-Za-z0-9.+-]{0,40}")
_PLACE: Final = re.compile(r"\{([a-z]*)\}")
_FIELDS: Final = frozenset(
    {"kind", "package", "version", "start", "sees", "with", "environment", "needs", "note"}
)
#: What may stand in braces in a start command and in variables.
_START: Final = frozenset({"python", "node", "environment", "workspace", "file"})
_VARIABLES: Final = _START | {"host", "port", "user", "password", "database"}


@final
@dataclass(frozen=True, slots=True)
class Declared:
    """A server as ``servers.toml`` declares it; the file says what each field is."""

    name: str
    kind: Literal["python", "node"]
    package: str
    version: str
    start: tuple[str, ...]
    sees: str
    beside: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    note: str = ""

    @property
    def digest(self) -> str:
        """A hash of all that decides what is installed."""
        return stable_hash([self.kind, self.package, self.version, list(self.beside)])

    def argv(self, values: Mapping[str, str]) -> list[str]:
        """Return the start command."""
        return [_filled(part, values) for part in self.start]

    def variables(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return its variables."""
        return {name: _filled(text, values) for name, text in self.environment}


@cache
def declared() -> Mapping[str, Declared]:
    """Return the shipped declarations by name.

    :raises DataError: where the file is not as it says itself.
    """
    return read(fixture_path("comembench", "servers.toml"))


def read(file: Path) -> Mapping[str, Declared]:
    """Return the declarations of a file.

    :raises DataError: naming what is wrong.
    """
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {error}", file=str(file)) from error
    return {name: _parsed(name, table, file) for name, table in tables.items()}


def _parsed(name: str, table: Any, file: Path) -> Declared:
    if not isinstance(table, dict) or not _NAME.fullmatch(name):
        raise DataError(
            "is not a table with a name of small letters, digits and _", file=str(file), field=name
        )
    try:
        _check_words(table)
        lists = {field: _texts(field, table.get(field, [])) for field in ("start", "with", "needs")}
        environment = table.get("environment", {})
        if not lists["start"] or not isinstance(environment, dict):
            raise _WrongError("environment" if lists["start"] else "start", "is not filled in")
        _check_places("start", lists["start"], _START)
        values = _texts("environment", list(environment.values()))
        _check_places("environment", values, _VARIABLES)
    except _WrongError as error:
        raise DataError(error.problem, file=str(file), field=f"{name}.{error.field}") from None
    return Declared(
        name,
        table["kind"],
        table["package"],
        table["version"],
        lists["start"],
        table["sees"],
        lists["with"],
        tuple(environment.items()),
        lists["needs"],
        str(table.get("note", "")),
    )


class _WrongError(Exception):
    """What is wrong with a field."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(problem)


def _check_words(table: Mapping[str, Any]) -> None:
    if unknown := set(table) - _FIELDS:
        raise _WrongError(min(unknown), "is unknown")
    for field, pattern in (("package", _PACKAGE), ("version", _VERSION)):
        if not pattern.fullmatch(str(table.get(field, ""))):
            raise _WrongError(field, f"{table.get(field)!r} cannot be a {field}")
    for field, choices in (("kind", (PYTHON, NODE)), ("sees", _SEEN)):
        if table.get(field) not in choices:
            raise _WrongError(field, f"{table.get(field)!r} is not one of {', '.join(choices)}")


def _check_places(field: str, texts: Sequence[str], known: Set[str]) -> None:
    for place in _PLACE.findall(" ".join(texts)):
        if place not in known:
            raise _WrongError(
                field, f"{{{place}}} is unknown; there are {', '.join(sorted(known))}"
            )


def _texts(field: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise _WrongError(field, "is not a list of texts")


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: values[found[1]], text)
