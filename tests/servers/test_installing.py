from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pytest_comem.errors import InfrastructureError
from pytest_comem.servers import installing
from pytest_comem.servers.declared import Declared, read

SERVER = """
[trial]
kind = "python"
package = "comem-trial-server"
version = "{version}"
start = ["{{python}}", "-m", "comem_trial"]
sees = "nothing"
"""


def wheel(place: Path, version: str) -> None:
    """Make a package that can be installed without network."""
    info = f"comem_trial_server-{version}.dist-info"
    with zipfile.ZipFile(place / f"comem_trial_server-{version}-py3-none-any.whl", "w") as file:
        file.writestr("comem_trial.py", f"print({version!r})\n")
        facts = f"Metadata-Version: 2.1\nName: comem-trial-server\nVersion: {version}\n"
        file.writestr(f"{info}/METADATA", facts)
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to install into, and packages of ours instead of a registry."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for version in ("1.0", "2.0"):
        wheel(packages, version)
    monkeypatch.setenv("COMEM_TOOLS", str(tmp_path / "tools"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(packages))
    # Not what is installed for the tests.
    monkeypatch.setenv("PYTHONPATH", str(packages / "comem_trial_server-1.0-py3-none-any.whl"))
    return tmp_path


def declared(place: Path, version: str) -> Declared:
    """Return a server of a version."""
    file = place / "servers.toml"
    file.write_text(SERVER.format(version=version))
    return read(file)["trial"]


def said_by(server: Declared) -> str:
    """Return what the installed program says."""
    command = [str(installing.program_of(server)), "-I", "-m", "comem_trial"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_server_is_installed_once_and_anew_for_another_version(offline: Path) -> None:
    """In an environment of its own, which is not ours."""
    said: list[str] = []
    one = declared(offline, "1.0")
    assert not installing.is_installed(one)
    installing.install(one, said.append)
    assert installing.is_installed(one)
    assert said_by(one) == "1.0"
    installing.install(one, said.append)
    assert "is there" in said[-1]
    two = declared(offline, "2.0")
    assert not installing.is_installed(two)
    installing.install(two, said.append)
    assert said_by(two) == "2.0"
    assert not installing.is_installed(one)
    assert installing.environment_of(two).parent == offline / "tools"


def test_what_could_not_be_installed_is_not_there(offline: Path) -> None:
    """The message has what the installer says."""
    three = declared(offline, "3.0")
    with pytest.raises(InfrastructureError, match=r"trial: cannot be installed.*3\.0"):
        installing.install(three, lambda line: None)
    assert not installing.is_installed(three)


@pytest.mark.parametrize("mark", ["", "no JSON", "[]", '{"digest": 1}', "null"])
def test_a_half_made_environment_is_not_there(offline: Path, mark: str) -> None:
    """Whatever its mark holds."""
    one = declared(offline, "1.0")
    place = installing.environment_of(one)
    place.mkdir(parents=True)
    (place / "installed.json").write_text(mark)
    assert not installing.is_installed(one)


def test_where_servers_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the user says, or among the user's data."""
    monkeypatch.setenv("COMEM_TOOLS", str(tmp_path))
    assert installing.tools_directory() == tmp_path
    monkeypatch.delenv("COMEM_TOOLS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert installing.tools_directory() == tmp_path / "data" / "pytest-comem" / "tools"


def comem(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [sys.executable, "-c", "from pytest_comem.cli import main; main()", "tools", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_the_list_says_what_is_missing(tmp_path: Path) -> None:
    """And how to get it, without starting or making anything."""
    place = tmp_path / "tools"
    found = comem("list", COMEM_TOOLS=str(place))
    assert found.returncode == 0
    lines = found.stdout.splitlines()
    assert lines[0] == f"in {place}:"
    assert any("comem tools install git" in line for line in lines)
    assert len(lines) == 7
    assert not place.exists()


def test_a_check_fails_for_what_is_missing(tmp_path: Path) -> None:
    """Its line names the way out, and the exit status is 1."""
    found = comem("check", "time", COMEM_TOOLS=str(tmp_path / "tools"))
    assert found.returncode == 1
    assert found.stdout.startswith("time: ")
    assert "comem tools install time" in found.stdout


def test_an_unknown_server_is_a_usage_error(tmp_path: Path) -> None:
    """With a guess at what was meant."""
    found = comem("install", "excell", COMEM_TOOLS=str(tmp_path / "tools"))
    assert found.returncode == 2
    assert "excel" in found.stderr
    assert not (tmp_path / "tools").exists()
