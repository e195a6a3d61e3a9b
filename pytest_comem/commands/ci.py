"""``comem ci``: files to copy that gate a memory library's changes."""

from __future__ import annotations

from typing import Annotated, Final

import typer

#: File of each service, in the shipped fixtures.
FILES: Final = {
    "github": "github-actions.yml",
    "gitlab": "gitlab-ci.yml",
    "shell": "gate.sh",
}


def ci(
    service: Annotated[str, typer.Argument(metavar="SERVICE", help="github, gitlab or shell.")],
) -> None:
    """Print a file to copy that holds pull requests against a baseline.

    For instance: comem ci github > .github/workflows/memory.yml
    """
    from pytest_comem.errors import SettingsError
    from pytest_comem.locations import fixture_path
    from pytest_comem.suggest import did_you_mean

    if service not in FILES:
        raise SettingsError(f"ci: {service!r} is unknown; {did_you_mean(service, FILES)}")
    text = fixture_path("ci", FILES[service]).read_text(encoding="utf-8")
    typer.echo(text, nl=False)
