"""GateMem's released files, fetched on request, checked, and put where the reader finds them.

Each file is downloaded under a name of its own (``.part``), compared with the release's SHA-256,
and only then renamed: a file under its final name is right.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

from pytest_comem.datasets.gatemem_release import CHECKSUMS, HOMEPAGE
from pytest_comem.datasets.transfer import Listener, Source
from pytest_comem.errors import InfrastructureError, SettingsError

#: Where the data set's files lie on the web.
ORIGIN: Final = f"{HOMEPAGE}/resolve/main"

#: What may stand before ``<domain>/<file>`` there or on a mirror. The data set's
#: own card names ``data/``; the others are for copies laid out by hand.
LAYOUTS: Final = ("data/", "", "data/gatemem/")


def default_directory() -> Path:
    """Return ``pytest-comem/gatemem`` in the user's cache directory."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "")
    # The XDG specification tells programs to ignore a relative path.
    base = cache if cache.is_absolute() else Path.home() / ".cache"
    return base / "pytest-comem" / "gatemem"


def fetch(directory: Path, listener: Listener, *, origin: str = ORIGIN, pause: float = 1.0) -> None:
    """Put every released file into *directory*, skipping those that are right already.

    :param listener: is told about every file.
    :param origin: address of the data set or of a mirror with one of :data:`LAYOUTS`.
    :param pause: seconds between tries.
    :raises InfrastructureError: where a file cannot be had, with what to do by hand, or is not the
        released one.
    :raises SettingsError: where *origin* is no web address or *directory* cannot be written.
    """
    source = Source(origin, LAYOUTS, pause=pause)
    for name, digest in CHECKSUMS.items():
        target = directory / name
        found = _digest(target)
        if found == digest:
            listener.finished(name, "already here")
            continue
        try:
            _obtain(source, name, target, digest, listener)
        except InfrastructureError as error:
            raise InfrastructureError(f"{error}\n{by_hand(directory)}", type="download") from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise SettingsError(f"--to: {target} cannot be written: {reason}") from None
        listener.finished(name, "fetched" if found is None else "replaced, its checksum was wrong")


def by_hand(directory: Path) -> str:
    """Return how to get the files without this command."""
    domains = " ".join(dict.fromkeys(name.split("/")[0] for name in CHECKSUMS))
    files = " and ".join(dict.fromkeys(name.split("/")[1] for name in CHECKSUMS))
    return (
        "To get the files by hand:\n"
        f"  1. On a machine with network, open {HOMEPAGE} (or a mirror), folder data.\n"
        f"  2. Put {files} of each domain ({domains}) under\n"
        f"     {directory}/<domain>/\n"
        "  3. Run this command again: it checks files that are there and fetches only the rest.\n"
        f"  4. Use them: pytest --comem-data {directory} ..., or set COMEM_DATA to that folder.\n"
        "A mirror: --from URL. A proxy: set HTTPS_PROXY."
    )


def _obtain(source: Source, name: str, target: Path, digest: str, listener: Listener) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    started_with = _digest(part)
    if started_with != digest:
        source.receive(name, part, listener)
        if started_with is not None and _digest(part) != digest:
            # The earlier part may be of another file: once more, from the start.
            part.unlink(missing_ok=True)
            source.receive(name, part, listener)
    received = _digest(part)
    if received == digest:
        part.replace(target)
        return
    part.unlink(missing_ok=True)
    raise InfrastructureError(
        f"{source.base}: {name} is not the released file: its SHA-256 is "
        f"{(received or 'none')[:12]}..., the release has {digest[:12]}...; nothing of it was kept",
        type="download",
    )


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of *path*, or ``None`` where there is no such file."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
