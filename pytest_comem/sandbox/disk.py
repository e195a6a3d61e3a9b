"""How much a workspace holds, measured without leaving it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, final

from pytest_comem.sandbox.base import MIB, Ending, Limits, failure

#: What an entry counts at least, so that a great many empty files are too much as well.
_LEAST: Final = 4096
#: Directories within directories; more are counted as too much.
_DEEPEST: Final = 200
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def require_room(workspace: Path, limits: Limits) -> None:
    """Look whether a workspace can be filled up to its limit.

    :raises InfrastructureError: where it is no directory, or its disk has less room.
    """
    try:
        found = shutil.disk_usage(workspace)
    except OSError as error:
        raise failure(f"a sandbox's workspace {workspace}: {error.strerror}") from error
    if not workspace.is_dir():
        raise failure(f"a sandbox's workspace {workspace}: is not a directory")
    if found.free < limits.disk_mib * MIB:
        raise failure(
            f"a sandbox's workspace {workspace}: {found.free // MIB} MiB of its disk are free, and "
            f"a run may use {limits.disk_mib} MiB"
        )


def over_limit(workspace: Path, limits: Limits) -> Ending | None:
    """Return why a run has to end because of what its workspace holds."""
    if is_fuller(workspace, limits.disk_mib * MIB):
        return Ending(
            "killed",
            f"its workspace holds more than {limits.disk_mib} MiB, or what cannot be measured",
        )
    return None


def is_fuller(workspace: Path, limit: int) -> bool:
    """Return whether a directory holds more than *limit* bytes, or what cannot be measured.

    Links are counted and not followed, and a file with many names is counted once. What vanishes
    while it is measured is not counted; a directory that is nested too deeply or cannot be listed
    could hold anything, and is too much.
    """
    total = 0
    seen: set[tuple[int, int]] = set()
    try:
        for found in _entries(workspace):
            if found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode):
                known = (found.st_dev, found.st_ino)
                if known in seen:
                    continue
                seen.add(known)
            # Blocks are of 512 bytes whatever the file system's are.
            total += max(_LEAST, found.st_blocks * 512)
            if total > limit:
                return True
    except _UnmeasurableError:
        return True
    return False


class _UnmeasurableError(Exception):
    pass


def _entries(workspace: Path) -> Iterator[os.stat_result]:
    """Yield everything in it, directory by directory, each opened from the one before."""
    levels = [_Level(str(workspace), None)]
    try:
        while levels:
            entry = next(levels[-1].entries, None)
            if entry is None:
                levels.pop().close()
                continue
            try:
                yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    if len(levels) > _DEEPEST:
                        raise _UnmeasurableError
                    levels.append(_Level(entry.name, levels[-1].descriptor))
            except PermissionError as error:
                raise _UnmeasurableError from error
            except OSError:
                continue
    finally:
        for level in levels:
            level.close()


@final
class _Level:
    """An open directory and what is left to be seen of it."""

    def __init__(self, name: str, above: int | None) -> None:
        # The workspace itself is the caller's and may be a link.
        flags = _DIRECTORY | (os.O_NOFOLLOW if above is not None else 0)
        self.descriptor = os.open(name, flags, dir_fd=above)
        try:
            self.entries = os.scandir(self.descriptor)
        except OSError:
            os.close(self.descriptor)
            raise

    def close(self) -> None:
        """Close it."""
        self.entries.close()
        os.close(self.descriptor)
