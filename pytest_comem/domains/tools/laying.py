"""A ground truth laid out: a workspace and database as a node's right work leaves them behind.

No server is needed for it: the families' checks hold gold and its mutations against the evaluator
wherever they run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, final

from pytest_comem.domains.tools.contents import Body, read_body
from pytest_comem.domains.tools.forms import LARGEST, written
from pytest_comem.domains.tools.material import (
    Material,
    delete_statement,
    insert_statement,
    material_of,
    result_places,
)
from pytest_comem.domains.tools.places import Place, read_place
from pytest_comem.domains.tools.repository import commit_files
from pytest_comem.domains.tools.state import State
from pytest_comem.domains.tools.tables import NoTableError, Table, table_of
from pytest_comem.domains.tools.workbook import read_sheet, sheet_names, workbook_bytes
from pytest_comem.sandbox.reading import read_file
from pytest_comem.servers.base import QueryError
from pytest_comem.workflows.schema import Family


@final
class Ground:
    """A workspace and an SQLite database in memory that results are laid into."""

    def __init__(self, workspace: Path, database: sqlite3.Connection, material: Material) -> None:
        self._workspace = workspace
        self.database = database
        self.state = State(workspace, self, material)

    def query(self, sql: str, params: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        """Return the rows of a query.

        :raises QueryError: where it cannot be answered.
        """
        try:
            return self.database.execute(sql, tuple(params)).fetchall()
        except sqlite3.Error as error:
            raise QueryError(str(error)) from None

    def lay(self, content: Any) -> None:
        """Leave a result at its place, as right work that makes this content does.

        :raises NoTableError: where the content names no place, or nothing to lay there.
        """
        place = read_place(content.get("place") if isinstance(content, dict) else None)
        body = read_body(content)
        if place.kind == "rows":
            self._insert(place, _as_table(body))
        elif place.kind == "sheet":
            self._write_sheet(place, _as_table(body))
        else:
            raw = written(body, place.suffix).encode()
            path = self._workspace / place.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
            if place.kind == "commit":
                commit_files(self._workspace, {place.path: raw}, "A result")

    def _insert(self, place: Place, rows: Table) -> None:
        try:
            with self.database:
                self.database.execute(delete_statement(place.path, place.column, place.value))
                if rows.rows:
                    self.database.execute(insert_statement(place.path, rows))
        except sqlite3.Error as error:
            raise NoTableError(f"the table {place.path} takes no such rows: {error}") from None

    def _write_sheet(self, place: Place, table: Table) -> None:
        raw = read_file(self._workspace, place.path, LARGEST)
        sheets = {name: read_sheet(raw, name) for name in sheet_names(raw)}
        changed = workbook_bytes({**sheets, place.sheet: table})
        (self._workspace / place.path).write_bytes(changed)


@contextmanager
def ground_of(family: Family) -> Iterator[Ground]:
    """Open what a family starts with.

    :raises DataError: where its environment is not of the right form.
    """
    material = material_of(family)
    with (
        TemporaryDirectory(prefix="comem-") as place,
        closing(sqlite3.connect(":memory:")) as database,
    ):
        workspace = Path(place)
        material.lay_out(workspace, tuple(result_places(family)))
        database.executescript(material.template_sql())
        yield Ground(workspace, database, material)


def _as_table(body: Body) -> Table:
    if isinstance(body, str):
        raise NoTableError("code is no row")
    return body if isinstance(body, Table) else table_of(list(body), [list(body.values())])
