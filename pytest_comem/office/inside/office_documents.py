"""Documents (.docx), by python-docx, which is imported when one is used."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

from pytest_comem.office.inside.office_archives import checked, steady
from pytest_comem.office.inside.office_cells import rows_of, shown
from pytest_comem.office.inside.office_files import LONGEST, Files, RefusedError

_KINDS = ("heading", "paragraph", "bullet", "table")
_TAKES = {
    "heading": {"kind", "text", "level"},
    "paragraph": {"kind", "text"},
    "bullet": {"kind", "text"},
    "table": {"kind", "rows"},
}


def _opened(files: Files, path: str) -> Any:
    import docx

    source = checked(files.read(path), path)
    try:
        return docx.Document(source)
    except Exception as error:
        # Whatever its own parser makes of a broken file.
        kind = type(error).__name__
        raise RefusedError(f"{path!r} cannot be read as a document ({kind})") from None


def _saved(files: Files, path: str, document: Any) -> None:
    out = io.BytesIO()
    document.save(out)
    files.write(path, steady(out.getvalue()))


def _require_docx(path: str) -> None:
    if not path.lower().endswith(".docx"):
        raise RefusedError(f"{path!r}: the name of a document has to end in .docx")


def write_document(files: Files, path: str, blocks: Any) -> str:
    """Write a document anew."""
    import docx

    _require_docx(path)
    if not isinstance(blocks, list) or len(blocks) > 5_000:
        raise RefusedError("blocks has to be a list of at most 5,000 blocks")
    given = [_checked(block, number) for number, block in enumerate(blocks, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = docx.Document()
        for number, block in enumerate(given, 1):
            try:
                _add(document, block)
            except ValueError:
                # Control characters, which XML does not take.
                raise RefusedError(f"block {number} holds characters that cannot be") from None
        _saved(files, path, document)
    return f"wrote {path}: {len(given)} blocks"


def _checked(block: Any, number: int) -> dict[str, Any]:
    kind = block.get("kind") if isinstance(block, dict) else None
    if kind not in _KINDS:
        raise RefusedError(f"block {number}: its kind has to be one of {', '.join(_KINDS)}")
    strange = sorted(str(key) for key in block if key not in _TAKES[kind])
    if strange:
        raise RefusedError(f"block {number}: a {kind} takes no {strange[0]!r}")
    if kind == "table":
        rows = rows_of(block.get("rows"), f"block {number}: rows")
        if not rows or not max(map(len, rows)):
            raise RefusedError(f"block {number}: a table needs rows with cells")
        if len(rows) * max(map(len, rows)) > 20_000:
            raise RefusedError(f"block {number}: the table is too large for a document")
        return {"kind": kind, "rows": rows}
    text, level = block.get("text"), block.get("level", 1)
    if not isinstance(text, str) or len(text) > LONGEST:
        raise RefusedError(f"block {number}: a {kind} needs a text")
    if kind == "heading" and (type(level) is not int or not 1 <= level <= 4):
        raise RefusedError(f"block {number}: the level of a heading is 1 to 4")
    return {"kind": kind, "text": text, "level": level}


def _add(document: Any, block: dict[str, Any]) -> None:
    kind = block["kind"]
    if kind == "heading":
        document.add_heading(block["text"], block["level"])
    elif kind == "table":
        rows = block["rows"]
        table = document.add_table(len(rows), max(map(len, rows)), style="Table Grid")
        cells = table._cells
        for at, row in enumerate(rows):
            for column, value in enumerate(row):
                if value is not None:
                    cells[at * max(map(len, rows)) + column].text = str(value)
    else:
        style = "List Bullet" if kind == "bullet" else None
        document.add_paragraph(block["text"], style=style)


def edit_document(files: Files, path: str, old: str, new: str) -> str:
    """Replace a text, its first character's formatting kept."""
    _require_docx(path)
    document = _opened(files, path)
    if not old:
        raise RefusedError("old is empty; give the text to replace")
    counts = [(one, _run_text(one).count(old)) for one in _paragraphs(document)]
    found = [one for one, count in counts if count]
    total = sum(count for _, count in counts)
    if total != 1:
        hint = "read shows what is there" if total == 0 else "give more of what is around it"
        raise RefusedError(f"{path}: the text occurs {total} times, not once; {hint}")
    try:
        _replace(found[0], old, new)
    except ValueError:
        raise RefusedError("new holds characters that cannot be in a document") from None
    _saved(files, path, document)
    return f"edited {path}"


def _run_text(paragraph: Any) -> str:
    return "".join(run.text for run in paragraph.runs)


def _replace(paragraph: Any, old: str, new: str) -> None:
    """Put *new* in the run where *old* begins, and take the rest of *old* out of those after."""
    start = _run_text(paragraph).index(old)
    end, at, first = start + len(old), 0, True
    for run in paragraph.runs:
        text = run.text
        head, tail = max(start - at, 0), min(end - at, len(text))
        if head < tail:
            run.text = text[:head] + (new if first else "") + text[tail:]
            first = False
        at += len(text)


def _bodies(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield paragraphs and tables of a document's body, in order."""
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    for child in document.element.body.iterchildren():
        tag = str(child.tag).rpartition("}")[2]
        if tag == "p":
            yield "p", Paragraph(child, document)
        elif tag == "tbl":
            yield "tbl", Table(child, document)


def _cells_of(table: Any) -> Iterator[list[Any]]:
    """Yield the cells of each row, a merged one once a row."""
    for row in table.rows:
        cells: dict[int, Any] = {id(cell._tc): cell for cell in row.cells}
        yield list(cells.values())


def _paragraphs(document: Any) -> Iterator[Any]:
    seen = set()
    for tag, body in _bodies(document):
        if tag == "p":
            yield body
            continue
        for cell in (cell for row in _cells_of(body) for cell in row):
            if cell._tc not in seen:
                seen.add(cell._tc)
                yield from cell.paragraphs


def document_text(files: Files, path: str) -> str:
    """Return headings as ``## text``, bullets as ``- text``, rows of tables as ``a | b``."""
    lines: list[str] = []
    for tag, body in _bodies(_opened(files, path)):
        if tag == "tbl":
            lines += [shown([cell.text for cell in row]) for row in _cells_of(body)]
        elif body.text:
            lines.append(_lead(body.style.name if body.style is not None else "") + body.text)
    return "\n".join(lines)


def _lead(style: str) -> str:
    if style == "Title":
        return "# "
    kind, _, level = style.rpartition(" ")
    if kind == "Heading" and level.isdigit():
        return "#" * min(int(level), 9) + " "
    return "- " if style.startswith("List Bullet") else ""
