"""``comem tools``: the MCP servers of CoMemBench's tools domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pytest_comem.servers.declared import Declared

_NAMES = typer.Argument(metavar="[NAME ...]", help="All that are declared when not given.")


def list_servers() -> None:
    """List the declared servers and whether they can be used here."""
    from pytest_comem.core.printable import printable
    from pytest_comem.servers.declared import declared
    from pytest_comem.servers.installing import tools_directory
    from pytest_comem.servers.opening import missing

    lacking = missing(list(declared()))
    typer.echo(printable(f"in {tools_directory()}:"))
    for name, server in declared().items():
        state = lacking.get(name, "ready")
        typer.echo(printable(f"{name}: {server.package} {server.version}, {server.note}: {state}"))


def install(names: Annotated[list[str] | None, _NAMES] = None) -> None:
    """Install servers, each into an environment of its own.

    The one thing that uses the network; where they go, $COMEM_TOOLS says. Exit status 1 where one
    cannot be installed.
    """
    from pytest_comem.core.printable import printable
    from pytest_comem.errors import ComemError
    from pytest_comem.servers import installing

    failed = False
    for server in _chosen(names):
        try:
            installing.install(server, lambda line: typer.echo(printable(line)))
        except ComemError as error:
            failed = True
            typer.echo(printable(str(error), keep="\n"), err=True)
    if failed:
        raise typer.Exit(1)


def check(
    names: Annotated[list[str] | None, _NAMES] = None,
    sandbox: Annotated[str, typer.Option(metavar="KIND", help="As --comem-sandbox.")] = "auto",
) -> None:
    """Start each server as a workflow would, and list its tools.

    Exit status 1 where one cannot be started.
    """
    from pytest_comem.core.printable import printable
    from pytest_comem.servers.trying import tried

    failed = False
    for line in tried([server.name for server in _chosen(names)], sandbox):
        failed = failed or not line.works
        typer.echo(printable(f"{line.name}: {line.text}"))
    if failed:
        raise typer.Exit(1)


def _chosen(names: list[str] | None) -> list[Declared]:
    from pytest_comem.errors import SettingsError
    from pytest_comem.servers.declared import declared
    from pytest_comem.suggest import did_you_mean

    known = declared()
    for name in names or ():
        if name not in known:
            raise SettingsError(f"no server {name!r} is declared; {did_you_mean(name, [*known])}")
    return [known[name] for name in names or known]
