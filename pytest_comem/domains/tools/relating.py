"""The calculations that a task may ask for: a few steps on named tables, and facts at the end.

A step is a list, its name first; steps work on one current table, which ``take`` chooses:

``["take", NAME]``, ``["stack", NAME]``
    The rows of an input or source; its rows below the current ones.
``["keep", COLUMN, HOW, VALUE]``
    Rows whose cell ``is``, ``is_not``, is ``at_least`` or ``below`` a value.
``["join", NAME, COLUMN]``, ``["lacking", NAME, COLUMN]``
    Each row with the other table's rows of the same cell; rows that have no such row there.
``["times" | "plus" | "minus", INTO, LEFT, RIGHT]``
    A column more; the right side is a column, a whole number or a fact.
``["put", INTO, VALUE]``
    A column more with the same cell in every row.
``["sum", [BY ...], [OF ...]]``
    A row a group, with sums; ``count`` says how many rows there were.
``["best", COLUMN]``
    The row with the highest cell, the first by all its cells where several have it.
``["columns", [NAME ...]]``
    These columns only.

A value is a cell, ``{"fact": [NAME, FACT]}``, ``{"total": [NAME, COLUMN]}`` or ``{"count": NAME}``,
where a name is an input's or a source's. Facts are lists as well: ``["count"]``,
``["total", COLUMN]``, ``["only", COLUMN]`` of the current table; ``["value", VALUE]``,
``["plus" | "minus", VALUE, VALUE]`` and ``["same", VALUE, VALUE]``; ``["agrees", NAME, INPUT]``
where a source that was read says the same as an input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_comem.domains.tools.contents import Body, same_body
from pytest_comem.domains.tools.tables import (
    MOST_ROWS,
    Cell,
    NoTableError,
    Table,
    cell,
    table_of,
)

Known = Mapping[str, Body]


def calculated(steps: Sequence[Any], known: Known) -> Table:
    """Return the table that steps come to.

    :param known: inputs and sources by name.
    :raises NoTableError: where a step cannot be done with them.
    """
    current = Table((), ())
    for step in steps:
        if not isinstance(step, list) or not step or str(step[0]) not in _STEPS:
            raise NoTableError(f"there is no step {str(step)[:60]}")
        try:
            current = _STEPS[str(step[0])](current, step[1:], known)
        except (ValueError, TypeError, LookupError):
            raise NoTableError(f"the step {str(step)[:60]} cannot be done") from None
    return current


def facts_of(asked: Mapping[str, Any], current: Table, known: Known) -> dict[str, Cell]:
    """Return facts by name.

    :raises NoTableError: where one cannot be told.
    """
    found: dict[str, Cell] = {}
    for name, how in asked.items():
        try:
            found[name] = cell(_fact(how, current, known))
        except (ValueError, TypeError, LookupError):
            raise NoTableError(f"the fact {name} cannot be told") from None
    return found


def value_of(value: Any, known: Known) -> Cell:
    """Return a value that a task names.

    :raises NoTableError: where no input or source tells it.
    """
    if not isinstance(value, dict):
        return cell(value)
    if "count" in value:
        return len(_table(value["count"], known).rows)
    name, wanted = value.get("fact") or value.get("total") or (None, None)
    if "total" in value:
        table = _table(name, known)
        return sum(_whole(row[_at(table, wanted)]) for row in table.rows)
    facts = known.get(str(name))
    if not isinstance(facts, dict) or wanted not in facts:
        raise NoTableError(f"nothing handed over tells {str(wanted)[:60]}")
    return facts[wanted]


def _table(name: Any, known: Known) -> Table:
    """Return a table by its name; facts are a table of one row."""
    found = known.get(name)
    if isinstance(found, dict):
        return table_of(list(found), [list(found.values())])
    if not isinstance(found, Table):
        raise NoTableError(f"there is no table {str(name)[:60]}")
    return found


def _at(table: Table, column: Any) -> int:
    if column not in table.columns:
        raise NoTableError(f"no column is called {str(column)[:60]}")
    return table.columns.index(column)


def _whole(value: Cell) -> int:
    if isinstance(value, str):
        raise NoTableError("a text is where a number has to be")
    return value


def _take(current: Table, said: Sequence[Any], known: Known) -> Table:
    return _table(said[0], known)


def _stack(current: Table, said: Sequence[Any], known: Known) -> Table:
    other = _columns(_table(said[0], known), [list(current.columns)], known)
    return Table(current.columns, (*current.rows, *other.rows))


def _keep(current: Table, said: Sequence[Any], known: Known) -> Table:
    column, how, value = said
    at, wanted, holds = _at(current, column), value_of(value, known), _COMPARED[how]
    return Table(current.columns, tuple(row for row in current.rows if holds(row[at], wanted)))


def _join(current: Table, said: Sequence[Any], known: Known) -> Table:
    name, column = said
    other, here = _table(name, known), _at(current, column)
    there = _at(other, column)
    more = [place for place, each in enumerate(other.columns) if each not in current.columns]
    rows = []
    for row in current.rows:
        for match in other.rows:
            if row[here] == match[there]:
                rows.append((*row, *(match[place] for place in more)))
        if len(rows) > MOST_ROWS:
            raise NoTableError(f"more than {MOST_ROWS} rows")
    return Table((*current.columns, *(other.columns[place] for place in more)), tuple(rows))


def _lacking(current: Table, said: Sequence[Any], known: Known) -> Table:
    name, column = said
    other, at = _table(name, known), _at(current, column)
    there = {row[_at(other, column)] for row in other.rows}
    return Table(current.columns, tuple(row for row in current.rows if row[at] not in there))


def _reckoned(reckon: Callable[[int, int], int]) -> Callable[..., Table]:
    def step(current: Table, said: Sequence[Any], known: Known) -> Table:
        into, left, right = said
        one = _at(current, left)
        if isinstance(right, str):
            other = _at(current, right)
            pairs = [(row[one], row[other]) for row in current.rows]
        else:
            value = value_of(right, known)
            pairs = [(row[one], value) for row in current.rows]
        cells = [reckon(_whole(first), _whole(second)) for first, second in pairs]
        return _with_column(current, str(into), cells)

    return step


def _put(current: Table, said: Sequence[Any], known: Known) -> Table:
    into, value = said
    return _with_column(current, str(into), [value_of(value, known)] * len(current.rows))


def _with_column(current: Table, into: str, cells: Sequence[Cell]) -> Table:
    rows = [(*row, value) for row, value in zip(current.rows, cells, strict=True)]
    return table_of([*current.columns, into], rows)


def _sum(current: Table, said: Sequence[Any], known: Known) -> Table:
    by, of = said
    keys, summed = [_at(current, name) for name in by], [_at(current, name) for name in of]
    groups: dict[tuple[Cell, ...], list[int]] = {}
    for row in current.rows:
        sums = groups.setdefault(tuple(row[at] for at in keys), [0] * (len(summed) + 1))
        for place, at in enumerate(summed):
            sums[place] += _whole(row[at])
        sums[-1] += 1
    return table_of([*by, *of, "count"], [[*key, *sums] for key, sums in groups.items()])


def _best(current: Table, said: Sequence[Any], known: Known) -> Table:
    at = _at(current, said[0])
    if not current.rows:
        raise NoTableError("there is no row to choose")
    chosen = min(current.rows, key=lambda row: (-_whole(row[at]), [str(each) for each in row]))
    return Table(current.columns, (chosen,))


def _columns(current: Table, said: Sequence[Any], known: Known) -> Table:
    places = [_at(current, name) for name in said[0]]
    return table_of(said[0], [[row[at] for at in places] for row in current.rows])


_COMPARED: Final[Mapping[str, Callable[[Cell, Cell], bool]]] = {
    "is": lambda one, other: one == other,
    "is_not": lambda one, other: one != other,
    "at_least": lambda one, other: _whole(one) >= _whole(other),
    "below": lambda one, other: _whole(one) < _whole(other),
}
_STEPS: Final[Mapping[str, Callable[[Table, Sequence[Any], Known], Table]]] = {
    "take": _take,
    "stack": _stack,
    "keep": _keep,
    "join": _join,
    "lacking": _lacking,
    "times": _reckoned(lambda one, other: one * other),
    "plus": _reckoned(lambda one, other: one + other),
    "minus": _reckoned(lambda one, other: one - other),
    "put": _put,
    "sum": _sum,
    "best": _best,
    "columns": _columns,
}


def _fact(how: Any, current: Table, known: Known) -> Any:
    name, *said = how
    if name == "count":
        return len(current.rows)
    if name == "total":
        at = _at(current, said[0])
        return sum(_whole(row[at]) for row in current.rows)
    if name == "only":
        at = _at(current, said[0])
        if len(current.rows) != 1:
            raise NoTableError(f"there are {len(current.rows)} rows, and one is expected")
        return current.rows[0][at]
    if name == "agrees":
        read, handed = known.get(said[0]), known.get(said[1])
        return read is not None and handed is not None and same_body(read, handed)
    values = [value_of(each, known) for each in said]
    if name == "same":
        return values[0] == values[1]
    if name in ("plus", "minus"):
        one, other = (_whole(each) for each in values)
        return one + other if name == "plus" else one - other
    if name == "value":
        return values[0]
    raise NoTableError(f"there is no fact {str(name)[:60]}")
