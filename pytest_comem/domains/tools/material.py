"""What a workflow starts with: files, workbooks, tables, forms, a repository; and making it so.

A family's ``execution.environment`` has

``database``
    ``sqlite`` or ``postgres``, the server that serves its tables; left out where it has none.
``sources``
    By name, a table {columns, rows} with where it lies: ``table``, ``file`` (CSV), or ``workbook``
    and ``sheet``.
``forms``
    Tables without rows, to be filled in: columns with ``integer`` or ``text``, by name.
``repository``
    Whether the workspace is a git repository.

All of it is public. What a run makes of it is held against the oracles' ground truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, final

from pytest_comem.domains.tools import places
from pytest_comem.domains.tools.forms import written
from pytest_comem.domains.tools.places import Place, read_place
from pytest_comem.domains.tools.repository import make_repository
from pytest_comem.domains.tools.tables import Cell, NoTableError, Table, table_of
from pytest_comem.domains.tools.workbook import workbook_bytes
from pytest_comem.errors import DataError
from pytest_comem.workflows.schema import Family

DatabaseServer: TypeAlias = Literal["sqlite", "postgres"]
SQLITE: Final = "sqlite"
POSTGRES: Final = "postgres"
_FIELDS: Final = {"database", "sources", "forms", "repository"}
_TYPES: Final = ("integer", "text")


@final
@dataclass(frozen=True, slots=True)
class Location:
    """Where a source lies.

    :param kind: ``table``, ``file`` or ``sheet``.
    :param path: of the file or workbook; the table's name.
    """

    kind: Literal["table", "file", "sheet"]
    path: str
    sheet: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the location as families and tasks hold it."""
        if self.kind == "sheet":
            return {"workbook": self.path, "sheet": self.sheet}
        return {self.kind: self.path}


@final
@dataclass(frozen=True, slots=True)
class Material:
    """A family's material.

    :param database: the server of its tables, if it has any.
    :param sources: tables by where they lie.
    :param forms: columns with their types, by the name of a table without rows.
    """

    database: DatabaseServer | None
    sources: Mapping[Location, Table]
    forms: Mapping[str, Mapping[str, str]]
    repository: bool

    def columns_of(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table of the database; none where there is no such table."""
        if table in self.forms:
            return tuple(self.forms[table])
        source = self.sources.get(Location("table", table))
        return source.columns if source else ()

    def template_sql(self) -> str:
        """Return the statements that make the database, for PostgreSQL and SQLite alike."""
        lines = []
        for location, table in self.sources.items():
            if location.kind == "table":
                types = {name: _type_of(table, place) for place, name in enumerate(table.columns)}
                lines.append(_create(location.path, types))
                if table.rows:
                    lines.append(insert_statement(location.path, table))
        lines += [_create(form, types) for form, types in self.forms.items()]
        return "".join(f"{line};\n" for line in lines)

    def lay_out(self, workspace: Path, made: Iterator[Place] | tuple[Place, ...] = ()) -> None:
        """Write files, workbooks and repository into an empty workspace.

        :param made: places of results, whose directories and workbooks are made ready.
        """
        books: dict[str, dict[str, Table]] = {}
        for location, table in self.sources.items():
            if location.kind == "file":
                _write(workspace / location.path, written(table, ".csv").encode())
            elif location.kind == "sheet":
                books.setdefault(location.path, {})[location.sheet] = table
        for place in made:
            if place.kind == "sheet":
                books.setdefault(place.path, {"Cover": Table(("title",), ())})
            elif place.kind != "rows":
                (workspace / place.path).parent.mkdir(parents=True, exist_ok=True)
        for path, sheets in books.items():
            _write(workspace / path, workbook_bytes(sheets))
        if self.repository:
            make_repository(workspace)


def material_of(family: Family) -> Material:
    """Return what a family starts with.

    :raises DataError: where its environment is not of this form.
    """
    asked = family.execution.environment
    try:
        if set(asked) - _FIELDS:
            raise NoTableError(f"it has no field {min(set(asked) - _FIELDS)[:40]!r}")
        return _material(asked)
    except NoTableError as error:
        shown = f"family {family.family_id}"
        raise DataError(str(error), file=shown, field="execution.environment") from None


def result_places(family: Family) -> Iterator[Place]:
    """Yield where the nodes of a family leave their results, as far as their tasks say so."""
    for node in family.nodes:
        try:
            yield read_place(node.task.parameters.get("place"))
        except NoTableError:
            continue


def insert_statement(table: str, rows: Table) -> str:
    """Return the statement that inserts rows, at least one, into a table.

    :raises NoTableError: where a cell holds a character that no database stores.
    """
    values = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in rows.rows)
    return f"INSERT INTO {_quoted(table)} ({', '.join(map(_quoted, rows.columns))}) VALUES {values}"


def delete_statement(table: str, column: str, value: Cell) -> str:
    """Return the statement that deletes the rows with a value in a column."""
    return f"DELETE FROM {_quoted(table)} WHERE {_quoted(column)} = {_literal(value)}"


def select_statement(table: str, columns: tuple[str, ...]) -> str:
    """Return the query for all rows of a table."""
    return f"SELECT {', '.join(map(_quoted, columns)) or '*'} FROM {_quoted(table)}"


def _material(asked: Mapping[str, Any]) -> Material:
    database = asked.get("database")
    if database not in (None, SQLITE, POSTGRES):
        raise NoTableError(f"its database is {SQLITE} or {POSTGRES}")
    sources = {_location(one): _source(one) for one in _objects(asked.get("sources", {}))}
    forms = {
        places.name(form): _form(columns)
        for form, columns in _items(asked.get("forms", {}), "its forms")
    }
    if len(sources) < len(asked.get("sources", {})):
        raise NoTableError("two sources lie at the same place")
    if database is None and (forms or any(one.kind == "table" for one in sources)):
        raise NoTableError("it has tables and names no database")
    return Material(database, sources, forms, asked.get("repository") is True)


def _items(value: Any, what: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or len(value) > 50:
        raise NoTableError(f"{what} are an object of at most 50 entries")
    return list(value.items())


def _objects(value: Any) -> list[Mapping[str, Any]]:
    found = [one for _, one in _items(value, "its sources")]
    if not all(isinstance(one, dict) for one in found):
        raise NoTableError("a source is an object")
    return found


def _location(source: Mapping[str, Any]) -> Location:
    where = set(source) - {"columns", "rows"}
    if where == {"table"}:
        return Location("table", places.name(source["table"]))
    if where == {"file"}:
        return Location("file", places.workspace_path(source["file"]))
    if where == {"workbook", "sheet"}:
        path = places.workspace_path(source["workbook"])
        return Location("sheet", path, places.sheet_name(source["sheet"]))
    raise NoTableError("a source lies in a table, a file, or a workbook's sheet")


def _source(source: Mapping[str, Any]) -> Table:
    columns, rows = source.get("columns"), source.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        raise NoTableError("a source has columns and rows")
    table = table_of(columns, [row if isinstance(row, list) else [] for row in rows])
    for column in table.columns:
        places.name(column)
    return table


def _form(columns: Any) -> dict[str, str]:
    found = dict(_items(columns, "a form's columns"))
    if not found or any(kind not in _TYPES for kind in found.values()):
        raise NoTableError("a form's columns are integer or text")
    return {places.name(column): kind for column, kind in found.items()}


def _type_of(table: Table, place: int) -> str:
    whole = bool(table.rows) and all(isinstance(row[place], int) for row in table.rows)
    return "integer" if whole else "text"


def _create(table: str, types: Mapping[str, str]) -> str:
    columns = ", ".join(f"{_quoted(name)} {kind.upper()}" for name, kind in types.items())
    return f"CREATE TABLE {_quoted(table)} ({columns})"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _literal(value: Cell) -> str:
    if isinstance(value, int):
        return str(value)
    if "\0" in value:
        raise NoTableError("a text holds the character NUL, which no database stores")
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def _write(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
