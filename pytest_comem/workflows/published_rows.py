"""Rows of released JSON Lines files, whatever they are: what is no row is noted and passed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError

#: Longest line in bytes that is looked at; a retrieval corpus may be one line.
MAX_LINE: Final = 64 * 1024 * 1024


@final
@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that was left out.

    :param line: from 1.
    """

    file: str
    line: int
    reason: str


def rows_of(path: Path, name: str, skipped: list[Skipped]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of every row.

    :param name: the file's name in messages.
    :param skipped: gets what is no row.
    :raises DataError: where the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    raise DataError(f"more than {MAX_LINE:,} bytes", file=name, line=number)
                if not raw.strip():
                    continue
                try:
                    row = json.loads(raw)
                except (ValueError, RecursionError):
                    skipped.append(Skipped(name, number, "not JSON, or not UTF-8"))
                    continue
                if isinstance(row, dict):
                    yield number, row
                else:
                    skipped.append(Skipped(name, number, "not a JSON object"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=name) from None
