from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_comem.cli import app
from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.registry import choose


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is known of this process yet."""
    choose.cache_clear()
    yield
    choose.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without bubblewrap and Docker."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")


@pytest.mark.usefixtures("bare")
def test_without_anything_better_it_is_none_and_said_once() -> None:
    """Loudly."""
    with pytest.warns(NoIsolationWarning, match="without any isolation"):
        kind = choose("auto")
    assert kind.name == "none"
    # A second warning would be an error.
    assert choose("auto") is kind


def test_the_first_that_works_is_taken() -> None:
    """Tried, not just looked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIsolationWarning)
        found = choose("auto")
    for name in ("bubblewrap", "docker"):
        try:
            choose(name)
        except SettingsError:
            continue
        assert found.name == name
        return
    assert found.name == "none"


def test_a_command_that_does_not_work_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """There are machines that forbid what it needs."""
    command = tmp_path / "bwrap"
    command.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1"
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(SettingsError, match="No permissions to create new namespace") as caught:
        choose("bubblewrap")
    assert "apt-get install bubblewrap" in str(caught.value)
    with pytest.warns(NoIsolationWarning):
        assert choose("auto").name == "none"


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("name", "how"), [("bubblewrap", "apt-get install bubblewrap"), ("docker", "DOCKER_HOST|pip")]
)
def test_what_is_missing_is_said_with_how_to_get_it(name: str, how: str) -> None:
    """Asked for by name, it has to work."""
    with pytest.raises(SettingsError, match=how):
        choose(name)


def test_an_engine_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would not see the workspaces."""
    pytest.importorskip("docker")
    monkeypatch.setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")
    with pytest.raises(SettingsError, match="on this machine"):
        choose("docker")


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    """Before anything is tried."""
    with pytest.raises(SettingsError, match="did you mean bubblewrap"):
        choose("bublewrap")


@pytest.mark.usefixtures("bare")
def test_the_command_says_what_each_kind_lacks() -> None:
    """And fails where nothing isolates."""
    said = CliRunner().invoke(app, ["sandbox", "check"])
    assert said.exit_code == 1
    lines = said.output.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["bubblewrap", "docker", "none"]
    assert "apt-get install bubblewrap" in lines[0]


@pytest.mark.usefixtures("bare")
def test_an_image_that_is_not_made_is_said() -> None:
    """Without what the recipe needs."""
    said = CliRunner().invoke(app, ["sandbox", "build"])
    assert said.exit_code == 2
    assert "build.sh" in said.output
