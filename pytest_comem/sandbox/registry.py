"""From a name to a kind of sandbox that works here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import SandboxKind
from pytest_comem.suggest import did_you_mean

AUTO: Final = "auto"


def _bubblewrap() -> SandboxKind:
    from pytest_comem.sandbox.bubblewrap import Bubblewrap

    return Bubblewrap()


def _docker() -> SandboxKind:
    from pytest_comem.sandbox.docker import Docker

    return Docker()


def _none() -> SandboxKind:
    from pytest_comem.sandbox.plain import Plain

    return Plain()


#: In the order in which ``auto`` tries them.
KINDS: Final[Mapping[str, Callable[[], SandboxKind]]] = {
    "bubblewrap": _bubblewrap,
    "docker": _docker,
    "none": _none,
}


@cache
def choose(name: str) -> SandboxKind:
    """Return a kind that works here, tried once a process.

    :param name: of a kind, or ``auto`` for the first that works.
    :raises SettingsError: saying what is missing, or which names there are.
    """
    if name != AUTO and name not in KINDS:
        raise SettingsError(
            f"--comem-sandbox: {name!r} is unknown; {did_you_mean(name, [AUTO, *KINDS])}"
        )
    if name != AUTO:
        kind = KINDS[name]()
        kind.preflight()
        return kind
    for make in KINDS.values():
        kind = make()
        try:
            kind.preflight()
        except SettingsError:
            continue
        return kind
    raise AssertionError("the last kind needs nothing")
