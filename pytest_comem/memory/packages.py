"""Which version of a library is installed, and whether its adapter was made for it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from packaging.specifiers import SpecifierSet

from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Package


def version_of(name: str, factory: object) -> str:
    """Return the exact version of a system: its library's, else the one it states itself.

    :raises SettingsError: where a package it needs is missing or of another version.
    """
    packages: tuple[Package, ...] = getattr(factory, "packages", ())
    found = {package: _installed(name, package) for package in packages}
    for package, installed in found.items():
        if package.library:
            return f"{package.distribution} {installed}"
    return str(getattr(factory, "version", "unknown"))


def _installed(name: str, package: Package) -> str:
    try:
        installed = version(package.distribution)
    except PackageNotFoundError:
        raise SettingsError(
            f"--memory-system: {name} needs the package {package.distribution}; "
            f"pip install 'pytest-comem[{package.extra}]'"
        ) from None
    if not SpecifierSet(package.supported).contains(installed, prereleases=True):
        raise SettingsError(
            f"--memory-system: {name} was made for {package.distribution}{package.supported}, "
            f"and {installed} is installed; pip install 'pytest-comem[{package.extra}]'"
        )
    return installed
