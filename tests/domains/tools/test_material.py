"""What a workflow starts with: laid out as the family says, or refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from shipped_families import shipped

from pytest_comem.domains.tools.material import (
    Location,
    insert_statement,
    material_of,
    result_places,
)
from pytest_comem.domains.tools.tables import NoTableError, table_of
from pytest_comem.domains.tools.workbook import read_sheet, sheet_names
from pytest_comem.errors import DataError
from pytest_comem.workflows.schema import ExecutionContract, Family

ONE = shipped("tools-three-sources").family
SOURCE = {"columns": ["a"], "rows": [[1]]}


def asking(environment: dict[str, Any]) -> Family:
    """Return the family with another environment."""
    return ONE.model_copy(update={"execution": ExecutionContract(environment=environment)})


def test_a_workspace_is_laid_out(tmp_path: Path) -> None:
    """Files, workbooks with their sheets, directories for results; and no result."""
    material_of(ONE).lay_out(tmp_path, tuple(result_places(ONE)))
    assert (tmp_path / "inbox" / "deliveries.csv").read_text().startswith("site,item,coming\n")
    raw = (tmp_path / "books" / "plan.xlsx").read_bytes()
    assert "Wanted" in sheet_names(raw)
    assert "Lack" not in sheet_names(raw)
    assert read_sheet(raw, "Wanted").columns == ("site", "item", "wanted")
    assert list((tmp_path / "work").iterdir()) == []


def test_a_repository_has_its_first_commit(tmp_path: Path) -> None:
    """Where the family works with one."""
    family = shipped("tools-changelog").family
    material_of(family).lay_out(tmp_path, tuple(result_places(family)))
    assert (tmp_path / ".git" / "HEAD").is_file()
    assert (tmp_path / "docs").is_dir()


def test_a_database_has_sources_and_empty_forms() -> None:
    """Numbers as numbers, texts as texts, in any SQL."""
    with sqlite3.connect(":memory:") as database:
        database.executescript(material_of(ONE).template_sql())
        kinds = "SELECT DISTINCT typeof(item), typeof(on_hand) FROM stock"
        assert database.execute(kinds).fetchall() == [("text", "integer")]
        assert database.execute("SELECT COUNT(*) FROM notices").fetchall() == [(0,)]
    database.close()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"databases": "sqlite"}, "no field 'databases'"),
        ({"database": "oracle"}, "its database is sqlite or postgres"),
        ({"sources": []}, "its sources are an object"),
        ({"sources": {"a": 7}}, "a source is an object"),
        ({"sources": {"a": {"file": "a.csv"}}}, "columns and rows"),
        ({"sources": {"a": {"file": "../a.csv", **SOURCE}}}, "no file of the workspace"),
        ({"sources": {"a": {"file": ".git/config", **SOURCE}}}, "no file of the workspace"),
        ({"sources": {"a": {"nowhere": "a", **SOURCE}}}, "lies in a table, a file"),
        ({"sources": {"a": {"table": "a", **SOURCE}}}, "names no database"),
        (
            {"database": "sqlite", "sources": {"a": {"table": 'a"; DROP', **SOURCE}}},
            "lower-case letters",
        ),
        (
            {"sources": {"a": {"file": "a.csv", **SOURCE}, "b": {"file": "a.csv", **SOURCE}}},
            "two sources lie at the same place",
        ),
        ({"sources": {"a": {"file": "a.csv", "columns": ["A b"], "rows": []}}}, "lower-case"),
        ({"forms": {"a": {"b": "text"}}}, "names no database"),
        ({"database": "sqlite", "forms": {"a": {"b": "blob"}}}, "integer or text"),
        ({"database": "sqlite", "forms": {"a": {}}}, "integer or text"),
    ],
)
def test_other_environments_are_refused(environment: dict[str, Any], said: str) -> None:
    """Naming the family and what is wrong."""
    with pytest.raises(DataError, match=said) as caught:
        material_of(asking(environment))
    assert "three-sources" in str(caught.value)


def test_values_are_no_sql() -> None:
    """Quotes are doubled; what no database stores is refused."""
    hostile = table_of(["a"], [["x'); DROP TABLE b; --"]])
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE "b" ("a" TEXT)')
        database.execute(insert_statement("b", hostile))
        assert database.execute("SELECT a FROM b").fetchall() == [("x'); DROP TABLE b; --",)]
    database.close()
    with pytest.raises(NoTableError):
        insert_statement("b", table_of(["a"], [["a\0b"]]))


def test_columns_are_known_by_table() -> None:
    """Of sources and forms; of nothing else."""
    material = material_of(ONE)
    assert material.columns_of("stock") == ("site", "item", "on_hand")
    assert material.columns_of("notices") == ("notice", "item", "lack")
    assert material.columns_of("pg_catalog") == ()
    assert Location("table", "stock") in material.sources
