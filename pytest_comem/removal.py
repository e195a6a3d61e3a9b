"""Removing what a run has made, whatever modes its directories have."""

from __future__ import annotations

import os
import shutil
from errno import ELOOP
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Remove a directory and everything in it; does nothing where there is none.

    Symbolic links in it are removed and never followed. Whatever can be removed is gone, also
    where something else cannot.

    :raises OSError: where something is left, or *path* is itself a symbolic link.
    """
    if path.is_symlink():
        raise OSError(ELOOP, "is a symbolic link", str(path))
    if not path.exists():
        return
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        _open_up(path)
        shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        shutil.rmtree(path)


def _open_up(path: Path) -> None:
    """Let our own user list and change every directory that is left."""
    _allow(path)
    for place, names, _ in os.walk(path):
        for name in names:
            inner = Path(place, name)
            if not inner.is_symlink():
                _allow(inner)


def _allow(directory: Path) -> None:
    try:
        if directory.stat().st_mode & 0o700 != 0o700:
            directory.chmod(0o700)
    except OSError:
        # Another user's, or gone: removing it says what is wrong.
        return
