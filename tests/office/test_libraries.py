"""What office tasks have of Python in a sandbox."""

from __future__ import annotations

import stat

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.office import libraries
from pytest_comem.office.libraries import OFFICE, missing_libraries, tooling_for
from pytest_comem.sandbox.interpreter import PYTEST, Needed

LACKING = Needed((*PYTEST.packages, "no_such_package"), (), PYTEST.optional, OFFICE.install)


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without one of the libraries."""
    monkeypatch.setattr(libraries, "OFFICE", LACKING)


@pytest.mark.usefixtures("lacking")
@pytest.mark.parametrize("kind", ["bubblewrap", "none"])
def test_a_missing_library_is_named_with_the_way_out(kind: str) -> None:
    """Before anything is played; opening a sandbox says the same."""
    why = missing_libraries.__wrapped__(kind)
    assert why == "there is no no_such_package: pip install openpyxl python-docx"
    with pytest.raises(SettingsError, match="no_such_package"):
        tooling_for.__wrapped__(kind)


def test_isolated_kinds_see_our_program_at_one_place() -> None:
    """And nothing of the host's paths in what programs are started with."""
    pytest.importorskip("openpyxl")
    pytest.importorskip("docx")
    for kind in ("bubblewrap", "docker"):
        tooling = tooling_for(kind)
        assert "/comem/office" in tooling.read_only
        for environment in (tooling.program_environment, tooling.shell_environment):
            paths = [*environment["PATH" if "PATH" in environment else "PYTHONPATH"].split(":")]
            assert paths[0].startswith("/comem/office/")
        assert str(tooling.read_only["/comem/office"]) not in str(tooling.shell_environment)


def test_commands_can_be_run_and_read_by_any_user() -> None:
    """Whoever a sandbox runs programs as."""
    place = tooling_for("docker").read_only["/comem/office"]
    for name in ("python3", "python", "pytest"):
        assert stat.S_IMODE((place / "bin" / name).stat().st_mode) & 0o555 == 0o555
    assert stat.S_IMODE(place.stat().st_mode) & 0o555 == 0o555
