"""Servers started as a workflow would start them: ``comem tools check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, final

from pytest_comem.errors import ComemError
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.registry import choose
from pytest_comem.servers.declared import POSTGRESQL, SQLITE, declared
from pytest_comem.servers.opening import missing, open_databases, open_servers

_SCRIPT = "CREATE TABLE trial (id INTEGER)"


@final
class Tried(NamedTuple):
    """What came of one server.

    :param text: its tools, or what is wrong.
    """

    name: str
    works: bool
    text: str


def tried(names: Sequence[str], sandbox: str = "auto") -> Iterator[Tried]:
    """Yield what comes of each server, started alone on an empty workspace and database."""
    lacking = missing(names, sandbox)
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(prefix="comem-")))
        databases = stack.enter_context(open_databases(place / "databases", sandbox))
        for name in names:
            if name in lacking:
                yield Tried(name, False, lacking[name])
                continue
            workspace = place / name
            workspace.mkdir()
            sees = declared()[name].sees
            try:
                if "git" in declared()[name].needs:
                    _repository(workspace, sandbox)
                database = None
                if sees in (POSTGRESQL, SQLITE):
                    database = databases.clone(name, _SCRIPT, sees)  # type: ignore[arg-type]
                with open_servers(
                    workspace, database=database, sandbox=sandbox, label="a trial"
                ) as servers:
                    servers.start([name])
                    tools = [tool.name for tool in servers.specs([name])]
            except ComemError as error:
                yield Tried(name, False, str(error))
            else:
                yield Tried(name, True, ", ".join(tools))


def _repository(workspace: Path, sandbox: str) -> None:
    """Make an empty repository."""
    with choose(sandbox).open(workspace, limits=Limits(), label="a trial") as opened:
        opened.run(["git", "init", "--quiet", "."])
