"""Files that appear whole or not at all.

Everything is written under temporary names beside the targets first, and renamed only when the
last byte of the last file is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from pytest_comem.errors import SettingsError

_DEVICES: Final = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))


def write_files(contents: Mapping[Path, Iterable[str]]) -> None:
    """Write every file of *contents*, creating folders as needed.

    :param contents: pieces of text by path, written as UTF-8. A lone surrogate, which UTF-8 has no
        form for, becomes ``?``. Pipes and devices are written to as they are.
    :raises SettingsError: where a file cannot be written; then none of them was touched.
    """
    temporaries: dict[Path, Path] = {}
    path = Path()
    try:
        for path, pieces in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(None, "is a directory", str(path))
            if str(path) == "-":
                raise OSError(None, "'-' is no file here; name one")
            if _is_device(path):
                with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
                    file.writelines(pieces)
                continue
            temporary = path.with_name(f".{path.name}.{os.getpid()}.writing")
            temporaries[path] = temporary
            with temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.writelines(pieces)
        for path, temporary in temporaries.items():
            temporary.replace(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SettingsError(f"{path} cannot be written: {reason}") from error
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def _is_device(path: Path) -> bool:
    """Whether *path* is no file to be replaced: a pipe, or such as /dev/null and /dev/stdout."""
    return (path.exists() and not path.is_file()) or path.parent in _DEVICES
