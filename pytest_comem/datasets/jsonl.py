"""JSON Lines files, read strictly: every error names file, line and field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_comem.errors import DataError

Row = TypeVar("Row", bound=BaseModel)

#: Longest accepted line in bytes; the longest line of any released file is about 0.2 MB.
MAX_LINE_BYTES: Final = 8 * 1024 * 1024

_CUT_OFF: Final = "EOF while parsing"


def read_rows(path: Path, model: type[Row], shown_as: str) -> Iterator[tuple[int, Row]]:
    """Yield ``(line number, row)`` for every non-empty line of *path*.

    :param shown_as: the file's name in error messages.
    :raises DataError: on the first line that is too long, not UTF-8, not JSON or not a row.
    """
    try:
        with path.open("rb") as file:
            line = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                line += 1
                if len(raw) > MAX_LINE_BYTES:
                    raise DataError(
                        f"the line is longer than {MAX_LINE_BYTES:,} bytes; "
                        "is this the benchmark's file?",
                        file=shown_as,
                        line=line,
                    )
                if raw.strip():
                    yield line, _parse(raw, model, shown_as, line)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=shown_as) from error


def _parse(raw: bytes, model: type[Row], shown_as: str, line: int) -> Row:
    try:
        # Without the line's end, a string cut in the middle reads as cut off.
        text = raw.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}; "
            "save the file as UTF-8",
            file=shown_as,
            line=line,
        ) from None
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise _first_problem(error, shown_as, line) from None


def _first_problem(error: ValidationError, shown_as: str, line: int) -> DataError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = str(first["msg"])
    if first["type"] == "json_invalid":
        detail = message.removeprefix("Invalid JSON: ")
        problem = f"not a JSON object: {detail}"
        if _CUT_OFF in detail:
            problem = f"the line is cut off ({detail}); fetch or copy the file again"
        return DataError(problem, file=shown_as, line=line)
    field = ".".join(str(part) for part in first["loc"]) or None
    return DataError(message[0].lower() + message[1:], file=shown_as, line=line, field=field)
