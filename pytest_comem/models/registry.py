"""From the name on the command line to the reader that answers."""

from __future__ import annotations

from typing import Final

from pytest_comem.errors import SettingsError
from pytest_comem.models.base import Reader
from pytest_comem.models.offline import OfflineReader
from pytest_comem.models.offline_verbatim import VerbatimReader
from pytest_comem.suggest import did_you_mean

_READERS: Final[dict[str, type[Reader]]] = {
    reader.name: reader for reader in (OfflineReader, VerbatimReader)
}


def reader_names() -> tuple[str, ...]:
    """Return the names of the offline readers."""
    return tuple(_READERS)


def find_reader(name: str) -> Reader:
    """Return the reader called *name*.

    :raises SettingsError: naming the nearest known names.
    """
    if name not in _READERS:
        raise SettingsError(f"--comem-model: {name!r} is unknown; {did_you_mean(name, _READERS)}")
    return _READERS[name]()
