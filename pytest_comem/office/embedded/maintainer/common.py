"""Short forms for what recurs in the maintainer's tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.specs import check
from pytest_comem.streams.hidden import Check, Mutation

QUILLSPAN: Final = "Quillspan"
FERRYBOX: Final = "Ferrybox"
LOADLINE: Final = "Loadline"

#: What runs tests without leaving anything behind.
PYTEST: Final = "python3 -B -m pytest -q -p no:cacheprovider"


def plain(text: str) -> str:
    """Return a text as a plan's argument that holds no placeholder."""
    return text.replace("{", "{{").replace("}", "}}")


def behaves(
    check_id: str,
    level: str,
    text: str,
    package: str,
    test: str,
    mutation: Mutation | Sequence[Mutation],
    slots: Sequence[str] = (),
) -> Check:
    """Return a check that a test of ours passes in a package as it was left."""
    name = f"tests/test_held_{check_id.replace('-', '_')}.py"
    return check(
        check_id,
        level,
        text,
        "command",
        mutation,
        slots,
        command=f"cd {package} && {PYTEST} {name}",
        add={f"{package}/{name}": test},
        seconds=60,
    )


def guards(
    check_id: str, level: str, text: str, package: str, path: str, old: str, mutation: Mutation
) -> Check:
    """Return a check that the package's tests fail while *path* is as it was before the fix."""
    return check(
        check_id,
        level,
        text,
        "command",
        mutation,
        command=f"cd {package} && if {PYTEST} tests; then exit 1; else test $? -eq 1; fi",
        add={f"{package}/{path}": old},
        seconds=60,
    )
