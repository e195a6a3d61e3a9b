"""Which Python runs in a sandbox, and what it can import there: itself, and packages by name.

Where the host's files can be shown, it is the running interpreter with those packages and no other
of the environment's. In Docker it is the image's, with what the image holds.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import SettingsError

#: Where isolated programs see the packages.
SHOWN: Final = "/comem/lib"
#: Without the environment's packages, the user's, and the current directory's modules.
_FLAGS: Final = ("-S", "-s", "-P")


@final
@dataclass(frozen=True, slots=True)
class Needed:
    """What is to be imported in a sandbox.

    :param packages: names of packages and modules.
    :param distributions: whose version somebody looks up, and so has to be seen.
    :param optional: of the packages, those that not every installation has or needs.
    :param install: what to do where a package is not there, such as ``pip install pytest``.
    """

    packages: tuple[str, ...]
    distributions: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    install: str = ""


#: pytest, and what it imports.
PYTEST: Final = Needed(
    packages=("_pytest", "iniconfig", "packaging", "pluggy", "py", "pygments", "pytest"),
    distributions=("pluggy", "pytest"),
    optional=("packaging", "py", "pygments"),
    install="pip install pytest",
)


@final
@dataclass(frozen=True, slots=True)
class Interpreter:
    """How a sandbox runs Python.

    :param command: to which arguments are added.
    :param read_only: what of the host has to be shown: path on the host by path inside.
    :param libraries: directory to import from, as programs see it; empty where none is needed.
    """

    command: tuple[str, ...]
    read_only: Mapping[str, Path] = field(default_factory=dict)
    libraries: str = ""


@cache
def interpreter_for(kind: str, needed: Needed = PYTEST) -> Interpreter:
    """Return how a kind of sandbox runs Python.

    :param kind: name of the kind.
    :raises SettingsError: where a package is not there, or the running interpreter cannot be shown.
    """
    if kind == "docker":
        return Interpreter(("python3", "-s", "-P"))
    program = os.path.realpath(sys.executable)
    command = (program, *_FLAGS)
    found = [_package(name, needed) for name in needed.packages]
    found += map(_metadata, needed.distributions)
    packages = {path.name: path for path in found if path is not None}
    if kind == "none":
        return Interpreter(command, libraries=str(_linked(packages)))
    shown = {f"{SHOWN}/{name}": path for name, path in sorted(packages.items())}
    return Interpreter(command, {**_installation(Path(program)), **shown}, SHOWN)


def absent(needed: Needed) -> tuple[str, ...]:
    """Return the packages that the running interpreter lacks, in order."""
    return tuple(
        name
        for name in needed.packages
        if name not in needed.optional and importlib.util.find_spec(name) is None
    )


def _package(name: str, needed: Needed) -> Path | None:
    """Return where a package lies, a directory or a file; ``None`` for one that is not needed."""
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        if name in needed.optional:
            return None
        raise SettingsError(f"sandboxes need the package {name}: {needed.install}")
    path = Path(found.origin)
    return path.parent if path.name == "__init__.py" else path


def _metadata(name: str) -> Path | None:
    """Return the directory of a distribution's metadata, where it has one."""
    distribution = importlib.metadata.distribution(name)
    for file in distribution.files or ():
        if file.name == "METADATA":
            return Path(str(distribution.locate_file(file))).parent
    return None


def _installation(program: Path) -> dict[str, Path]:
    """Return the interpreter's own files, its site-packages covered by nothing."""
    prefix = Path(sys.base_prefix).resolve()
    if prefix == Path("/usr"):
        return {}
    shown = {str(prefix): prefix}
    if not program.is_relative_to(prefix):
        shown[str(program)] = program
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    covered = prefix / "lib" / version / "site-packages"
    if covered.is_dir():
        shown[str(covered)] = _empty()
    return shown


@cache
def _empty() -> Path:
    return kept_directory("comem-nothing-")


def _linked(packages: Mapping[str, Path]) -> Path:
    """Return a directory that holds links to *packages* and nothing else."""
    directory = kept_directory("comem-lib-")
    for name, path in packages.items():
        (directory / name).symlink_to(path)
    return directory


_KEPT: Final[list[tempfile.TemporaryDirectory[str]]] = []


def kept_directory(prefix: str) -> Path:
    """Return a new directory that is removed when the process ends."""
    directory = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    _KEPT.append(directory)
    return Path(directory.name)
