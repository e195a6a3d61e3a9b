"""Tables: the same cell in whatever form it comes, and nothing of any other shape."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_comem.domains.tools.tables import (
    MOST_COLUMNS,
    MOST_ROWS,
    NoTableError,
    Table,
    cell,
    of_records,
    read_facts,
    read_table,
    table_of,
)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (12, 12),
        (12.0, 12),
        ("12", 12),
        (" 12 ", 12),
        ("12.0", 12),
        ("-3", -3),
        ("007", "007"),
        ("1e3", "1e3"),
        ("12.5", "12.5"),
        ("08:30", "08:30"),
        ("9" * 16, "9" * 16),
        (True, "yes"),
        (False, "no"),
        (None, ""),
        ("", ""),
    ],
)
def test_a_cell_is_the_same_wherever_it_was_written(value: Any, wanted: Any) -> None:
    """Whole numbers are numbers, everything else is text; a leading zero is kept."""
    found = cell(value)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize("value", [[], {}, 1.5, float("nan"), float("inf"), 10**15, "x" * 1_001])
def test_other_values_are_no_cells(value: Any) -> None:
    """Lists, objects, fractions, and what is too large."""
    with pytest.raises(NoTableError):
        cell(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "table",
        {"columns": ["a"]},
        {"columns": "a", "rows": []},
        {"columns": [], "rows": []},
        {"columns": ["a", "a"], "rows": []},
        {"columns": ["a"], "rows": [1]},
        {"columns": ["a"], "rows": [[1, 2]]},
        {"columns": ["a"], "rows": [[[]]]},
        {"columns": ["a"], "rows": [], "more": 1},
        {"columns": ["a"], "rows": [[1]] * (MOST_ROWS + 1)},
        {"columns": [f"c{n}" for n in range(MOST_COLUMNS + 1)], "rows": []},
    ],
)
def test_other_json_is_no_table(value: Any) -> None:
    """Whatever its shape, it is refused and nothing else happens."""
    with pytest.raises(NoTableError):
        read_table(value)


def test_a_table_is_read_as_it_is_written() -> None:
    """With all its cells."""
    table = table_of(["a", "b"], [[1, "x"], ["2", None]])
    assert read_table(table.as_json()) == table
    assert table.records() == [{"a": 1, "b": "x"}, {"a": 2, "b": ""}]


def test_rows_are_the_same_in_any_order() -> None:
    """Of rows and of columns, but not with another number of equal rows or another type."""
    table = table_of(["a", "b"], [[1, "x"], [2, "y"], [2, "y"]])
    assert table.same_rows(table_of(["b", "a"], [["y", 2], ["x", 1], ["y", 2]]))
    assert not table.same_rows(table_of(["a", "b"], [[1, "x"], [2, "y"]]))
    assert not table.same_rows(table_of(["a", "b"], [[1, "x"], [1, "x"], [2, "y"]]))
    assert not table.same_rows(table_of(["a", "c"], table.rows))
    assert not Table(("a",), ((1,),)).same_rows(Table(("a",), (("1x",),)))


def test_records_have_the_same_fields() -> None:
    """An object with others is no row."""
    assert of_records([{"a": 1}, {"a": 2}]).rows == ((1,), (2,))
    assert of_records([], ["a"]).columns == ("a",)
    with pytest.raises(NoTableError):
        of_records([{"a": 1}, {"b": 2}])


@pytest.mark.parametrize("value", [None, [], {}, "x", {"a": []}, {"a": {"b": 1}}])
def test_other_json_is_no_facts(value: Any) -> None:
    """Facts are a flat object with something in it."""
    with pytest.raises(NoTableError):
        read_facts(value)
