"""How messages about a stream name participant, task and file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_comem.errors import DataError
from pytest_comem.records.base import Record
from pytest_comem.records.strict_json import Found, clipped, read_record
from pytest_comem.streams.paths import UnsafeError, size_of


def place_of(participant: str, task: str | None = None) -> str:
    """Return the words that a message begins with, such as ``participant ada, task t1: ``."""
    named = f"participant {clipped(participant)}"
    return f"{named}, task {clipped(task)}: " if task else f"{named}: "


def shown_file(directory: Path, path: str) -> str:
    """Return how messages name a file of a stream: its directory's name, and the path in it."""
    return f"{directory.absolute().name}/{path}"


def read_part(
    directory: Path, path: str, model: type[Found], participant: str, task: str | None = None
) -> Found:
    """Return a record of a stream.

    :param directory: of the stream.
    :param path: in it; no link is followed.
    :raises DataError: where it cannot be read or is no such record.
    """
    shown, place = shown_file(directory, path), place_of(participant, task)
    try:
        size_of(directory, path)
    except UnsafeError as error:
        raise DataError(f"{place}the file {error}", file=shown) from None

    def named(document: Mapping[str, Any], field: Sequence[str | int]) -> str:
        return place

    return read_record(directory / path, model, shown, named)


def has_part(directory: Path, path: str) -> bool:
    """Whether there is anything at a path of a stream, were it a link to nowhere."""
    return (directory / path).is_symlink() or (directory / path).exists()


def plain(record: Record | None) -> Any:
    """Return a record as plain JSON values, for a digest."""
    return record and record.model_dump(mode="json")
