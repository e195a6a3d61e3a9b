"""The check that runs a command: ``command``."""

from __future__ import annotations

from typing import Annotated, Final, final

from pydantic import Field

from pytest_comem.office.base import Found
from pytest_comem.office.checks.base import FailedError, Kind, Scene, passed, shown
from pytest_comem.records.base import Record, Text
from pytest_comem.streams.schema import FilePath


@final
class CommandArguments(Record):
    """Arguments of ``command``.

    :param command: run with ``sh`` in a sandbox on a copy of the workspace that is thrown away.
    :param add: files laid over the copy, text by path, such as tests the agent never saw.
    :param seconds: that it may take.
    """

    command: Annotated[str, Field(min_length=1, max_length=4_000)]
    add: Annotated[dict[FilePath, Text], Field(max_length=50)] = Field(default_factory=dict)
    seconds: Annotated[float, Field(gt=0, le=600)] = 60.0


def command(arguments: CommandArguments, scene: Scene) -> Found:
    """Pass where the command ends with exit status 0.

    :raises InfrastructureError: where the sandbox broke.
    """
    ran = scene.run(scene.after, arguments.command, arguments.add, arguments.seconds)
    said = shown(" ".join(ran.said.split())[-80:])
    if ran.status is None:
        raise FailedError(f"`{shown(arguments.command)}` was ended: {ran.why}", output=ran.said)
    if ran.status != 0:
        raise FailedError(
            f"`{shown(arguments.command)}` ended with exit status {ran.status}"
            + (f": {said}" if said else ""),
            output=ran.said,
        )
    return passed(f"`{shown(arguments.command)}` ended well", output=ran.said)


def _problem(arguments: CommandArguments) -> str:
    for path in arguments.add:
        if ".." in path.split("/") or path.startswith("/"):
            return f"the added file {path!r} is not inside the workspace"
    return ""


KINDS: Final = {"command": Kind(CommandArguments, command, _problem)}
