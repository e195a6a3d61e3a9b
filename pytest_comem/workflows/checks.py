"""What a check came to: the line a check that ``replay`` and ``certify`` print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.core.printable import printable

#: Findings that a printed check names; the rest are counted.
_SHOWN: Final = 20


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    :param where: file, line, node, as far as they are known.
    :param problem: what it is.
    """

    where: str
    problem: str


@final
@dataclass(frozen=True, slots=True)
class Check:
    """A check and its result.

    :param name: what is held to.
    :param passed: ``None`` where it could not be looked at; *detail* says why.
    :param detail: what was looked at.
    :param where: everything that is wrong.
    """

    name: str
    passed: bool | None
    detail: str
    where: tuple[Finding, ...] = ()


def check(name: str, detail: str, findings: Iterable[Finding]) -> Check:
    """Return a check that passed where nothing was found."""
    where = tuple(findings)
    return Check(name, not where, detail, where)


def check_lines(one: Check) -> Iterable[str]:
    """Yield a check as lines of text, its findings below it."""
    word = {True: "ok", False: "FAILED", None: "not checked"}[one.passed]
    yield f"{one.name}: {word} ({one.detail})"
    for finding in one.where[:_SHOWN]:
        yield printable(f"  {finding.where}: {finding.problem}")
    if len(one.where) > _SHOWN:
        yield f"  and {len(one.where) - _SHOWN} more"
