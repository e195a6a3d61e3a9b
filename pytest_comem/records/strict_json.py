"""One JSON object a file, read strictly into a record: errors name the file, field, and place."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from pydantic import ValidationError

from pytest_comem.core.printable import printable
from pytest_comem.errors import DataError
from pytest_comem.records.base import Record
from pytest_comem.records.canonical import MAX_DEPTH

Found = TypeVar("Found", bound=Record)

#: Longest accepted file in bytes.
MAX_BYTES: Final = 16 * 1024 * 1024
#: Longest piece of somebody's text within a message.
_SHOWN: Final = 120


#: Says in words which part of a document a field belongs to, such as ``node n1: ``; may say
#: nothing.
Place: TypeAlias = Callable[[Mapping[str, Any], Sequence[str | int]], str]


def _nowhere(document: Mapping[str, Any], path: Sequence[str | int]) -> str:
    return ""


def read_record(
    path: Path,
    model: type[Found],
    shown_as: str,
    place: Place = _nowhere,
    limit: int = MAX_BYTES,
) -> Found:
    """Return what a file holds.

    :param shown_as: the file's name in error messages.
    :param place: names the part of the document that an error is about.
    :param limit: bytes that it may have.
    :raises DataError: where it cannot be read, is too large, not JSON or not such a record.
    """
    text = _text(path, shown_as, limit)
    document = _document(text, shown_as)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise _first_problem(error, place, document, shown_as) from None


def clipped(text: str) -> str:
    """Return somebody's text as a message may have it: printable, and not without end."""
    shown = printable(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def _text(path: Path, shown_as: str, limit: int) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DataError("not a regular file", file=shown_as)
        with path.open("rb") as file:
            raw = file.read(limit + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=shown_as) from None
    if len(raw) > limit:
        raise DataError(f"larger than {limit:,} bytes; is this the right file?", file=shown_as)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"not UTF-8: byte 0x{raw[error.start]:02x}; save the file as UTF-8"
        raise DataError(problem, file=shown_as, line=line) from None


def _document(text: str, shown_as: str) -> Mapping[str, Any]:
    """Return the plain JSON object, after checks that no schema makes."""
    try:
        document = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip())
        problem = f"not JSON: {error.msg} at column {error.colno}"
        problem += "; the file is cut off" if cut else ""
        raise DataError(problem, file=shown_as, line=error.lineno) from None
    except RecursionError:
        raise DataError(_too_deep(), file=shown_as) from None
    except ValueError as error:
        raise DataError(f"not JSON: {clipped(str(error))}", file=shown_as) from None
    if not isinstance(document, dict):
        raise DataError("not a JSON object", file=shown_as, line=1)
    if _deeper(document, MAX_DEPTH):
        raise DataError(_too_deep(), file=shown_as)
    return document


def _too_deep() -> str:
    return f"lists and objects lie more than {MAX_DEPTH} deep in each other"


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {doubled!r} is there twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _deeper(value: Any, depth: int) -> bool:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    return depth == 0 or any(_deeper(each, depth - 1) for each in value)


def _first_problem(
    error: ValidationError, place: Place, document: Mapping[str, Any], shown_as: str
) -> DataError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = clipped(str(first["msg"]))
    problem = message[0].lower() + message[1:]
    where = place(document, first["loc"])
    field = clipped(".".join(str(part) for part in first["loc"]))
    return DataError(f"{where}{problem}", file=shown_as, field=field or None)
