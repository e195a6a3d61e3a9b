"""What documents of every kind are made of: headings, lines, and rows of tables."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

#: A cell of a table: a number where the file says that it is one.
Cell: TypeAlias = "float | str"
Grid: TypeAlias = "list[list[Cell]]"


class Block(NamedTuple):
    """One heading, line (a whole paragraph of a document), or row of a table.

    :param text: as a reader sees it.
    :param level: of a heading, 1 the highest.
    :param cells: of a row.
    :param table: that the row belongs to, 1-based.
    """

    kind: Literal["heading", "text", "row"]
    text: str
    level: int = 0
    cells: tuple[str, ...] = ()
    table: int = 0


def shown_cell(cell: Cell) -> str:
    """Return a cell as text; a whole number without decimals."""
    if isinstance(cell, str):
        return cell
    return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
