"""Queries over files, and statements on databases, within bounds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from office_operations import do, done, query, refused, state

openpyxl = pytest.importorskip("openpyxl")

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"


def test_csv_is_queried_with_its_delimiter_and_encoding(tmp_path: Path) -> None:
    """Numbers are numbers, identifiers with leading zeros are texts, an empty cell is nothing."""
    (tmp_path / "a.csv").write_bytes("id;ört;v\n007;Köln;1.5\n12;Ulm;\n".encode("latin-1"))
    table = {"path": "a.csv", "delimiter": ";", "encoding": "latin-1"}
    assert query(tmp_path, "SELECT * FROM t", **table) == [
        ["007", "Köln", 1.5],
        ["12", "Ulm", None],
    ]
    assert query(tmp_path, "SELECT sum(v) FROM t WHERE \"ört\" = 'Köln'", **table) == 1.5
    said = refused(tmp_path, "query", tables=[{"name": "t", "path": "a.csv"}], statement="SELECT 1")
    assert "give its encoding" in said


def test_a_spreadsheet_is_queried_by_sheet(tmp_path: Path) -> None:
    """Dates come out as ISO 8601; the sheet has to be named where there are several."""
    import datetime

    book = openpyxl.Workbook()
    book.active.append(["day", "at", "n"])
    moment = datetime.datetime(2025, 3, 31, 9, 30)
    book.active.append([datetime.date(2025, 3, 31), moment, "012"])
    book.create_sheet("Other")
    book.save(tmp_path / "a.xlsx")
    table = {"path": "a.xlsx", "sheet": "sheet"}
    row = [["2025-03-31", "2025-03-31T09:30:00", "012"]]
    assert query(tmp_path, "SELECT * FROM t", **table) == row
    tables = [{"name": "t", "path": "a.xlsx"}]
    assert "'Other'" in refused(tmp_path, "query", tables=tables, statement="SELECT 1")


def test_formulas_that_nobody_computed_are_said_to_be_nothing(tmp_path: Path) -> None:
    """What looks like a gap in the data is none."""
    rows = [["n", "gap", "twice"], [1, None, "=A2*2"], ["=A2+1", 3, "=A3*2"], ["=A3"]]
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="S", rows=rows)
    tables = [{"name": "t", "path": "a.xlsx"}]
    found = do(tmp_path, "query", tables=tables, statement="SELECT n, twice FROM t")
    assert found["value"] == [[1, None], [None, None]]
    assert found["text"].endswith("[a.xlsx: 4 formulas were never computed and count as NULL]")
    done(tmp_path, "write_sheet", path="a.xlsx", sheet="S", rows=[["n", "gap"], [1, None]])
    found = do(tmp_path, "query", tables=tables, statement="SELECT n FROM t")
    assert found["text"] == "n\n1"


def test_a_database_is_made_changed_and_queried(tmp_path: Path) -> None:
    """Its tables and views are known by their own names, and below the name that was given."""
    make = "CREATE TABLE o (n TEXT, v REAL); INSERT INTO o VALUES ('a', 1), ('b', 2.5)"
    assert done(tmp_path, "execute_sql", path="d/a.db", statement=make) == 2
    view = "CREATE VIEW w AS SELECT n FROM o WHERE v > 1"
    done(tmp_path, "execute_sql", path="d/a.db", statement=view)
    assert query(tmp_path, "SELECT sum(v) FROM o", path="d/a.db") == 3.5
    assert query(tmp_path, "SELECT n FROM t.w", path="d/a.db") == "b"
    assert "table o (n TEXT, v REAL), 2 rows" in do(tmp_path, "read", path="d/a.db")["text"]
    with closing(sqlite3.connect(tmp_path / "d/a.db")) as connection:
        assert connection.execute("SELECT count(*) FROM o").fetchone() == (2,)
    assert state(tmp_path).keys() == {"d/a.db"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE o SET v = 0; SELEC",
        "DELETE FROM o; ATTACH 'b.db' AS b",
        "VACUUM INTO 'b.db'",
        "PRAGMA journal_mode = WAL",
        f"{ENDLESS} DELETE FROM o WHERE v IN c",
        "SELECT load_extension('x')",
    ],
)
def test_a_statement_that_fails_leaves_the_database_alone(tmp_path: Path, statement: str) -> None:
    """So do those that would reach another file, and those that never end."""
    done(
        tmp_path, "execute_sql", path="a.db", statement="CREATE TABLE o (v); INSERT INTO o SELECT 1"
    )
    refused(tmp_path, "execute_sql", path="a.db", statement=statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM t", "one SELECT"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("", "no SELECT"),
        ("SELECT w FROM t", "there are: t (v)"),
        ("SELECT v FROM u", "there are: t (v)"),
        ("ATTACH 'x.db' AS x", "one SELECT"),
        (
            f"{ENDLESS} SELECT max(n) FROM c",
            "long",
        ),
        ("SELECT zeroblob(500000000)", "too big"),
        ("SELECT a.v FROM t a, t b, t c, t d", "more than 2,000 rows"),
        ("SELECT hex(zeroblob(200000))", "more than 200,000 characters"),
    ],
)
def test_a_query_is_one_bounded_select(tmp_path: Path, statement: str, said: str) -> None:
    """Anything else is refused, with what could be asked."""
    (tmp_path / "a.csv").write_text("v\n" + "1\n" * 9)
    tables = [{"name": "t", "path": "a.csv"}]
    assert said in refused(tmp_path, "query", tables=tables, statement=statement)


def test_ragged_and_nameless_columns_have_names(tmp_path: Path) -> None:
    """Each column can be asked for."""
    (tmp_path / "a.csv").write_text("a,A,\n1,2,3,4\n5\n")
    found = query(tmp_path, 'SELECT "a", "A 2", "column 3", "column 4" FROM t', path="a.csv")
    assert found == [[1, 2, 3, 4], [5, None, None, None]]
