"""An instance's state as the evaluator looks at it: its workspace and its database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, final

from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.forms import LARGEST, decoded, parsed
from pytest_comem.domains.tools.material import Location, Material, select_statement
from pytest_comem.domains.tools.places import Place
from pytest_comem.domains.tools.repository import read_committed
from pytest_comem.domains.tools.tables import NoTableError, Table, table_of
from pytest_comem.domains.tools.workbook import read_sheet
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.servers.base import QueryError


class Rows(Protocol):
    """What the evaluator needs of a database."""

    def query(self, sql: str, params: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a query, which can change nothing.

        :raises QueryError: where the database does not hold what is asked for.
        :raises InfrastructureError: where it is gone.
        """


@final
@dataclass(frozen=True, slots=True)
class State:
    """Files and rows of one instance; looking changes nothing.

    :param database: ``None`` where the family has none.
    """

    workspace: Path
    database: Rows | None
    material: Material

    def body(self, place: Place, kind: str) -> Body:
        """Return what lies at a place.

        :param kind: ``table``, ``facts`` or ``code``, as it is expected; a row by itself is facts.
        :raises NoTableError: where there is nothing, or it is not of the form it has to be.
        :raises InfrastructureError: where the database is gone.
        """
        found = self._found(place)
        if kind == "facts" and isinstance(found, Table) and len(found.rows) == 1:
            return found.records()[0]
        if kind == "facts" and isinstance(found, Table):
            raise NoTableError(f"there are {len(found.rows)} rows, and one is expected")
        return found

    def source(self, location: Location) -> Table:
        """Return a source as it is now.

        :raises NoTableError: where it is gone or of another form.
        :raises InfrastructureError: where the database is gone.
        """
        if location.kind == "table":
            return self._rows(location.path)
        raw = self._file(location.path)
        if location.kind == "sheet":
            return read_sheet(raw, location.sheet)
        found = parsed(decoded(raw), ".csv")
        if not isinstance(found, Table):
            raise NoTableError("it is no table")
        return found

    def _found(self, place: Place) -> Body:
        if place.kind == "rows":
            table = self._rows(place.path)
            if place.column not in table.columns:
                raise NoTableError(f"the table {place.path} has no column {place.column}")
            at = table.columns.index(place.column)
            return Table(table.columns, tuple(row for row in table.rows if row[at] == place.value))
        if place.kind == "sheet":
            return read_sheet(self._file(place.path), place.sheet)
        if place.kind == "commit":
            return parsed(decoded(read_committed(self.workspace, place.path)), place.suffix)
        return parsed(decoded(self._file(place.path)), place.suffix)

    def _file(self, path: str) -> bytes:
        try:
            return read_file(self.workspace, path, LARGEST)
        except UnreadableError as error:
            raise NoTableError(str(error)) from None

    def _rows(self, table: str) -> Table:
        columns = self.material.columns_of(table)
        if self.database is None or not columns:
            raise NoTableError(f"there is no table {table}")
        try:
            return table_of(columns, self.database.query(select_statement(table, columns)))
        except QueryError as error:
            raise NoTableError(f"the table {table} cannot be read: {str(error)[:200]}") from None
