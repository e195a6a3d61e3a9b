"""Which row of one run is compared with which of another.

A row is a memory system with a model. Rows of one name belong together; where a run has a single
row, it is compared whatever it is called. Anything else has to be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, final

from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

#: Memory system and model.
Name: TypeAlias = tuple[str, str]
Pair: TypeAlias = tuple[Name, Name]


@final
@dataclass(frozen=True, slots=True)
class Pairing:
    """The rows that are compared, and those that nothing stands against.

    :param pairs: rows of the first run with rows of the second.
    :param alone: what is left over, a line each.
    """

    pairs: tuple[Pair, ...]
    alone: tuple[str, ...] = ()


def names_in(run: RecordedRun, suite: str) -> list[Name]:
    """Return the rows of a run in *suite*, in its order."""
    return [(system, model) for of, system, model in run.rows if of == suite]


def told(name: Name) -> str:
    """Return a row's name in words."""
    return f"{name[0]} with {name[1]}"


def pair_rows(
    first: RecordedRun, second: RecordedRun, suite: str, wanted: Sequence[str] = ()
) -> Pairing:
    """Return which rows of two runs are compared.

    :param wanted: rows the user named: ``NAME`` of both runs, or ``NAME=OTHER``. A name is a
        system, a model, or ``SYSTEM/MODEL``.
    :raises SettingsError: where a name fits no row or several, or nothing says which rows belong
        together.
    """
    left, right = names_in(first, suite), names_in(second, suite)
    if wanted:
        return Pairing(tuple(_named(text, (left, first), (right, second)) for text in wanted))
    common = [name for name in left if name in right]
    if not common:
        return Pairing(
            _only_rows(left, right) or _by_system(left, right) or _refuse(first, second, suite)
        )
    alone = [f"{told(name)} is in {first.path} only" for name in left if name not in right]
    alone += [f"{told(name)} is in {second.path} only" for name in right if name not in left]
    return Pairing(tuple((name, name) for name in common), tuple(alone))


def pair_within(run: RecordedRun, suite: str, wanted: Sequence[str] = ()) -> Pairing:
    """Return the rows of one run, each with the first.

    :param wanted: as in :func:`pair_rows`; without ``=``, each of these with the first of them.
    :raises SettingsError: where there is only one, or a name fits no row or several.
    """
    names = names_in(run, suite)
    pairs = [_named(text, (names, run), (names, run)) for text in wanted if "=" in text]
    chosen = [_find(text, names, run.path) for text in wanted if "=" not in text]
    if not wanted:
        chosen = names
    pairs += [(chosen[0], other) for other in chosen[1:]]
    if not pairs:
        raise SettingsError(
            f"{run.path} has one row to compare ({', '.join(map(told, chosen or names))}); "
            "name another run, or a run of several systems or models"
        )
    return Pairing(tuple(pairs))


def _only_rows(left: Sequence[Name], right: Sequence[Name]) -> tuple[Pair, ...]:
    return ((left[0], right[0]),) if len(left) == len(right) == 1 else ()


def _by_system(left: Sequence[Name], right: Sequence[Name]) -> tuple[Pair, ...]:
    """Return the rows of equal systems, where each run has one model."""
    if len({model for _, model in left}) != 1 or len({model for _, model in right}) != 1:
        return ()
    others = dict(right)
    return tuple((name, (name[0], others[name[0]])) for name in left if name[0] in others)


def _refuse(first: RecordedRun, second: RecordedRun, suite: str) -> tuple[Pair, ...]:
    rows = "\n".join(
        f"  {run.path}: {', '.join(map(told, names_in(run, suite)))}" for run in (first, second)
    )
    raise SettingsError(
        f"--row: which rows of {suite} belong together is not clear; name them as NAME=OTHER, such "
        f"as --row {names_in(first, suite)[0][0]}={names_in(second, suite)[0][0]}\n{rows}"
    )


def _named(
    text: str, left: tuple[Sequence[Name], RecordedRun], right: tuple[Sequence[Name], RecordedRun]
) -> Pair:
    before, _, after = text.partition("=")
    return (
        _find(before, left[0], left[1].path),
        _find(after or before, right[0], right[1].path),
    )


def _find(text: str, names: Sequence[Name], path: Path) -> Name:
    wanted = text.strip()
    found = [name for name in names if wanted in (*name, "/".join(name))]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join("/".join(name) for name in found)
        raise SettingsError(f"--row: {wanted!r} is several rows of {path}: {several}")
    known = {name[0] for name in names} | {"/".join(name) for name in names}
    raise SettingsError(f"--row: {path} has no row {wanted!r}; {did_you_mean(wanted, known)}")
