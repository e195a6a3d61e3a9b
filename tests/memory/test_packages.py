from __future__ import annotations

from importlib.metadata import version

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Package
from pytest_comem.memory.packages import version_of


class Stated:
    """Stands on nothing and states its version."""

    version = "1.2"


def standing_on(*packages: Package) -> object:
    """Return a factory with these packages."""
    return type("Adapter", (), {"packages": packages})


def test_the_librarys_version_is_the_systems() -> None:
    """The first package names it, exactly as installed."""
    factory = standing_on(Package("pytest", "x", ">=8"), Package("pydantic", "x", ">=2,<3"))
    assert version_of("toy", factory) == f"pytest {version('pytest')}"


def test_a_tool_gives_no_version() -> None:
    """A package that is only a tool leaves the version to the system or the library after it."""
    tool = Package("pydantic", "x", ">=2,<3", library=False)
    own = type("Own", (), {"packages": (tool,), "version": "3"})
    assert version_of("toy", own) == "3"
    library = standing_on(tool, Package("pytest", "x", ">=8"))
    assert version_of("toy", library) == f"pytest {version('pytest')}"


def test_without_packages_it_states_its_own() -> None:
    """A class attribute, or unknown for a plain function."""
    assert version_of("toy", Stated) == "1.2"
    assert version_of("toy", lambda: None) == "unknown"


def test_a_missing_package() -> None:
    """Any of them; the message has the command that installs all."""
    factory = standing_on(Package("pytest", "x", ">=8"), Package("no-such-thing", "toys", ">=1"))
    with pytest.raises(SettingsError, match=r"toy needs the package no-such-thing; pip install"):
        version_of("toy", factory)
    with pytest.raises(SettingsError, match=r"'pytest-comem\[toys\]'"):
        version_of("toy", factory)


def test_another_version() -> None:
    """An installed version outside the supported ones is named with what it should be."""
    factory = standing_on(Package("pytest", "toys", "<1"))
    with pytest.raises(SettingsError, match=rf"made for pytest<1, and {version('pytest')} is"):
        version_of("toy", factory)
