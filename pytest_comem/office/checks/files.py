"""Checks of which files there are: ``exists``, ``absent``, ``unchanged``, ``name``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, final

from pydantic import Field

from pytest_comem.office.base import Found
from pytest_comem.office.checks.base import (
    FailedError,
    FileArguments,
    Kind,
    Patterns,
    Scene,
    matching,
    named,
    passed,
    pattern_text,
    shown,
)
from pytest_comem.records.base import Name, Record


@final
class WholeArguments(Record):
    """Arguments of checks of the whole workspace."""

    file: Patterns


@final
class NameArguments(FileArguments):
    """Arguments of ``name``.

    :param equal: the path, or those that are allowed.
    """

    equal: Name | Annotated[tuple[Name, ...], Field(min_length=1, max_length=20)]


def exists(arguments: FileArguments, scene: Scene) -> Found:
    """Pass where one file, new or changed, matches and can be read."""
    document = scene.document(arguments)
    size = len(document.raw)
    return passed(f"{shown(document.path)} is there, {size:,} bytes", file=document.path)


def absent(arguments: WholeArguments, scene: Scene) -> Found:
    """Pass where nothing of the workspace matches."""
    found = matching(arguments.file, scene.after.paths())
    if found:
        raise FailedError(f"{named(found)} should not be there", files=found[:10])
    return passed(f"nothing matches {pattern_text(arguments.file)}")


def unchanged(arguments: WholeArguments, scene: Scene) -> Found:
    """Pass where all matching files of before are still there, byte for byte."""
    kept = matching(arguments.file, list(scene.before.content))
    for path in sorted(kept):
        if path not in scene.after.content:
            why = "cannot be read any more" if path in scene.after.odd else "is gone"
            raise FailedError(f"{shown(path)} {why}", file=path)
        if scene.after.content[path] != scene.before.content[path]:
            raise FailedError(f"{shown(path)} was changed", file=path)
    return passed(f"{len(kept)} files are as they were")


def name(arguments: NameArguments, scene: Scene) -> Found:
    """Pass where the file that matches has one of the allowed paths."""
    path = scene.one(arguments)
    allowed = (arguments.equal,) if isinstance(arguments.equal, str) else arguments.equal
    if path not in allowed:
        wanted = " or ".join(allowed)
        raise FailedError(f"{shown(path)} should be called {wanted}", file=path, expected=wanted)
    return passed(f"it is called {shown(path)}", file=path)


KINDS: Final[Mapping[str, Kind[Any]]] = {
    "exists": Kind(FileArguments, exists),
    "absent": Kind(WholeArguments, absent),
    "unchanged": Kind(WholeArguments, unchanged),
    "name": Kind(NameArguments, name),
}
