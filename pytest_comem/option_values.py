"""The text of an option, read as the kind of value that it is.

This module is imported at every pytest start, so it imports nothing heavy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, final
from urllib.parse import urlsplit

import pytest

from pytest_comem.suggest import did_you_mean

if TYPE_CHECKING:
    from pytest_comem.core.sharding import Shard

#: What an option that is on or off may say, in any letter case.
_ON: Final = frozenset({"true", "yes", "on", "1"})
_OFF: Final = frozenset({"", "false", "no", "off", "0"})


@final
class OptionValues:
    """What was given for each option.

    Every method takes an option's flag and raises :class:`pytest.UsageError` where its text is no
    such value, naming the flag, the text and what is right.

    :param texts: by flag.
    :param base: directory in which relative paths start.
    """

    def __init__(self, texts: Mapping[str, str], base: Path) -> None:
        self._texts = texts
        self._base = base

    def text(self, flag: str) -> str:
        """Return the text without space around it."""
        return self._texts[flag].strip()

    def lines(self, flag: str) -> tuple[str, ...]:
        """Return the lines that hold anything."""
        return lines(self._texts[flag])

    def names(self, flag: str) -> tuple[str, ...]:
        """Return the names between commas, each of which may stand there once."""
        names = _between_commas(self._texts[flag])
        for name in names:
            if names.count(name) > 1:
                raise pytest.UsageError(f"{flag}: {name!r} is given more than once.")
        return names

    def choice(self, flag: str, choices: tuple[str, ...], *, blank: str = "") -> str:
        """Return the one of *choices* that the text is.

        :param blank: what an empty text stands for.
        """
        return _one_of(flag, self.text(flag) or blank, choices)

    def switch(self, flag: str) -> bool:
        """Return whether it is on."""
        word = self.text(flag).lower()
        if word not in _ON | _OFF:
            raise pytest.UsageError(f"{flag}: {self._texts[flag]!r} is neither true nor false.")
        return word in _ON

    def path(self, flag: str) -> Path | None:
        """Return an absolute path, or ``None`` for an empty text."""
        return self._absolute(self._texts[flag])

    def files(self, flag: str) -> tuple[Path, ...]:
        """Return the paths between commas."""
        return tuple(self._base / name for name in _between_commas(self._texts[flag]))

    def mode_and_directory(self, flag: str, modes: tuple[str, ...]) -> tuple[str, Path | None]:
        """Return one of *modes* and its directory, which all but ``off`` need."""
        mode, directory = [*self._texts[flag].split(maxsplit=1), "", ""][:2]
        mode = _one_of(flag, mode, modes)
        if mode == "off":
            return mode, None
        if not directory:
            raise pytest.UsageError(
                f"{flag}: {mode} needs a directory behind it, such as {flag} {mode} cassettes"
            )
        return mode, self._absolute(directory)

    def integer(self, flag: str, *, least: int) -> int:
        """Return a whole number."""
        return _integer(flag, self._texts[flag], least)

    def optional_integer(self, flag: str) -> int | None:
        """Return a whole number of 1 or more, or ``None`` for an empty text."""
        return self.integer(flag, least=1) if self.text(flag) else None

    def integers(self, flag: str) -> tuple[int, ...]:
        """Return the whole numbers of 1 or more between commas, at least one."""
        given = self.names(flag) or (self._texts[flag],)
        return tuple(_integer(flag, name, 1) for name in given)

    def any_integers(self, flag: str) -> tuple[int, ...]:
        """Return the whole numbers of 1 or more between commas; none for an empty text."""
        return tuple(_integer(flag, name, 1) for name in self.names(flag))

    def number(self, flag: str, *, least: float, most: float = math.inf) -> float:
        """Return a finite number."""
        value = self.text(flag)
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number >= least):
            raise pytest.UsageError(f"{flag}: {value!r} is not a number of {least:g} or more.")
        if number > most:
            raise pytest.UsageError(f"{flag}: {value!r} is more than {most:g}.")
        return number

    def optional_number(self, flag: str, *, least: float, most: float = math.inf) -> float | None:
        """Return a finite number, or ``None`` for an empty text."""
        return self.number(flag, least=least, most=most) if self.text(flag) else None

    def shard(self, flag: str) -> Shard | None:
        """Return a part of the episodes, or ``None`` for an empty text."""
        if not self.text(flag):
            return None
        from pytest_comem.core.sharding import Shard

        try:
            return Shard.parse(self.text(flag))
        except ValueError as error:
            raise pytest.UsageError(f"{flag}: {error}.") from error

    def address(self, flag: str) -> str:
        """Return a base URL; it goes into the manifest and into messages, so it holds no secret."""
        value = self._texts[flag]
        address = value.strip().rstrip("/")
        try:
            parts = urlsplit(address)
            # Both raise ValueError: a port that is none, a name that no server can have.
            usable = parts.port != 0 and bool((parts.hostname or "").encode("idna"))
        except ValueError:
            usable = False
        if address and not (usable and parts.scheme in ("http", "https")):
            raise pytest.UsageError(
                f"{flag}: {value!r} is no address; it looks like http://127.0.0.1:8000/v1"
            )
        if parts.username or parts.password or parts.query or parts.fragment:
            raise pytest.UsageError(
                f"{flag}: an address with a user, a password or a query is refused; a key belongs "
                "into the environment, such as the variable OPENAI_API_KEY"
            )
        return address

    def scheduler(self, flag: str) -> str:
        """Return the address of a cluster's scheduler, or an empty text."""
        address = self.text(flag)
        if not address:
            return ""
        try:
            parts = urlsplit(address)
            usable = bool(parts.scheme in ("tcp", "tls") and parts.hostname and parts.port)
        except ValueError:
            usable = False
        if not usable or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
            raise pytest.UsageError(
                f"{flag}: {address!r} is no scheduler's address; it looks like "
                "tcp://10.0.0.1:8786, or tls:// in place of tcp://"
            )
        return address

    def _absolute(self, name: str) -> Path | None:
        return (self._base / Path(name).expanduser()).resolve() if name.strip() else None


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of *text* that hold anything, without space around them."""
    return tuple(filter(None, map(str.strip, text.splitlines())))


def _between_commas(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _integer(flag: str, value: str, least: int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise pytest.UsageError(f"{flag}: {value!r} is not a whole number of {least} or more.")
    return number


def _one_of(flag: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise pytest.UsageError(f"{flag}: {value!r} is unknown; {did_you_mean(value, choices)}")
    return value
