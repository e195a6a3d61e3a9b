"""``comem sandbox``: which kinds work here, and the image of Docker's."""

from __future__ import annotations

from typing import Annotated

import typer


def check() -> None:
    """Try every kind of sandbox, and say what the others lack.

    Exit status 1 where none isolates.
    """
    from pytest_comem.core.printable import printable
    from pytest_comem.errors import SettingsError
    from pytest_comem.sandbox.registry import KINDS

    works = []
    for name, make in KINDS.items():
        if name == "none":
            typer.echo(f"{name}: works, and isolates nothing")
            continue
        try:
            make().preflight()
        except SettingsError as error:
            typer.echo(printable(str(error)).removeprefix("sandbox "))
        else:
            works.append(name)
            typer.echo(f"{name}: works")
    if not works:
        raise typer.Exit(1)


def build(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="comem-sandbox:latest when not given.")
    ] = "",
) -> None:
    """Make the image of Docker's sandboxes from Debian's packages; needs mmdebstrap."""
    from pytest_comem.sandbox.building import build_image
    from pytest_comem.sandbox.docker_shape import IMAGE

    build_image(name or IMAGE)
