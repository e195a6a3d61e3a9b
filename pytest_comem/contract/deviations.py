"""Known deviations: promises that a library is known to break, version by version.

A file of them is TOML, a table ``[[deviation]]`` each:

    [[deviation]]
    system = "mem0"             # before the colon, for all its variants, or the whole name
    promise = "test_no_principal_recalls_what_another_said"
    versions = ">=2,<3"         # of the library
    reason = "the name * stands for everybody"
    issue = ""                  # address or number, where there is one
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from pytest_comem.errors import SettingsError
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.suggest import did_you_mean

_FIELDS: Final = ("system", "promise", "versions", "reason", "issue")
_MAY_BE_EMPTY: Final = ("versions", "issue")


@final
@dataclass(frozen=True, slots=True)
class Deviation:
    """One known deviation.

    :param system: name before the colon, or the whole name.
    :param promise: name of the test.
    :param versions: of the library; empty for all.
    :param reason: what the library does instead.
    :param issue: address or number of a report, or empty.
    :param place: file and row, for messages.
    """

    system: str
    promise: str
    versions: SpecifierSet
    reason: str
    issue: str
    place: str

    def covers(self, promise: str, system: SystemUnderTest) -> bool:
        """Whether it is about this promise and this version of this system."""
        name = system.name
        if promise != self.promise or self.system not in (name, name.partition(":")[0]):
            return False
        try:
            # A library's version stands behind its name.
            version = Version(system.info.version.rpartition(" ")[2])
        except InvalidVersion:
            return not self.versions
        return self.versions.contains(version, prereleases=True)

    @property
    def why(self) -> str:
        """The reason, with the issue where there is one."""
        return f"{self.reason} ({self.issue})" if self.issue else self.reason


def load_deviations(paths: Iterable[Path], promises: Collection[str]) -> list[Deviation]:
    """Return the deviations of several files.

    :param promises: names of the tests there are.
    :raises SettingsError: naming file and row of the first thing that is wrong.
    """
    return [one for path in paths for one in _load(path, promises)]


def deviation_for(
    deviations: Iterable[Deviation], promise: str, system: SystemUnderTest
) -> Deviation | None:
    """Return the first deviation that covers a promise and a system, or ``None``."""
    return next((one for one in deviations if one.covers(promise, system)), None)


def _load(path: Path, promises: Collection[str]) -> list[Deviation]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from None
    rows = document.pop("deviation", [])
    if document or not isinstance(rows, list):
        raise SettingsError(f"{path}: it may hold tables [[deviation]] and nothing else")
    return [_read(row, f"{path}: deviation {n}", promises) for n, row in enumerate(rows, start=1)]


def _read(row: Any, place: str, promises: Collection[str]) -> Deviation:
    texts = _texts(row, place)
    if texts["promise"] not in promises:
        raise SettingsError(
            f"{place}: promise {texts['promise']!r} is unknown; "
            f"{did_you_mean(texts['promise'], promises)}"
        )
    try:
        versions = SpecifierSet(texts["versions"])
    except InvalidSpecifier:
        raise SettingsError(
            f"{place}: versions {texts['versions']!r} is no version specifier, such as >=2,<3"
        ) from None
    return Deviation(
        texts["system"], texts["promise"], versions, texts["reason"], texts["issue"], place
    )


def _texts(row: Any, place: str) -> Mapping[str, str]:
    if not isinstance(row, dict):
        raise SettingsError(f"{place}: not a table")
    for name in row:
        if name not in _FIELDS:
            raise SettingsError(f"{place}: field {name!r}; {did_you_mean(name, _FIELDS)}")
    for name in _FIELDS:
        value = row.get(name, "" if name in _MAY_BE_EMPTY else None)
        if not isinstance(value, str) or not (value.strip() or name in _MAY_BE_EMPTY):
            raise SettingsError(f"{place}: field {name!r} is missing or no text")
    return {name: row.get(name, "").strip() for name in _FIELDS}
