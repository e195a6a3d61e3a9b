"""The door to servers and databases: what is missing, a process' databases, a workflow's servers.

How they are used::

    with open_databases(state / "databases") as databases:      # once a process
        database = databases.clone("orders", template_sql)
        with open_servers(workspace, database=database, label="workflow orders") as servers:
            servers.start(["filesystem", "postgres"])
            servers.call("filesystem", "read_text_file", {"path": "orders.csv"})
            servers.call("postgres", "execute", {"sql": "UPDATE ..."})
        database.query("SELECT total FROM orders WHERE id = $1", [7])
        database.drop()
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.registry import choose
from pytest_comem.sandbox.service import HOLDING
from pytest_comem.servers.base import Database, Databases, ToolServers
from pytest_comem.servers.declared import NODE, POSTGRESQL, Declared, declared


def missing(names: Sequence[str], sandbox: str = "auto") -> Mapping[str, str]:
    """Return what cannot be had here and how to get it, by server; nothing is started.

    :param names: of servers, as ``servers.toml`` declares them.
    """
    return missing_in(choose(sandbox).name, names)


def missing_in(kind: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the same for a kind of sandbox that was chosen."""
    known = declared()
    found = {}
    for name in names:
        if name not in known:
            found[name] = f"no such server is declared; there are {', '.join(known)}"
        elif why := _lacking(known[name], kind):
            found[name] = why
    return found


def open_databases(directory: Path, sandbox: str = "auto") -> Databases:
    """Return this process' databases; PostgreSQL is started with the first that is asked for.

    :param directory: to keep them in, made where it is not there and removed when they are closed:
        part of a run's state, so that a killed run's is found.
    """
    from pytest_comem.servers.databases import ProcessDatabases

    return ProcessDatabases(directory, sandbox)


def open_servers(
    workspace: Path,
    *,
    database: Database | Sequence[Database] | None = None,
    sandbox: str = "auto",
    label: str,
) -> ToolServers:
    """Return a workflow's servers, none of them started.

    :param workspace: the workflow's files; a directory of ours is made beside it while servers run.
    :param database: what the servers ``postgres`` and ``sqlite`` work on; both kinds may be given.
        They stay the caller's to drop.
    :param label: of the workflow, for messages.
    """
    from pytest_comem.servers.running import RunningServers

    given = [] if database is None else [database]
    every = [one for each in given for one in (each if isinstance(each, Sequence) else [each])]
    return RunningServers(workspace, every, choose(sandbox).name, label)


def _lacking(server: Declared, kind: str) -> str:
    from pytest_comem.servers.cluster import lacking
    from pytest_comem.servers.installing import is_installed, program_of

    if kind not in HOLDING:
        return f"sandbox {kind} cannot hold a server; choose {' or '.join(HOLDING)}"
    if importlib.util.find_spec("mcp") is None:
        return "the client is not installed; pip install 'mcp>=2'"
    if server.kind == NODE:
        try:
            program_of(server)
        except SettingsError as error:
            return str(error).partition(": ")[2]
    if not is_installed(server):
        return (
            f"{server.package} {server.version} is not installed; comem tools install {server.name}"
        )
    for command in server.needs:
        if shutil.which(command) is None:
            return f"there is no command {command!r}; install it from the system's packages"
    if server.sees == POSTGRESQL and (found := lacking(kind)):
        return "; ".join(found)
    return ""
