"""What files of a workspace say: text, headings, tables and cells, with nothing run.

The kind follows from the ending: ``.xlsx`` workbooks, ``.docx`` documents, ``.md`` Markdown,
``.csv`` and ``.tsv`` tables; everything else is text. All readings are bounded, and what cannot be
read is :class:`~pytest_comem.sandbox.reading.UnreadableError` with a clause that says why.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, Literal, TypeAlias, final

from pytest_comem.office import markdown, word
from pytest_comem.office.blocks import Block, Cell, Grid, shown_cell
from pytest_comem.office.formulas import Formulas
from pytest_comem.office.serials import date_of_serial
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.sqlite_bytes import MAGIC
from pytest_comem.sandbox.workbooks import GridCell, read_grid, sheet_names

#: Characters and lines of a document that is read, rows and columns of a table, sheets of a
#: workbook, and characters of a cell.
MOST_CHARACTERS: Final = 1_000_000
MOST_LINES: Final = 50_000
MOST_ROWS: Final = 50_000
MOST_COLUMNS: Final = 1_000
MOST_SHEETS: Final = 100
LONGEST_CELL: Final = 32_767
#: Encodings of text, by the names that rubrics have for them; ``utf-8-sig`` asks for a mark.
Encoding: TypeAlias = Literal[
    "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "cp850", "iso-8859-15", "ascii"
]
_MARK: Final = b"\xef\xbb\xbf"
Rows: TypeAlias = "list[list[Cell]]"


@final
class Document:
    """One file's bytes, and what they say; each reading is made once.

    :param path: in its workspace.
    :param encoding: of text.
    """

    def __init__(self, path: str, raw: bytes, encoding: str = "utf-8") -> None:
        self.path = path
        self.raw = raw
        self.encoding = encoding
        self.suffix = PurePosixPath(path).suffix.lower()
        self._grids: dict[str, list[list[GridCell]]] = {}

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown."""
        return self.suffix in (".md", ".markdown")

    @cached_property
    def text(self) -> str:
        """What a reader sees, a line a paragraph or row."""
        return "\n".join(block.text for block in self.blocks)

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """Headings, lines and rows in order."""
        if self.suffix in (".xlsx", ".xlsm"):
            return list(self._sheet_blocks())
        if self.suffix == ".docx":
            return word.blocks_of(self.raw, MOST_CHARACTERS)
        lines = self._decoded.splitlines()
        if len(lines) > MOST_LINES:
            raise UnreadableError(f"it has more than {MOST_LINES:,} lines")
        if self.is_markdown:
            return markdown.blocks_of(lines)
        return [Block("text", line) for line in lines]

    @cached_property
    def sheets(self) -> Sequence[str]:
        """Names of a workbook's sheets."""
        if self.suffix not in (".xlsx", ".xlsm"):
            raise UnreadableError("it is no workbook (.xlsx)")
        found = sheet_names(self.raw)
        if len(found) > MOST_SHEETS:
            raise UnreadableError(f"it has more than {MOST_SHEETS} sheets")
        return found

    def grid(self, sheet: str | None) -> list[list[GridCell]]:
        """Return a sheet's cells as the file has them; the first sheet's where none is named."""
        names = self.sheets
        if not names:
            raise UnreadableError("the workbook has no sheet")
        name = names[0] if sheet is None else sheet
        if name not in self._grids:
            self._grids[name] = read_grid(self.raw, name, MOST_ROWS)
        return self._grids[name]

    def tables(self, sheet: str | None = None, delimiter: str | None = None) -> Iterator[Rows]:
        """Yield the tables in order, each with its header as first row, without empty rows.

        A CSV file and a sheet are one table, Markdown and documents may hold several.
        """
        if self.suffix in (".xlsx", ".xlsm"):
            name = sheet if sheet is not None else next(iter(self.sheets), "")
            yield _filled([[self._cell(name, cell) for cell in row] for row in self.grid(sheet)])
        elif self.is_markdown or self.suffix == ".docx":
            yield from _tables_of(self.blocks)
        else:
            yield _filled(self._csv(delimiter or ("\t" if self.suffix == ".tsv" else ",")))

    def _cell(self, sheet: str, cell: GridCell) -> Cell:
        """Return a cell's value; of a formula the last one, ours where no program has any."""
        if cell.formula and not cell.text:
            found = self._formulas.value(sheet, cell.formula)
            return "" if found is None else found
        return _value(cell)

    @cached_property
    def _formulas(self) -> Formulas:
        return Formulas(self.grid)

    def _csv(self, delimiter: str) -> Rows:
        rows: Rows = []
        try:
            for row in csv.reader(io.StringIO(self._decoded, newline=""), delimiter=delimiter):
                if len(rows) >= MOST_ROWS or len(row) > MOST_COLUMNS:
                    raise UnreadableError(
                        f"it has more than {MOST_ROWS:,} rows, or too many columns"
                    )
                rows.append(list(row))
        except csv.Error as error:
            raise UnreadableError(f"it is no CSV: {error}") from None
        return rows

    def _sheet_blocks(self) -> Iterator[Block]:
        room = MOST_CHARACTERS
        for name in self.sheets:
            for row in self.grid(name):
                cells = tuple(shown_cell(self._cell(name, cell)) for cell in row)
                room -= sum(map(len, cells)) + 1
                if room < 0:
                    raise UnreadableError(f"it has more than {MOST_CHARACTERS:,} characters")
                if any(cells):
                    yield Block("row", " | ".join(cells), cells=cells)

    @cached_property
    def _decoded(self) -> str:
        if self.raw.startswith(MAGIC):
            raise UnreadableError("it is a database and no text")
        if self.encoding == "utf-8-sig" and not self.raw.startswith(_MARK):
            raise UnreadableError("it does not begin with the mark of UTF-8 (utf-8-sig)")
        if len(self.raw) > 2 * MOST_CHARACTERS:
            raise UnreadableError(f"it has more than {2 * MOST_CHARACTERS:,} bytes")
        try:
            name = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
            return self.raw.decode(name)
        except UnicodeDecodeError as error:
            why = f"byte {error.start} is 0x{self.raw[error.start]:02x}"
            raise UnreadableError(f"it is not {self.encoding}: {why}") from None
        except UnicodeError:
            raise UnreadableError(f"it is not {self.encoding}") from None


def _value(cell: GridCell) -> Cell:
    """Return a cell's value: a number, a date as ISO 8601, or a text."""
    if len(cell.text) > LONGEST_CELL:
        raise UnreadableError(f"a cell has more than {LONGEST_CELL:,} characters")
    if cell.kind == "b":
        return "TRUE" if cell.text == "1" else "FALSE"
    if cell.kind not in ("n", "d") or len(cell.text) > 40:
        return cell.text
    try:
        number = float(cell.text)
    except ValueError:
        return cell.text
    return date_of_serial(number) if cell.kind == "d" else number


def _filled(rows: Rows) -> Rows:
    return [row for row in rows if any(shown_cell(cell).strip() for cell in row)]


def _tables_of(blocks: Sequence[Block]) -> Iterator[Grid]:
    rows: Grid = []
    number = 0
    for block in blocks:
        if rows and (block.kind != "row" or block.table != number):
            yield _filled(rows)
            rows = []
        if block.kind == "row":
            number = block.table
            rows.append(list(block.cells))
    if rows:
        yield _filled(rows)
