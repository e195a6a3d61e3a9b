"""Where a result comes from: the project's commit, the platform, the versions of what took part."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_comem import __version__

#: Packages that may take part in a run, besides the evaluated libraries.
_TAKING_PART: Final = (
    *("distributed", "httpx", "hypothesis", "litellm", "numpy", "pydantic", "pytest-xdist"),
    *("scipy",),
)
#: Seconds that git may take for one answer; a large tree on a slow disk is not waited for.
_PATIENCE: Final = 5.0
#: Git only looks: the index is not refreshed on disk, nobody is asked anything, and nothing that is
#: missing is fetched.
_LOOKING: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
#: Programs of a filter, and what a filter is set to that does nothing.
_PROGRAMS: Final = ("clean", "process")
_OFF: Final = ("clean=", "process=", "required=false")


def git_state(directory: Path) -> dict[str, Any] | None:
    """Return the commit that a project is at, and whether a tracked file differs from it.

    :return: ``commit`` and ``dirty``, each ``None`` where git does not say it; ``None`` where there
        is no git or *directory* is in no repository of it.
    """
    inside = _git(directory, "rev-parse", "--is-inside-work-tree")
    if inside is None or inside.strip() != "true":
        return None
    commit = _git(directory, "rev-parse", "--verify", "HEAD")
    changes = _changes(directory)
    return {
        "commit": commit.strip() if commit else None,
        "dirty": None if changes is None else bool(changes.strip()),
    }


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """Return the versions of the plugin, Python and pytest, and of other packages installed.

    Nothing is imported for it.

    :param distributions: names of the evaluated libraries' packages.
    """
    found = {
        "pytest-comem": __version__,
        "pytest": pytest.__version__,
        "python": platform.python_version(),
    }
    for name in sorted({*_TAKING_PART, *distributions}):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def platform_name() -> str:
    """Return system, release and processor, such as ``Linux-6.1.0-x86_64-with-glibc2.36``."""
    return platform.platform()


def _changes(directory: Path) -> str | None:
    """Return the tracked files that differ; nothing where there are none, ``None`` if unknown."""
    settings = _without_filters(directory)
    if settings is None:
        return None
    # Looking for renames or into submodules tells nothing more, and may read or start more.
    only = ("--untracked-files=no", "--no-renames", "--ignore-submodules=dirty")
    return _git(directory, *settings, "status", "--porcelain", *only)


def _without_filters(directory: Path) -> list[str] | None:
    """Return options of git that turn off the filters that a repository's configuration defines.

    A filter is a program that git runs to compare a file; those of the user's own configuration,
    such as Git LFS, stay. ``None`` where they cannot be known or turned off.
    """
    listed = _git(directory, "config", "--null", "--show-scope", "--list")
    if listed is None:
        return None
    entries = listed.split("\0")
    found = set()
    for scope, entry in zip(entries[::2], entries[1::2], strict=False):
        name, _, key = entry.partition("\n")[0].rpartition(".")
        if scope in ("local", "worktree") and name.startswith("filter.") and key in _PROGRAMS:
            found.add(name)
    if any("=" in name for name in found):
        return None
    off = [f"{name}.{value}" for name in sorted(found) for value in _OFF]
    return [part for setting in off for part in ("-c", setting)]


def _git(directory: Path, *arguments: str) -> str | None:
    """Return what git prints; ``None`` where it cannot be run, fails or takes too long."""
    try:
        found = subprocess.run(
            # No program that the repository's configuration names is started.
            ["git", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", *arguments],
            cwd=directory,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
            env={**os.environ, **_LOOKING},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if found.returncode else found.stdout
