"""What has to be the same in two processes for their outcomes to be the same, by name."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_comem import __version__
from pytest_comem.core.hashing import stable_hash
from pytest_comem.locations import fixture_path, suites_root

if TYPE_CHECKING:
    from pytest_comem.materials import Materials

_NONE: Final = "none"
#: Characters of a value that are shown.
_SHOWN: Final = 60


@cache
def of_code() -> Mapping[str, str]:
    """Return versions, and a hash of the package's files, as this process first saw them.

    What is put in their place later is not what this process runs.
    """
    return {
        "pytest-comem": __version__,
        "pytest-comem's files": _hash_of_trees(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "distributed": version("distributed"),
    }


def of_materials(materials: Materials) -> dict[str, str]:
    """Return what decides results besides the settings: data and memory systems.

    :raises ComemError: where one of them cannot be had.
    """
    found: dict[str, str] = {}
    for suite in materials.suites.values():
        about = suite.describe()
        found[f"the data of {suite.name}"] = about["revision"]
        found[f"the episodes of {suite.name}"] = stable_hash(about["order"])
        for file, digest in about["checksums"].items():
            found[f"{suite.name}'s {file}"] = digest[:16]
    for label, system in materials.systems.items():
        found[f"{label}'s version"] = system.info.version
        found[f"{label}'s configuration"] = system.info.configuration
        found[f"{label}'s file"] = _hash_of_module(system.factory)
    if (key := _key_of(materials)) is not None:
        found[f"the key in {key}"] = "set" if os.environ.get(key, "").strip() else "not set"
    return found


def differences(ours: Mapping[str, str], theirs: Mapping[str, Any]) -> list[str]:
    """Return a clause for each thing that is not the same on a worker."""
    return [
        f"{name}: {_shown(theirs.get(name))} there, {_shown(ours.get(name))} here"
        for name in dict.fromkeys([*ours, *theirs])
        if theirs.get(name) != ours.get(name)
    ]


def _key_of(materials: Materials) -> str | None:
    """Return the variable whose key goes to base URLs, where a model is called at one.

    What other models need is found out by :meth:`Materials.check`.
    """
    settings = materials.settings
    if not materials.calls_models or settings.calls.cassette == "replay":
        return None
    from pytest_comem.assembly import language_models
    from pytest_comem.llm.transport import goes_direct
    from pytest_comem.llm.wire import KEY

    systems = materials.systems.values()
    remembering = (system.workshop.endpoint.spec for system in systems)
    models = [*language_models(settings).values(), *filter(None, remembering)]
    return KEY if any(map(goes_direct, models)) else None


def _shown(value: object) -> str:
    return _NONE if value is None else str(value)[:_SHOWN]


def _hash_of_module(factory: Any) -> str:
    """Return the hash of the file that a memory system of the user's is defined in."""
    name = str(getattr(factory, "__module__", ""))
    if name.partition(".")[0] == __package__.partition(".")[0]:
        return _NONE
    return _hash_of_file(getattr(sys.modules.get(name), "__file__", None) or "")


@cache
def _hash_of_file(path: str) -> str:
    """Return the hash of a file as this process first saw it: what it has imported stays so."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError:
        return _NONE


def _hash_of_trees() -> str:
    package = Path(__file__).resolve().parents[1]
    # In a wheel, suites and fixtures lie in the package.
    inside = {suites_root().name, fixture_path().name}
    trees = {"pytest_comem": package, "suites": suites_root(), "fixtures": fixture_path()}
    whole = hashlib.sha256()
    for name, root in trees.items():
        skipped = inside if root == package else set()
        for relative, path in _files(root, skipped):
            whole.update(f"{name}/{relative}\0".encode())
            whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]


def _files(root: Path, skipped: set[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files of a tree by their place in it, in an order of names alone."""
    found = {path.relative_to(root): path for path in root.rglob("*") if path.is_file()}
    for relative in sorted(found, key=lambda one: one.as_posix()):
        parts = relative.parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if not hidden and parts[0] not in skipped:
            yield relative.as_posix(), found[relative]
